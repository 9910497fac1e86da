//! `metatag-genie preview`: what a write would change.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use metatag::model::Wish;

use super::Desk;
use super::each::{Form, each};
use super::paths::Paths;
use super::what::What;

/// Show what `write` would change with the same options; nothing is written
#[derive(clap::Args)]
#[command(
    override_usage = "metatag-genie preview [OPTIONS] <FILE|FOLDER>...",
    after_help = "Examples:
  metatag-genie preview beach.jpg --tag sea
  metatag-genie preview photos --recursive --append --tag 2024"
)]
pub(super) struct Args {
    #[command(flatten)]
    paths: Paths,
    #[command(flatten)]
    what: What,
    #[command(flatten)]
    form: Form,
}

pub(super) fn run(desk: &Desk, args: Args) -> ExitCode {
    let wish: Wish = args.what.into();
    let (files, mut errors) = args.paths.find(desk);
    let pictures: Vec<PathBuf> = files.pictures(&desk.roots).map(Path::to_owned).collect();
    errors.extend(files.into_unlisted());
    each(pictures, &errors, args.form, |path| desk.writer.preview(&desk.roots, &path, &wish))
}
