//! The blank space at the end of a packet, so that a later change fits into the same place.

/// What a packet gets that has become too long for its place.
const FRESH: usize = 2048;
/// What shrinking may leave.
const MOST: usize = 4096;

/// Brings a packet to its old length if it can; else gives it new padding, within `most` bytes in all. Without the
/// `<?xpacket end…?>` at `trailer` there is no padding.
pub(super) fn fit(packet: String, trailer: Option<usize>, old_length: usize, most: usize) -> String {
    let Some((body, end)) = trailer.and_then(|at| packet.split_at_checked(at)) else { return packet };
    let content = body.trim_ascii_end();
    let before = body.len() - content.len();
    let needed = content.len() + end.len();
    let blank = match old_length.checked_sub(needed) {
        Some(spare @ 1..) => spare.min(before.max(MOST)),
        _ => FRESH.min(most.saturating_sub(needed)).max(1),
    };
    let line = " ".repeat(99) + "\n";
    let mut fitted = String::with_capacity(needed + blank);
    fitted.push_str(content);
    fitted.push('\n');
    while fitted.len() + end.len() < needed + blank {
        let missing = needed + blank - fitted.len() - end.len();
        fitted.push_str(&line[line.len() - missing.min(line.len())..]);
    }
    fitted + end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_keeps_its_length_while_there_is_room() {
        let packet = |content: &str| format!("{content}<?xpacket end=\"w\"?>");
        let check = |content: &str, old: usize, most: usize, expected: usize| {
            let fitted = fit(packet(content), Some(content.len()), old, most);
            assert_eq!(fitted.len(), expected);
            assert!(
                fitted.starts_with(content.trim_ascii_end()) && fitted.ends_with("<?xpacket end=\"w\"?>")
            );
        };
        let end = packet("").len();
        check("<a/>    ", 500, 9999, 500);
        check("<a/>", 4 + end + 1, 9999, 4 + end + 1);
        check("<a/>", 4 + end, 9999, 4 + end + FRESH);
        check("<a/>", 0, 300, 300);
        check("<a/>", 0, 10, 4 + end + 1);
        check("<a/>", 100_000, 999_999, 4 + end + MOST);
        assert_eq!(fit("<a/>".to_owned(), None, 0, 99), "<a/>");
    }
}
