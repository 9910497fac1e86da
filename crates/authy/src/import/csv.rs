//! Comma-separated values: fields in quotes may have commas, newlines and doubled quotes in them (RFC 4180).

use zeroize::Zeroizing;

use super::ImportError;

/// A row; its fields are wiped when it is dropped.
pub(super) type Row = Vec<Zeroizing<String>>;

/// All rows, empty lines left out.
pub(super) fn rows(text: &str) -> Result<Vec<Row>, ImportError> {
    let text = text.trim_start_matches('\u{feff}');
    let (mut rows, mut row) = (Vec::new(), Row::new());
    let mut field = Zeroizing::new(String::new());
    let mut quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                field.push('"');
            }
            '"' if quoted => quoted = false,
            '"' if field.is_empty() => quoted = true,
            ',' if !quoted => row.push(std::mem::take(&mut field)),
            '\r' if !quoted && chars.peek() == Some(&'\n') => {}
            '\n' if !quoted => finish(&mut rows, &mut row, &mut field),
            c => field.push(c),
        }
    }
    finish(&mut rows, &mut row, &mut field);
    if quoted {
        let reason = "a quote is never closed".to_owned();
        return Err(ImportError::Format { expected: "a CSV file", reason });
    }
    Ok(rows)
}

fn finish(rows: &mut Vec<Row>, row: &mut Row, field: &mut Zeroizing<String>) {
    if !(row.is_empty() && field.is_empty()) {
        row.push(std::mem::take(field));
        rows.push(std::mem::take(row));
    }
}

#[cfg(test)]
mod tests {
    use super::rows;

    #[test]
    fn quotes_commas_and_newlines() {
        let read = rows("\u{feff}a,b\r\n\"x, \"\"y\"\"\nz\",\r\n\r\nlast").expect("rows");
        let read: Vec<Vec<&str>> =
            read.iter().map(|row| row.iter().map(|field| field.as_str()).collect()).collect();
        assert_eq!(read, [vec!["a", "b"], vec!["x, \"y\"\nz", ""], vec!["last"]]);
        assert!(rows("a\n\"b").is_err());
    }
}
