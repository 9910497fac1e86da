//! Everything with state: the screen, the screenshots, what reads them and what draws on them. It knows nothing of MCP: a desktop
//! program uses it as the server does.

mod asking;
mod dragging;
mod editing;
mod opening;
mod redacting;
mod setting;
mod shots;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use geometry::Rect;
use models::{KeySafe, Keys, Models, SettingsError};
use ocr::{Page, Reader, Watch};
use redaction::Detection;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use uuid::Uuid;

use crate::activity::Activity;
use crate::annotation::{Annotation, Renderer};
use crate::announce::Announcer;
use crate::capture::{Excluded, Eye, Shot, Window, Wish};
use crate::config::Config;
use crate::document::Document;
use crate::error::Error;
use crate::events::{Event, Events};
use crate::screenshot::{By, Mode, Origin, Screenshot};
use crate::store::Store;

pub use asking::{Answered, Question};
#[cfg(feature = "pages")]
pub(crate) use dragging::file_name;
pub use editing::{Format, LayerPicture};
pub use opening::OpenError;
pub use redacting::Purged;
pub use setting::KeyInfo;
pub use shots::{Picked, ShotInfo};

use opening::Folder;
use setting::Keeper;

/// Everything with state.
pub struct Host {
    eye: Eye,
    /// What the environment excludes; the settings may exclude more.
    excluded: Arc<Excluded>,
    announcer: Announcer,
    /// The screenshots.
    pub store: Store,
    settings: Keeper,
    renderer: Arc<Mutex<Renderer>>,
    reader: Reader,
    models: Mutex<Result<Models, SettingsError>>,
    /// Where models are, without what the settings say.
    given: Result<models::Settings, SettingsError>,
    keys: Arc<dyn Keys>,
    /// Where the person's keys are kept, if anywhere.
    safe: Option<Arc<dyn KeySafe>>,
    /// Who is told what happens.
    pub events: Events,
    /// What agents did, and whether they may.
    pub activity: Activity,
    /// The generation of each screenshot that the person redacted. Held while that is carried out, one at a time: none may
    /// bring back what another covered.
    redacted: Mutex<HashMap<Uuid, u64>>,
    /// What only the application has: the folder of its files.
    folder: Option<Folder>,
    workers: Arc<Semaphore>,
    /// Room for pictures that are taken and not files yet.
    room: Arc<Semaphore>,
    /// Room for pictures that are looked at and not kept.
    glances: Arc<Semaphore>,
    /// Screenshots that are pixels still and are to become files, which take a tenth of the memory.
    raw: Mutex<Vec<Raw>>,
}

/// A screenshot that is pixels still, and the room it takes until it is a file.
struct Raw {
    screenshot: Arc<Screenshot>,
    _room: Option<OwnedSemaphorePermit>,
}

/// A picture that nobody keeps. There is room for a few; let go of it before waiting for anything.
pub struct Glance {
    /// What was seen.
    pub shot: Shot,
    _room: OwnedSemaphorePermit,
}

/// Work on pictures that is done at once, at least and at most: more would only wait for the same processors, and each takes the
/// memory of some pictures.
const WORKERS: (usize, usize) = (2, 4);

/// How many screenshots may be pixels at once.
const MOST_RAW: usize = 6;

impl Host {
    /// A host in memory. Nothing is opened before it is needed.
    pub fn new(config: Config) -> Host {
        let store = Store::new(config.limits);
        Host::with(config, store, Keeper::default(), None)
    }

    fn with(config: Config, store: Store, settings: Keeper, folder: Option<Folder>) -> Host {
        let workers = std::thread::available_parallelism().map_or(1, usize::from).clamp(WORKERS.0, WORKERS.1);
        settings.begin(config.models.as_ref().ok(), config.redact_before_sending);
        let host = Host {
            eye: Eye::new(config.session),
            excluded: Arc::new(config.excluded),
            announcer: Announcer::new(config.announcing),
            store,
            settings,
            renderer: Arc::default(),
            reader: Reader::new(),
            models: Mutex::new(
                config.models.clone().map(|settings| Models::new(settings, Arc::clone(&config.keys))),
            ),
            given: config.models,
            keys: config.keys,
            safe: config.safe,
            events: Events::default(),
            activity: Activity::default(),
            redacted: Mutex::default(),
            folder,
            workers: Arc::new(Semaphore::new(workers)),
            room: Arc::new(Semaphore::new(MOST_RAW)),
            glances: Arc::new(Semaphore::new(workers)),
            raw: Mutex::default(),
        };
        host.use_settings();
        host
    }

    /// Whether this is the host of the application: with documents, settings of the person, and files of its own.
    pub fn is_application(&self) -> bool {
        self.folder.is_some()
    }

    /// Who asks models, or which setting is wrong.
    pub fn models(&self) -> Result<Models, Error> {
        let models = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        models.clone().map_err(Error::Settings)
    }

    /// Does some work on a thread that may take its time, as soon as there is one. Dropping the future does not end the work:
    /// long work watches for itself whether anybody waits for it.
    pub async fn work<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Host) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let permit = Arc::clone(&self.workers).acquire_owned().await.map_err(|_| Error::Interrupted)?;
        let (done, result) = oneshot::channel();
        let host = Arc::clone(self);
        tokio::task::spawn_blocking(move || {
            // Nobody may wait for it any more.
            let _ = done.send(work(&host));
            // Before the next one begins: so there are never more pixels than workers make.
            host.settle();
            drop(permit);
        });
        result.await.map_err(|_| Error::Interrupted)?
    }

    /// Makes files of pixels, and room for them.
    fn settle(&self) {
        let raw = std::mem::take(&mut *self.raw.lock().unwrap_or_else(PoisonError::into_inner));
        for raw in raw {
            // Where that fails, the pixels stay.
            drop(raw.screenshot.png());
            self.remember(&raw.screenshot);
        }
        self.forget_the_oldest();
    }

    fn forget_the_oldest(&self) {
        self.tell_of_gone(&self.store.make_room());
    }

    fn tell_of_gone(&self, gone: &[Arc<Screenshot>]) {
        for screenshot in gone {
            self.events.tell(&Event::Removed(screenshot.id()));
        }
    }

    /// The windows nobody is to see: those of the environment, those of the settings, and `more`.
    pub(crate) fn excluded(&self, more: &[String]) -> Arc<Excluded> {
        let settings = self.settings();
        if more.is_empty() && settings.privacy.excluded_windows.is_empty() {
            return Arc::clone(&self.excluded);
        }
        let mut excluded = (*self.excluded).clone();
        excluded.add(settings.privacy.excluded_windows.iter().chain(more).map(String::as_str));
        Arc::new(excluded)
    }

    /// Takes a picture without keeping it, as soon as there is room for one.
    pub(crate) async fn glance(&self, wish: Wish) -> Result<Glance, Error> {
        let room = Arc::clone(&self.glances).acquire_owned().await.map_err(|_| Error::Interrupted)?;
        Ok(Glance { shot: self.eye.capture(wish).await?, _room: room })
    }

    /// Room for one more picture.
    async fn room(self: &Arc<Self>) -> Result<OwnedSemaphorePermit, Error> {
        if let Ok(room) = Arc::clone(&self.room).try_acquire_owned() {
            return Ok(room);
        }
        // Those that are there may belong to calls that are over.
        self.settle_soon().await.map_err(|_| Error::Interrupted)?;
        Arc::clone(&self.room).acquire_owned().await.map_err(|_| Error::Interrupted)
    }

    fn settle_soon(self: &Arc<Self>) -> tokio::task::JoinHandle<()> {
        let host = Arc::clone(self);
        tokio::task::spawn_blocking(move || host.settle())
    }

    /// Takes a picture and keeps it. Those who watch are told; where it was an agent, the person too.
    pub(crate) async fn capture(self: &Arc<Self>, wish: Wish, by: By) -> Result<Arc<Screenshot>, Error> {
        self.store.check_room()?;
        let mode = Mode::of(&wish.target);
        let room = Some(self.room().await?);
        let shot = self.eye.capture(wish).await?;
        let screenshot = match by {
            By::Agent => self.taken(mode, shot, room),
            By::Person => self.keep_in(Screenshot::captured(mode, shot).by_person(), room),
        };
        // Where captures come faster than answers are made, the next one waits for this.
        if self.room.available_permits() == 0 {
            drop(self.settle_soon());
        }
        Ok(screenshot)
    }

    /// Keeps a picture that was looked at, and tells the person and those who watch.
    pub async fn keep_glance(self: &Arc<Self>, mode: Mode, glance: Glance) -> Result<Arc<Screenshot>, Error> {
        let Glance { shot, _room: room } = glance;
        let screenshot = self.taken(mode, shot, Some(room));
        // Made a file, so that it takes no more memory than any other.
        self.settle_soon().await.map_err(|_| Error::Interrupted)?;
        Ok(screenshot)
    }

    fn taken(&self, mode: Mode, shot: Shot, room: Option<OwnedSemaphorePermit>) -> Arc<Screenshot> {
        let screenshot = self.keep_in(Screenshot::captured(mode, shot), room);
        self.announcer.announce(&screenshot.summary());
        screenshot
    }

    /// The windows there are, the uppermost first, without those nobody is to see.
    pub(crate) async fn windows_without(&self, excluded: Arc<Excluded>) -> Result<Vec<Window>, Error> {
        Ok(self.eye.windows(excluded).await?)
    }

    /// The text of a screenshot, read once for each language.
    pub fn read(
        &self,
        screenshot: &Screenshot,
        language: &str,
        watch: &mut Watch<'_>,
    ) -> Result<Arc<Page>, Error> {
        if let Some(page) = screenshot.reading(language) {
            return Ok(page);
        }
        let generation = screenshot.generation();
        let page = Arc::new(self.read_pixels(&*screenshot.pixels()?, language, watch)?);
        if screenshot.generation() != generation {
            // The person redacted it meanwhile: what stood there is not told any more, and each line is forgotten once more.
            self.reader.forget();
            return Err(Error::Deleted);
        }
        screenshot.keep_reading(language, Arc::clone(&page), generation);
        self.events.tell(&Event::Read(screenshot.id()));
        if self.is_application()
            && let Ok(base) = self.store.get(&screenshot.id().to_string())
        {
            self.remember(&base);
        }
        Ok(page)
    }

    /// The text of a picture nobody keeps.
    pub fn read_pixels(
        &self,
        pixels: &picture::Pixels,
        language: &str,
        watch: &mut Watch<'_>,
    ) -> Result<Page, Error> {
        let languages: ocr::Languages = language.parse()?;
        let image = ocr::Image::rgb(pixels.width(), pixels.height(), pixels.bytes())?;
        Ok(self.reader.read(image, &languages, watch)?)
    }

    /// A screenshot with annotations on it, kept as one of its own. In the application they are part of its document, and the
    /// person can take them back.
    pub fn annotate(
        &self,
        screenshot: &Screenshot,
        annotations: &[Annotation],
    ) -> Result<Arc<Screenshot>, Error> {
        let generation = screenshot.generation();
        let mut pixels = (*screenshot.pixels()?).clone();
        if !self.is_application() {
            self.draw(annotations, &mut pixels);
            return Ok(self.keep(Screenshot::derived(screenshot, generation, Origin::Annotated, pixels)));
        }
        let document = Document::beginning(annotations.to_vec(), By::Agent);
        let annotated = Screenshot::derived(screenshot, generation, Origin::Annotated, pixels);
        let annotated = annotated.with_document(document);
        Ok(self.keep(annotated).view(&self.renderer))
    }

    /// Draws on a picture.
    pub fn draw(&self, annotations: &[Annotation], pixels: &mut picture::Pixels) {
        self.renderer.lock().unwrap_or_else(PoisonError::into_inner).draw(annotations, pixels);
    }

    /// A part of a screenshot, kept as one of its own.
    pub fn crop(&self, screenshot: &Screenshot, region: Rect) -> Result<Arc<Screenshot>, Error> {
        Ok(self.keep(Screenshot::cropped(screenshot, region)?))
    }

    /// What is private in a screenshot.
    pub fn find_private(
        &self,
        screenshot: &Screenshot,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Detection>, Error> {
        let page = self.read(screenshot, "eng", watch)?;
        let (width, height) = screenshot.size();
        let frame = Rect::of_size(width, height);
        let inside = |found: Detection| Some(Detection { place: frame.common(found.place)?, ..found });
        Ok(redaction::find(&page, screenshot.windows()).into_iter().filter_map(inside).collect())
    }

    /// A screenshot without what was found, kept as one of its own; the same where nothing was.
    pub fn redact(
        &self,
        screenshot: &Arc<Screenshot>,
        detections: &[Detection],
    ) -> Result<Arc<Screenshot>, Error> {
        if detections.is_empty() {
            return Ok(Arc::clone(screenshot));
        }
        let generation = screenshot.generation();
        let pixels = redaction::redacted(&*screenshot.pixels()?, detections);
        Ok(self.keep(Screenshot::derived(screenshot, generation, Origin::Redacted, pixels)))
    }

    /// Keeps a screenshot.
    pub fn keep(&self, screenshot: Screenshot) -> Arc<Screenshot> {
        self.keep_in(screenshot, None)
    }

    fn keep_in(&self, screenshot: Screenshot, room: Option<OwnedSemaphorePermit>) -> Arc<Screenshot> {
        let (screenshot, gone) = self.store.add(screenshot);
        self.kept(&screenshot, &gone, room);
        screenshot
    }

    /// Keeps a screenshot that has a name already. One that is there under that name stays as it is: it is the same, handed over
    /// twice, or this one is refused.
    pub(crate) fn adopt(&self, screenshot: Screenshot) -> Result<(), Error> {
        self.store.check_room()?;
        let (taken, place) = (screenshot.taken(), screenshot.place());
        match self.store.add_new(screenshot) {
            Ok((screenshot, gone)) => self.kept(&screenshot, &gone, None),
            Err(known) if (known.taken(), known.place(), known.by()) == (taken, place, By::Agent) => {}
            Err(known) => return Err(Error::NameTaken { id: known.id().to_string() }),
        }
        Ok(())
    }

    fn kept(
        &self,
        screenshot: &Arc<Screenshot>,
        gone: &[Arc<Screenshot>],
        room: Option<OwnedSemaphorePermit>,
    ) {
        let raw = Raw { screenshot: Arc::clone(screenshot), _room: room };
        self.raw.lock().unwrap_or_else(PoisonError::into_inner).push(raw);
        self.events.tell(&Event::Added(screenshot.id()));
        self.tell_of_gone(gone);
        self.forget_if_outdated(screenshot);
    }

    /// Forgets a picture if the person redacted something it was made of while it was made. The purge of that redaction looks for
    /// those that are there; this one is for those that come later.
    fn forget_if_outdated(&self, screenshot: &Arc<Screenshot>) {
        if screenshot.parent().is_none() {
            return;
        }
        let is_outdated = {
            let redacted = self.redacted.lock().unwrap_or_else(PoisonError::into_inner);
            screenshot.is_outdated(|id| redacted.get(&id).copied())
        };
        if is_outdated {
            self.forget(screenshot);
            screenshot.wipe();
        }
    }

    /// Gives back what is kept between two pictures: memory shared with the display, and lines that were read.
    pub(crate) async fn rest(&self) {
        self.eye.close().await;
        self.reader.forget();
    }

    /// Has a picture that was rewritten become a file.
    fn raw_again(&self, screenshot: &Arc<Screenshot>) {
        let raw = Raw { screenshot: Arc::clone(screenshot), _room: None };
        self.raw.lock().unwrap_or_else(PoisonError::into_inner).push(raw);
    }

    /// Forgets a screenshot.
    pub fn delete(&self, id: &str) -> Result<Arc<Screenshot>, Error> {
        let screenshot = self.store.get(id)?;
        self.forget(&screenshot);
        Ok(screenshot)
    }

    /// Forgets all screenshots, and every line that was read in them. Returns how many there were.
    pub fn clear(&self) -> usize {
        self.clear_of(|_| true)
    }

    /// Forgets those that `is_meant`, and every line that was read.
    pub(crate) fn clear_of(&self, is_meant: impl Fn(&Screenshot) -> bool) -> usize {
        let meant = self.store.all().into_iter().filter(|one| is_meant(one));
        let count = meant.filter(|one| self.forget(one)).count();
        self.store.forget_dropped();
        self.reader.forget();
        count
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use picture::Pixels;

    use super::Host;
    use crate::capture::Shot;
    use crate::config::Config;
    use crate::events::Event;
    use crate::screenshot::{Mode, Screenshot};
    use crate::store::Limits;

    #[test]
    fn those_that_go_for_want_of_room_are_told() {
        let host =
            Host::new(Config { limits: Limits { count: 2, bytes: 1 << 20, disk: 0 }, ..Config::default() });
        let heard = Arc::new(Mutex::new(Vec::new()));
        let events = Arc::clone(&heard);
        let listening = host.events.listen(move |event| events.lock().expect("free").push(*event));
        let keep = || {
            let shot = Shot::of(Pixels::plain(10, 10, [7; 3]));
            host.keep(Screenshot::captured(Mode::Fullscreen, shot)).id()
        };
        let (first, second, third) = (keep(), keep(), keep());
        drop(listening);
        keep();
        let expected =
            [Event::Added(first), Event::Added(second), Event::Added(third), Event::Removed(first)];
        assert_eq!(*heard.lock().expect("free"), expected);
    }

    #[test]
    fn pixels_become_files_when_work_is_done() {
        let host = Host::new(Config::default());
        let shot = Shot::of(Pixels::plain(40, 40, [7; 3]));
        let screenshot = host.keep(Screenshot::captured(Mode::Fullscreen, shot));
        assert!(!screenshot.has_png());
        host.settle();
        assert!(screenshot.has_png() && host.raw.lock().expect("free").is_empty());
    }
}
