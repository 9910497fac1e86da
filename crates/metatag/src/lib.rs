//! Picture metadata that every photo program reads, and nothing else touched.
//!
//! [`server`] is the MCP server `MetaTagGenie`. Below it, [`mod@write`] is the whole way of a change, [`mod@batch`] makes one
//! to many pictures, [`undo`] takes it back, and [`report`] says what a picture has. [`container`] takes a
//! file apart into metadata blocks and everything else; [`model::apply`] is the pure half: it takes the blocks as bytes
//! ([`stores::Stores`]) and what somebody wants to have written ([`model::Wish`]), and gives the blocks back. It opens no
//! file and knows no container format. [`target`] says which file changes, and [`verify`] reads the result before the
//! file is replaced.

pub mod batch;
mod bytes;
pub mod config;
pub mod container;
pub mod error;
pub mod exif;
pub mod iim;
mod inflate;
mod memory;
pub mod model;
mod plan;
pub mod preview;
pub mod removed;
pub mod report;
pub mod resources;
pub mod stores;
mod sys;
pub mod target;
mod text;
mod tools;
pub mod undo;
pub mod verify;
pub mod view;
pub mod words;
pub mod write;
pub mod xmp;

use files::Roots;
use mcp::{FailAs, Failures, Server};

pub use config::Config;
use undo::Journal;
use write::Writer;

/// What the tools share.
#[derive(Debug, Default)]
pub struct State {
    config: Config,
    writer: Writer,
}

impl State {
    /// Where pictures may be, for whoever calls.
    fn roots(&self, caller: &mcp::Caller) -> &Roots {
        if caller.remote { &self.config.remote } else { &self.config.local }
    }
}

/// The server. No work is done before the first call.
pub fn server(config: Config) -> Server<State> {
    let writer = Writer::new(Journal::new(config.home.clone()));
    with_state(State { config, writer })
}

fn with_state(state: State) -> Server<State> {
    tools::offer(
        Server::new("MetaTagGenie", env!("CARGO_PKG_VERSION"), state)
            .title("MetaTag Genie")
            .description("Reads and writes tags, descriptions, people and places in picture files")
            .instructions(
                "Reads and writes metadata of JPEG, PNG, HEIC, AVIF, WebP, GIF, TIFF and DNG pictures on this machine, and \
                 beside raw pictures and videos: tags, a description, people's names, a place, and with \
                 batchWriteImageMetadata title, creator, copyright, rating, date and position, where photo \
                 programs find them. Paths are absolute. One picture: \
                 writeImageMetadata; many: batchWriteImageMetadata; what there is: readImageMetadata. \
                 previewImageMetadata shows a change without making it, removeImageTags takes single tags away, and \
                 undoImageMetadata takes changes back. The picture itself and all other metadata stay as \
                 they are.",
            )
            .failures(Failures {
                tool: FailAs::Rpc(mcp::code::INTERNAL_ERROR),
                bad_arguments: FailAs::Rpc(mcp::code::INVALID_PARAMS),
                unknown_tool: FailAs::Rpc(mcp::code::METHOD_NOT_FOUND),
            }),
    )
}
