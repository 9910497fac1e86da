//! What takes frames out of videos.

use super::check::Check;
use crate::sys;

pub(super) fn look() -> Vec<Check> {
    let path = super::set("PATH").unwrap_or_default();
    let found =
        std::env::split_paths(&path).map(|folder| folder.join(sys::FFMPEG)).find(|program| program.is_file());
    vec![match found {
        Some(program) => Check::ok("videos", format!("frames by `{}`", program.display())),
        None => Check::not_set_up(
            "videos",
            "`ffmpeg` is not on the PATH; models that take no videos cannot be shown frames instead",
            "install `ffmpeg`",
        ),
    }]
}
