//! Dotenv files: `NAME=value`, with `export`, comments, quotes, and quoted values over several lines.
//!
//! Nothing is expanded: a `$` is a `$`. What looks like a reference to another variable is kept as written, since a secret
//! that changes silently is worse than one that has to be looked at.

use zeroize::Zeroizing;

use super::{Found, ImportError};

/// Why a line cannot be read. Nothing of the line is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DotenvError {
    /// There is no `=` in it.
    #[error("line {0} has no `=`; write `NAME=value`")]
    NoValue(usize),
    /// What stands before the `=` is not a name.
    #[error("line {0} has no name before its `=`; write `NAME=value`")]
    NoName(usize),
    /// A quote is not closed.
    #[error("the quote that opens in line {0} is never closed")]
    Unclosed(usize),
    /// Something stands behind a closing quote.
    #[error("line {0} goes on after its closing quote; put the whole value in quotes")]
    AfterQuote(usize),
}

/// Reads a dotenv file.
pub fn read(text: &str) -> Result<Vec<Found>, ImportError> {
    let mut rest = Rest { text: text.trim_start_matches('\u{feff}'), line: 1 };
    let mut found = Vec::new();
    while !rest.text.is_empty() {
        let start = rest.text.trim_start_matches([' ', '\t']);
        if start.starts_with(['#', '\n', '\r']) || start.is_empty() {
            rest.take_line();
            continue;
        }
        let (name, value) = rest.entry()?;
        found.push(Found::new(name, std::mem::take(&mut *Zeroizing::new(value)).into_bytes())?);
    }
    Ok(found)
}

/// What is not read yet, and the number of its first line.
struct Rest<'a> {
    text: &'a str,
    line: usize,
}

impl<'a> Rest<'a> {
    /// Takes everything up to the end of the line, which is left out.
    fn take_line(&mut self) -> &'a str {
        let (line, rest) = self.text.split_once('\n').unwrap_or((self.text, ""));
        (self.text, self.line) = (rest, self.line + 1);
        line.strip_suffix('\r').unwrap_or(line)
    }

    fn entry(&mut self) -> Result<(String, String), DotenvError> {
        let at = self.line;
        let end_of_line = self.text.find('\n').unwrap_or(self.text.len());
        let equals = self.text.find('=').filter(|equals| *equals < end_of_line);
        let equals = equals.ok_or(DotenvError::NoValue(at))?;
        let (before, after) = self.text.split_at(equals);
        let name = before.trim();
        let name = name.strip_prefix("export").filter(|rest| rest.starts_with([' ', '\t'])).unwrap_or(name);
        let name = name.trim();
        if name.is_empty() {
            return Err(DotenvError::NoName(at));
        }
        self.text = after.get(1..).unwrap_or_default().trim_start_matches([' ', '\t']);
        let value = match self.text.chars().next() {
            Some(quote @ ('"' | '\'' | '`')) => self.quoted(quote)?,
            _ => unquoted(self.take_line()).to_owned(),
        };
        Ok((name.to_owned(), value))
    }

    fn quoted(&mut self, quote: char) -> Result<String, DotenvError> {
        let at = self.line;
        let inside = self.text.get(1..).unwrap_or_default();
        // Made once and large enough, so that no part of a secret is left behind when it grows.
        let mut value = String::with_capacity(inside.len().min(crate::value::LONGEST_VALUE));
        let mut chars = inside.char_indices();
        while let Some((position, c)) = chars.next() {
            match c {
                c if c == quote => {
                    let rest = inside.get(position + 1..).unwrap_or_default();
                    self.line += inside.get(..position).unwrap_or_default().matches('\n').count();
                    self.text = rest;
                    let tail = self.take_line().trim_start();
                    let clean = tail.is_empty() || tail.starts_with('#');
                    return if clean { Ok(value) } else { Err(DotenvError::AfterQuote(self.line - 1)) };
                }
                '\\' if quote == '"' => match chars.next() {
                    Some((_, 'n')) => value.push('\n'),
                    Some((_, 'r')) => value.push('\r'),
                    Some((_, 't')) => value.push('\t'),
                    Some((_, c @ ('"' | '\\' | '$' | '`'))) => value.push(c),
                    // A line that ends in a backslash goes on, as in a shell.
                    Some((_, '\n')) => {}
                    Some((_, other)) => value.extend(['\\', other]),
                    None => break,
                },
                '\r' if inside.get(position + 1..).is_some_and(|rest| rest.starts_with('\n')) => {}
                c => value.push(c),
            }
        }
        Err(DotenvError::Unclosed(at))
    }
}

/// Up to a comment: a `#` with a space before it. One inside a word belongs to the value.
fn unquoted(line: &str) -> &str {
    if line.starts_with('#') {
        return "";
    }
    let after_space = |at: &usize| line.get(..*at).is_some_and(|before| before.ends_with([' ', '\t']));
    let comment = line.match_indices('#').map(|(at, _)| at).find(after_space);
    line.get(..comment.unwrap_or(line.len())).unwrap_or(line).trim()
}

#[cfg(test)]
mod tests {
    use super::{DotenvError, read};
    use crate::import::ImportError;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str)]) {
        let found = read(text).expect("a dotenv file");
        let pairs: Vec<(&str, &str)> =
            found.iter().map(|each| (each.name.as_str(), each.value.as_text().expect("text"))).collect();
        assert_eq!(pairs, expected);
    }

    #[track_caller]
    fn refused(text: &str, expected: DotenvError) {
        match read(text) {
            Err(ImportError::Dotenv(error)) => assert_eq!(error, expected),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn plain_lines_comments_and_exports() {
        check(
            "\u{feff}# a comment\r\n\r\nA=1\r\n  export B = two words  # why\r\nC=\nD=a#b\nE= # nothing\nexported=x",
            &[("A", "1"), ("B", "two words"), ("C", ""), ("D", "a#b"), ("E", ""), ("exported", "x")],
        );
    }

    #[test]
    fn quotes_keep_what_is_in_them() {
        check(
            "A=\"a # b\" # c\nB='it is \\n $HOME'\nC=\"one\\ntwo \\\"x\\\" \\\\ \\q\"\nD=`tick`",
            &[("A", "a # b"), ("B", "it is \\n $HOME"), ("C", "one\ntwo \"x\" \\ \\q"), ("D", "tick")],
        );
    }

    #[test]
    fn a_key_over_several_lines() {
        check(
            "K=\"-----BEGIN\nabc=\n-----END\"\nL='x\r\ny'\nM=1",
            &[("K", "-----BEGIN\nabc=\n-----END"), ("L", "x\ny"), ("M", "1")],
        );
    }

    #[test]
    fn what_is_wrong_is_told_by_its_line() {
        refused("A=1\nnonsense\n", DotenvError::NoValue(2));
        refused("A=1\n\n=x", DotenvError::NoName(3));
        refused("A='x\ny\nz", DotenvError::Unclosed(1));
        refused("A='x\ny'z", DotenvError::AfterQuote(2));
        refused("A=\"x\\", DotenvError::Unclosed(1));
    }
}
