//! `writeImageMetadata`: tags, a description, people and a place, into one picture.

use std::path::Path;

use mcp::{About, Cx, Json, Reading, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::metadata::{self, Metadata};
use crate::State;
use crate::model::{Field, Note, Wish};
use crate::write::{Done, Effect};

pub(crate) struct WriteImageMetadata;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Input {
    file_path: String,
    metadata: Metadata,
    #[serde(default = "metadata::overwrites")]
    overwrite: bool,
}

impl Input {
    /// Where, and what.
    pub(super) fn into_wish(self) -> (String, Wish) {
        (self.file_path, self.metadata.into_wish(self.overwrite))
    }
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Written {
    #[schemars(extend("const" = true))]
    success: bool,
    /// 已成功处理的图片文件路径。
    file_path: String,
    /// 描述操作成功的消息，例如：'元数据已成功写入.'
    message: String,
}

impl Tool<State> for WriteImageMetadata {
    type In = Input;
    type Out = Json<Written>;
    const ABOUT: About = About::new(
        "writeImageMetadata",
        "Write photo metadata (写入图片元数据)",
        "将结构化的元数据（标签、描述、人物名称、地点文本）写入指定的本地图片文件，支持 JPG, PNG, 和 HEIC \
         格式。图片本身和未明确修改的现有元数据保持不变。Use it to tag or caption a picture file of this \
         machine, so that photo programs find it.",
    )
    .idempotent()
    .local()
    .describes_output()
    .core();
    const RUN: Run = Run::Blocking;
    const READING: Reading = Reading::Literal;

    async fn call(&self, state: &State, cx: &Cx, input: Input) -> Result<Json<Written>, Stop> {
        let (file_path, wish) = input.into_wish();
        let roots = state.roots(cx.caller());
        let done = state.writer.write(roots, Path::new(&file_path), &wish)?;
        Ok(Json(Written { success: true, message: message(&done), file_path }))
    }

    /// The letters of the contract.
    fn input_schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "filePath": {
                    "type": "string",
                    "description": "要写入元数据的图片的绝对路径。"
                },
                "metadata": Metadata::schema(),
                "overwrite": {
                    "type": "boolean",
                    "default": true,
                    "description": "当设置为 true (默认) 时，对于提供的元数据字段（如 tags, description)，新值将覆盖图片中已有的对应值。如果设置为 false，则尝试追加（例如，对于标签和人物列表），对于描述和地点，如果已有值则可能不作修改或返回错误（此行为待细化）。MVP 默认行为是覆盖。"
                }
            },
            "required": ["filePath", "metadata"],
            "additionalProperties": false
        })
    }
}

fn message(done: &Done) -> String {
    let mut message = match done.effect {
        Effect::Written => "元数据已成功写入.",
        Effect::Nothing => "元数据无需更改，文件未作修改.",
    }
    .to_owned();
    for note in &done.notes {
        message.push(' ');
        message.push_str(match note {
            Note::Kept(Field::Tags) => "tags 已有值，保持不变.",
            Note::Kept(Field::Description) => "description 已有值，保持不变.",
            Note::Kept(Field::People) => "people 已有值，保持不变.",
            Note::Kept(Field::Location) => "location 已有值，保持不变.",
            // The contract has no other fields.
            Note::Kept(_) => "其他字段已有值，保持不变.",
            Note::ExifFull => "EXIF 空间不足，描述只写入了其他位置.",
            Note::ExifOdd => "EXIF 中有超出其范围的值，未作修改，描述只写入了其他位置.",
            Note::Provenance => "文件中的 C2PA 签名来源信息已保留，但与修改后的文件不再匹配.",
            Note::Sidecar => "元数据写在同一文件夹的 XMP 附属文件中，原文件未作修改.",
        });
    }
    if done.left_behind > 0 {
        message.push_str(" 该文件的其他硬链接仍指向旧内容.");
    }
    if let Some(reason) = &done.not_undoable {
        message.push_str(" 此更改无法撤销: ");
        message.push_str(reason);
        message.push('.');
    }
    if let Some(reason) = &done.unsynced {
        message.push_str(" 磁盘未确认此更改，断电后可能恢复为旧文件: ");
        message.push_str(reason);
        message.push('.');
    }
    message
}

#[cfg(test)]
mod tests;
