//! What a program that is not ours reads in a picture, and writes.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

fn run(arguments: &[&str], path: &Path) -> String {
    let output = Command::new("exiftool")
        .args(arguments)
        .arg(path)
        .output()
        .expect("exiftool is there; install the package libimage-exiftool-perl");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The tags, each under `Group:Name`.
pub(crate) fn read(path: &Path) -> Value {
    let text = run(&["-json", "-G1", "-a", "-charset", "iptc=UTF8"], path);
    let mut list: Value = serde_json::from_str(&text).expect("JSON");
    list[0].take()
}

/// A tag as a list, whether it is one or not.
pub(crate) fn list(path: &Path, tag: &str) -> Vec<String> {
    match &read(path)[tag] {
        Value::Null => Vec::new(),
        Value::Array(values) => values.iter().map(text).collect(),
        value => vec![text(value)],
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// What exiftool complains about.
pub(crate) fn complaints(path: &Path) -> Vec<String> {
    let text = run(&["-warning", "-error", "-a", "-s3"], path);
    text.lines().map(str::to_owned).collect()
}

/// Puts tags into a picture, each as `-Group:Name=value`.
pub(crate) fn put(path: &Path, tags: &[&str]) {
    run(&[&["-overwrite_original", "-codedcharacterset=utf8"], tags].concat(), path);
}
