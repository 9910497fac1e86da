//! The ways a picture is written, ours and others.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use files::{Home, Roots};
use metatag::model::{Details, Mode, Modified, Wish};
use metatag::undo::Journal;
use metatag::write::Writer;

use crate::Result;
use crate::exiftool::{self, StayOpen};
use crate::server::Server;

pub(crate) const TAGS: [&str; 2] = ["海滩", "假期"];
pub(crate) const PEOPLE: [&str; 1] = ["张三"];
pub(crate) const DESCRIPTION: &str = "一家人在海边";
pub(crate) const LOCATION: &str = "法国巴黎";

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Copy,
    Library,
    Server,
    ExiftoolOpen,
    ExiftoolAlone,
}

/// The first is what the others are compared with.
pub(crate) const WAYS: [Way; 5] =
    [Way::Copy, Way::Library, Way::Server, Way::ExiftoolOpen, Way::ExiftoolAlone];

/// What is started once.
pub(crate) struct Workers {
    roots: Roots,
    writer: Writer,
    wish: Wish,
    server: Server,
    exiftool: StayOpen,
}

impl Workers {
    pub(crate) fn start(scratch: &Path, state: &Path) -> Result<Workers> {
        let home = Home::from_environment(|name| (name == "DESKMATE_HOME").then(|| state.into()))?;
        let list = |texts: &[&str]| Some(texts.iter().map(|text| (*text).to_owned()).collect());
        Ok(Workers {
            roots: Roots::new([scratch.to_owned()]),
            writer: Writer::new(Journal::new(Some(home))),
            wish: Wish {
                tags: list(&TAGS),
                description: Some(DESCRIPTION.to_owned()),
                people: list(&PEOPLE),
                location: Some(LOCATION.to_owned()),
                details: Details::new(),
                mode: Mode::Overwrite,
                modified: Modified::Now,
            },
            server: Server::start(scratch, state)?,
            exiftool: StayOpen::start()?,
        })
    }
}

impl Way {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Way::Copy => "copy",
            Way::Library => "ours, library",
            Way::Server => "ours, server",
            Way::ExiftoolOpen => "exiftool -stay_open (no fsync)",
            Way::ExiftoolAlone => "exiftool, one process (no fsync)",
        }
    }

    /// Whether this process does the work, so that its processor time is that of the work.
    pub(crate) fn is_here(self) -> bool {
        matches!(self, Way::Copy | Way::Library)
    }

    pub(crate) fn write(self, path: &Path, workers: &mut Workers) -> Result<()> {
        match self {
            Way::Copy => copy(path),
            Way::Library => {
                workers.writer.write(&workers.roots, path, &workers.wish)?;
                Ok(())
            }
            Way::Server => {
                workers.server.ask(0, path)?;
                workers.server.answer().map(|_| ())
            }
            Way::ExiftoolOpen => workers.exiftool.write(path),
            Way::ExiftoolAlone => exiftool::write(path),
        }
    }
}

/// What no durable change of a file can do without.
fn copy(path: &Path) -> Result<()> {
    let folder = path.parent().ok_or("a file is in a folder")?;
    let temporary = folder.join(".copy");
    let bytes = fs::read(path)?;
    let mut file = File::create(&temporary)?;
    file.write_all(&bytes)?;
    file.sync_all()?;
    fs::rename(&temporary, path)?;
    Ok(File::open(folder)?.sync_all()?)
}
