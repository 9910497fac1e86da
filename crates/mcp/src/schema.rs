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

/// The schema of a tool's arguments. Models read it with every request, so it says what helps them to fill it in and
/// nothing else; limits that nobody comes near are enforced without being told.
pub fn of_arguments<T: JsonSchema>() -> Value {
    let mut schema = of::<T>();
    if let Value::Object(root) = &mut schema {
        shorten_inside(root);
    }
    schema
}

/// Beyond these, a limit is a safeguard and no advice.
const LONGEST_ADVICE: u64 = 200;
const MOST_ITEMS_ADVICE: u64 = 50;
const LARGEST_ADVICE: f64 = 100_000.0;

fn shorten(schema: &mut Value) {
    let Value::Object(object) = schema else { return };
    // Unknown names are refused in any case; at the root the schema says so.
    if object.get("additionalProperties") == Some(&Value::Bool(false)) {
        object.remove("additionalProperties");
    }
    if object.get("default").is_some_and(Value::is_null) {
        object.remove("default");
    }
    if object.get("maxLength").and_then(Value::as_u64).is_some_and(|most| most > LONGEST_ADVICE) {
        object.remove("maxLength");
        object.remove("minLength");
    }
    if object.get("maxItems").and_then(Value::as_u64).is_some_and(|most| most >= MOST_ITEMS_ADVICE) {
        object.remove("maxItems");
    }
    if object.get("maximum").and_then(Value::as_f64).is_some_and(|most| most >= LARGEST_ADVICE) {
        object.remove("maximum");
    }
    if let Some(Value::String(description)) = object.get_mut("description") {
        *description = description.replace('\n', " ");
    }
    shorten_inside(object);
}

fn shorten_inside(object: &mut Map<String, Value>) {
    let required = object.get("required").cloned().unwrap_or_default();
    let is_required = |name: &str| required.as_array().is_some_and(|all| all.iter().any(|one| one == name));
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        for (name, property) in properties {
            shorten(property);
            // Who has nothing to say leaves it out.
            if !is_required(name)
                && let Value::Object(property) = property
            {
                property.remove("minLength");
            }
        }
    }
    for key in ["items", "additionalProperties"] {
        if let Some(inner) = object.get_mut(key) {
            shorten(inner);
        }
    }
    for key in ["anyOf", "oneOf", "allOf"] {
        if let Some(Value::Array(choices)) = object.get_mut(key) {
            choices.iter_mut().for_each(shorten);
        }
    }
    let is_described = object.contains_key("description");
    if let Some(Value::Object(items)) = object.get_mut("items") {
        items.remove("minLength");
        items.remove("maxLength");
        if is_described {
            items.remove("description");
        }
    }
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
            name_values(object);
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

/// A choice of constants is an `enum`, which every client knows; what the values mean is told where nothing else is.
fn name_values(object: &mut Map<String, Value>) {
    if let Some(only) = object.remove("const") {
        object.insert("enum".into(), Value::Array(vec![only]));
    }
    for key in ["oneOf", "anyOf"] {
        let Some(Value::Array(choices)) = object.get(key) else { continue };
        let Some(named) = choices.iter().map(values_of).collect::<Option<Vec<_>>>() else { continue };
        let values: Vec<Value> = named.into_iter().flatten().collect();
        let meanings: Vec<String> = choices.iter().filter_map(meaning_of).collect();
        if values.iter().all(Value::is_string) {
            object.insert("type".into(), "string".into());
        }
        if !object.contains_key("description") && !meanings.is_empty() {
            object.insert("description".into(), meanings.join(" ").into());
        }
        object.insert("enum".into(), Value::Array(values));
        object.remove(key);
        return;
    }
}

/// The values of a choice that is nothing but values.
fn values_of(choice: &Value) -> Option<Vec<Value>> {
    if choice.get("properties").is_some() {
        return None;
    }
    match (choice.get("const"), choice.get("enum")) {
        (Some(only), _) => Some(vec![only.clone()]),
        (None, Some(Value::Array(several))) => Some(several.clone()),
        _ => None,
    }
}

fn meaning_of(choice: &Value) -> Option<String> {
    let value = choice.get("const")?.as_str()?;
    Some(format!("`{value}`: {}", choice.get("description")?.as_str()?))
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

    #[derive(JsonSchema)]
    #[serde(rename_all = "snake_case")]
    #[allow(dead_code)]
    enum Size {
        /// For one.
        Small,
        /// For many.
        Large,
    }

    #[test]
    fn a_choice_of_words_is_an_enum() {
        #[derive(JsonSchema)]
        #[serde(deny_unknown_fields)]
        #[allow(dead_code)]
        struct Order {
            /// How much.
            size: Size,
            other: Option<Size>,
            /// What else.
            more: Option<Vec<Inner>>,
        }
        let schema = super::of_arguments::<Order>();
        let size = json!({ "description": "How much.", "enum": ["small", "large"], "type": "string" });
        assert_eq!(schema["properties"]["size"], size);
        assert_eq!(schema["properties"]["other"]["enum"], json!(["small", "large"]));
        assert_eq!(schema["properties"]["other"]["description"], "`small`: For one. `large`: For many.");
        assert_eq!(schema["additionalProperties"], false);
        assert!(!schema.to_string().contains("oneOf") && !schema.to_string().contains("const"));
    }

    #[test]
    fn limits_that_nobody_comes_near_are_not_told() {
        #[derive(JsonSchema)]
        #[allow(dead_code)]
        struct Note {
            #[schemars(length(min = 1, max = 10_000))]
            text: String,
            #[schemars(length(min = 1, max = 100))]
            name: String,
            #[schemars(length(min = 1, max = 100))]
            nickname: Option<String>,
            #[serde(default)]
            age: Option<u8>,
        }
        let schema = super::of_arguments::<Note>();
        assert_eq!(schema["properties"]["text"], json!({ "type": "string" }));
        assert_eq!(
            schema["properties"]["name"],
            json!({ "type": "string", "minLength": 1, "maxLength": 100 })
        );
        assert_eq!(schema["properties"]["nickname"], json!({ "type": "string", "maxLength": 100 }));
        assert_eq!(schema["properties"]["age"].get("default"), None);
    }

    #[test]
    fn a_unit_struct_is_an_empty_object() {
        #[derive(JsonSchema)]
        struct Nothing {}
        assert_eq!(super::of::<Nothing>(), json!({ "type": "object", "properties": {} }));
    }
}
