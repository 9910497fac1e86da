//! Arguments that an HTTP client repeats in `Mcp-Param-…` headers, marked `x-mcp-header` in a schema.

use serde_json::Value;
use serde_json::value::RawValue;

/// One such argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HeaderParam {
    /// The header, in lower case.
    pub(crate) header: String,
    /// The property path to the argument.
    pub(crate) path: Vec<String>,
    pub(crate) kind: HeaderType,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HeaderType {
    Text,
    Integer,
    Boolean,
}

/// Finds the marked properties, following `properties` only, as the specification has it.
pub(super) fn find(schema: &RawValue) -> Vec<HeaderParam> {
    let mut found = Vec::new();
    if schema.get().contains("x-mcp-header")
        && let Ok(schema) = serde_json::from_str::<Value>(schema.get())
    {
        walk(&schema, &mut Vec::new(), &mut found);
    }
    found
}

fn walk(schema: &Value, path: &mut Vec<String>, found: &mut Vec<HeaderParam>) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    for (name, property) in properties {
        path.push(name.clone());
        if let Some(header) = property.get("x-mcp-header").and_then(Value::as_str) {
            let kind = match property.get("type").and_then(Value::as_str) {
                Some("integer") => HeaderType::Integer,
                Some("boolean") => HeaderType::Boolean,
                _ => HeaderType::Text,
            };
            let header = format!("mcp-param-{}", header.to_ascii_lowercase());
            found.push(HeaderParam { header, path: path.clone(), kind });
        }
        walk(property, path, found);
        path.pop();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{json, value::to_raw_value};

    use super::{HeaderParam, HeaderType, find};

    #[test]
    fn marked_properties_are_found_at_any_depth_of_properties() {
        let schema = json!({ "type": "object", "properties": {
            "region": { "type": "string", "x-mcp-header": "Region" },
            "page": { "type": "object", "properties": { "size": { "type": "integer", "x-mcp-header": "Size" } } },
            "list": { "type": "array", "items": { "x-mcp-header": "No" } }
        } });
        let mut found = find(&to_raw_value(&schema).expect("JSON"));
        found.sort_by(|a, b| a.header.cmp(&b.header));
        assert_eq!(
            found,
            [
                HeaderParam {
                    header: "mcp-param-region".into(),
                    path: vec!["region".into()],
                    kind: HeaderType::Text
                },
                HeaderParam {
                    header: "mcp-param-size".into(),
                    path: vec!["page".into(), "size".into()],
                    kind: HeaderType::Integer
                },
            ]
        );
    }
}
