//! Room on the disk where state is kept.

use files::Home;

use super::check::Check;
use crate::sys;

/// Less than this, and a photo or a database may not fit any more.
const LEAST: u64 = 100 << 20;

pub(super) fn look() -> Vec<Check> {
    // Without a place there is a row about that already.
    let Ok(home) = Home::from_environment(super::set) else { return Vec::new() };
    let Some(there) = home.path().ancestors().find(|folder| folder.is_dir()) else { return Vec::new() };
    let check = match sys::free_bytes(there) {
        Err(error) => {
            let found = format!("cannot look at the file system of `{}`: {error}", there.display());
            Check::problem("disk", found, "check the disk")
        }
        Ok(free) => {
            let shown = format!("{} free at `{}`", size(free), there.display());
            if free < LEAST {
                Check::problem("disk", shown, format!("make room: at least {} should be free", size(LEAST)))
            } else {
                Check::ok("disk", shown)
            }
        }
    };
    vec![check]
}

fn size(bytes: u64) -> String {
    if bytes >= 1 << 30 {
        format!("{}.{} GiB", bytes >> 30, (bytes >> 20) % 1_024 * 10 / 1_024)
    } else {
        format!("{} MiB", bytes >> 20)
    }
}
