//! No spelling of a secret survives, however the stream is cut; and nothing else changes.

use std::sync::Arc;

use super::{Patterns, Scrubber, Secret};

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }

    fn bytes(&mut self, alphabet: &[u8], length: usize) -> Vec<u8> {
        (0..length).map(|_| alphabet[self.next(alphabet.len())]).collect()
    }
}

fn patterns(secrets: &[(&str, &[u8])]) -> Arc<Patterns> {
    Arc::new(Patterns::new(secrets.iter().map(|&(name, value)| Secret { name, value })))
}

fn in_pieces(patterns: &Arc<Patterns>, text: &[u8], mut cut: impl FnMut() -> usize) -> Vec<u8> {
    let mut scrubber = Scrubber::new(Arc::clone(patterns));
    let (mut out, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(cut().clamp(1, rest.len()));
        scrubber.push(piece, &mut out);
        rest = after;
    }
    scrubber.finish(&mut out);
    out
}

#[track_caller]
fn check(secrets: &[(&str, &[u8])], text: &str, expected: &str) {
    let patterns = patterns(secrets);
    for size in [1, 2, 3, 7, 1000] {
        let out = in_pieces(&patterns, text.as_bytes(), || size);
        assert_eq!(String::from_utf8_lossy(&out), expected, "in pieces of {size}");
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

#[test]
fn a_value_is_replaced_by_its_name() {
    check(&[("db", b"hunter22")], "password=hunter22;", "password=[secret:db];");
    check(&[("db", b"hunter22")], "hunter2 hunter22", "hunter2 [secret:db]");
    check(&[("db", b"hunter22\n")], "hunter22;", "[secret:db];");
}

#[test]
fn the_usual_spellings_are_replaced() {
    let secrets: &[(&str, &[u8])] = &[("k", b"p@ss/w \"rd\\")];
    for (spelled, expected) in [
        ("cEBzcy93ICJyZFw=", "[secret:k]"),
        ("cEBzcy93ICJyZFw", "[secret:k]"),
        ("7040 704073732f772022726 7040", "7040 704073732f772022726 7040"),
        ("x704073732f77202272645cx", "x[secret:k]x"),
        ("704073732F77202272645C", "[secret:k]"),
        ("u=p%40ss%2Fw%20%22rd%5C&", "u=[secret:k]&"),
        ("u=p%40ss%2fw+%22rd%5c&", "u=[secret:k]&"),
        (r#"{"a":"p@ss/w \"rd\\"}"#, r#"{"a":"[secret:k]"}"#),
        (r#""{\"a\":\"p@ss/w \\\"rd\\\\\"}""#, r#""{\"a\":\"[secret:k]\"}""#),
        ("p@ss/w &quot;rd\\", "[secret:k]"),
        ("\\dr\" w/ss@p", "[secret:k]"),
        ("p\0@\0s\0s\0/\0w\0 \0\"\0r\0d\0\\\0", "[secret:k]"),
    ] {
        check(secrets, spelled, expected);
    }
}

#[test]
fn the_longest_wins_and_overlapping_values_go_together() {
    let secrets: &[(&str, &[u8])] = &[("short", b"abcd"), ("long", b"abcdefgh"), ("next", b"ghijkl")];
    check(secrets, "-abcdefgX-abcdX", "-[secret:short]efgX-[secret:short]X");
    check(secrets, "-abcdefgh-", "-[secret:long]-");
    check(secrets, "-abcdefghijkl-", "-[secret:long][secret:next]-");
    check(&[("a", b"aaaa")], "aaaaaaaaa", "[secret:a]");
    check(secrets, "ghijklabcdefgh", "[secret:next][secret:long]");
}

#[test]
fn line_breaks_that_tools_put_into_encoded_text_hide_nothing() {
    let value = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghij";
    let encoded = base64_simd::STANDARD.encode_to_string(value);
    let wrapped: Vec<&str> =
        encoded.as_bytes().chunks(76).map(|line| std::str::from_utf8(line).expect("ASCII")).collect();
    check(&[("key", value)], &format!("{}\n", wrapped.join("\n")), "[secret:key]\n");
    check(&[("key", value)], &format!("{}\r\n", wrapped.join("\r\n")), "[secret:key]\r\n");
}

#[test]
fn a_part_of_a_value_with_several_lines_is_replaced_and_its_frame_is_not() {
    let pem: &[u8] = b"-----BEGIN KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END KEY-----\n";
    check(&[("pem", pem)], "x MIIEvQIBADANBg y", "x [secret:pem] y");
    check(&[("pem", pem)], "-----BEGIN KEY-----\nother\n", "-----BEGIN KEY-----\nother\n");
    check(&[("pem", pem)], std::str::from_utf8(pem.trim_ascii_end()).expect("ASCII"), "[secret:pem]");
}

#[test]
fn a_long_value_is_found_and_so_is_a_part_of_it() {
    let mut numbers = Numbers(9);
    let value = numbers.bytes(b"abcdefghijklmnopqrstuvwxyz0123456789", 64 * 1024);
    let patterns = patterns(&[("big", &value)]);
    assert_eq!(Scrubber::scrub(&patterns, &[b"<", &value[..], b">"].concat()), b"<[secret:big]>");
    let encoded = base64_simd::STANDARD.encode_to_string(&value);
    assert_eq!(Scrubber::scrub(&patterns, encoded.as_bytes()), b"[secret:big]");
    let cut = Scrubber::scrub(&patterns, &value[..5000]);
    assert!(cut.len() < 300 && cut.starts_with(b"[secret:big]"), "{} bytes", cut.len());
}

#[test]
fn values_too_short_to_be_looked_for_are_named() {
    let patterns = patterns(&[("pin", b"123"), ("blank", b"  \n\n  "), ("fine", b"1234")]);
    assert_eq!(patterns.too_short(), ["pin", "blank"]);
    assert_eq!(Scrubber::scrub(&patterns, b"123 1234"), b"123 [secret:fine]");
}

#[test]
fn no_spelling_of_any_value_survives_any_cutting() {
    let mut numbers = Numbers(1);
    let text: Vec<u8> = (b' '..=b'~').collect();
    let any: Vec<u8> = (0..=255).collect();
    for round in 0..400 {
        let alphabet = if round % 2 == 0 { &text } else { &any };
        let length = 8 + numbers.next(if round % 10 == 0 { 700 } else { 60 });
        let value = numbers.bytes(alphabet, length);
        if value.trim_ascii().len() < 8 {
            continue;
        }
        let patterns = patterns(&[("N", &value)]);
        let padding = numbers.next(5);
        let mut before = numbers.bytes(b"xyz.", padding);
        let after = numbers.bytes(b"xyz.", 3);
        let hex = value.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
        let url = value.iter().fold(String::new(), |text, byte| text + &format!("%{byte:02X}"));
        let reversed: Vec<u8> = value.iter().rev().copied().collect();
        before.extend_from_slice(&value);
        let joined = [&before[..], &after].concat();
        let standard = base64_simd::STANDARD.encode_to_string(&joined);
        let url_safe = base64_simd::URL_SAFE_NO_PAD.encode_to_string(&before);
        let inner = &base64_simd::STANDARD.encode_to_string(&value)[..value.len() * 8 / 6];
        for spelled in [
            &joined[..],
            hex.as_bytes(),
            hex.to_uppercase().as_bytes(),
            &reversed,
            standard.as_bytes(),
            url_safe.as_bytes(),
        ] {
            let out = in_pieces(&patterns, spelled, || 1 + numbers.next(90));
            assert!(contains(&out, b"[secret:N]"), "round {round}: {}", String::from_utf8_lossy(spelled));
            for part in [&value[..], hex.as_bytes(), &reversed, inner.as_bytes(), url.as_bytes()] {
                assert!(!contains(&out, part), "round {round}: something is left");
            }
            // What is left of the value inside base64 is at most a character that it shares with its neighbour.
            let shared = out.len() - b"[secret:N]".len();
            assert!(shared <= (joined.len() - value.len()) * 4 / 3 + 8, "round {round}: {shared} bytes left");
        }
    }
}

#[test]
fn what_holds_no_secret_passes_byte_for_byte() {
    let mut numbers = Numbers(7);
    let any: Vec<u8> = (0..=255).collect();
    let value = numbers.bytes(b"QWERTYUIOP", 24);
    let patterns = patterns(&[("a", &value), ("b", b"correct horse battery staple")]);
    for _ in 0..50 {
        let length = numbers.next(5000);
        let mut text = numbers.bytes(&any, length);
        // Beginnings of a value are not the value.
        text.extend_from_slice(&value[..23]);
        text.extend_from_slice(b"\ncorrect horse battery");
        assert_eq!(in_pieces(&patterns, &text, || 1 + numbers.next(700)), text);
    }
}

#[test]
fn without_secrets_everything_passes_at_once() {
    let mut scrubber = Scrubber::new(patterns(&[]));
    let mut out = Vec::new();
    scrubber.push(b"hello", &mut out);
    assert_eq!(out, b"hello");
}
