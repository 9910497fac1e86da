//! `metatag-genie read`: what pictures say.

use std::path::PathBuf;
use std::process::ExitCode;

use super::Desk;
use super::each::{Form, each};
use super::paths::absolute;

/// Show what pictures say, together and store by store
#[derive(clap::Args)]
#[command(after_help = "Examples:
  metatag-genie read beach.jpg
  metatag-genie read *.jpg --json")]
pub(super) struct Args {
    /// Pictures
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    form: Form,
}

pub(super) fn run(desk: &Desk, args: &Args) -> ExitCode {
    let files = args.files.iter().map(|file| absolute(file));
    each(files, &[], args.form, |path| desk.writer.read(&desk.roots, &path))
}
