//! The tools, in the order clients see them.

mod batch_write_image_metadata;
mod full_metadata;
mod metadata;
mod preview_image_metadata;
mod read_image_metadata;
mod remove_image_tags;
mod undo_image_metadata;
mod write_image_metadata;

use std::fmt::Display;

use mcp::{Fail, Output, Reply, Server};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::State;
use crate::error::Error;
use batch_write_image_metadata::BatchWriteImageMetadata;
use preview_image_metadata::PreviewImageMetadata;
use read_image_metadata::ReadImageMetadata;
use remove_image_tags::RemoveImageTags;
use undo_image_metadata::UndoImageMetadata;
use write_image_metadata::WriteImageMetadata;

pub(crate) fn offer(server: Server<State>) -> Server<State> {
    server
        .tool(WriteImageMetadata)
        .bare_method::<WriteImageMetadata>("writeImageMetadata")
        .tool(ReadImageMetadata)
        .bare_method::<ReadImageMetadata>("readImageMetadata")
        .tool(PreviewImageMetadata)
        .bare_method::<PreviewImageMetadata>("previewImageMetadata")
        .tool(BatchWriteImageMetadata)
        .bare_method::<BatchWriteImageMetadata>("batchWriteImageMetadata")
        .tool(RemoveImageTags)
        .bare_method::<RemoveImageTags>("removeImageTags")
        .tool(UndoImageMetadata)
        .bare_method::<UndoImageMetadata>("undoImageMetadata")
}

/// An answer as data, and the same in words.
pub(crate) struct Told<T>(T);

impl<T: Serialize + JsonSchema + Display + Send> Output for Told<T> {
    fn into_reply(self) -> Result<Reply, Fail> {
        Reply::structured(&self.0, self.0.to_string())
    }

    fn schema() -> Option<Value> {
        Some(mcp::schema::of::<T>())
    }
}

impl From<Error> for Fail {
    fn from(error: Error) -> Fail {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Data {
            #[serde(skip_serializing_if = "String::is_empty")]
            file_path: String,
            #[serde(skip_serializing_if = "Option::is_none")]
            reason: Option<String>,
        }
        let fail = match error.code() {
            Some(code) => Fail::rpc(code, error.message()),
            None => Fail::arguments(error.message()),
        };
        fail.data(&Data { file_path: error.path.display().to_string(), reason: error.reason() })
    }
}
