//! What changes in a file, for a person. What was in the file before is shown only as far as it takes to find the place: other
//! servers keep secrets there, and the output may be read by others, such as an agent that runs the command.

use std::collections::HashSet;

use similar::{ChangeTag, DiffTag, TextDiff};

/// Longer lines are cut.
const MOST_LETTERS: usize = 160;

/// Words that every entry has, as the apps write it.
const OF_ENTRIES: &[&str] = &[
    "*",
    "-",
    "300",
    "args",
    "cmd",
    "command",
    "context_servers",
    "enabled",
    "env",
    "envs",
    "extensions",
    "mcpServers",
    "mcp_servers",
    "name",
    "servers",
    "stdio",
    "timeout",
    "tools",
    "true",
    "type",
];

/// The change, with one line around it. `known` is what may be shown of the old text where it changes: an entry that goes, or is
/// brought up to date, may hold a token that the person gave it.
pub(crate) fn unified(name: &str, (old, new): (&str, &str), known: &[String]) -> String {
    let known: HashSet<&str> =
        known.iter().flat_map(|known| words(known)).chain(OF_ENTRIES.iter().copied()).collect();
    let of_old: HashSet<&str> = words(old).collect();
    let is_kept = |word: &str| known.contains(word);
    let is_new = |word: &str| known.contains(word) || !of_old.contains(word);
    let diff = TextDiff::from_lines(old, new);
    let mut lines = vec![format!("--- {name}"), format!("+++ {name}")];
    for hunk in diff.unified_diff().context_radius(1).iter_hunks() {
        lines.push(hunk.header().to_string());
        for op in hunk.ops() {
            let side = |tag: ChangeTag| {
                let changes = diff.iter_changes(op).filter(move |change| change.tag() == tag);
                changes.map(|change| change.value().to_owned()).collect::<String>()
            };
            match op.tag() {
                DiffTag::Equal => push(&mut lines, ' ', &hidden(&side(ChangeTag::Equal))),
                DiffTag::Delete | DiffTag::Insert | DiffTag::Replace => {
                    let (old, new) = (side(ChangeTag::Delete), side(ChangeTag::Insert));
                    let (start, end) = common(&old, &new);
                    push(&mut lines, '-', &changed(&old, start, end, is_kept));
                    push(&mut lines, '+', &changed(&new, start, end, is_new));
                }
            }
        }
    }
    lines.iter().map(|line| cut(line) + "\n").collect()
}

fn push(lines: &mut Vec<String>, mark: char, text: &str) {
    lines.extend(text.lines().map(|line| format!("{mark}{line}")));
}

/// How much two texts have in common at their start and at their end.
fn common(old: &str, new: &str) -> (usize, usize) {
    let start = common_start(old, new);
    (start, common_end(&old[start..], &new[start..]))
}

/// One side of a change: what both have in common is hidden, and of the rest each word that may not be shown.
fn changed(text: &str, start: usize, end: usize, may_show: impl Fn(&str) -> bool) -> String {
    let stop = text.len() - end;
    let mut shown = hidden(&text[..start]);
    let mut rest = &text[start..stop];
    while let Some(letter) = rest.chars().next() {
        let length = match rest.find(|letter: char| !is_word(letter)) {
            _ if !is_word(letter) => letter.len_utf8(),
            Some(end) => end,
            None => rest.len(),
        };
        let (part, others) = rest.split_at(length);
        shown.push_str(if !is_word(letter) || may_show(part) { part } else { "…" });
        rest = others;
    }
    shown + &hidden_end(&text[stop..])
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !is_word(letter)).filter(|word| !word.is_empty())
}

/// How much of two texts is the same at their start, in whole words.
fn common_start(old: &str, new: &str) -> usize {
    let same = old.char_indices().zip(new.chars()).take_while(|((_, a), b)| a == b);
    let end = same.last().map_or(0, |((at, letter), _)| at + letter.len_utf8());
    let next = |text: &str| text[end..].chars().next().is_some_and(is_word);
    if next(old) || next(new) { old[..end].trim_end_matches(is_word).len() } else { end }
}

/// The same at their end.
fn common_end(old: &str, new: &str) -> usize {
    let same = old.chars().rev().zip(new.chars().rev()).take_while(|(a, b)| a == b);
    let length: usize = same.map(|(letter, _)| letter.len_utf8()).sum();
    let before = |text: &str| text[..text.len() - length].chars().next_back().is_some_and(is_word);
    let end = &old[old.len() - length..];
    if before(old) || before(new) { end.trim_start_matches(is_word).len() } else { length }
}

fn is_word(letter: char) -> bool {
    !letter.is_whitespace() && !is_mark(letter)
}

/// What gives a file its structure, and says nothing by itself.
fn is_mark(letter: char) -> bool {
    "{}[]()\"':=,".contains(letter)
}

/// Each line as far as its first key.
fn hidden(text: &str) -> String {
    text.split_inclusive('\n').map(hidden_line).collect()
}

fn hidden_line(line: &str) -> String {
    let body = line.trim_end();
    let key_end = key_end(body);
    // A dash introduces an item of a list in YAML.
    let indent = body.len() - body.trim_start_matches([' ', '\t', '-']).len();
    if !body[key_end..].trim_start_matches([' ', '\t', '-']).contains(is_word) {
        return line.to_owned();
    }
    format!("{} …{}", body[..key_end.max(indent)].trim_end(), &line[body.len()..])
}

/// Where the key that a line begins with ends, with its colon or equals sign; 0 if there is none. A value may have such signs,
/// too: `- user:password`, or Base64.
fn key_end(body: &str) -> usize {
    let before = body.len() - body.trim_start_matches([' ', '\t', '-', '{', '[', ',']).len();
    let key = &body[before..];
    let quote = key.chars().next().filter(|first| matches!(first, '"' | '\''));
    let length = match quote {
        Some(quote) => key[1..].find(quote).map_or(0, |end| end + 2),
        None => key.find(|letter: char| !is_of_a_bare_key(letter)).unwrap_or(0),
    };
    let sign = before + length + key[length..].len() - key[length..].trim_start().len();
    let value = body.get(sign + 1..).unwrap_or_default();
    let is_key = match body[sign..].chars().next() {
        Some(':') => quote.is_some() || value.is_empty() || value.starts_with([' ', '\t']),
        Some('=') => !value.is_empty() && !value.starts_with('='),
        _ => false,
    };
    if length > 0 && is_key { sign + 1 } else { 0 }
}

fn is_of_a_bare_key(letter: char) -> bool {
    letter.is_alphanumeric() || "_-.".contains(letter)
}

/// The rest of a line of which something is shown already, and the lines behind it.
fn hidden_end(text: &str) -> String {
    let (rest, others) = text.split_at(text.find('\n').unwrap_or(text.len()));
    let rest = if rest.contains(is_word) { "…" } else { rest };
    format!("{rest}{}", hidden(others))
}

fn cut(line: &str) -> String {
    let line = line.trim_end_matches('\r');
    let cut = line.chars().nth(MOST_LETTERS).map_or("", |_| "…");
    harmless(&line.chars().take(MOST_LETTERS).collect::<String>()) + cut
}

/// Text that a terminal shows and does not obey: somebody else may have written what is quoted in it.
pub fn harmless(text: &str) -> String {
    let shown = |letter: char| if commands_a_terminal(letter) { char::REPLACEMENT_CHARACTER } else { letter };
    text.chars().map(shown).collect()
}

/// Whether a terminal would do something else than show it: move about, or write from right to left.
fn commands_a_terminal(letter: char) -> bool {
    let turns = matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || (letter.is_control() && !matches!(letter, '\t' | '\n'))
}

#[cfg(test)]
mod tests {
    use super::unified;

    /// The lines below the header.
    #[track_caller]
    fn check(old: &str, new: &str, shown: &[&str]) {
        let known = ["/old/deskmate".to_owned(), "/opt/deskmate".to_owned(), "deskmate".to_owned()];
        let diff = unified("f", (old, new), &known);
        assert!(!diff.contains("s3cret"), "{diff}");
        let lines: Vec<&str> = diff.lines().skip(3).collect();
        assert_eq!(lines, shown, "\n{diff}");
    }

    #[test]
    fn what_is_added_is_shown_and_what_others_have_is_not() {
        check(
            "{\"mcpServers\":{\"gh\":{\"env\":{\"TOKEN\":\"s3cret\"}}}}",
            "{\"mcpServers\":{\"gh\":{\"env\":{\"TOKEN\":\"s3cret\"}}, \"deskmate\": {\"command\": \"/d\"}}}",
            &["-{\"mcpServers\": …}}", "+{\"mcpServers\": …, \"deskmate\": {\"command\": \"/d\"}}}"],
        );
        check(
            "{\n  \"servers\": {\n    \"gh\": {\"env\": {\"TOKEN\": \"s3cret\"}}\n  }\n}\n",
            "{\n  \"servers\": {\n    \"gh\": {\"env\": {\"TOKEN\": \"s3cret\"}},\n    \"d\": {\n      \"command\": \"/d\"\n    }\n  }\n}\n",
            &[
                "   \"servers\": {",
                "-    \"gh\": …",
                "+    \"gh\": …,",
                "+    \"d\": {",
                "+      \"command\": \"/d\"",
                "+    }",
                "   }",
            ],
        );
        check(
            "args:\n- --token\n- s3cret\nother: s3cret\n",
            "args:\n- --token\n- s3cret\nd: /d\nother: s3cret\n",
            &[" - …", "+d: /d", " other: …"],
        );
    }

    /// Other servers have arguments on lines of their own, which are no keys, whatever signs are in them.
    #[test]
    fn a_secret_with_the_signs_of_a_key_is_not_shown() {
        for secret in
            ["s3cret==", "s3cret=", "s3cret:x", "https://s3cret:x@host", "Bearer s3cret:", "s3cret:"]
        {
            check(
                &format!("args:\n- '{secret}'\n"),
                &format!("args:\n- '{secret}'\nd: /d\n"),
                &[" - …", "+d: /d"],
            );
            check(
                &format!("a = [\n  \"{secret}\"]\n"),
                &format!("a = [\n  \"{secret}\"]\nd = 1\n"),
                &["  …", "+d = 1"],
            );
        }
        for secret in ["s3cret==", "s3cret=", "s3cret:x", "https://s3cret:x@host"] {
            check(
                &format!("args:\n- {secret}\n"),
                &format!("args:\n- {secret}\nd: /d\n"),
                &[" - …", "+d: /d"],
            );
        }
    }

    /// The person may have given it a token, in a place that changes or goes.
    #[test]
    fn what_the_person_added_to_an_entry_is_not_shown() {
        check(
            "{\n  \"deskmate\": {\"command\": \"/old/deskmate\", \"env\": {\"T\": \"s3cret\"}}\n}\n",
            "{\n}\n",
            &[" {", "-  \"deskmate\": {\"command\": \"/old/deskmate\", \"env\": {\"…\": \"…\"}}", " }"],
        );
        check(
            "{\"command\": \"/old/deskmate\", \"env\": {\"T\": \"s3cret\"}, \"args\": []}\n",
            "{\"command\": \"/opt/deskmate\", \"env\": {\"T\": \"s3cret\"}, \"args\": [\"stdio\"]}\n",
            &[
                "-{\"command\": \"/old/deskmate\", \"env\": {\"…\": \"…\"}, \"args\": []}",
                "+{\"command\": \"/opt/deskmate\", \"env\": {\"…\": \"…\"}, \"args\": [\"stdio\"]}",
            ],
        );
    }

    #[test]
    fn a_value_that_changes_is_shown_whole() {
        check(
            "command = \"/old/deskmate\" # s3cret\n",
            "command = \"/opt/deskmate\" # s3cret\n",
            &["-command = \"/old/deskmate…", "+command = \"/opt/deskmate…"],
        );
        check(
            "{\"env\":{\"A\":\"s3cret\"}}\n",
            "{\"env\":{\"A\":\"s3cret\", \"B\": \"/é\"}}\n",
            &["-{\"env\": …}}", "+{\"env\": …, \"B\": \"/é\"}}"],
        );
    }
}
