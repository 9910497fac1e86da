//! What the MCP registry wants to know about a bundle: `server.json`, by its schema of 2025-12-11.

use serde_json::{Value, json};

use super::Bundle;

/// A name in the registry: a namespace and a name, `io.github.you/deskmate`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistryName(String);

impl RegistryName {
    /// Nothing for a text the registry would refuse.
    pub fn new(text: &str) -> Option<RegistryName> {
        let letters = |part: &str, also: &[u8]| {
            !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || also.contains(&byte))
        };
        let (space, name) = text.split_once('/')?;
        let is_name = letters(space, b".-") && letters(name, b"._-") && (3..=200).contains(&text.len());
        is_name.then(|| RegistryName(text.to_owned()))
    }
}

/// The address of a bundle below a folder; nothing where the registry would not download it.
pub fn address(folder: &str, file: &str) -> Option<String> {
    let host = folder.strip_prefix("https://")?;
    let is_plain = !host.starts_with('/') && host.bytes().all(|byte| byte.is_ascii_graphic());
    (is_plain && !host.is_empty()).then(|| format!("{}/{file}", folder.trim_end_matches('/')))
}

/// The entry for one bundle, and where it is.
pub fn entry(name: &RegistryName, bundle: &Bundle, address: &str, digest: &str) -> Value {
    json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": name.0,
        "title": bundle.title(),
        "description": bundle.summary(),
        "version": env!("CARGO_PKG_VERSION"),
        "packages": [{
            "registryType": "mcpb",
            "identifier": address,
            "version": env!("CARGO_PKG_VERSION"),
            "fileSha256": digest,
            "transport": { "type": "stdio" },
        }],
    })
}

#[cfg(test)]
mod tests {
    use super::{RegistryName, address, entry};
    use crate::bundle::{Bundle, digest};
    use crate::servers::{self, Selection};

    #[test]
    fn a_name_has_a_namespace_and_letters_the_registry_knows() {
        for good in ["a/b", "io.github.ada/deskmate", "org.example-x/desk_mate.1"] {
            assert!(RegistryName::new(good).is_some(), "{good}");
        }
        let long = format!("a/{}", "b".repeat(199));
        for bad in ["", "deskmate", "/b", "a/", "a/b/c", "a_b/c", "a b/c", "ä/b", long.as_str()] {
            assert!(RegistryName::new(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn bundles_are_downloaded_by_https() {
        assert_eq!(
            address("https://example.org/v1/", "a.mcpb").as_deref(),
            Some("https://example.org/v1/a.mcpb")
        );
        for bad in ["", "example.org", "http://example.org", "https://", "https:///x", "https://a b"] {
            assert_eq!(address(bad, "a.mcpb"), None, "{bad}");
        }
    }

    /// Every rule that its schema of 2025-12-11 has for the fields we write. `interop` runs the schema itself.
    #[test]
    fn an_entry_keeps_the_rules_of_the_registry() {
        let name = RegistryName::new("io.github.ada/deskmate").expect("a name");
        let surface = servers::compose(&Selection::default())
            .map_err(|error| error.to_string())
            .expect("all")
            .surface();
        let entry =
            entry(&name, &Bundle::of_all(&surface), "https://example.org/deskmate.mcpb", &digest(b"x"));
        let letters = |field: &str| entry[field].as_str().map_or(0, |text| text.chars().count());
        assert!((1..=100).contains(&letters("description")), "{entry}");
        assert!((1..=100).contains(&letters("title")), "{entry}");
        assert!((1..=255).contains(&letters("version")), "{entry}");
        let known = ["$schema", "description", "name", "packages", "title", "version"];
        assert_eq!(
            entry.as_object().map(|entry| entry.keys().map(String::as_str).collect()),
            Some(known.to_vec())
        );
        let package = entry["packages"][0].as_object().expect("a package");
        let known = ["fileSha256", "identifier", "registryType", "transport", "version"];
        assert_eq!(package.keys().map(String::as_str).collect::<Vec<_>>(), known);
        assert!(
            package["version"].as_str().is_some_and(|version| !version.is_empty() && version != "latest")
        );
        assert_eq!(package["transport"], serde_json::json!({ "type": "stdio" }));
        let hash = package["fileSha256"].as_str().expect("a hash");
        let is_hash = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        assert!(hash.len() == 64 && hash.bytes().all(is_hash), "{hash}");
    }
}
