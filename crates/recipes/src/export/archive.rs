//! The portable archive: a zip of JSON lines and photos. What either engine exports, either engine restores; this is also
//! how a cookbook moves from SQLite to PostgreSQL.
//!
//! `recipe-vault.json` says which format it is; `records/000001.jsonl` and so on hold one record a line, in the order in
//! which they are restored; `photos/<id>` are the files.

use std::collections::HashMap;
use std::io::{Seek, Write};

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::error::Error;
use crate::import::{NoImport, bounded};
use crate::photo::Picture;
use crate::record::Record;
use crate::store::Records;
use crate::tag::Tag;

/// The format of this program. A newer one is refused.
const FORMAT: u32 = 1;

/// Records in one file: what is kept in memory while writing.
const AT_ONCE: usize = 1_000;

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
pub async fn write(mut records: Records, out: impl Write + Seek + Send) -> Result<u64, NoArchive> {
    let mut archive = Archive { zip: ZipWriter::new(out), lines: Vec::new(), waiting: 0, files: 0 };
    archive.file(HEAD, &serde_json::to_vec(&Head { format: FORMAT }).map_err(std::io::Error::from)?)?;
    let mut count = 0;
    while let Some(record) = records.recv().await {
        archive.add(&record?)?;
        count += 1;
    }
    archive.flush()?;
    archive.zip.finish()?.flush()?;
    Ok(count)
}

struct Archive<W: Write + Seek> {
    zip: ZipWriter<W>,
    lines: Vec<u8>,
    waiting: usize,
    files: usize,
}

impl<W: Write + Seek> Archive<W> {
    fn add(&mut self, record: &Record) -> Result<(), NoArchive> {
        if let Record::Photo { photo_id, bytes, .. } = record {
            self.file(&format!("photos/{photo_id}"), bytes)?;
        }
        serde_json::to_writer(&mut self.lines, record).map_err(std::io::Error::from)?;
        self.lines.push(b'\n');
        self.waiting += 1;
        if self.waiting == AT_ONCE { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), NoArchive> {
        if self.waiting > 0 {
            self.files += 1;
            let lines = std::mem::take(&mut self.lines);
            self.file(&format!("records/{:06}.jsonl", self.files), &lines)?;
            self.waiting = 0;
        }
        Ok(())
    }

    fn file(&mut self, name: &str, bytes: &[u8]) -> Result<(), NoArchive> {
        self.zip.start_file(name, SimpleFileOptions::default())?;
        Ok(self.zip.write_all(bytes)?)
    }
}

/// Reads all records, in their order. Everything in them is checked as if somebody had written it.
pub fn read(bytes: &[u8]) -> Result<Vec<Record>, NoArchive> {
    let (mut head, mut files, mut photos) = (None, Vec::new(), HashMap::new());
    bounded::each_entry(bytes, |name, bytes| {
        if name == HEAD {
            head = serde_json::from_slice::<Head>(&bytes).ok();
        } else if let Some(id) = name.strip_prefix("photos/") {
            photos.insert(id.to_owned(), Bytes::from(bytes));
        } else if name.starts_with("records/") {
            files.push((name.to_owned(), bytes));
        }
        Ok(())
    })?;
    match head {
        None => return Err(NoArchive::Foreign),
        Some(Head { format }) if format > FORMAT => return Err(NoArchive::Newer(format)),
        Some(_) => {}
    }
    files.sort();
    let mut records = Vec::new();
    for (file, bytes) in files {
        for (number, line) in
            bytes.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty())
        {
            let wrong = |reason: String| NoArchive::Record { file: file.clone(), line: number + 1, reason };
            let record = serde_json::from_slice(line).map_err(|error| wrong(error.to_string()))?;
            records.push(checked(record, &mut photos).map_err(wrong)?);
        }
    }
    Ok(records)
}

/// Puts a photo's bytes back, and looks at what the types of a record do not check.
fn checked(record: Record, photos: &mut HashMap<String, Bytes>) -> Result<Record, String> {
    match record {
        Record::Photo { family_id, recipe_id, photo_id, .. } => {
            let bytes = photos.remove(&photo_id.to_string());
            let bytes = bytes.ok_or_else(|| format!("the photo `{photo_id}` is missing"))?;
            Picture::new(bytes.clone()).map_err(|error| error.to_string())?;
            Ok(Record::Photo { family_id, recipe_id, photo_id, bytes })
        }
        Record::Recipe { family_id, mut recipe } => {
            for tag in &recipe.tags {
                Tag::new(tag).map_err(|misfit| format!("tag `{tag}`: {misfit}"))?;
            }
            if recipe.ingredients.len() > 300 || recipe.steps.len() > 300 || recipe.tags.len() > 50 {
                return Err("a recipe has at most 300 ingredients, 300 steps and 50 tags".to_owned());
            }
            for (position, placed) in (0..).zip(&mut recipe.ingredients) {
                placed.position = position;
            }
            for (position, placed) in (0..).zip(&mut recipe.steps) {
                placed.position = position;
            }
            Ok(Record::Recipe { family_id, recipe })
        }
        other @ (Record::Family(_)
        | Record::Member { .. }
        | Record::Meal { .. }
        | Record::ShoppingList { .. }) => Ok(other),
    }
}
