//! Eyes for an agent, safe to lend.
//!
//! [`server`] is the MCP server `fotos`: it takes pictures of the screen, reads them, draws on them and takes private
//! things out of them. Below it, [`capture`] takes the picture, [`store`] keeps it in memory, [`shown`] makes what goes
//! into an answer, [`annotation`] draws, [`pii`] finds what is
//! private and [`smear`] hides it. Everything a desktop program needs is here, too; it is this library with a window around it.

pub mod annotation;
mod announce;
mod cancelling;
pub mod capture;
pub mod config;
pub mod error;
pub mod pii;
pub mod pixels;
mod prompts;
pub mod reading;
pub mod rect;
mod resources;
pub mod screenshot;
pub mod settings;
pub mod shown;
pub mod smear;
pub mod store;
mod time;
mod tools;

use std::sync::{Arc, Mutex};

use capture::{Cursor, Eye, Target, Wish};
use mcp::{Change, Changes, Cx, Features, Server};
use models::{Models, SettingsError};
use ocr::{Page, Progress, Reader};

use annotation::Renderer;
use announce::Announcer;
use cancelling::unless_cancelled;
pub use config::Config;
pub use error::Error;
use rect::Rect;
use screenshot::{Mode, Screenshot};
use settings::Settings;
use store::Store;

/// What the tools share.
pub struct State {
    eye: Eye,
    excluded: capture::Excluded,
    announcer: Announcer,
    store: Arc<Store>,
    settings: Settings,
    renderer: Mutex<Renderer>,
    reader: Reader,
    models: Result<Models, SettingsError>,
    changes: Changes,
}

/// The server. No work is done before the first call.
pub fn server(config: Config) -> Server<State> {
    let state = State {
        eye: Eye::new(config.session),
        excluded: config.excluded,
        announcer: Announcer::new(config.announcing),
        store: Arc::new(Store::new(config.limits)),
        settings: config.models.as_ref().map_or_else(|_| Settings::default(), Settings::with_models),
        renderer: Mutex::default(),
        reader: Reader::new(),
        models: config.models.map(|settings| Models::new(settings, config.keys)),
        changes: Changes::default(),
    };
    let changes = state.changes.clone();
    let server = Server::new("fotos", env!("CARGO_PKG_VERSION"), state)
        .title("Fotos")
        .description("AI-powered screenshot capture, annotation, and analysis")
        .instructions(
            "Sees the screen of this machine. take_screenshot captures all monitors, one monitor or one window and \
             answers with the picture and its screenshot_id; the other tools take that id. Coordinates are always those \
             of the full picture, also where a smaller one was shown. Screenshots are kept in memory, and \
             list_screenshots names them.",
        )
        .features(Features { list_changes: true, resource_updates: true, logging: false })
        .telling(changes);
    prompts::offer(resources::offer(tools::offer(server)))
}

impl State {
    /// Takes a picture, keeps it, and tells the person and those who watch.
    async fn capture(
        &self,
        target: &Target,
        region: Option<Rect>,
        cursor: Cursor,
        cx: &Cx,
    ) -> Result<Arc<Screenshot>, Error> {
        let wish = Wish { target, region, cursor, excluded: &self.excluded };
        let shot = unless_cancelled(cx, self.eye.capture(&wish)).await.ok_or(capture::Error::Cancelled)??;
        let mode = match target {
            Target::Fullscreen => Mode::Fullscreen,
            Target::Monitor(_) => Mode::Monitor,
            Target::Window(_) => Mode::Window,
        };
        let screenshot = self.keep(Screenshot::captured(mode, shot));
        self.announcer.announce(&screenshot.summary());
        Ok(screenshot)
    }

    /// The screenshot of this name, or a new one of the whole screen.
    async fn given_or_new(&self, id: Option<&str>, cx: &Cx) -> Result<Arc<Screenshot>, Error> {
        match id.filter(|id| !id.is_empty()) {
            Some(id) => self.store.get(id),
            None => self.capture(&Target::Fullscreen, None, Cursor::Hidden, cx).await,
        }
    }

    /// The text of a screenshot, read once for each language.
    fn read(&self, screenshot: &Screenshot, language: &str, cx: &Cx) -> Result<Arc<Page>, Error> {
        if let Some(page) = screenshot.reading(language) {
            return Ok(page);
        }
        let languages: ocr::Languages = language.parse()?;
        let pixels = screenshot.pixels()?;
        let image = ocr::Image::rgb(pixels.width(), pixels.height(), pixels.bytes())?;
        #[allow(clippy::cast_precision_loss, reason = "a page has fewer lines")]
        let mut watch =
            |Progress { done, of }: Progress| cx.advance(done as f64, Some(of as f64), Some("lines read"));
        let page = Arc::new(self.reader.read(image, &languages, &mut watch)?);
        screenshot.keep_reading(language, Arc::clone(&page));
        self.changes.tell(&Change::Resource(format!("{}/ocr", screenshot.uri())));
        Ok(page)
    }

    fn keep(&self, screenshot: Screenshot) -> Arc<Screenshot> {
        let screenshot = self.store.add(screenshot);
        self.tell_of_the_list();
        screenshot
    }

    fn tell_of_the_list(&self) {
        self.changes.tell(&Change::Resources);
        self.changes.tell(&Change::Resource(resources::RECENT.to_owned()));
    }

    /// Tells that screenshots are gone.
    fn tell_of_the_gone<'a>(&self, gone: impl IntoIterator<Item = &'a Arc<Screenshot>>) {
        for screenshot in gone {
            self.changes.tell(&Change::Resource(screenshot.uri()));
        }
        self.tell_of_the_list();
    }
}
