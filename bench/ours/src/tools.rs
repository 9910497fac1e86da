//! `echo`, `image` and `sleep`.

use std::time::Duration;

use mcp::{About, Content, Cx, Reply, Run, Server, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::image;

pub(crate) fn server() -> Server<()> {
    Server::new("ours", env!("CARGO_PKG_VERSION"), ()).tool(Echo).tool(Image).tool(Sleep)
}

struct Echo;

#[derive(Deserialize, JsonSchema)]
struct EchoInput {
    /// What to say back.
    text: String,
}

impl Tool<()> for Echo {
    type In = EchoInput;
    type Out = String;
    const ABOUT: About = About::new("echo", "Echo", "Say the text back.").read_only().local();
    const RUN: Run = Run::Inline;

    async fn call(&self, (): &(), _: &Cx, input: EchoInput) -> Result<String, Stop> {
        Ok(input.text)
    }
}

struct Image;

#[derive(Deserialize, JsonSchema)]
struct ImageInput {}

impl Tool<()> for Image {
    type In = ImageInput;
    type Out = Reply;
    const ABOUT: About = About::new("image", "Image", "A picture of one million bytes.").read_only().local();
    const RUN: Run = Run::Inline;

    async fn call(&self, (): &(), _: &Cx, _: ImageInput) -> Result<Reply, Stop> {
        Ok(Reply::default().with(Content::png(image::bytes())))
    }
}

struct Sleep;

#[derive(Deserialize, JsonSchema)]
struct SleepInput {
    /// How long to wait, in milliseconds.
    ms: u64,
}

impl Tool<()> for Sleep {
    type In = SleepInput;
    type Out = String;
    const ABOUT: About = About::new("sleep", "Sleep", "Wait, then say so.").read_only().local();

    async fn call(&self, (): &(), _: &Cx, input: SleepInput) -> Result<String, Stop> {
        tokio::time::sleep(Duration::from_millis(input.ms)).await;
        Ok("slept".into())
    }
}
