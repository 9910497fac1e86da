//! JSON Schemas that every client accepts: one object, no references, no odd formats.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// The schema of `T`, with everything inlined.
pub fn of<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    tidy(&mut schema);
    if let Value::Object(root) = &mut schema {
        root.remove("title");
        root.remove("description");
        if !root.contains_key("type") {
            root.insert("type".into(), "object".into());
        }
        if root.get("type").is_some_and(|kind| kind == "object") && !root.contains_key("properties") {
            root.insert("properties".into(), Value::Object(Map::new()));
        }
    }
    schema
}

/// Takes out what schemars says for Rust's sake and some clients refuse.
fn tidy(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if let Some(Value::String(format)) = object.get("format")
                && is_rust_number(format)
            {
                object.remove("format");
            }
            drop_null(object);
            object.values_mut().for_each(tidy);
        }
        Value::Array(items) => items.iter_mut().for_each(tidy),
        _ => {}
    }
}

fn is_rust_number(format: &str) -> bool {
    format.starts_with("uint") || format.starts_with("int") || matches!(format, "float" | "double")
}

/// An optional field is left out, not null: `["string", "null"]` and `anyOf [.., null]` confuse clients.
fn drop_null(object: &mut Map<String, Value>) {
    if let Some(Value::Array(kinds)) = object.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [only] = kinds.as_slice() {
            let only = only.clone();
            object.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    let Some(Value::Array(choices)) = object.get_mut("anyOf") else { return };
    choices.retain(|choice| choice.get("type").is_none_or(|kind| kind != "null"));
    if let [Value::Object(only)] = choices.as_mut_slice() {
        let only = std::mem::take(only);
        object.remove("anyOf");
        for (key, value) in only {
            object.entry(key).or_insert(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde_json::json;

    #[derive(JsonSchema)]
    #[allow(dead_code)]
    struct Inner {
        /// How many.
        count: u64,
    }

    #[derive(JsonSchema)]
    #[allow(dead_code)]
    struct Outer {
        inner: Inner,
        again: Option<Inner>,
        name: Option<String>,
        ratio: f64,
    }

    #[test]
    fn references_formats_titles_and_nulls_are_gone() {
        let schema = super::of::<Outer>();
        let text = schema.to_string();
        for bad in ["$ref", "$defs", "$schema", "uint64", "double", "null"] {
            assert!(!text.contains(bad), "{bad} in {text}");
        }
        assert_eq!(schema["type"], "object");
        assert_eq!(schema["properties"]["again"]["properties"]["count"]["description"], "How many.");
        assert_eq!(schema["properties"]["name"], json!({ "type": "string" }));
        assert_eq!(schema["required"], json!(["inner", "ratio"]));
    }

    #[test]
    fn a_unit_struct_is_an_empty_object() {
        #[derive(JsonSchema)]
        struct Nothing {}
        assert_eq!(super::of::<Nothing>(), json!({ "type": "object", "properties": {} }));
    }
}
