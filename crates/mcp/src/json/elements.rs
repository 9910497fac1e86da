//! The elements of an array, read one at a time: what that costs is the longest of them, not their number.

use serde_json::value::RawValue;

/// The elements that were not read yet. The array must be JSON; what is none has no elements from there on.
pub(crate) struct Elements<'a> {
    rest: &'a str,
}

impl<'a> Elements<'a> {
    pub(crate) fn of(array: &'a str) -> Elements<'a> {
        Elements { rest: array.trim_start().strip_prefix('[').unwrap_or_default() }
    }
}

impl<'a> Iterator for Elements<'a> {
    type Item = &'a RawValue;

    fn next(&mut self) -> Option<&'a RawValue> {
        let mut values = serde_json::Deserializer::from_str(self.rest).into_iter::<&'a RawValue>();
        let value = values.next()?.ok()?;
        let after = self.rest.get(values.byte_offset()..).unwrap_or_default();
        self.rest = after.trim_start().strip_prefix(',').unwrap_or_default();
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::Elements;

    #[test]
    fn every_element_is_read_as_it_is_written() {
        for (array, expected) in [
            (
                r#" [ 1.50 ,"a,]",[[],{"b":[2]}], null ] "#,
                &["1.50", r#""a,]""#, r#"[[],{"b":[2]}]"#, "null"][..],
            ),
            ("[]", &[]),
            ("{}", &[]),
            ("", &[]),
        ] {
            assert_eq!(Elements::of(array).map(RawValue::get).collect::<Vec<_>>(), expected, "{array}");
        }
    }
}
