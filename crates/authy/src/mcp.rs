//! The MCP server as a program embeds it.

use std::io::{self, Read, Write};

use crate::client::AuthyClient;
use crate::config::Config;

/// The server of one client's vault, on any pair of streams.
pub struct McpServer {
    client: Option<AuthyClient>,
}

impl McpServer {
    /// A server; without a client it answers, and every tool says that credentials are missing.
    pub fn new(client: Option<AuthyClient>) -> McpServer {
        McpServer { client }
    }

    /// Serves one message a line until the reader ends. Blocks.
    pub fn run(self, reader: impl Read, writer: impl Write + Send + 'static) -> io::Result<()> {
        ::mcp::stdio::run(crate::server(Config::Client(self.client)), reader, writer)
    }
}
