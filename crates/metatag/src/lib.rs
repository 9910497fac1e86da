//! Picture metadata that every photo program reads, and nothing else touched.
//!
//! [`server`] is the MCP server `MetaTagGenie`. Below it, [`mod@write`] is the whole way of a change. [`container`] takes a
//! file apart into metadata blocks and everything else; [`model::apply`] is the pure half: it takes the blocks as bytes
//! ([`stores::Stores`]) and what somebody wants to have written ([`model::Wish`]), and gives the blocks back. It opens no
//! file and knows no container format. [`target`] says which file changes, and [`verify`] reads the result before the
//! file is replaced.

mod clock;
pub mod config;
pub mod container;
pub mod error;
pub mod exif;
pub mod iim;
pub mod model;
pub mod resources;
pub mod stores;
pub mod target;
mod text;
mod tools;
pub mod verify;
pub mod view;
pub mod write;
pub mod xmp;

use mcp::{Failures, Server, Style};

pub use config::Config;
use write::Writer;

/// What the tools share.
#[derive(Debug, Default)]
pub struct State {
    config: Config,
    writer: Writer,
}

/// The server. No work is done before the first call.
pub fn server(config: Config) -> Server<State> {
    with_state(State { config, writer: Writer::default() })
}

fn with_state(state: State) -> Server<State> {
    tools::offer(
        Server::new("MetaTagGenie", env!("CARGO_PKG_VERSION"), state)
            .title("MetaTag Genie")
            .description("Writes tags, descriptions, people and places into picture files")
            .instructions(
                "Writes metadata into JPEG, PNG, HEIC, AVIF, WebP, TIFF and DNG pictures on this machine, and beside raw \
                 pictures and videos: tags, a description, people's names and a place, where photo programs find them. Call writeImageMetadata with an absolute path. The \
                 picture itself and all other metadata stay as they are.",
            )
            .failures(Failures {
                tool: Style::Rpc(mcp::code::INTERNAL_ERROR),
                bad_arguments: Style::Rpc(mcp::code::INVALID_PARAMS),
                unknown_tool: Style::Rpc(mcp::code::METHOD_NOT_FOUND),
            }),
    )
}
