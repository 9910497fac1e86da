//! `metatag-genie read`: what pictures say.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::Desk;
use super::each::{Form, each};
use super::paths::Paths;

/// Show what pictures say, together and store by store
#[derive(clap::Args)]
#[command(after_help = "Examples:
  metatag-genie read beach.jpg
  metatag-genie read photos --recursive --json
  find photos -newer yesterday -print0 | metatag-genie read -")]
pub(super) struct Args {
    #[command(flatten)]
    paths: Paths,
    #[command(flatten)]
    form: Form,
}

pub(super) fn run(desk: &Desk, args: Args) -> ExitCode {
    let (files, mut errors) = args.paths.find(desk);
    let pictures: Vec<PathBuf> = files.pictures(&desk.roots).map(Path::to_owned).collect();
    errors.extend(files.into_unlisted());
    each(pictures, &errors, args.form, |path| desk.writer.read(&desk.roots, &path))
}
