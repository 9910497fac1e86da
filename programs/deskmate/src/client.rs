//! A client in the same process: speaks to a service through the whole protocol, as any other client does.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mcp::stdio::{Limits, run_shared};
use mcp::{Service, Version};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The person ends a call that takes too long by ending the process.
const PATIENCE: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The id of the request after the handshake.
const ID: u64 = 1;

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The service answered with a JSON-RPC error.
    #[error("{message} (JSON-RPC error {code})")]
    Refused {
        /// Its code.
        code: i64,
        /// What the service says.
        message: String,
    },
    /// The connection within this process broke.
    #[error("the connection to the server broke: {0}; try again")]
    Broken(#[from] io::Error),
    /// The service said something that is not MCP.
    #[error("the server's answer cannot be read: {0}; this is a fault of Deskmate, report it")]
    Unreadable(#[from] serde_json::Error),
    /// The service never answered.
    #[error("the server did not answer; this is a fault of Deskmate, report it")]
    Silent,
}

/// What a tool answered.
#[derive(Debug, Deserialize)]
pub struct Answer {
    /// Its blocks, in order.
    pub content: Vec<Block>,
    /// Whether it says that it failed.
    #[serde(default, rename = "isError")]
    pub is_error: bool,
}

/// One block of an answer.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Block {
    /// Text.
    Text {
        /// As it is.
        text: String,
    },
    /// A picture.
    #[serde(rename_all = "camelCase")]
    Image {
        /// In base64.
        data: String,
        /// Its media type.
        mime_type: String,
    },
    /// Sound.
    #[serde(rename_all = "camelCase")]
    Audio {
        /// In base64.
        data: String,
        /// Its media type.
        mime_type: String,
    },
    /// A resource, whole.
    Resource {
        /// What is in it.
        resource: Resource,
    },
    /// Where a resource can be read.
    ResourceLink {
        /// Its address.
        uri: String,
        /// What it is called.
        name: String,
    },
}

/// The contents of a resource: text, or bytes in base64.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Resource {
    /// Its address.
    pub uri: String,
    /// Its media type.
    #[serde(default)]
    pub mime_type: Option<String>,
    /// Text, where it is text.
    #[serde(default)]
    pub text: Option<String>,
    /// Base64, where it is not.
    #[serde(default)]
    pub blob: Option<String>,
}

/// Calls a tool. `arguments` is a JSON object. The result is whole, as clients see it; [`Answer`] reads it.
pub fn call(service: Arc<dyn Service>, tool: &str, arguments: &RawValue) -> Result<Box<RawValue>, Error> {
    #[derive(serde::Serialize)]
    struct Call<'a> {
        name: &'a str,
        arguments: &'a RawValue,
    }
    let params = serde_json::value::to_raw_value(&Call { name: tool, arguments })?;
    request(service, "tools/call", &params)
}

/// Lists every tool, as clients see them.
pub fn tools(service: &Arc<dyn Service>) -> Result<Vec<Box<RawValue>>, Error> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Page {
        tools: Vec<Box<RawValue>>,
        #[serde(default)]
        next_cursor: Option<String>,
    }
    let mut tools = Vec::new();
    // Nothing declares the method where there is nothing to list.
    if service.surface().tools().is_empty() {
        return Ok(tools);
    }
    let mut params = json!({});
    loop {
        let params_now = serde_json::value::to_raw_value(&params)?;
        let page: Page =
            serde_json::from_str(request(Arc::clone(service), "tools/list", &params_now)?.get())?;
        tools.extend(page.tools);
        match page.next_cursor {
            Some(cursor) => params = json!({ "cursor": cursor }),
            None => return Ok(tools),
        }
    }
}

/// Shakes hands and sends one request. Its input ends there: the service finishes what it was asked and hangs
/// up. A handshake revision, since there a tool that prefers to run as a task simply answers.
pub fn request(service: Arc<dyn Service>, method: &str, params: &RawValue) -> Result<Box<RawValue>, Error> {
    let hello = json!({
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {
            "protocolVersion": Version::NEWEST_LEGACY.as_str(),
            "capabilities": {},
            "clientInfo": { "name": "deskmate", "version": env!("CARGO_PKG_VERSION") },
        },
    });
    // Between the tokens of JSON a newline is a space like any other, and within a token there is none.
    let params = params.get().replace(['\n', '\r'], " ");
    let input = format!(
        "{hello}\n\
         {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}}\n\
         {{\"jsonrpc\":\"2.0\",\"id\":{ID},\"method\":\"{method}\",\"params\":{params}}}\n"
    );
    let output = Collected::default();
    let limits =
        Limits { line: input.len().max(Limits::default().line), drain: PATIENCE, ..Limits::default() };
    run_shared(service, input.as_bytes(), output.clone(), limits)?;
    find_result(&output.take())
}

/// The answer to our request, among what else the service said.
fn find_result(output: &[u8]) -> Result<Box<RawValue>, Error> {
    #[derive(Deserialize)]
    struct Message {
        #[serde(default)]
        id: Option<Value>,
        #[serde(default)]
        result: Option<Box<RawValue>>,
        #[serde(default)]
        error: Option<Refusal>,
    }
    #[derive(Deserialize)]
    struct Refusal {
        code: i64,
        message: String,
    }
    for line in output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let message: Message = serde_json::from_slice(line)?;
        if message.id != Some(json!(ID)) {
            continue;
        }
        if let Some(Refusal { code, message }) = message.error {
            return Err(Error::Refused { code, message });
        }
        if let Some(result) = message.result {
            return Ok(result);
        }
    }
    Err(Error::Silent)
}

/// Everything the service writes.
#[derive(Clone, Default)]
struct Collected(Arc<Mutex<Vec<u8>>>);

impl Collected {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Collected {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use mcp::Service;
    use mcp_testkit::fixture;
    use serde_json::value::RawValue;

    use super::{Answer, Block, Error};

    fn call(tool: &str, arguments: &str) -> Result<Answer, Error> {
        let service: Arc<dyn Service> = Arc::new(fixture::server());
        let arguments = RawValue::from_string(arguments.to_owned()).expect("JSON");
        super::call(service, tool, &arguments).map(|raw| serde_json::from_str(raw.get()).expect("a result"))
    }

    #[test]
    fn arguments_may_spread_over_lines() {
        let answer = call("add", "{\n  \"a\": 1,\r\n  \"b\": 2\n}").expect("an answer");
        assert!(
            matches!(&answer.content[..], [Block::Text { text }] if text == r#"{"sum":3}"#),
            "{answer:?}"
        );
    }

    #[test]
    fn a_failure_is_an_answer_and_a_refusal_is_not() {
        assert!(call("fail_tool", "{}").expect("an answer").is_error);
        let refused = call("no_such_tool", "{}").expect_err("refused").to_string();
        assert_eq!(refused, "Unknown tool: no_such_tool (JSON-RPC error -32602)");
    }

    #[test]
    fn every_tool_is_listed_and_nothing_is_no_tools() {
        let service: Arc<dyn Service> = Arc::new(fixture::server());
        let count = service.surface().tools().len();
        assert_eq!(super::tools(&service).expect("tools").len(), count);
        let service: Arc<dyn Service> = Arc::new(mcp::Server::new("empty", "1", ()));
        assert!(super::tools(&service).expect("no tools").is_empty());
    }
}
