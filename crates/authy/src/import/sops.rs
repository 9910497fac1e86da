//! Files of sops, decrypted by sops itself. Nested keys become paths: `db: {url: …}` is `db/url`.

use std::ffi::OsStr;
use std::path::Path;

use serde_json::Value;

use super::{Found, ImportError, program};

/// Reads a file that sops encrypted, whatever its format.
pub fn read(file: &Path) -> Result<Vec<Found>, ImportError> {
    let options = ["--decrypt", "--output-type", "json"].map(OsStr::new);
    let arguments = [options.as_slice(), &[file.as_os_str()]].concat();
    let plain = program::decrypt("sops", &arguments, &file.to_string_lossy())?;
    let tree: Value = serde_json::from_slice(&plain).map_err(|_| ImportError::Format {
        expected: "a tree of values",
        reason: "sops printed something other than JSON; files of the type `binary` are not imported"
            .to_owned(),
    })?;
    let mut found = Vec::new();
    flatten(String::new(), tree, &mut found)?;
    Ok(found)
}

fn flatten(path: String, value: Value, found: &mut Vec<Found>) -> Result<(), ImportError> {
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}/{key}") };
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                flatten(below(&key), value, found)?;
            }
        }
        Value::Array(list) => {
            for (at, value) in list.into_iter().enumerate() {
                flatten(below(&at.to_string()), value, found)?;
            }
        }
        Value::String(text) => found.push(Found::new(path, text.into_bytes())?),
        Value::Number(number) => found.push(Found::new(path, number.to_string().into_bytes())?),
        Value::Bool(flag) => found.push(Found::new(path, flag.to_string().into_bytes())?),
        Value::Null => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::flatten;

    #[test]
    fn a_tree_becomes_paths() {
        let mut found = Vec::new();
        let tree = json!({"a": "1", "db": {"url": "x", "ports": [5432, null]}, "on": true});
        flatten(String::new(), tree, &mut found).expect("short");
        let parts: Vec<(&str, &str)> =
            found.iter().map(|each| (each.name.as_str(), each.value.as_text().expect("text"))).collect();
        assert_eq!(parts, [("a", "1"), ("db/ports/0", "5432"), ("db/url", "x"), ("on", "true")]);
    }
}
