//! The three tools, on `ServerHandler` by hand: no macro router, so rmcp pays for nothing it need not.

use std::{sync::Arc, time::Duration};

use base64::{Engine, prelude::BASE64_STANDARD};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    handler::server::common::schema_for_input,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
        JsonObject, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
};
use schemars::JsonSchema;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use crate::image;

#[derive(Deserialize, JsonSchema)]
struct EchoInput {
    /// What to say back.
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct ImageInput {}

#[derive(Deserialize, JsonSchema)]
struct SleepInput {
    /// How long to wait, in milliseconds.
    ms: u64,
}

/// Cheap to clone, since rmcp makes one per HTTP request.
#[derive(Clone)]
pub(crate) struct Tools {
    list: Arc<[Tool]>,
}

impl Tools {
    pub(crate) fn new() -> Result<Self, String> {
        let list = [
            Tool::new("echo", "Say the text back.", schema_for_input::<EchoInput>()?),
            Tool::new("image", "A picture of one million bytes.", schema_for_input::<ImageInput>()?),
            Tool::new("sleep", "Wait, then say so.", schema_for_input::<SleepInput>()?),
        ];
        Ok(Self { list: list.into() })
    }
}

impl ServerHandler for Tools {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("rmcp-peer", env!("CARGO_PKG_VERSION")))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        // The revision of 2026-07-28 requires both hints.
        Ok(ListToolsResult::with_all_items(self.list.to_vec())
            .with_ttl_ms(60_000)
            .with_cache_scope(CacheScope::Public))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let content = match request.name.as_ref() {
            "echo" => ContentBlock::text(input::<EchoInput>(request.arguments)?.text),
            "image" => {
                let ImageInput {} = input(request.arguments)?;
                ContentBlock::image(BASE64_STANDARD.encode(image::bytes()), "image/png")
            }
            "sleep" => {
                let SleepInput { ms } = input(request.arguments)?;
                tokio::time::sleep(Duration::from_millis(ms)).await;
                ContentBlock::text("slept")
            }
            unknown => return Err(ErrorData::invalid_params(format!("no such tool: {unknown}"), None)),
        };
        Ok(CallToolResult::success(vec![content]).into())
    }
}

fn input<T: DeserializeOwned>(arguments: Option<JsonObject>) -> Result<T, ErrorData> {
    serde_json::from_value(Value::Object(arguments.unwrap_or_default()))
        .map_err(|error| ErrorData::invalid_params(error.to_string(), None))
}
