//! What there is to know about a screenshot besides its picture, as it travels to another process or to the next run.

use std::time::{Duration, SystemTime};

use geometry::Rect;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{By, Image, Lineage, Mode, Origin, Screenshot};

/// A screenshot without its picture.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Record {
    /// Its name.
    pub id: Uuid,
    /// When it was taken, in milliseconds since 1970.
    pub taken: u64,
    /// What was captured.
    pub mode: Mode,
    /// The monitor's name or the window's title.
    pub subject: Option<String>,
    /// How many windows were blacked out.
    pub hidden: usize,
    /// What could not be made sure of.
    pub warning: Option<String>,
    /// How it came about.
    pub origin: Origin,
    /// What it was made of, the nearest first.
    #[serde(default)]
    pub made_of: Vec<Uuid>,
    /// Where it is on the screen.
    pub place: Rect,
    /// The windows that are seen in it.
    pub windows: Vec<Rect>,
}

impl Screenshot {
    /// What there is to know about it besides its picture.
    pub fn record(&self) -> Record {
        let taken = self.taken.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Record {
            id: self.id,
            taken: u64::try_from(taken.as_millis()).unwrap_or(u64::MAX),
            mode: self.mode,
            subject: self.subject.clone(),
            hidden: self.hidden,
            warning: self.warning.clone(),
            origin: self.origin,
            made_of: self.lineage.ids().collect(),
            place: self.place,
            windows: self.windows.clone(),
        }
    }

    /// The screenshot of which this was written, with its picture, which must have the size the record says.
    pub(crate) fn from_record(record: Record, image: Image, by: By) -> Screenshot {
        let Record { id, taken, mode, subject, hidden, warning, origin, made_of, place, windows } = record;
        let taken = SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(taken));
        Screenshot {
            id,
            taken: taken.unwrap_or(SystemTime::UNIX_EPOCH),
            mode,
            subject,
            hidden,
            warning,
            origin,
            // Nothing is kept or handed over that was made of what a redaction rewrote: all of them count from here.
            lineage: Lineage::begun(made_of),
            place,
            windows,
            by,
            ..Screenshot::empty(image)
        }
    }
}
