//! The whole way of a call: who looks, what they are shown, and what they say.

mod show;

use std::sync::Arc;
use std::time::Instant;

use files::Roots;
use models::{Models, Part, Provider, Request};
use ocr::Reader;
use serde_json::Value;
use tokio::sync::Semaphore;

use crate::config::{Config, DefaultProvider};
use crate::error::Error;
use crate::hearing;
pub use crate::hearing::Progress;
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

/// Who looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// A model.
    Model(Provider),
    /// Nobody: only what can be measured and read.
    Local,
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
    pub provider: Option<String>,
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
        let who = self.who(call.provider.as_deref()).await?;
        let mut report = match who {
            Who::Local => self.read_locally(&call, roots).await?,
            Who::Model(provider) => self.ask(provider, &call, roots, progress).await?,
        };
        report.elapsed_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(report)
    }

    async fn who(&self, named: Option<&str>) -> Result<Who, Error> {
        let set = match named.map(str::trim).filter(|name| !name.is_empty()) {
            Some("local") => return Ok(Who::Local),
            Some(name) => return Ok(Who::Model(name.parse()?)),
            None => self.config.provider.clone()?,
        };
        match set {
            DefaultProvider::Local => Ok(Who::Local),
            DefaultProvider::Model(provider) => Ok(Who::Model(provider)),
            DefaultProvider::ZaiOrLocal => {
                let ready = self.models()?.is_ready(Provider::Zai).await?;
                Ok(if ready { Who::Model(Provider::Zai) } else { Who::Local })
            }
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
        provider: Provider,
        call: &Call,
        roots: &Roots,
        progress: Option<Progress<'_>>,
    ) -> Result<Report, Error> {
        let models = self.models()?;
        // The file, and the request with the file in it, of a size that is known only later: the most that may be sent.
        let intake = provider.intake();
        let most = match call.task {
            Task::AnalyzeVideo => intake.video_bytes.unwrap_or(MOST_VIDEO),
            _ => intake.picture_bytes * call.sources.len().max(1),
        };
        let _room = self.take_room(most / 3 * 7).await?;
        let mut text = call.task.text(call.prompt.trim());
        let Shown { mut parts, images, about } = match call.task {
            Task::AnalyzeVideo => self.show_video(provider, call, roots).await?,
            _ => self.show_pictures(provider, call, roots).await?,
        };
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
        let answer = hearing::ask(models, provider, &request, progress).await?;
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
        let _room = self.take_room(MOST_PICTURE).await?;
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

    async fn take_room(&self, bytes: usize) -> Result<tokio::sync::OwnedSemaphorePermit, Error> {
        let kib = u32::try_from((bytes >> 10).clamp(1, KIB_IN_FLIGHT)).unwrap_or(1);
        Arc::clone(&self.room).acquire_many_owned(kib).await.map_err(|_| Error::Interrupted)
    }
}
