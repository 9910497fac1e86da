//! `metatag-genie remove`: single tags taken away.

use std::path::PathBuf;
use std::process::ExitCode;

use metatag::model::Removal;
use metatag::removed::RemovedReport;

use super::Desk;
use super::each::{Form, each};
use super::paths::absolute;

/// Remove single tags, wherever they are
#[derive(clap::Args)]
#[command(after_help = "Examples:
  metatag-genie remove beach.jpg --tag sea --tag sand
  metatag-genie remove *.jpg --person Ada")]
pub(super) struct Args {
    /// Pictures
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    gone: Gone,
    #[command(flatten)]
    form: Form,
}

#[derive(clap::Args)]
#[group(required = true, multiple = true)]
struct Gone {
    /// A tag to remove; repeat it for more
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// A person to remove, from the people shown and from the tags; repeat it for more
    #[arg(long = "person", value_name = "NAME")]
    people: Vec<String>,
}

pub(super) fn run(desk: &Desk, args: Args) -> ExitCode {
    let removal = Removal { tags: args.gone.tags, people: args.gone.people };
    let files = args.files.iter().map(|file| absolute(file));
    each(files, &[], args.form, |path| {
        let removed = desk.writer.remove(&desk.roots, &path, &removal)?;
        Ok(RemovedReport::of(&path.display().to_string(), removal.clone(), removed))
    })
}
