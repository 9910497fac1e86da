//! The portable archive: a zip of JSON lines and photos. What either engine exports, either engine restores; this is also
//! how a cookbook moves from SQLite to PostgreSQL.
//!
//! `recipe-vault.json` says which format it is; `records/000001.jsonl` and so on hold one record a line, in the order in
//! which they are restored; `photos/<id>` are the files.

use std::borrow::Cow;
use std::fs::File as OnDisk;
use std::io::{BufReader, Cursor, Write};
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, ZipWriter};

use crate::error::Error;
use crate::import::{NoImport, bounded};
use crate::plan::MealText;
use crate::record::{Record, Source};
use crate::shopping::{ItemName, ItemUnit, ListName};
use crate::store::Records;
use crate::tag::Tag;
use crate::text::{Misfit, Text};

/// The format of this program. A newer one is refused.
const FORMAT: u32 = 1;

/// Records and bytes in one file: what is kept in memory while writing. A file with the last record still in it is less than
/// an entry may have when it is read again.
const AT_ONCE: usize = 1_000;
const MOST_LINES: usize = 8 * 1024 * 1024;

/// The most values of one record: a recipe with every line it may have has a tenth of them. What a record is is known when
/// all of it was read, and each value takes many times its bytes.
const MOST_VALUES: usize = 100_000;

/// What photos may unpack to: they are not packed by us, and hardly get smaller by others.
const PHOTO_TIMES: u64 = 2;
const PHOTO_ALWAYS: u64 = 64 * 1024 * 1024;

const HEAD: &str = "recipe-vault.json";

#[derive(Serialize, Deserialize)]
struct Head {
    format: u32,
}

/// Why an archive cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum NoArchive {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] Error),
    /// It cannot be written.
    #[error("the archive cannot be written: {0}")]
    Write(#[from] std::io::Error),
    /// It cannot be written, says the zip.
    #[error("the archive cannot be written: {0}")]
    Zip(#[from] zip::result::ZipError),
    /// It is not one of ours.
    #[error("the file is no archive of Recipe Vault; import it instead")]
    Foreign,
    /// It is from a newer program.
    #[error(
        "the archive has format {0}, and this program knows {FORMAT}; install the newer version that wrote it"
    )]
    Newer(u32),
    /// It cannot be unpacked.
    #[error(transparent)]
    Unpack(#[from] NoImport),
    /// A record in it is wrong.
    #[error("the archive is damaged: `{file}`, line {line}: {reason}")]
    Record {
        /// The file inside.
        file: String,
        /// The line in it.
        line: usize,
        /// What is wrong.
        reason: String,
    },
}

/// Writes records as they come, and says how many there were.
pub async fn write(mut records: Records, out: impl Write + Send) -> Result<u64, NoArchive> {
    let mut archive = Packing::new(out)?;
    while let Some(record) = records.recv().await {
        archive.add(&record?)?;
    }
    archive.finish()
}

/// The same on a thread that may wait, for somebody who takes the bytes while they are made.
pub fn write_blocking(mut records: Records, out: impl Write) -> Result<u64, NoArchive> {
    let mut archive = Packing::new(out)?;
    while let Some(record) = records.blocking_recv() {
        archive.add(&record?)?;
    }
    archive.finish()
}

/// Never goes back in what it wrote, so that it can be sent while it is made.
struct Packing<W: Write> {
    zip: ZipWriter<StreamWriter<W>>,
    lines: Vec<u8>,
    waiting: usize,
    files: usize,
    count: u64,
}

impl<W: Write> Packing<W> {
    fn new(out: W) -> Result<Packing<W>, NoArchive> {
        let zip = ZipWriter::new_stream(out);
        let mut archive = Packing { zip, lines: Vec::new(), waiting: 0, files: 0, count: 0 };
        let head = serde_json::to_vec(&Head { format: FORMAT }).map_err(std::io::Error::from)?;
        archive.file(HEAD, &head, CompressionMethod::Deflated)?;
        Ok(archive)
    }

    fn finish(mut self) -> Result<u64, NoArchive> {
        self.flush()?;
        self.zip.finish()?.flush()?;
        Ok(self.count)
    }

    fn add(&mut self, record: &Record) -> Result<(), NoArchive> {
        if let Record::Photo { photo_id, bytes, .. } = record {
            // Pictures are as small as they get.
            self.file(&format!("photos/{photo_id}"), bytes, CompressionMethod::Stored)?;
        }
        serde_json::to_writer(&mut self.lines, record).map_err(std::io::Error::from)?;
        self.lines.push(b'\n');
        self.waiting += 1;
        self.count += 1;
        if self.waiting == AT_ONCE || self.lines.len() > MOST_LINES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), NoArchive> {
        if self.waiting > 0 {
            self.files += 1;
            let lines = std::mem::take(&mut self.lines);
            self.file(&format!("records/{:06}.jsonl", self.files), &lines, CompressionMethod::Deflated)?;
            self.waiting = 0;
        }
        Ok(())
    }

    fn file(&mut self, name: &str, bytes: &[u8], method: CompressionMethod) -> Result<(), NoArchive> {
        self.zip.start_file(name, SimpleFileOptions::default().compression_method(method))?;
        Ok(self.zip.write_all(bytes)?)
    }
}

/// An archive whose records are read while they are restored.
#[derive(Debug)]
pub struct Archive {
    place: Place,
    /// The files of records, in order.
    files: Vec<String>,
}

/// Where an archive is.
#[derive(Debug)]
enum Place {
    Memory(Bytes),
    Disk(PathBuf),
}

impl Place {
    fn open(&self) -> Result<bounded::Zip<'_>, NoImport> {
        match self {
            Place::Memory(bytes) => bounded::open(Cursor::new(&**bytes)),
            Place::Disk(path) => {
                let file = OnDisk::open(path).map_err(|error| NoImport::Damaged(error.to_string()))?;
                bounded::open(BufReader::new(file))
            }
        }
    }

    /// How many bytes it has.
    fn size(&self) -> u64 {
        match self {
            Place::Memory(bytes) => bytes.len() as u64,
            Place::Disk(path) => path.metadata().map_or(0, |file| file.len()),
        }
    }
}

/// Looks into an archive. Its records are read, and checked as if somebody had written them, when they are restored.
pub fn read(bytes: impl Into<Bytes>) -> Result<Arc<dyn Source>, NoArchive> {
    look(Place::Memory(bytes.into()))
}

/// The same for a file, however large it is.
pub fn read_from_disk(path: PathBuf) -> Result<Arc<dyn Source>, NoArchive> {
    look(Place::Disk(path))
}

fn look(place: Place) -> Result<Arc<dyn Source>, NoArchive> {
    let mut zip = place.open()?;
    let head = bounded::entry(&mut zip, HEAD)?.ok_or(NoArchive::Foreign)?;
    match serde_json::from_slice::<Head>(&head) {
        Err(_) => return Err(NoArchive::Foreign),
        Ok(Head { format }) if format > FORMAT => return Err(NoArchive::Newer(format)),
        Ok(_) => {}
    }
    let mut files: Vec<String> = zip
        .file_names()
        .filter_map(Result::ok)
        .map(Cow::into_owned)
        .filter(|name| name.starts_with("records/"))
        .collect();
    files.sort();
    drop(zip);
    Ok(Arc::new(Archive { place, files }))
}

impl Source for Archive {
    fn records(&self) -> Box<dyn Iterator<Item = Result<Record, Error>> + Send + '_> {
        let zip = match self.place.open() {
            Ok(zip) => zip,
            Err(error) => return Box::new(std::iter::once(Err(Error::invalid("file", error)))),
        };
        let (files, left) = (self.files.iter(), bounded::MOST_IN_ALL);
        let photos = PHOTO_ALWAYS + PHOTO_TIMES * self.place.size();
        Box::new(Reading { zip, files, file: None, left, photos })
    }
}

/// One pass through an archive: one of its files is unpacked at a time.
struct Reading<'a> {
    zip: bounded::Zip<'a>,
    files: std::slice::Iter<'a, String>,
    file: Option<File<'a>>,
    /// How many bytes may still be unpacked.
    left: u64,
    /// How many bytes of photos: a record can name the same one again.
    photos: u64,
}

struct File<'a> {
    name: &'a str,
    bytes: Vec<u8>,
    at: usize,
    line: usize,
}

impl File<'_> {
    /// The next line that is not empty.
    fn next(&mut self) -> Option<(usize, std::ops::Range<usize>)> {
        while self.at < self.bytes.len() {
            let rest = self.bytes.get(self.at..)?;
            let length = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
            let line = self.at..self.at + length;
            self.at += length + 1;
            self.line += 1;
            if !line.is_empty() {
                return Some((self.line, line));
            }
        }
        None
    }
}

impl Iterator for Reading<'_> {
    type Item = Result<Record, Error>;

    fn next(&mut self) -> Option<Result<Record, Error>> {
        let zip = &mut self.zip;
        loop {
            if let Some(file) = &mut self.file
                && let Some((number, line)) = file.next()
            {
                let line = file.bytes.get(line).unwrap_or_default();
                let record = if bounded::values(line) > MOST_VALUES {
                    Err(format!("it has more than {MOST_VALUES} values"))
                } else {
                    serde_json::from_slice(line).map_err(|error| error.to_string())
                };
                let record = record.and_then(|record| checked(record, zip, &mut self.photos));
                return Some(record.map_err(|reason| {
                    let file = file.name.to_owned();
                    Error::invalid("file", NoArchive::Record { file, line: number, reason })
                }));
            }
            let name = self.files.next()?;
            let bytes = match bounded::entry(zip, name) {
                Ok(bytes) => bytes.unwrap_or_default(),
                Err(error) => return Some(Err(Error::invalid("file", error))),
            };
            match self.left.checked_sub(bytes.len() as u64) {
                Some(left) => self.left = left,
                None => return Some(Err(Error::invalid("file", NoImport::Bomb(bounded::MOST_IN_ALL)))),
            }
            self.file = Some(File { name, bytes, at: 0, line: 0 });
        }
    }
}

/// Who wrote something: an address, or a key.
type Author = Text<1, 300>;

fn fits<T>(what: &str, read: Result<T, Misfit>) -> Result<(), String> {
    read.map(drop).map_err(|misfit| format!("`{what}`: {misfit}"))
}

/// Puts a photo's bytes back, and looks at what the types of a record do not check.
fn checked(record: Record, zip: &mut bounded::Zip<'_>, left: &mut u64) -> Result<Record, String> {
    match record {
        Record::Photo { family_id, recipe_id, photo_id, .. } => {
            let bytes =
                bounded::entry(zip, &format!("photos/{photo_id}")).map_err(|error| error.to_string())?;
            let bytes = bytes.ok_or_else(|| format!("the photo `{photo_id}` is missing"))?;
            let rest = left.checked_sub(bytes.len() as u64);
            *left = rest.ok_or("its photos unpack to more than the archive can have")?;
            let bytes = bytes.into();
            Ok(Record::Photo { family_id, recipe_id, photo_id, bytes })
        }
        Record::Recipe { family_id, mut recipe } => {
            for tag in &recipe.tags {
                fits("tag", Tag::new(tag))?;
            }
            for author in [&recipe.created_by, &recipe.updated_by].into_iter().flatten() {
                fits("author", Author::new(author))?;
            }
            for (position, placed) in (0..).zip(&mut recipe.ingredients) {
                placed.position = position;
            }
            for (position, placed) in (0..).zip(&mut recipe.steps) {
                placed.position = position;
            }
            Ok(Record::Recipe { family_id, recipe })
        }
        Record::Meal { family_id, meal } => {
            meal.text.iter().try_for_each(|text| fits("text", MealText::new(text)))?;
            Ok(Record::Meal { family_id, meal })
        }
        Record::ShoppingList { family_id, list } => {
            fits("name", ListName::new(&list.name))?;
            for item in &list.items {
                fits("item", ItemName::new(&item.name))?;
                item.unit.iter().try_for_each(|unit| fits("unit", ItemUnit::new(unit)))?;
            }
            Ok(Record::ShoppingList { family_id, list })
        }
        other @ (Record::Family(_) | Record::Member { .. }) => Ok(other),
    }
}
