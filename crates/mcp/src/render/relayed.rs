//! A result of another server, which speaks 2026-07-28, in the words of the client's own revision.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::json::{self, Elements, ObjectWriter};
use crate::relayed::Relayed;
use crate::version::Version;

use super::{Renderer, text_block};

impl Renderer<'_> {
    /// Writes the members of a result, and gives back what stands in its `_meta` besides who answered.
    pub(super) fn relayed(&self, object: &mut ObjectWriter<'_>, result: &Relayed) -> Option<String> {
        let mut meta = None;
        for (name, value) in result.members() {
            match std::str::from_utf8(name).unwrap_or_default() {
                // Written by us, where the revision has it.
                "resultType" => {}
                "_meta" => meta = without_server(value),
                "ttlMs" | "cacheScope" if !self.version.is_modern() => {}
                "structuredContent" if !self.takes_structured(value) => {}
                "content" => self.blocks(object.member("content"), value),
                "messages" if !shows_everything(self.version) => self.relayed_messages(object, value),
                name => drop(object.raw(name, value)),
            }
        }
        meta
    }

    fn takes_structured(&self, value: &[u8]) -> bool {
        self.version.is_modern() || (self.version.has_structured_content() && value.starts_with(b"{"))
    }

    fn blocks(&self, out: &mut Vec<u8>, blocks: &[u8]) {
        if shows_everything(self.version) {
            return json::relayed(out, blocks);
        }
        json::array(out, elements(blocks), |out, block| self.block(out, block));
    }

    fn relayed_messages(&self, object: &mut ObjectWriter<'_>, messages: &[u8]) {
        #[derive(Deserialize)]
        struct Message<'a> {
            #[serde(borrow)]
            role: &'a RawValue,
            #[serde(borrow)]
            content: &'a RawValue,
        }
        let messages =
            elements(messages).filter_map(|raw| serde_json::from_str::<Message<'_>>(raw.get()).ok());
        json::array(object.member("messages"), messages, |out, message| {
            let mut object = ObjectWriter::open(out);
            object.raw("role", message.role.get().as_bytes());
            self.block(object.member("content"), message.content);
            object.close();
        });
    }

    /// A block as it is, or words in its place where the revision does not know its kind.
    fn block(&self, out: &mut Vec<u8>, block: &RawValue) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Block<'a> {
            #[serde(borrow, rename = "type")]
            kind: Cow<'a, str>,
            #[serde(borrow, default)]
            mime_type: Cow<'a, str>,
            #[serde(borrow, default)]
            data: Cow<'a, str>,
            #[serde(borrow, default)]
            uri: Cow<'a, str>,
            #[serde(borrow, default)]
            name: Cow<'a, str>,
        }
        match serde_json::from_str::<Block<'_>>(block.get()) {
            Ok(audio) if audio.kind == "audio" && !self.version.has_audio() => {
                let padding = audio.data.bytes().rev().take_while(|byte| *byte == b'=').count();
                let bytes = (audio.data.len() / 4 * 3).saturating_sub(padding);
                let text = format!("[{}, {bytes} bytes: this client cannot play audio]", audio.mime_type);
                text_block(out, &text);
            }
            Ok(link) if link.kind == "resource_link" && !self.version.has_resource_links() => {
                text_block(out, &format!("{}: {}", link.name, link.uri));
            }
            _ => json::relayed(out, block.get().as_bytes()),
        }
    }
}

/// Whether the revision knows every kind of content there is.
fn shows_everything(version: Version) -> bool {
    version.has_audio() && version.has_resource_links()
}

/// The elements of an array. The far side may send any number of them, so they are looked at one by one.
fn elements(array: &[u8]) -> Elements<'_> {
    Elements::of(std::str::from_utf8(array).unwrap_or_default())
}

/// A `_meta` without the name of the server behind us: the client is told ours.
fn without_server(meta: &[u8]) -> Option<String> {
    let others = json::without(std::str::from_utf8(meta).ok()?, "io.modelcontextprotocol/serverInfo").ok()?;
    (others != "{}").then_some(others)
}
