//! `metatag-genie undo`: the last changes taken back.

use std::path::PathBuf;
use std::process::ExitCode;

use metatag::undo::MOST_STEPS;

use super::Desk;
use super::each::{Form, each};
use super::paths::absolute;

/// Take back the last change of each picture, byte for byte
#[derive(clap::Args)]
#[command(after_help = "Examples:
  metatag-genie undo beach.jpg
  metatag-genie undo beach.jpg --steps 3")]
pub(super) struct Args {
    /// Pictures
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// How many changes to take back
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_STEPS)))]
    steps: u32,
    #[command(flatten)]
    form: Form,
}

pub(super) fn run(desk: &Desk, args: &Args) -> ExitCode {
    let files = args.files.iter().map(|file| absolute(file));
    each(files, &[], args.form, |path| desk.writer.undo(&desk.roots, &path, args.steps))
}
