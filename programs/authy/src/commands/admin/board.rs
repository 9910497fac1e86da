//! What the UI shows now, and what a key does to it.

use authy::{Consent, Decision, Result, SecretValue, Session};

use super::form::{Form, Step};
use super::keys::Key;
use super::rows::{self, Page, Row, Thing};
use super::sheet::Sheet;

/// Everything on the screen.
pub(super) struct Board {
    session: Session,
    pub(super) page: Page,
    rows: Vec<Row>,
    pub(super) selected: usize,
    /// Only rows with this in them.
    pub(super) filter: String,
    pub(super) mode: Mode,
    pub(super) shown: Option<Shown>,
    /// A text over the table.
    pub(super) sheet: Option<Sheet>,
    /// What is being made.
    pub(super) form: Option<Form>,
    /// What came of the last key.
    pub(super) message: String,
}

/// What the next key is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Mode {
    Moving,
    /// It is part of the filter.
    Filtering,
    /// It answers this question.
    Confirming(Deed),
}

/// Something that cannot be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Deed {
    Remove(Thing),
    Revoke(Thing),
    Approve(Thing),
}

/// A value on the screen.
pub(super) struct Shown {
    pub(super) title: String,
    pub(super) value: SecretValue,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Stay,
    Leave,
}

impl Board {
    pub(super) fn open(session: Session) -> Result<Board> {
        let rows = rows::load(&session, Page::Secrets)?;
        Ok(Board {
            session,
            page: Page::Secrets,
            rows,
            selected: 0,
            filter: String::new(),
            mode: Mode::Moving,
            shown: None,
            sheet: None,
            form: None,
            message: String::new(),
        })
    }

    /// The rows that the filter lets through.
    pub(super) fn rows(&self) -> impl Iterator<Item = &Row> {
        let filter = self.filter.to_lowercase();
        self.rows.iter().filter(move |row| {
            filter.is_empty() || row.cells.iter().any(|cell| cell.to_lowercase().contains(&filter))
        })
    }

    /// Takes the value off the screen.
    pub(super) fn hide(&mut self) {
        self.shown = None;
    }

    /// Does what the key means here.
    pub(super) fn press(&mut self, key: Key) -> Flow {
        // The next key hides a value, whatever else it does.
        let was_shown = self.shown.take().is_some();
        self.message.clear();
        if let Some(form) = self.form.take() {
            return self.fill(form, key);
        }
        if let Some(mut sheet) = self.sheet.take() {
            if sheet.press(key) {
                self.sheet = Some(sheet);
                return Flow::Stay;
            }
            // Any other key closes it; one that answers a question does that, too.
            if self.mode == Mode::Moving {
                return if key == Key::Leave { Flow::Leave } else { Flow::Stay };
            }
        }
        match self.mode.clone() {
            Mode::Filtering => self.filter_key(key),
            Mode::Confirming(deed) => self.answer(&deed, key),
            Mode::Moving => return self.move_key(key, was_shown),
        }
        if key == Key::Leave { Flow::Leave } else { Flow::Stay }
    }

    /// Fills in a form. One that cannot be made stays open, with the reason below.
    fn fill(&mut self, mut form: Form, key: Key) -> Flow {
        match form.press(key) {
            Step::Open => self.form = Some(form),
            Step::Given => "nothing was made".clone_into(&mut self.message),
            Step::Full => match form.submit(&self.session) {
                Ok(made) => {
                    self.reload();
                    self.message = made.message;
                    self.shown = made.shown;
                }
                Err(error) => {
                    self.message = error.to_string();
                    self.form = Some(form);
                }
            },
        }
        if key == Key::Leave { Flow::Leave } else { Flow::Stay }
    }

    fn filter_key(&mut self, key: Key) {
        match key {
            Key::Letter(letter) => self.filter.push(letter),
            Key::Rub => {
                self.filter.pop();
            }
            Key::Escape => {
                self.filter.clear();
                self.mode = Mode::Moving;
            }
            Key::Enter => self.mode = Mode::Moving,
            _ => {}
        }
        self.selected = 0;
    }

    fn answer(&mut self, deed: &Deed, key: Key) {
        self.mode = Mode::Moving;
        if key == Key::Letter('y') {
            let done = self.perform(deed);
            self.say(done);
            self.reload();
        } else {
            "nothing was changed".clone_into(&mut self.message);
        }
    }

    fn move_key(&mut self, key: Key, was_shown: bool) -> Flow {
        let last = self.rows().count().saturating_sub(1);
        match key {
            Key::Leave | Key::Letter('q') => return Flow::Leave,
            Key::NextPage => self.turn(1),
            Key::PreviousPage => self.turn(Page::ALL.len() - 1),
            Key::Up | Key::Letter('k') => self.selected = self.selected.saturating_sub(1),
            Key::Down | Key::Letter('j') => self.selected = (self.selected + 1).min(last),
            Key::First | Key::Letter('g') => self.selected = 0,
            Key::Last | Key::Letter('G') => self.selected = last,
            Key::Letter('/') => self.mode = Mode::Filtering,
            Key::Letter('r') => self.reload(),
            Key::Letter('c') => self.form = Form::of(self.page),
            Key::Letter('?') => self.sheet = Some(Sheet::help()),
            Key::Letter(digit @ '1'..='5') => self.go_to(digit as usize - '1' as usize),
            Key::Escape => self.filter.clear(),
            Key::Enter if !was_shown => self.show(),
            Key::Letter(letter) => self.begin(letter),
            Key::Enter | Key::Rub | Key::Other => {}
        }
        Flow::Stay
    }

    /// Begins what this letter means on this page, with a question first where there is no way back.
    fn begin(&mut self, letter: char) {
        let Some(thing) = self.rows().nth(self.selected).map(|row| row.thing.clone()) else { return };
        match (letter, &thing) {
            ('d', Thing::Secret(_) | Thing::Policy(_)) => self.mode = Mode::Confirming(Deed::Remove(thing)),
            ('x', Thing::Grant(_)) => self.mode = Mode::Confirming(Deed::Revoke(thing)),
            ('a', Thing::Approval(_)) => {
                // What is approved is read in full first.
                self.tell(&thing);
                if self.sheet.is_some() {
                    self.mode = Mode::Confirming(Deed::Approve(thing));
                }
            }
            ('n', Thing::Approval(request)) => {
                let done = self.session.decide(request, Decision::Deny);
                let done = done.map(|()| format!("denied {}", request.id));
                self.say(done);
                self.reload();
            }
            ('i', _) => self.tell(&thing),
            ('h', Thing::Secret(name)) => match Sheet::history(&self.session, name) {
                Ok(sheet) => self.sheet = Some(sheet),
                Err(error) => self.message = error.to_string(),
            },
            ('e', Thing::Secret(_) | Thing::Policy(_)) => match Form::edit(&self.session, &thing) {
                Ok(form) => self.form = form,
                Err(error) => self.message = error.to_string(),
            },
            ('v', Thing::Entry(_)) => {
                let done = self.session.verify_audit().map(|report| match report.broken {
                    None => format!("the log is whole: {} entries", report.good),
                    Some(broken) => format!("the log is BROKEN at entry {}: {}", broken.seq, broken.reason),
                });
                self.say(done);
            }
            _ => {}
        }
    }

    fn perform(&self, deed: &Deed) -> Result<String> {
        match deed {
            Deed::Remove(Thing::Secret(name)) => self.session.remove(name).map(|_| format!("removed {name}")),
            Deed::Remove(Thing::Policy(name)) => {
                self.session.remove_policy(name).map(|()| format!("removed policy {name}"))
            }
            Deed::Revoke(Thing::Grant(id)) => {
                self.session.revoke_grant(*id).map(|()| format!("revoked {id}"))
            }
            Deed::Approve(Thing::Approval(request)) => {
                let done = self.session.decide(request, Decision::Approve);
                done.map(|()| format!("approved {}, once", request.id))
            }
            Deed::Remove(_) | Deed::Revoke(_) | Deed::Approve(_) => Ok(String::new()),
        }
    }

    /// Shows the selected value. The person who presses the key is the yes that some secrets ask for.
    fn show(&mut self) {
        let Some(thing) = self.rows().nth(self.selected).map(|row| row.thing.clone()) else { return };
        let Thing::Secret(name) = thing else { return self.tell(&thing) };
        match self.session.get(&name, Consent::Given) {
            Ok(value) => self.shown = Some(Shown { title: name.to_string(), value }),
            Err(error) => self.message = error.to_string(),
        }
    }

    /// Shows everything about a row but a value.
    fn tell(&mut self, thing: &Thing) {
        match Sheet::about(&self.session, thing) {
            Ok(sheet) => self.sheet = sheet,
            Err(error) => self.message = error.to_string(),
        }
    }

    fn turn(&mut self, by: usize) {
        let now = Page::ALL.iter().position(|page| *page == self.page).unwrap_or_default();
        self.go_to((now + by) % Page::ALL.len());
    }

    fn go_to(&mut self, page: usize) {
        if let Some(page) = Page::ALL.get(page) {
            self.page = *page;
            self.selected = 0;
            self.filter.clear();
            self.reload();
        }
    }

    fn reload(&mut self) {
        match rows::load(&self.session, self.page) {
            Ok(rows) => self.rows = rows,
            Err(error) => {
                self.rows.clear();
                self.message = error.to_string();
            }
        }
        self.selected = self.selected.min(self.rows().count().saturating_sub(1));
    }

    /// Lets a use of a secret wait for a yes.
    #[cfg(test)]
    pub(super) fn ask_for_test(&mut self, name: &str, purpose: &str) {
        let name = authy::SecretName::new(name).expect("a name");
        let attributes = authy::Attributes { approve_each_use: true, ..Default::default() };
        self.session.set_attributes(&name, &attributes).expect("set");
        self.session.use_value(&name, purpose, Consent::Unasked).expect_err("it needs a yes");
    }

    fn say(&mut self, done: Result<String>) {
        self.message = done.unwrap_or_else(|error| error.to_string());
    }
}

impl Deed {
    /// The question before it.
    pub(super) fn question(&self) -> String {
        match self {
            Deed::Remove(Thing::Secret(name)) => format!("Move `{name}` to the trash?"),
            Deed::Remove(Thing::Policy(name)) => format!("Remove the policy `{name}`?"),
            Deed::Revoke(Thing::Grant(id)) => format!("Revoke the grant {id}?"),
            Deed::Approve(Thing::Approval(request)) => format!("Approve {}, once?", request.id),
            Deed::Remove(_) | Deed::Revoke(_) | Deed::Approve(_) => String::new(),
        }
    }
}
