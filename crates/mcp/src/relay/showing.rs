//! Whose offers clients see: those of the far side, or those of the fallback while nobody is there.

use std::sync::{Arc, MutexGuard};
use std::time::Duration;

use crate::lock::unpoisoned;
use crate::surface::Surface;

use super::{Far, Inner, Options, State};

/// How long the very first list waits to learn who is there. A socket that nobody serves says so at once, and so does a far side
/// that is well; only one that hangs is listed before it has answered.
const FIRST_LOOK: Duration = Duration::from_millis(300);

/// Whose offers clients see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Showing {
    Far,
    Fallback,
}

/// Whether anybody looked yet who is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    Due,
    UnderWay,
    Done,
}

/// What was shown last of each side, and what it was made of.
#[derive(Default)]
pub(super) struct Shown {
    far: Option<Made>,
    fallback: Option<Made>,
}

struct Made {
    of: Arc<Surface>,
    surface: Arc<Surface>,
}

impl Inner {
    /// What is offered now. Every request comes through here.
    pub(super) fn surface_now(self: &Arc<Self>) -> Arc<Surface> {
        let (showing, of) = {
            let state = self.look();
            (state.showing, self.current(&state))
        };
        let Options { fallback, own_methods, .. } = &self.options;
        if fallback.is_none() && own_methods.is_empty() {
            return of;
        }
        let mut shown = unpoisoned(self.shown.lock());
        let slot = match showing {
            Showing::Far => &mut shown.far,
            Showing::Fallback => &mut shown.fallback,
        };
        match slot {
            Some(made) if Arc::ptr_eq(&made.of, &of) => Arc::clone(&made.surface),
            _ => {
                let open = of.without_methods(own_methods);
                let surface = Arc::new(match (fallback, showing) {
                    (None, _) => open,
                    (Some(fallback), Showing::Far) => open.interchangeable_with(&fallback.surface()),
                    (Some(_), Showing::Fallback) => open.interchangeable_with(&self.surface),
                });
                *slot = Some(Made { of, surface: Arc::clone(&surface) });
                surface
            }
        }
    }

    /// Our state. The first time, this looks who is there: many clients list once and never again.
    fn look(self: &Arc<Self>) -> MutexGuard<'_, State> {
        let mut state = self.state();
        if self.options.probe.is_some() && !state.probing {
            self.start_probing(&mut state);
        }
        if self.options.fallback.is_none() || state.look == Look::Done {
            return state;
        }
        if state.look == Look::Due {
            state.look = Look::UnderWay;
            if matches!(state.far, Far::Apart) {
                self.start_attempt(&mut state);
            }
        }
        let mut state = self.looked.wait_while(state, Some(FIRST_LOOK), |state| state.look == Look::UnderWay);
        state.look = Look::Done;
        state
    }

    /// What whoever is shown offers.
    pub(super) fn current(&self, state: &State) -> Arc<Surface> {
        match (state.showing, &self.options.fallback) {
            (Showing::Fallback, Some(fallback)) => fallback.surface(),
            (Showing::Far | Showing::Fallback, _) => {
                Arc::clone(state.listed.as_ref().unwrap_or(&self.surface))
            }
        }
    }
}
