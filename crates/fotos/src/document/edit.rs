//! Changes of a document.

use std::collections::HashSet;
use std::sync::Arc;

use geometry::Rect;
use serde::{Deserialize, Serialize};

use super::{Content, weight};
use crate::annotation::{Annotation, MOST_ANNOTATIONS};

/// More than a person draws: some hundred thousand points.
const MOST_BYTES: usize = 4 << 20;

/// One step: what is changed, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "edit", rename_all = "snake_case", deny_unknown_fields)]
pub enum Edit {
    /// Draws more on top.
    Add {
        /// In drawing order, with new ids.
        annotations: Vec<Annotation>,
    },
    /// Puts these in the place of those with the same ids.
    Change {
        /// What they become.
        annotations: Vec<Annotation>,
    },
    /// Takes some away.
    Remove {
        /// Which ones.
        ids: Vec<String>,
    },
    /// Draws some earlier or later than others.
    Order {
        /// Which ones.
        ids: Vec<String>,
        /// Where they go.
        to: Layer,
    },
    /// Keeps some from being changed, or lets them be changed again.
    Lock {
        /// Which ones.
        ids: Vec<String>,
        /// Whether they are kept.
        locked: bool,
    },
    /// Shows a part of the base, or all of it again.
    Crop {
        /// Which part, in pixels of the base.
        region: Option<Rect>,
    },
    /// Puts others in the place of all annotations, locked ones included: an import.
    Replace {
        /// In drawing order.
        annotations: Vec<Annotation>,
    },
}

/// Where in the drawing order something goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// Above all others.
    Front,
    /// Below all others.
    Back,
    /// Above the next one.
    Forward,
    /// Below the one before.
    Backward,
}

/// Why a document stays as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// There is no such annotation.
    #[error("there is no annotation `{id}`; it may have been removed meanwhile: read the document again")]
    Unknown {
        /// What was asked for.
        id: String,
    },
    /// There is one already.
    #[error("there is an annotation `{id}` already; give the new one another id")]
    Duplicate {
        /// The id.
        id: String,
    },
    /// It is not to be changed.
    #[error("the annotation `{id}` is locked; unlock it first")]
    Locked {
        /// The id.
        id: String,
    },
    /// There would be too many.
    #[error("a picture has at most {MOST_ANNOTATIONS} annotations; remove some first")]
    TooMany,
    /// They would take too much memory.
    #[error("the annotations of this picture would take more than {} MiB; remove some first", MOST_BYTES >> 20)]
    TooLarge,
    /// Nothing would be left.
    #[error("the crop lies outside of the picture, which is {width}x{height} pixels large")]
    EmptyCrop {
        /// The picture's width.
        width: u32,
        /// Its height.
        height: u32,
    },
    /// It changed meanwhile.
    #[error("the picture changed meanwhile: it is at revision {now}; read it again")]
    Stale {
        /// Where it is.
        now: u64,
    },
    /// There is no step to take back.
    #[error("there is nothing to undo")]
    NothingToUndo,
    /// There is no step to take again.
    #[error("there is nothing to redo")]
    NothingToRedo,
    /// The step is the person's, and an agent wants it taken back.
    #[error("the last step is the person's, and only the person takes it back")]
    NotYours,
}

impl Edit {
    /// What becomes of this content.
    pub(super) fn applied(self, content: &Content, frame: Rect) -> Result<Content, EditError> {
        let mut next = content.clone();
        match self {
            Edit::Add { annotations } => {
                next.annotations.extend(annotations.into_iter().map(Arc::new));
            }
            Edit::Change { annotations } => {
                for annotation in annotations {
                    let at = next.changeable(&annotation.id)?;
                    if let Some(old) = next.annotations.get_mut(at) {
                        *old = Arc::new(annotation);
                    }
                }
            }
            Edit::Remove { ids } => {
                for id in ids {
                    let at = next.changeable(&id)?;
                    next.annotations.remove(at);
                }
            }
            Edit::Order { ids, to } => next.order(&ids, to)?,
            Edit::Lock { ids, locked } => {
                for id in ids {
                    next.find(&id)?;
                    if locked {
                        next.locked.insert(id);
                    } else {
                        next.locked.remove(&id);
                    }
                }
            }
            Edit::Crop { region } => {
                let (width, height) = (frame.width, frame.height);
                let part =
                    region.map(|region| frame.common(region).ok_or(EditError::EmptyCrop { width, height }));
                next.crop = part.transpose()?.filter(|part| *part != frame);
            }
            Edit::Replace { annotations } => {
                next.annotations = annotations.into_iter().map(Arc::new).collect();
                next.locked.clear();
            }
        }
        next.checked()
    }
}

impl Content {
    fn find(&self, id: &str) -> Result<usize, EditError> {
        let at = self.annotations.iter().position(|annotation| annotation.id == id);
        at.ok_or_else(|| EditError::Unknown { id: id.to_owned() })
    }

    fn changeable(&self, id: &str) -> Result<usize, EditError> {
        let at = self.find(id)?;
        if self.locked.contains(id) { Err(EditError::Locked { id: id.to_owned() }) } else { Ok(at) }
    }

    fn order(&mut self, ids: &[String], to: Layer) -> Result<(), EditError> {
        for id in ids {
            self.find(id)?;
        }
        let is_moved = |annotation: &Arc<Annotation>| ids.contains(&annotation.id);
        match to {
            Layer::Front => self.annotations.sort_by_key(is_moved),
            Layer::Back => self.annotations.sort_by_key(|annotation| !is_moved(annotation)),
            Layer::Forward => {
                for at in (1..self.annotations.len()).rev() {
                    if is_moved(&self.annotations[at - 1]) && !is_moved(&self.annotations[at]) {
                        self.annotations.swap(at - 1, at);
                    }
                }
            }
            Layer::Backward => {
                for at in 1..self.annotations.len() {
                    if is_moved(&self.annotations[at]) && !is_moved(&self.annotations[at - 1]) {
                        self.annotations.swap(at - 1, at);
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether it keeps within its bounds, and every id is there once.
    fn checked(self) -> Result<Content, EditError> {
        if self.annotations.len() > MOST_ANNOTATIONS {
            return Err(EditError::TooMany);
        }
        let mut ids = HashSet::new();
        let mut bytes = 0;
        for annotation in &self.annotations {
            if !ids.insert(annotation.id.as_str()) {
                return Err(EditError::Duplicate { id: annotation.id.clone() });
            }
            bytes += weight(annotation);
        }
        if bytes > MOST_BYTES {
            return Err(EditError::TooLarge);
        }
        let locked = self.locked.iter().filter(|id| ids.contains(id.as_str())).cloned().collect();
        Ok(Content { locked, ..self })
    }
}
