//! The windows the library knows.

use geometry::Rect;
use xcap::{Window, XCapError};

use crate::capture::{Error, Excluded, Which, is_titled};

/// What the library tells of a window. What it cannot tell is empty.
#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    pub(super) number: u32,
    pub(super) title: String,
    pub(super) class: String,
    pub(super) is_minimised: bool,
}

impl Known {
    pub(super) fn of(window: &Window) -> Known {
        Known {
            number: window.id().unwrap_or_default(),
            title: window.title().unwrap_or_default(),
            class: window.app_name().unwrap_or_default(),
            is_minimised: window.is_minimized().unwrap_or_default(),
        }
    }
}

pub(super) fn place(window: &Window) -> Result<Rect, XCapError> {
    Ok(Rect { x: window.x()?, y: window.y()?, width: window.width()?, height: window.height()? })
}

/// Where the window that is wanted is, among some with the uppermost first, and its title.
pub(super) fn choose(
    windows: Vec<Known>,
    wanted: &Which,
    excluded: &Excluded,
) -> Result<(usize, String), Error> {
    let number = match wanted {
        Which::Titled(part) => return titled(windows, part, excluded),
        Which::Numbered(number) => *number,
    };
    let found = windows.into_iter().enumerate().find(|(_, known)| known.number == number);
    match found.ok_or(Error::WindowGone)? {
        (_, known) if excluded.hides(&known.title, &known.class) => Err(Error::Excluded),
        (_, known) if known.is_minimised => Err(Error::Minimised { title: known.title }),
        (at, known) => Ok((at, known.title)),
    }
}

/// Where the window is, among some with the uppermost first, that has this in its title, and the whole title; one that can be seen rather
/// than one that cannot.
fn titled(windows: Vec<Known>, wanted: &str, excluded: &Excluded) -> Result<(usize, String), Error> {
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
    use crate::capture::{Error, Excluded, Which};

    fn chosen(wanted: &str) -> Result<(usize, String), Error> {
        choose(all(), &Which::Titled(wanted.to_owned()), &Excluded::default())
    }

    fn all() -> Vec<Known> {
        let known = |number, title: &str, is_minimised| Known {
            number,
            title: title.to_owned(),
            is_minimised,
            ..Known::default()
        };
        vec![
            known(70, "", false),
            known(71, "Fox news", true),
            known(72, "a FOX", false),
            known(73, "a FOX", false),
            known(74, "fox - KeePassXC", false),
        ]
    }

    #[test]
    fn a_number_means_one_window_whatever_the_others_are_called() {
        let numbered = |number| choose(all(), &Which::Numbered(number), &Excluded::default());
        assert_eq!(numbered(73).expect("a window"), (3, "a FOX".to_owned()));
        assert!(matches!(numbered(71), Err(Error::Minimised { .. })));
        assert!(matches!(numbered(74), Err(Error::Excluded)));
        assert!(matches!(numbered(75), Err(Error::WindowGone)));
    }

    #[test]
    fn the_uppermost_window_that_can_be_seen_is_chosen() {
        assert_eq!(chosen("fOx").expect("a window"), (2, "a FOX".to_owned()));
        assert!(matches!(chosen("news"), Err(Error::Minimised { title }) if title == "Fox news"));
        assert!(matches!(chosen("keepass"), Err(Error::Excluded)));
        let Err(Error::NoWindow { titles, .. }) = chosen("owl") else { panic!("no such window") };
        assert_eq!(titles, ["Fox news", "a FOX", "a FOX"]);
    }
}
