//! What is fuzzed: a server on a pipe. Whatever comes in, what goes out is JSON-RPC, and each line is answered as
//! often as it must be.

use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use mcp::Service;
use mcp::stdio::{Limits, run_shared};
use serde_json::Value;

use crate::expect::answers;
use crate::service;

/// Must return for every input: no panic, no abort, no hang.
pub(crate) fn target(input: &[u8]) {
    static SERVICE: OnceLock<Arc<dyn Service>> = OnceLock::new();
    let service = Arc::clone(SERVICE.get_or_init(service::make));
    let output = Output::default();
    // Nothing of this service waits, so no thread is started.
    if let Err(error) = run_shared(service, input, output.clone(), Limits::default()) {
        panic!("serving failed: {error}");
    }
    let output = output.0.lock().unwrap_or_else(PoisonError::into_inner);
    check(input, &output);
}

fn check(input: &[u8], output: &[u8]) {
    assert!(output.is_empty() || output.ends_with(b"\n"), "the last line is cut off");
    let responses =
        output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).filter(|line| is_response(line));
    let count = responses.count();
    let expected = input
        .split(|byte| *byte == b'\n')
        .map(|line| answers(line, input))
        .fold(0..=0, |sum: RangeInclusive<usize>, one| sum.start() + one.start()..=sum.end() + one.end());
    assert!(
        expected.contains(&count),
        "{count} responses instead of {expected:?}: {}",
        output.escape_ascii()
    );
}

/// Checks a line of ours; whether it is a response.
fn is_response(line: &[u8]) -> bool {
    let line = std::str::from_utf8(line)
        .unwrap_or_else(|error| panic!("not UTF-8 ({error}): {}", line.escape_ascii()));
    // An id is echoed as written: half a surrogate pair, which JSON allows and `Value` does not, comes back as such.
    let whole = line.replace("\\ud", "\\u0").replace("\\uD", "\\u0");
    let message: Value =
        serde_json::from_str(&whole).unwrap_or_else(|error| panic!("not JSON ({error}): {line}"));
    match message {
        Value::Array(batch) => {
            assert!(!batch.is_empty(), "an empty batch");
            assert!(batch.iter().all(is_one), "a batch of something else: {line}");
            true
        }
        message => is_one(&message),
    }
}

fn is_one(message: &Value) -> bool {
    assert_eq!(message["jsonrpc"], "2.0", "not JSON-RPC: {message}");
    if message.get("method").is_some() {
        return false;
    }
    let id = message.get("id").unwrap_or_else(|| panic!("no id: {message}"));
    // `-0` is an integer as well, though `Value` has no integer for it.
    let whole = id.is_i64() || id.is_u64() || id.as_f64().is_some_and(|number| number == 0.0);
    assert!(id.is_null() || id.is_string() || whole, "no legal id: {message}");
    match (message.get("result"), message.get("error")) {
        (Some(result), None) => assert!(result.is_object(), "no result: {message}"),
        (None, Some(error)) => {
            assert!(error["code"].is_i64() && error["message"].is_string(), "no error: {message}");
        }
        _ => panic!("neither result nor error, or both: {message}"),
    }
    true
}

/// Everything written, to be looked at afterwards.
#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
