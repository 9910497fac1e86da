//! Pages: the schema.org data inside them, and text without its markup.

use std::collections::BTreeMap;

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};

use super::{Import, bounded, json_ld, microdata};

/// Whether a text that does not start with a tag is a page all the same.
pub(super) fn looks_like(text: &str) -> bool {
    ["application/ld+json", "<html", "<body", "itemprop"].iter().any(|sign| text.contains(sign))
}

/// The recipes of a page: those of its JSON-LD, else those of its microdata.
pub(super) fn read(html: &str) -> Import {
    let mut found = Import::default();
    for script in scripts(html) {
        if let Some(value) = lenient(&script) {
            let mut here = json_ld::read(&value);
            found.recipes.append(&mut here.recipes);
            found.problems.append(&mut here.problems);
        }
    }
    if found.recipes.is_empty() { json_ld::read(&microdata::read(html)) } else { found }
}

/// A piece of a page.
pub(super) enum Piece {
    Open { name: String, attributes: Attributes, closed: bool },
    Close(String),
    Text(String),
}

/// The attributes that anybody asks for.
pub(super) type Attributes = BTreeMap<&'static str, String>;

const ATTRIBUTES: &[&str] =
    &["type", "itemprop", "itemscope", "itemtype", "content", "datetime", "src", "href"];

/// The pieces of a page, in order. One tag may have a million attributes; those that nobody asks for are not kept.
pub(super) fn pieces(html: &str) -> impl Iterator<Item = Piece> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (mut open, mut next) = (None::<(String, Attributes)>, None::<&'static str>);
    let mut emitter = CallbackEmitter::new(move |event: CallbackEvent<'_>, _: Span<()>| match event {
        CallbackEvent::OpenStartTag { name } => {
            open = Some((text(name), Attributes::new()));
            None
        }
        CallbackEvent::AttributeName { name } => {
            let (_, attributes) = open.as_mut()?;
            let known = ATTRIBUTES.iter().find(|known| known.as_bytes() == name);
            next = known.copied().filter(|known| !attributes.contains_key(known));
            attributes.extend(next.map(|name| (name, String::new())));
            None
        }
        CallbackEvent::AttributeValue { value } => {
            let (_, attributes) = open.as_mut()?;
            attributes.extend(next.take().map(|name| (name, text(value))));
            None
        }
        CallbackEvent::CloseStartTag { self_closing: closed } => {
            let (name, attributes) = open.take()?;
            Some(Piece::Open { name, attributes, closed })
        }
        CallbackEvent::EndTag { name } => Some(Piece::Close(text(name))),
        CallbackEvent::String { value } => Some(Piece::Text(text(value))),
        CallbackEvent::Comment { .. } | CallbackEvent::Doctype { .. } | CallbackEvent::Error(_) => None,
    });
    // Scripts and styles are text up to their end.
    emitter.naively_switch_states(true);
    Tokenizer::new_with_emitter(html, emitter).map(|piece| match piece {
        Ok(piece) => piece,
        Err(never) => match never {},
    })
}

fn scripts(html: &str) -> Vec<String> {
    let (mut scripts, mut inside) = (Vec::new(), None::<String>);
    for piece in pieces(html) {
        match piece {
            Piece::Open { name, attributes, .. } if name == "script" => {
                let kind = attributes.get("type").map(|kind| kind.trim().to_lowercase());
                inside = kind.is_some_and(|kind| kind.starts_with("application/ld+json")).then(String::new);
            }
            Piece::Text(text) => {
                if let Some(script) = &mut inside {
                    script.push_str(&text);
                }
            }
            Piece::Close(name) if name == "script" => scripts.extend(inside.take()),
            Piece::Open { .. } | Piece::Close(_) => {}
        }
    }
    scripts
}

/// The most values in the JSON of a page: a small object takes a hundred times its bytes, and anybody writes pages.
const MOST_VALUES: usize = 100_000;

/// JSON as pages have it: with comments around it, line ends inside strings, or something after its end.
fn lenient(script: &str) -> Option<serde_json::Value> {
    let trimmed = script.trim().trim_end_matches(';');
    if bounded::values(trimmed.as_bytes()) > MOST_VALUES {
        return None;
    }
    if let Ok(value) = serde_json::from_str(trimmed) {
        return Some(value);
    }
    let unwrapped = trimmed.replace("<![CDATA[", "").replace("]]>", "");
    let start = unwrapped.find(['{', '['])?;
    let end = unwrapped.rfind(['}', ']'])?;
    let clean: String =
        unwrapped.get(start..=end)?.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mut values = serde_json::Deserializer::from_str(&clean).into_iter();
    values.next()?.ok()
}

/// Text without tags, with its entities decoded; line ends where the page has them. Twice, since pages encode twice.
pub(super) fn plain(text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..2 {
        if !text.contains(['<', '&']) {
            break;
        }
        let mut out = String::with_capacity(text.len());
        let mut hidden = false;
        for piece in pieces(&text) {
            match piece {
                Piece::Text(text) if !hidden => out.push_str(&text),
                Piece::Open { name, .. } if name == "br" => out.push('\n'),
                Piece::Open { name, .. } if name == "script" || name == "style" => hidden = true,
                Piece::Close(name) if name == "script" || name == "style" => hidden = false,
                Piece::Close(name)
                    if matches!(name.as_str(), "p" | "li" | "div" | "h1" | "h2" | "h3" | "h4") =>
                {
                    out.push('\n');
                }
                Piece::Text(_) | Piece::Open { .. } | Piece::Close(_) => {}
            }
        }
        text = out;
    }
    let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::{lenient, plain};

    #[test]
    fn markup_and_entities_go() {
        assert_eq!(plain("Mac &amp; cheese"), "Mac & cheese");
        assert_eq!(plain("&amp;frac12; cup"), "½ cup");
        assert_eq!(plain("<p>One.</p><p>Two<br>Three</p><script>x</script>"), "One.\nTwo\nThree");
        assert_eq!(plain("  a \n\n b  "), "a\nb");
        assert_eq!(plain("1 < 2"), "1 < 2");
    }

    #[test]
    fn json_is_found_in_what_pages_wrap_it_in() {
        for script in
            ["{\"a\": \"b\nc\"}", "/*<![CDATA[*/ {\"a\": 1} /*]]>*/", "<!-- {\"a\": 1} -->", "{\"a\": 1};"]
        {
            assert!(lenient(script).is_some_and(|value| value.get("a").is_some()), "{script}");
        }
        assert!(lenient("{").is_none() && lenient("").is_none() && lenient("}{").is_none());
        assert!(lenient(&format!("[{}0]", "{},".repeat(100_000))).is_none(), "a gigabyte of ten megabytes");
    }
}
