//! Columns for people.

/// The widest that columns are; what is longer moves the rest of its row. Grants decide how long some cells are.
const WIDEST: usize = 100;

/// Rows under a heading, each column as wide as its widest cell, the last one as it comes.
pub(super) fn table<const N: usize>(heading: [&str; N], rows: &[[String; N]]) -> String {
    let rows: Vec<[String; N]> = rows.iter().map(|row| row.each_ref().map(|cell| plain(cell))).collect();
    let mut widths = heading.map(|cell| cell.chars().count());
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count()).min(WIDEST);
        }
    }
    let line = |cells: [&str; N]| {
        let cells = cells.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    let mut text = line(heading);
    for row in &rows {
        text += &line(row.each_ref().map(String::as_str));
    }
    text
}

/// Without characters that control something: what an agent wrote must not move the cursor or colour the screen of the person
/// who decides, nor turn the direction of what stands beside it.
pub(super) fn plain(text: &str) -> String {
    let turns = |c| matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().map(|c| if c.is_control() || turns(c) { '\u{fffd}' } else { c }).collect()
}

/// A list in one cell.
pub(super) fn joined(items: &[String]) -> String {
    if items.is_empty() { "-".to_owned() } else { items.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn columns_are_as_wide_as_they_need_to_be() {
        let rows = [["a".to_owned(), "é".to_owned()], ["long".to_owned(), String::new()]];
        assert_eq!(table(["N", "V"], &rows), "N     V\na     é\nlong\n");
    }

    #[test]
    fn a_cell_of_any_length_moves_its_own_row_and_no_other() {
        let long = "x".repeat(100_000);
        let text = table(["N", "V"], &[[long.clone(), "a".to_owned()], ["b".to_owned(), long.clone()]]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], format!("{long}  a"));
        assert_eq!(lines[2], format!("b{}  {long}", " ".repeat(99)));
    }

    #[test]
    fn nothing_in_a_cell_reaches_the_terminal_as_a_command() {
        let rows = [["\u{1b}[2Jx\ny\u{202e}".to_owned()]];
        assert_eq!(table(["N"], &rows), "N\n\u{fffd}[2Jx\u{fffd}y\u{fffd}\n");
    }
}
