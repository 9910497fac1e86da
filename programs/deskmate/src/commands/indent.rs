//! JSON for people: the same text with line breaks. Parsing it into values would sort its members.

/// Puts each member and element of valid JSON on a line of its own.
pub(super) fn indented(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let mut depth = 0;
    let mut chars = json.chars().filter(|char| !char.is_ascii_whitespace() || *char == ' ').peekable();
    while let Some(char) = chars.next() {
        match char {
            '"' => {
                out.push('"');
                copy_string(&mut chars, &mut out);
            }
            '{' | '[' => {
                out.push(char);
                while chars.next_if_eq(&' ').is_some() {}
                if let Some(close) = chars.next_if(|next| matches!(next, '}' | ']')) {
                    out.push(close);
                } else {
                    depth += 1;
                    break_line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth -= 1;
                break_line(&mut out, depth);
                out.push(char);
            }
            ',' => {
                out.push(',');
                break_line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            ' ' => {}
            other => out.push(other),
        }
    }
    out
}

/// The rest of a string, its closing quote included.
fn copy_string(chars: &mut impl Iterator<Item = char>, out: &mut String) {
    while let Some(char) = chars.next() {
        out.push(char);
        match char {
            '"' => return,
            '\\' => out.extend(chars.next()),
            _ => {}
        }
    }
}

fn break_line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

#[cfg(test)]
mod tests {
    use super::indented;

    #[test]
    fn only_the_space_between_tokens_changes() {
        let compact = r#"{"z":{},"a":[1, true,[ ],"x: {\"y\", \\"],"b":{"c":null}}"#;
        let expected = r#"{
  "z": {},
  "a": [
    1,
    true,
    [],
    "x: {\"y\", \\"
  ],
  "b": {
    "c": null
  }
}"#;
        assert_eq!(indented(compact), expected);
        assert_eq!(indented(expected), expected);
    }
}
