//! `metatag-genie remove`: single tags taken away.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use metatag::model::Removal;
use metatag::removed::RemovedReport;

use super::Desk;
use super::each::{Form, each};
use super::paths::Paths;

/// Remove single tags, wherever they are
#[derive(clap::Args)]
#[command(
    override_usage = "metatag-genie remove [OPTIONS] <FILE|FOLDER>...",
    after_help = "Examples:
  metatag-genie remove beach.jpg --tag sea --tag sand
  metatag-genie remove photos --recursive --person Ada"
)]
pub(super) struct Args {
    #[command(flatten)]
    paths: Paths,
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
    let (files, mut errors) = args.paths.find(desk);
    let pictures: Vec<PathBuf> = files.pictures(&desk.roots).map(Path::to_owned).collect();
    errors.extend(files.into_unlisted());
    each(pictures, &errors, args.form, |path| {
        let removed = desk.writer.remove(&desk.roots, &path, &removal)?;
        Ok(RemovedReport::of(&path.display().to_string(), removal.clone(), removed))
    })
}
