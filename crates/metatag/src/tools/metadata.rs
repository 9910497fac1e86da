//! What to write: the same words in every tool that takes it.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::Value;

use crate::model::{Details, Mode, Modified, Wish};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Metadata {
    tags: Option<Vec<String>>,
    description: Option<String>,
    people: Option<Vec<String>>,
    location: Option<String>,
}

impl Metadata {
    /// Its schema, for a schema written by hand.
    pub(super) fn schema() -> Value {
        Metadata::json_schema(&mut SchemaGenerator::default()).to_value()
    }

    pub(super) fn into_wish(self, overwrite: bool) -> Wish {
        let Metadata { tags, description, people, location } = self;
        let mode = if overwrite { Mode::Overwrite } else { Mode::Append };
        Wish { tags, description, people, location, details: Details::new(), mode, modified: Modified::Now }
    }
}

/// Whether values are replaced where nobody says otherwise.
pub(super) fn overwrites() -> bool {
    true
}

impl JsonSchema for Metadata {
    fn schema_name() -> Cow<'static, str> {
        "Metadata".into()
    }

    fn inline_schema() -> bool {
        true
    }

    /// The letters of the contract.
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "properties": {
                "tags": {
                    "type": "array",
                    "items": { "type": "string" },
                    "description": "图片标签/关键词列表。例如：['家庭', '假期', '海滩']。"
                },
                "description": {
                    "type": "string",
                    "description": "图片的详细描述文本。"
                },
                "people": {
                    "type": "array",
                    "items": { "type": "string" },
                    "description": "图片中的人物名称列表，将作为关键词处理。例如：['张三', '李四']。"
                },
                "location": {
                    "type": "string",
                    "description": "描述图片拍摄地点的文本。例如：'法国巴黎埃菲尔铁塔'。"
                }
            },
            "required": [],
            "additionalProperties": false,
            "description": "包含要写入的元数据。所有字段都是可选的；如果某个字段未提供或为 null，则不会修改图片中对应的元数据（除非 `overwrite` 明确设置为 true 且该字段提供了新值）。"
        })
    }
}
