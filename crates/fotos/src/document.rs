//! What is drawn on a screenshot, as data: annotations in drawing order, a crop, and the steps back and forth.

mod edit;

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use geometry::Rect;
use serde::Serialize;

use crate::annotation::{Annotation, Shape};
use crate::screenshot::By;

pub use edit::{Edit, EditError, Layer};

/// How many steps can be taken back.
pub const DEPTH: usize = 100;

/// What is drawn, at one time. Annotations are shared with the steps before and after.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Content {
    annotations: Vec<Arc<Annotation>>,
    /// The ids of those that are not to be changed.
    pub locked: BTreeSet<String>,
    /// The part that is shown, in pixels of the base.
    pub crop: Option<Rect>,
}

impl Content {
    /// In drawing order.
    pub fn annotations(&self) -> impl Iterator<Item = &Annotation> {
        self.annotations.iter().map(|annotation| &**annotation)
    }

    /// Whether the picture looks as its base does.
    pub fn is_plain(&self) -> bool {
        self.annotations.is_empty() && self.crop.is_none()
    }

    /// How much memory the annotations take, about.
    fn weight(&self) -> usize {
        self.annotations.iter().map(|annotation| weight(annotation)).sum()
    }
}

/// How much memory an annotation takes, about.
fn weight(annotation: &Annotation) -> usize {
    let more = match &annotation.shape {
        Shape::Arrow(points) | Shape::Freehand(points) => std::mem::size_of_val(points.as_slice()),
        Shape::Text { text, .. } => text.len(),
        Shape::Rect(_) | Shape::Ellipse(_) | Shape::Blur(_) | Shape::Highlight(_) | Shape::Step { .. } => 0,
    };
    size_of::<Annotation>() + annotation.id.len() + more
}

/// The document of a screenshot.
#[derive(Debug, Default)]
pub struct Document {
    content: Content,
    /// What was before each step, the latest last, and who took it.
    back: VecDeque<(Content, By)>,
    forth: Vec<(Content, By)>,
    revision: u64,
    saved: u64,
    /// Whether the person ever changed it.
    touched: bool,
}

/// What is said about a document.
#[derive(Debug, Clone, Serialize)]
pub struct State {
    /// Grows with every change.
    pub revision: u64,
    /// In drawing order.
    pub annotations: Vec<Annotation>,
    /// The ids of those that are not to be changed.
    pub locked: BTreeSet<String>,
    /// The part that is shown, in pixels of the base.
    pub crop: Option<Rect>,
    /// How many steps can be taken back.
    pub undo: usize,
    /// How many steps can be taken again.
    pub redo: usize,
    /// Whether it changed since it was saved or copied.
    pub unsaved: bool,
}

impl Document {
    /// One that begins with these annotations, which can be taken back.
    pub(crate) fn beginning(annotations: Vec<Annotation>, by: By) -> Document {
        let content =
            Content { annotations: annotations.into_iter().map(Arc::new).collect(), ..Content::default() };
        Document {
            content,
            back: VecDeque::from([(Content::default(), by)]),
            revision: 1,
            ..Document::default()
        }
    }

    /// One that looks like this and has no steps.
    pub(crate) fn restored(
        annotations: Vec<Annotation>,
        locked: BTreeSet<String>,
        crop: Option<Rect>,
    ) -> Document {
        let annotations = annotations.into_iter().map(Arc::new).collect();
        Document { content: Content { annotations, locked, crop }, ..Document::default() }
    }

    /// What is drawn now.
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// Grows with every change.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Whether the person ever changed it.
    pub fn is_touched(&self) -> bool {
        self.touched
    }

    /// Whether it changed since it was saved or copied.
    pub fn is_unsaved(&self) -> bool {
        self.revision != self.saved
    }

    /// Who took the step that would be taken back next.
    pub fn last_by(&self) -> Option<By> {
        self.back.back().map(|(_, by)| *by)
    }

    /// Who took the step that would be taken again next.
    pub fn next_by(&self) -> Option<By> {
        self.forth.last().map(|(_, by)| *by)
    }

    /// What is said about it.
    pub fn state(&self) -> State {
        State {
            revision: self.revision,
            annotations: self.content.annotations().cloned().collect(),
            locked: self.content.locked.clone(),
            crop: self.content.crop,
            undo: self.back.len(),
            redo: self.forth.len(),
            unsaved: self.is_unsaved(),
        }
    }

    /// Changes it; `frame` is its base, all of it.
    pub fn apply(&mut self, edit: Edit, frame: Rect, by: By) -> Result<(), EditError> {
        let next = edit.applied(&self.content, frame)?;
        if next == self.content {
            return Ok(());
        }
        let before = std::mem::replace(&mut self.content, next);
        self.back.push_back((before, by));
        if self.back.len() > DEPTH {
            self.back.pop_front();
        }
        self.forth.clear();
        self.changed(by);
        Ok(())
    }

    /// Takes a step back.
    pub fn undo(&mut self) -> Result<(), EditError> {
        let (before, by) = self.back.pop_back().ok_or(EditError::NothingToUndo)?;
        let after = std::mem::replace(&mut self.content, before);
        self.forth.push((after, by));
        self.changed(by);
        Ok(())
    }

    /// Takes a step again.
    pub fn redo(&mut self) -> Result<(), EditError> {
        let (after, by) = self.forth.pop().ok_or(EditError::NothingToRedo)?;
        let before = std::mem::replace(&mut self.content, after);
        self.back.push_back((before, by));
        self.changed(by);
        Ok(())
    }

    fn changed(&mut self, by: By) {
        self.revision += 1;
        self.touched |= by == By::Person;
    }

    /// Takes note that the picture is in a file or in the clipboard as it is now.
    pub(crate) fn mark_saved(&mut self) {
        self.saved = self.revision;
    }

    /// Forgets every step: what the base showed must not come back. What is drawn stays.
    pub(crate) fn forget_steps(&mut self) {
        self.back.clear();
        self.forth.clear();
        self.revision += 1;
        self.touched = true;
    }

    /// How much memory it takes, about.
    pub(crate) fn memory(&self) -> usize {
        // Steps share most annotations; what only they have is bounded by what an edit may add.
        let steps = self.back.iter().chain(&self.forth).map(|(content, _)| content.annotations.len());
        self.content.weight() + steps.sum::<usize>() * size_of::<Arc<Annotation>>()
    }
}

#[cfg(test)]
mod tests {
    use geometry::Rect;

    use super::{DEPTH, Document, Edit, EditError, Layer};
    use crate::annotation::{Annotation, Colour, Extent, Shape};
    use crate::screenshot::By;

    const FRAME: Rect = Rect { x: 0, y: 0, width: 100, height: 80 };

    fn rect(id: &str) -> Annotation {
        let frame = Extent { x: 1.0, y: 2.0, width: 3.0, height: 4.0 };
        Annotation { id: id.to_owned(), ..Annotation::new(Shape::Rect(frame), Colour::RED, 2.0) }
    }

    fn add(id: &str) -> Edit {
        Edit::Add { annotations: vec![rect(id)] }
    }

    fn ids(document: &Document) -> Vec<String> {
        document.content().annotations().map(|annotation| annotation.id.clone()).collect()
    }

    #[test]
    fn a_hundred_steps_go_back_and_forth() {
        let mut document = Document::default();
        for number in 0..DEPTH + 20 {
            document.apply(add(&number.to_string()), FRAME, By::Person).expect("added");
        }
        let all = ids(&document);
        for _ in 0..DEPTH {
            document.undo().expect("a step");
        }
        assert!(matches!(document.undo(), Err(EditError::NothingToUndo)));
        assert_eq!(ids(&document).len(), 20);
        for _ in 0..DEPTH {
            document.redo().expect("a step");
        }
        assert!(matches!(document.redo(), Err(EditError::NothingToRedo)));
        assert_eq!(ids(&document), all);
        document.undo().expect("a step");
        document.apply(add("new"), FRAME, By::Person).expect("added");
        assert!(document.redo().is_err(), "another way was taken");
    }

    #[test]
    fn every_edit_does_what_it_says_and_can_be_taken_back() {
        let mut document = Document::default();
        let three = ["a", "b", "c"].map(rect).to_vec();
        let apply = |document: &mut Document, edit| document.apply(edit, FRAME, By::Person).expect("applied");
        apply(&mut document, Edit::Add { annotations: three });
        apply(&mut document, Edit::Order { ids: vec!["a".into()], to: Layer::Front });
        assert_eq!(ids(&document), ["b", "c", "a"]);
        apply(&mut document, Edit::Order { ids: vec!["a".into()], to: Layer::Backward });
        assert_eq!(ids(&document), ["b", "a", "c"]);
        let wide = Annotation { stroke: 9.0, ..rect("b") };
        apply(&mut document, Edit::Change { annotations: vec![wide.clone()] });
        assert_eq!(document.content().annotations().next(), Some(&wide));
        apply(&mut document, Edit::Crop { region: Some(Rect { x: 90, y: 70, width: 50, height: 50 }) });
        assert_eq!(document.content().crop, Some(Rect { x: 90, y: 70, width: 10, height: 10 }));
        apply(&mut document, Edit::Lock { ids: vec!["c".into()], locked: true });
        for edit in [Edit::Remove { ids: vec!["c".into()] }, Edit::Change { annotations: vec![rect("c")] }] {
            assert!(matches!(document.apply(edit, FRAME, By::Person), Err(EditError::Locked { .. })));
        }
        apply(&mut document, Edit::Remove { ids: vec!["a".into(), "b".into()] });
        assert_eq!(ids(&document), ["c"]);
        apply(&mut document, Edit::Replace { annotations: vec![rect("z")] });
        for _ in 0..8 {
            document.undo().expect("a step");
        }
        assert!(document.content().is_plain() && document.undo().is_err());
    }

    #[test]
    fn what_cannot_be_done_changes_nothing() {
        let mut document = Document::default();
        document.apply(add("a"), FRAME, By::Agent).expect("added");
        let revision = document.revision();
        let refused = [
            add("a"),
            Edit::Change { annotations: vec![rect("b")] },
            Edit::Remove { ids: vec!["b".into()] },
            Edit::Crop { region: Some(Rect { x: 200, y: 0, width: 9, height: 9 }) },
            Edit::Add { annotations: (0..1_000).map(|number| rect(&format!("n{number}"))).collect() },
        ];
        for edit in refused {
            assert!(document.apply(edit, FRAME, By::Person).is_err());
        }
        assert_eq!((document.revision(), document.is_touched()), (revision, false));
    }
}
