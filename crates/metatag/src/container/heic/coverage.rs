//! Which bytes of a file are in one of many ranges.

use std::ops::Range;

/// The bytes of many ranges, as ranges that neither touch nor overlap, in order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Coverage(Vec<Range<usize>>);

impl Coverage {
    pub(super) fn of(mut ranges: Vec<Range<usize>>) -> Coverage {
        ranges.retain(|range| !range.is_empty());
        ranges.sort_unstable_by_key(|range| range.start);
        let mut joined: Vec<Range<usize>> = Vec::new();
        for range in ranges {
            match joined.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => joined.push(range),
            }
        }
        Coverage(joined)
    }

    /// Whether any byte of the range is covered.
    pub(super) fn touches(&self, range: &Range<usize>) -> bool {
        self.next(range).is_some_and(|next| next.start < range.end)
    }

    /// Whether the range has bytes, and all of them are covered.
    pub(super) fn covers(&self, range: &Range<usize>) -> bool {
        !range.is_empty()
            && self.next(range).is_some_and(|next| next.start <= range.start && range.end <= next.end)
    }

    fn next(&self, range: &Range<usize>) -> Option<&Range<usize>> {
        self.0.get(self.0.partition_point(|one| one.end <= range.start))
    }
}

#[cfg(test)]
mod tests {
    use super::Coverage;

    #[test]
    fn ranges_are_joined_and_found() {
        let coverage = Coverage::of(vec![30..40, 5..10, 10..12, 8..11, 7..7]);
        assert_eq!(coverage, Coverage(vec![5..12, 30..40]));
        assert!(coverage.covers(&(5..12)) && coverage.covers(&(35..36)));
        assert!(!coverage.covers(&(5..13)) && !coverage.covers(&(6..6)) && !coverage.covers(&(40..41)));
        assert!(coverage.touches(&(0..6)) && coverage.touches(&(11..31)));
        assert!(!coverage.touches(&(12..30)) && !coverage.touches(&(40..50)));
    }
}
