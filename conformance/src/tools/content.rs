//! Every kind of content.

use mcp::{About, Content, Cx, Item, Reply, Run, Stop, Tool};

use super::Nothing;
use crate::{State, samples};

pub(super) struct SimpleText;

impl Tool<State> for SimpleText {
    type In = Nothing;
    type Out = String;
    const ABOUT: About = About::new("test_simple_text", "Simple text", "Answers with one text.").read_only();
    const RUN: Run = Run::Inline;

    async fn call(&self, _: &State, _: &Cx, _: Nothing) -> Result<String, Stop> {
        Ok("This is a simple text response for testing.".into())
    }
}

pub(super) struct Image;

impl Tool<State> for Image {
    type In = Nothing;
    type Out = Reply;
    const ABOUT: About = About::new("test_image_content", "Picture", "Answers with one picture.").read_only();
    const RUN: Run = Run::Inline;

    async fn call(&self, _: &State, _: &Cx, _: Nothing) -> Result<Reply, Stop> {
        Ok(Reply::default().with(samples::picture()))
    }
}

pub(super) struct Audio;

impl Tool<State> for Audio {
    type In = Nothing;
    type Out = Reply;
    const ABOUT: About = About::new("test_audio_content", "Sound", "Answers with one sound.").read_only();
    const RUN: Run = Run::Inline;

    async fn call(&self, _: &State, _: &Cx, _: Nothing) -> Result<Reply, Stop> {
        Ok(Reply::default().with(samples::sound()))
    }
}

pub(super) struct EmbeddedResource;

impl Tool<State> for EmbeddedResource {
    type In = Nothing;
    type Out = Reply;
    const ABOUT: About =
        About::new("test_embedded_resource", "Resource", "Answers with a resource inside.").read_only();
    const RUN: Run = Run::Inline;

    async fn call(&self, _: &State, _: &Cx, _: Nothing) -> Result<Reply, Stop> {
        let text = "This is an embedded resource content.";
        let resource = Item::text("test://embedded-resource", "text/plain", text);
        Ok(Reply::default().with(Content::Resource(resource)))
    }
}

pub(super) struct Mixed;

impl Tool<State> for Mixed {
    type In = Nothing;
    type Out = Reply;
    const ABOUT: About =
        About::new("test_multiple_content_types", "Several kinds", "Answers with several kinds of content.")
            .read_only();
    const RUN: Run = Run::Inline;

    async fn call(&self, _: &State, _: &Cx, _: Nothing) -> Result<Reply, Stop> {
        let json = r#"{"test":"data","value":123}"#;
        let resource = Item::text("test://mixed-content-resource", "application/json", json);
        Ok(Reply::text("Multiple content types test:")
            .with(samples::picture())
            .with(Content::Resource(resource)))
    }
}
