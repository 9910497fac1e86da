//! The windows the library knows.

use geometry::Rect;
use xcap::{Window, XCapError};

use crate::capture::{Error, Excluded, is_titled};

/// What the library tells of a window. What it cannot tell is empty.
#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    pub(super) title: String,
    pub(super) class: String,
    pub(super) is_minimised: bool,
}

impl Known {
    pub(super) fn of(window: &Window) -> Known {
        Known {
            title: window.title().unwrap_or_default(),
            class: window.app_name().unwrap_or_default(),
            is_minimised: window.is_minimized().unwrap_or_default(),
        }
    }
}

pub(super) fn place(window: &Window) -> Result<Rect, XCapError> {
    Ok(Rect { x: window.x()?, y: window.y()?, width: window.width()?, height: window.height()? })
}

/// The number of the window, among some with the uppermost first, that has this in its title, and the whole title; one that can be seen rather
/// than one that cannot.
pub(super) fn choose(
    windows: Vec<Known>,
    wanted: &str,
    excluded: &Excluded,
) -> Result<(usize, String), Error> {
    let part = wanted.to_lowercase();
    let matches = |known: &Known| is_titled(&known.title, &part);
    let (secret, open): (Vec<_>, Vec<_>) = windows
        .into_iter()
        .enumerate()
        .filter(|(_, known)| !known.title.is_empty())
        .partition(|(_, known)| excluded.hides(&known.title, &known.class));
    let shown = open.iter().find(|(_, known)| matches(known) && !known.is_minimised);
    match shown.or_else(|| open.iter().find(|(_, known)| matches(known))) {
        Some((_, known)) if known.is_minimised => Err(Error::Minimised { title: known.title.clone() }),
        Some((at, known)) => Ok((*at, known.title.clone())),
        None if secret.iter().any(|(_, known)| matches(known)) => Err(Error::Excluded),
        None => {
            let titles = open.into_iter().map(|(_, known)| known.title).collect();
            Err(Error::NoWindow { wanted: wanted.to_owned(), titles })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Known, choose};
    use crate::capture::{Error, Excluded, is_titled};

    fn chosen(wanted: &str) -> Result<(usize, String), Error> {
        let known =
            |title: &str, is_minimised| Known { title: title.to_owned(), is_minimised, ..Known::default() };
        let all = vec![
            known("", false),
            known("Fox news", true),
            known("a FOX", false),
            known("fox - KeePassXC", false),
        ];
        choose(all, wanted, &Excluded::default())
    }

    #[test]
    fn the_uppermost_window_that_can_be_seen_is_chosen() {
        assert_eq!(chosen("fOx").expect("a window"), (2, "a FOX".to_owned()));
        assert!(matches!(chosen("news"), Err(Error::Minimised { title }) if title == "Fox news"));
        assert!(matches!(chosen("keepass"), Err(Error::Excluded)));
        let Err(Error::NoWindow { titles, .. }) = chosen("owl") else { panic!("no such window") };
        assert_eq!(titles, ["Fox news", "a FOX"]);
    }
}
