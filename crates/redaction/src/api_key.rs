//! Keys and tokens, by how their vendors begin them, or by the name that stands before them.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::scan::{Candidates, matches, pattern};

/// Beginnings as vendors document them. Where readers confuse letters (`I`, `l`, `1`) or lose an underscore, all are taken.
static VENDORS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        &[
            // OpenAI, Anthropic, OpenRouter and others.
            r"[sS][kK]-[A-Za-z0-9_\-]{18,}",
            r"pk-[A-Za-z0-9_\-]{18,}",
            // Stripe.
            r"[srp]k[_ ](?:live|test)[_ ][A-Za-z0-9]{14,}",
            // AWS.
            r"A(?:K[Il1]|S[Il1]|B[Il1]|CC)A[A-Z0-9]{14,18}",
            // GitHub, GitLab.
            r"gh[pousr][_ ][A-Za-z0-9]{28,}",
            r"github[_ ]pat[_ ][A-Za-z0-9_]{40,}",
            r"g[lI1](?:pat|ptt|dt|rt|soat)-[A-Za-z0-9_\-]{14,}",
            // Google.
            r"A[Il1]za[A-Za-z0-9_\-]{28,}",
            r"GOCSPX-[A-Za-z0-9_\-]{20,}",
            // Slack.
            r"xox[abeoprs]-[A-Za-z0-9\-]{10,}",
            r"x(?:app|wfp)-[A-Za-z0-9\-]{10,}",
            // npm, Hugging Face, PyPI, SendGrid, DigitalOcean, Shopify, Mailgun, Telegram, Discord.
            r"npm[_ ][A-Za-z0-9]{28,}",
            r"hf[_ ][A-Za-z0-9]{28,}",
            r"pypi-[A-Za-z0-9_\-]{30,}",
            r"SG\.[A-Za-z0-9_\-]{14,}\.[A-Za-z0-9_\-]{28,}",
            r"do[opr][_ ]v1[_ ][a-f0-9]{50,}",
            r"shp(?:at|ca|pa|ss)[_ ][A-Fa-f0-9]{28,}",
            r"key-[a-f0-9]{32}",
            r"\d{8,10}:AA[A-Za-z0-9_\-]{28,}",
            r"[MNO][A-Za-z0-9_\-]{23,}[.,][A-Za-z0-9_\-]{6}[.,][A-Za-z0-9_\-]{25,}",
            // Groq, xAI, Docker, webhooks of Stripe, OAuth of Google, age.
            r"gsk[_ ][A-Za-z0-9]{28,}",
            r"xai-[A-Za-z0-9]{28,}",
            r"dckr[_ ]pat[_ ][A-Za-z0-9_\-]{20,}",
            r"whsec[_ ][A-Za-z0-9+/]{24,}",
            r"ya29[.,][A-Za-z0-9_\-]{20,}",
            r"AGE-SECRET-KEY-1[A-Z0-9]{40,}",
            // Webhooks of Slack and Discord, which anybody can write to who knows the address.
            r"hooks\.slack\.com/services/[A-Za-z0-9/]{20,}",
            r"discord(?:app)?\.com/api/webhooks/\d+/[A-Za-z0-9_\-]{30,}",
            // Vault, Tailscale, Linear, Databricks, Replicate, Square, Notion.
            r"hvs[.,][A-Za-z0-9_\-]{20,}",
            r"tskey-[A-Za-z0-9\-]{20,}",
            r"lin[_ ]api[_ ][A-Za-z0-9]{28,}",
            r"dapi[a-f0-9]{32}",
            r"r8[_ ][A-Za-z0-9]{28,}",
            r"sq0[a-z]{3}-[A-Za-z0-9_\-]{20,}",
            r"(?:secret|ntn)[_ ][A-Za-z0-9]{40,}",
            // Tokens of JSON: three parts with dots, which readers take for commas or lose; the first alone says what it is.
            r"eyJ[A-Za-z0-9_\-]{16,}(?:[.,] ?[A-Za-z0-9_\-]+){0,4}",
        ]
        .join("|"),
    )
});

/// A name, and then a value without spaces.
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i-u)(?:secret[_ \-]?(?:access[_ \-]?)?key|(?:api|private|account|preshared)[_ \-]?key|access[_ \-]?token|auth[_ \-]?token|secret|token|passw(?:or)?d|bearer|authorization ?: ?basic)["']?(?: ?[:=] ?| +)["']?([A-Za-z0-9_\-/+=.~]{16,})"#,
    )
});

/// What is called a password, and looks like one: any signs but blanks, quotes, commas and semicolons.
static PASSWORD: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?i-u)passw(?:or)?d["']? ?[:=] ?["']?([!#-&(-+\-.-:<-~]{6,})"#));

/// The password in an address, whatever it looks like.
static IN_ADDRESS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"[A-Za-z][A-Za-z0-9+.\-]*://[^ /:@]*:([^ /@]+)@[A-Za-z0-9\[]"));

/// Beginnings that nothing else has, at the end of what is seen.
static CUT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:sk-(?:ant|proj|svcacct|or)-|gh[pousr]_|github_pat_|g[lI1]pat-|xox[abeoprs]-|A[KS][Il1]A|A[Il1]za|npm_|hf_|pypi-|[srp]k_(?:live|test)_|eyJ)[A-Za-z0-9_\-]{4,}$",
    )
});

/// What may be the rest of a key at the beginning of what is seen.
static REST: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[A-Za-z0-9_\-+/=]{20,}"));

pub(super) fn find(candidates: &Candidates) -> Vec<Range<usize>> {
    let text = &candidates.text;
    let begins_alone = |place: Range<usize>| {
        let before = place.start.checked_sub(1).and_then(|at| text.as_bytes().get(at));
        !before.is_some_and(u8::is_ascii_alphanumeric)
    };
    // Words such as `sk-learn-contrib-packages` have no digits.
    let is_key = |place: Range<usize>| {
        let part = text.get(place.clone()).unwrap_or_default();
        begins_alone(place) && (looks_random(part, 1) || is_in_capitals(part))
    };
    let vendors = matches(&VENDORS, text, is_key);
    let mut found: Vec<Range<usize>> =
        vendors.into_iter().map(|place| place.start..end_of_key(text, place.end)).collect();
    for hit in NAMED.captures_iter(text) {
        if let Some(value) = hit.get(1).filter(|value| looks_random(value.as_str(), 2)) {
            found.push(value.range());
        }
    }
    let is_password = |value: &str| {
        value.bytes().any(|byte| byte.is_ascii_digit())
            && value.bytes().filter(u8::is_ascii_alphabetic).count() >= 3
    };
    for hit in PASSWORD.captures_iter(text) {
        if let Some(value) = hit.get(1).filter(|value| is_password(value.as_str())) {
            found.push(value.range());
        }
    }
    found.extend(IN_ADDRESS.captures_iter(text).filter_map(|hit| hit.get(1)).map(|value| value.range()));
    if candidates.ends.cut_right {
        found.extend(matches(&CUT, text, is_key));
    }
    if candidates.ends.cut_left {
        let is_rest = |place: Range<usize>| is_dense(text.get(place).unwrap_or_default());
        found.extend(matches(&REST, text, is_rest));
    }
    found
}

/// Digits, capitals and small letters in turn, as in no word.
fn is_dense(text: &str) -> bool {
    changes(text) * 3 >= text.len() && text.bytes().filter(u8::is_ascii_digit).count() >= 3
}

/// How often a character is of another kind than the one before it.
fn changes(text: &str) -> usize {
    let class = |byte: u8| match byte {
        b'0'..=b'9' => 0,
        b'A'..=b'Z' => 1,
        b'a'..=b'z' => 2,
        _ => 3,
    };
    text.as_bytes().windows(2).filter(|pair| class(pair[0]) != class(pair[1])).count()
}

/// As keys of AWS are, which may have no digit.
fn is_in_capitals(text: &str) -> bool {
    text.len() >= 18 && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

/// Letters and digits, as only dice write them.
fn looks_random(text: &str, least_digits: usize) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let letters = text.bytes().filter(u8::is_ascii_alphabetic).count();
    let is_mixed = text.bytes().any(|byte| byte.is_ascii_uppercase())
        && text.bytes().any(|byte| byte.is_ascii_lowercase());
    letters >= 3 && (digits >= least_digits || (is_mixed && text.len() >= 28))
}

/// A reader may lose an underscore in the middle of a key; what follows the gap goes on as only a key does.
fn end_of_key(text: &str, from: usize) -> usize {
    let mut end = end_of_word(text, from);
    while text.as_bytes().get(end) == Some(&b' ') {
        let next = end_of_word(text, end + 1);
        if !text.get(end + 1..next).is_some_and(is_rest) {
            break;
        }
        end = next;
    }
    end
}

/// Whether a word may be the rest of a key.
fn is_rest(word: &str) -> bool {
    let is_plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    let is_mixed = word.bytes().any(|byte| byte.is_ascii_uppercase())
        && word.bytes().any(|byte| byte.is_ascii_lowercase());
    let changes = changes(word);
    is_plain && is_mixed && changes >= 3 && changes * 3 >= word.len()
}

/// A reader may take a letter for a sign; the key goes on to the end of its word all the same.
fn end_of_word(text: &str, from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    let length = rest.find(|character: char| character.is_whitespace() || "\"',;)]}".contains(character));
    from + length.unwrap_or(rest.len())
}
