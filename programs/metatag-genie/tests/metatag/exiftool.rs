//! What a program that is not ours reads in a picture, and writes.

use std::cell::RefCell;
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

/// The tags, each under `Group:Name`. Starting exiftool takes longer than anything else here, so a file that was not
/// changed is not read again.
pub(crate) fn read(path: &Path) -> Value {
    thread_local! {
        static LAST: RefCell<(Vec<u8>, Value)> = RefCell::default();
    }
    let bytes = std::fs::read(path).expect("the picture");
    LAST.with_borrow_mut(|last| {
        if last.0 != bytes {
            let text = run(&["-json", "-G1", "-a", "-charset", "iptc=UTF8"], path);
            let mut list: Value = serde_json::from_str(&text).expect("JSON");
            *last = (bytes, list[0].take());
        }
        last.1.clone()
    })
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
