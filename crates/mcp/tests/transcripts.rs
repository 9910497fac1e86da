//! A whole conversation in each revision, as it goes over the wire: `transcripts/<revision>.txt`.

use mcp_testkit::{Client, fixture, transcript};

fn check(revision: &str) {
    let path = format!("{}/tests/transcripts/{revision}.txt", env!("CARGO_MANIFEST_DIR"));
    transcript::check(path, Client::memory(fixture::server()));
}

#[test]
fn a_conversation_in_2024_11_05() {
    check("2024-11-05");
}

#[test]
fn a_conversation_in_2025_03_26() {
    check("2025-03-26");
}

#[test]
fn a_conversation_in_2025_06_18() {
    check("2025-06-18");
}

#[test]
fn a_conversation_in_2025_11_25() {
    check("2025-11-25");
}

#[test]
fn a_conversation_in_2026_07_28() {
    check("2026-07-28");
}
