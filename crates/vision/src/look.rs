//! The whole way of a call: who looks, what they are shown, and what they say.

mod show;

use std::sync::Arc;
use std::time::Instant;

use files::Roots;
use models::{Choice, ModelError, Models, Part, Progress, Provider, Request, Session};
use ocr::Reader;
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::config::{Config, DefaultProvider};
use crate::error::Error;
use crate::load::{Loader, MOST_PICTURE, MOST_VIDEO};
use crate::prepare::{self, Wanted};
use crate::report::Report;
use crate::task::Task;
use crate::{local, prompts, schema};
use show::{Loaded, Shown, refuse_page_of_pictures};

/// How much is decoded at once; more would only wait for the same processors.
const DECODERS: usize = 2;

/// How many KiB of files and requests there are at once; calls beyond that wait before they read anything.
const KIB_IN_FLIGHT: usize = 256 << 10;

/// Looks at things. What is shared between calls is here.
pub struct Looker {
    config: Config,
    loader: Loader,
    models: Option<Models>,
    decoders: Arc<Semaphore>,
    room: Arc<Semaphore>,
    reader: Arc<Reader>,
}

/// A call, as its tool understood it.
#[derive(Debug, Clone)]
pub struct Call {
    /// What is to be found out.
    pub task: Task,
    /// The pictures or the video.
    pub sources: Vec<String>,
    /// What the caller wants to know.
    pub prompt: String,
    /// Who looks, if the caller says.
    pub choice: Option<Choice>,
    /// The model, if the caller says.
    pub model: Option<String>,
    /// What of the pictures.
    pub wanted: Wanted,
    /// The shape of the answer, if the caller says.
    pub output_schema: Option<Value>,
}

impl Looker {
    /// Nothing is read or connected before the first call.
    pub fn new(config: Config) -> Looker {
        let models = config
            .settings
            .as_ref()
            .ok()
            .map(|settings| Models::new(settings.clone(), Arc::clone(&config.keys)));
        Looker {
            loader: Loader::new(config.allowed_hosts.clone(), Arc::clone(&config.resolver)),
            models,
            decoders: Arc::new(Semaphore::new(DECODERS)),
            room: Arc::new(Semaphore::new(KIB_IN_FLIGHT)),
            reader: Arc::new(Reader::new()),
            config,
        }
    }

    /// Where files may be, for whoever calls.
    pub(crate) fn roots(&self, remote: bool) -> &Roots {
        if remote { &self.config.remote } else { &self.config.local }
    }

    /// Does what a call asks for. With `progress`, a model's answer comes bit by bit.
    pub async fn look(
        &self,
        call: Call,
        roots: &Roots,
        progress: Option<Progress<'_>>,
    ) -> Result<Report, Error> {
        let started = Instant::now();
        if call.prompt.trim().is_empty() {
            return Err(Error::EmptyArgument("prompt"));
        }
        let mut report = match self.choose(call.choice).await? {
            None => self.read_locally(&call, roots).await?,
            Some(session) => self.ask(session, &call, roots, progress).await?,
        };
        report.elapsed_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(report)
    }

    /// Who looks, ready to be asked; nobody where it is read locally. Known before anything is loaded.
    async fn choose(&self, named: Option<Choice>) -> Result<Option<Session<'_>>, Error> {
        let chosen = match named {
            Some(named) => named,
            None => match self.config.provider.clone()? {
                DefaultProvider::Chosen(choice) => choice,
                DefaultProvider::ZaiOrLocal => {
                    return match self.models()?.open(Provider::Zai).await {
                        Err(ModelError::NoKey { .. }) => Ok(None),
                        opened => Ok(Some(opened?)),
                    };
                }
            },
        };
        match chosen {
            Choice::Local => Ok(None),
            Choice::Model(provider) => Ok(Some(self.models()?.open(provider).await?)),
        }
    }

    fn models(&self) -> Result<&Models, Error> {
        match (&self.models, &self.config.settings) {
            (Some(models), _) => Ok(models),
            (None, Err(error)) => Err(error.clone().into()),
            (None, Ok(_)) => Err(Error::Interrupted),
        }
    }

    async fn ask(
        &self,
        session: Session<'_>,
        call: &Call,
        roots: &Roots,
        progress: Option<Progress<'_>>,
    ) -> Result<Report, Error> {
        let provider = session.provider();
        // What is loaded, and what is made of it and sent, of a size that is known only later: the most that may be sent.
        let intake = provider.intake();
        let (limit, most) = match call.task {
            Task::AnalyzeVideo => (MOST_VIDEO, intake.video_bytes.unwrap_or(MOST_VIDEO)),
            _ => (MOST_PICTURE, intake.picture_bytes * call.sources.len().max(1)),
        };
        let loaded = self.loader.weights(&call.sources, roots, limit).await;
        let mut room = self.take_room(loaded.saturating_add(most / 3 * 7)).await?;
        let mut text = call.task.text(call.prompt.trim());
        let Shown { mut parts, images, about } = match call.task {
            Task::AnalyzeVideo => self.show_video(provider, call, roots).await?,
            _ => self.show_pictures(provider, call, roots).await?,
        };
        // What was loaded is gone, and only what is sent is left.
        room.shrink(parts_bytes(&parts) / 3 * 7);
        if let Some(about) = about {
            text = format!("{about}\n\n{text}");
        }
        if let Some(wanted) = &call.output_schema {
            text = format!("{text}\n\n{}", schema::request(wanted));
        }
        parts.push(Part::Text(text));
        let request = Request {
            system: Some(prompts::system(&call.task)),
            parts,
            model: call.model.clone().filter(|model| !model.trim().is_empty()),
            max_tokens: None,
        };
        let answer = session.ask_telling(&request, progress).await?;
        drop(room);
        let mut report = Report::answered(provider, answer, images);
        if let Some(wanted) = &call.output_schema {
            let beginning = || report.text.chars().take(200).collect();
            report.data = Some(
                schema::read(&report.text, wanted)
                    .map_err(|reason| Error::Schema { reason, beginning: beginning() })?,
            );
        }
        Ok(report)
    }

    async fn read_locally(&self, call: &Call, roots: &Roots) -> Result<Report, Error> {
        local::can(&call.task)?;
        let loaded = self.loader.weights(&call.sources, roots, MOST_PICTURE).await;
        let _room = self.take_room(loaded).await?;
        let mut files = Vec::with_capacity(call.sources.len());
        for source in &call.sources {
            files.push(self.load_picture(source, roots, call.wanted).await?);
        }
        refuse_page_of_pictures(&files, call.wanted)?;
        let (wanted, task, reader) = (call.wanted, call.task.clone(), Arc::clone(&self.reader));
        self.on_a_thread(move || {
            let mut pictures = Vec::with_capacity(files.len());
            let mut images = Vec::with_capacity(files.len());
            for Loaded { name, bytes, page } in files {
                let (pixels, mut seen) = prepare::pixels(&name, &bytes, wanted)?;
                seen.drawn_from(page);
                pictures.push(pixels.on([u8::MAX; 3]));
                images.push(seen);
            }
            let reading = local::read(&task, &pictures, &reader)?;
            Ok(Report::local(reading.text, reading.data, images))
        })
        .await
    }

    /// Runs what takes a processor where it holds nobody up, and not too much of it at once.
    async fn on_a_thread<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let permit = Arc::clone(&self.decoders).acquire_owned().await.map_err(|_| Error::Interrupted)?;
        tokio::task::spawn_blocking(move || {
            let _permit = permit;
            work()
        })
        .await
        .map_err(|_| Error::Interrupted)?
    }

    async fn take_room(&self, bytes: usize) -> Result<Room, Error> {
        let kib = Room::kib(bytes);
        let permit = Arc::clone(&self.room).acquire_many_owned(kib).await.map_err(|_| Error::Interrupted)?;
        Ok(Room(permit))
    }
}

/// A share of the memory for files and requests, given back when it is dropped.
struct Room(OwnedSemaphorePermit);

impl Room {
    fn kib(bytes: usize) -> u32 {
        u32::try_from((bytes >> 10).clamp(1, KIB_IN_FLIGHT)).unwrap_or(1)
    }

    /// Gives back what is not needed any more.
    fn shrink(&mut self, bytes: usize) {
        let spare = self.0.num_permits().saturating_sub(Room::kib(bytes) as usize);
        drop(self.0.split(spare));
    }
}

/// Bytes of all files in a request.
fn parts_bytes(parts: &[Part]) -> usize {
    let bytes = |part: &Part| match part {
        Part::Text(text) => text.len(),
        Part::Picture(media) | Part::Video(media) => media.bytes.len(),
    };
    parts.iter().map(bytes).sum()
}
