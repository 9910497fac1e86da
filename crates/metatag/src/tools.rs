//! The tools, in the order clients see them.

mod write_image_metadata;

use mcp::Server;

use crate::State;

pub(crate) use write_image_metadata::WriteImageMetadata;

pub(crate) fn offer(server: Server<State>) -> Server<State> {
    server.tool(WriteImageMetadata).bare_method::<WriteImageMetadata>("writeImageMetadata")
}
