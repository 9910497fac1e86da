//! Arguments to typed input: as models send them, with errors they can act on.

mod distinct;
mod lenient;
mod limits;
mod schema;
mod words;

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::fail::Fail;
use crate::json;
use crate::tool::Reading;
use crate::wire::kind;

pub(crate) use limits::Limits;

/// Reads the arguments of a call and holds them to the limits of the schema.
pub(crate) fn read<'s, T: DeserializeOwned>(
    arguments: Option<&RawValue>,
    reading: Reading,
    limits: &Limits,
    schema: impl Fn() -> &'s RawValue,
) -> Result<T, Fail> {
    let (input, text) = read_type(arguments, reading, &schema)?;
    match limits.broken_by(&text, schema()) {
        None => Ok(input),
        Some(broken) => Err(Fail::arguments(broken)),
    }
}

/// Reads what the type takes, and the text that was read. The schema is looked at only where the arguments do not fit as they
/// are.
fn read_type<'a, 's, T: DeserializeOwned>(
    arguments: Option<&'a RawValue>,
    reading: Reading,
    schema: &impl Fn() -> &'s RawValue,
) -> Result<(T, Cow<'a, str>), Fail> {
    let text = arguments.map_or("{}", RawValue::get);
    if let Some(raw) = arguments
        && !text.starts_with('{')
    {
        return Err(Fail::arguments(format!("`arguments` must be an object, not {}", kind(raw))));
    }
    // What `null` stands for is not left to the type of the field: it is an argument that was not given.
    let may_have_null = || memchr::memmem::find(text.as_bytes(), b"null").is_some();
    if reading == Reading::Literal || !may_have_null() {
        match fitting(text, reading) {
            Ok(input) => return Ok((input, text.into())),
            Err(problem) if reading == Reading::Literal => return Err(refusal(text, &problem, schema())),
            Err(_) => {}
        }
    }
    let schema = schema();
    let text = lenient::adapted(text, schema).map_or(Cow::Borrowed(text), Cow::Owned);
    match fitting(&text, reading) {
        Ok(input) => Ok((input, text)),
        Err(problem) => Err(refusal(&text, &problem, schema)),
    }
}

/// The arguments of a call as they are meant, held to a schema that no type stands behind.
pub(crate) fn held_to(schema: &RawValue, arguments: Option<&RawValue>) -> Result<Box<RawValue>, Fail> {
    let text = arguments.map_or("{}", RawValue::get);
    let adapted = lenient::adapted(text, schema);
    let text = adapted.as_deref().unwrap_or(text);
    let Some(arguments) = distinct::parse(text) else {
        return Err(Fail::arguments(
            "`arguments` cannot be read, or something is in them twice; give it once",
        ));
    };
    let schema: Value = serde_json::from_str(schema.get())?;
    let wrong = words::fault(&arguments, &schema, "").or_else(|| limits::broken(&arguments, &schema, ""));
    match wrong {
        None => Ok(RawValue::from_string(text.to_owned())?),
        Some(wrong) => Err(Fail::arguments(wrong)),
    }
}

/// The parameters of a bare method without `_meta`, which is not one of its arguments.
pub(crate) fn without_meta(params: &RawValue) -> Cow<'_, RawValue> {
    if memchr::memmem::find(params.get().as_bytes(), b"\"_meta\"").is_none() {
        return Cow::Borrowed(params);
    }
    let others = json::without(params.get(), "_meta").and_then(RawValue::from_string);
    others.map_or(Cow::Borrowed(params), Cow::Owned)
}

/// Why arguments do not fit.
enum Problem {
    /// Where, and what the type that was to be made of it says.
    Refused { path: String, reason: String },
    /// A name nothing looks at; taken silently, it would seem to have had its effect.
    Unknown(String),
}

fn fitting<T: DeserializeOwned>(text: &str, reading: Reading) -> Result<T, Problem> {
    let mut unknown = None;
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let input = serde_ignored::deserialize(&mut deserializer, |path| {
        unknown.get_or_insert_with(|| match path {
            serde_ignored::Path::Map { key, .. } => key,
            other => other.to_string(),
        });
    });
    match (input, unknown) {
        (Ok(_), Some(name)) if reading == Reading::Lenient => Err(Problem::Unknown(name)),
        (Ok(input), _) => Ok(input),
        (Err(_), _) => Err(locate::<T>(text)),
    }
}

/// Parses once more, this time keeping track of where it is: only calls that fail pay for it.
fn locate<T: DeserializeOwned>(text: &str) -> Problem {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    match serde_path_to_error::deserialize::<_, T>(&mut deserializer) {
        Err(error) => {
            Problem::Refused { path: error.path().to_string(), reason: crate::wire::plain(error.inner()) }
        }
        Ok(_) => Problem::Refused { path: String::new(), reason: "these arguments do not fit".into() },
    }
}

fn refusal(text: &str, problem: &Problem, schema: &RawValue) -> Fail {
    // Nothing where there is half a character in a string, or a number beyond all bounds.
    let arguments: Option<Value> = serde_json::from_str(text).ok();
    let schema: Value = serde_json::from_str(schema.get()).unwrap_or_default();
    Fail::arguments(words::explain(problem, arguments.as_ref(), &schema))
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::Deserialize;
    use serde_json::value::{RawValue, to_raw_value};

    use super::Limits;
    use crate::schema;
    use crate::tool::Reading;

    #[derive(Deserialize, JsonSchema, Debug)]
    #[serde(deny_unknown_fields, rename_all = "camelCase")]
    #[allow(dead_code)]
    struct Input {
        /// Absolute path of the picture.
        file_path: String,
        #[serde(default)]
        points: Vec<Point>,
    }

    #[derive(Deserialize, JsonSchema, Debug)]
    #[allow(dead_code)]
    struct Point {
        x: f64,
    }

    fn message(arguments: &str) -> String {
        let schema = to_raw_value(&schema::of::<Input>()).expect("schema");
        let raw = RawValue::from_string(arguments.to_owned()).expect("JSON");
        super::read::<Input>(Some(&raw), Reading::Lenient, &Limits::default(), || &schema)
            .expect_err("must fail")
            .message
    }

    #[test]
    fn a_missing_argument_is_named_with_its_type_and_meaning() {
        assert_eq!(message("{}"), "Missing argument `filePath` (a string): Absolute path of the picture.");
    }

    #[test]
    fn a_wrong_type_names_the_field_what_was_expected_and_what_came() {
        assert_eq!(
            message(r#"{"filePath":"a","points":[{"x":1},{"x":"far"}]}"#),
            "Argument `points[1].x`: expected a number, got string \"far\""
        );
        assert_eq!(message(r#"{"filePath":5}"#), "Argument `filePath`: expected a string, got integer `5`");
    }

    #[test]
    fn an_unknown_argument_gets_a_suggestion() {
        assert_eq!(
            message(r#"{"file_path":"a"}"#),
            "Unknown argument `file_path`; did you mean `filePath`? (accepted are `filePath`, `points`)"
        );
    }

    #[test]
    fn what_is_no_text_is_named_so() {
        let half = "it has an escape such as `\\ud800`, which is half a character; send whole ones";
        assert_eq!(message(r#"{"filePath":"\ud800"}"#), format!("Argument `filePath`: {half}"));
        assert_eq!(message(r#"{"filePath":"a","more":"\ud800"}"#), "Unknown argument `more`; leave it out");
    }

    #[test]
    fn an_argument_that_is_given_twice_is_refused_and_named() {
        let words = "Argument `filePath` is given twice; give it once";
        assert_eq!(message(r#"{"filePath":"a","filePath":"b"}"#), words);
        assert_eq!(message(r#"{"filePath":"a","points":[],"filePath":"b"}"#), words);
        let words = "Argument `points[0].x` is given twice; give it once";
        assert_eq!(message(r#"{"filePath":"a","points":[{"x":1,"x":2}]}"#), words);
    }

    #[test]
    fn arguments_that_are_no_object_are_named_so() {
        assert_eq!(message("\"x\""), "`arguments` must be an object, not a string");
    }
}
