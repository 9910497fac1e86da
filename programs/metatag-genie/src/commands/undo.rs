//! `metatag-genie undo`: the last changes taken back, or made again.

use std::path::PathBuf;
use std::process::ExitCode;

use cli::exit;
use metatag::batch::{Depth, FileResult};
use metatag::undo::{BatchId, Direction, MOST_STEPS, Scope, once_each};
use metatag::words;

use super::each::{Form, each};
use super::{Desk, answer, json, paths};

/// Take back the last change of each picture, byte for byte
#[derive(clap::Args)]
#[command(after_help = "Examples:
  metatag-genie undo beach.jpg
  metatag-genie undo beach.jpg --steps 3
  metatag-genie undo photos --recursive      the last change of every picture in the folder
  metatag-genie undo --batch last            all that the last `write` changed
  metatag-genie undo beach.jpg --redo        make it again")]
pub(super) struct Args {
    /// Pictures, or folders with pictures; `-` reads a list of them from stdin
    #[arg(value_name = "FILE|FOLDER", required_unless_present = "batch")]
    paths: Vec<PathBuf>,
    /// Also the folders below a folder
    #[arg(long)]
    recursive: bool,
    /// How many changes of a picture to take back
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_STEPS)))]
    steps: u32,
    /// Every file that a batch changed: its name, which `write` prints, or `last`
    #[arg(long, value_name = "BATCH", conflicts_with_all = ["paths", "steps", "recursive"], value_parser = batch)]
    batch: Option<Batch>,
    /// Make again what was undone last
    #[arg(long)]
    redo: bool,
    #[command(flatten)]
    form: Form,
}

#[derive(Debug, Clone, Copy)]
enum Batch {
    Last,
    Named(BatchId),
}

fn batch(text: &str) -> Result<Batch, String> {
    if text == "last" {
        return Ok(Batch::Last);
    }
    BatchId::parse(text)
        .map(Batch::Named)
        .ok_or_else(|| "a batch has 16 hexadecimal digits, or is `last`".to_owned())
}

pub(super) fn run(desk: &Desk, args: &Args) -> ExitCode {
    let direction = if args.redo { Direction::Redo } else { Direction::Undo };
    if let Some(batch) = args.batch {
        let scope = match batch {
            Batch::Named(batch) => Scope::Batch(batch),
            Batch::Last => Scope::LastBatch,
        };
        return match desk.writer.revert_all(&desk.roots, scope, direction) {
            Ok(reverted) if args.form.json => answer(&json(&reverted), reverted.success),
            Ok(reverted) => answer(&reverted.to_string(), reverted.success),
            Err(error) if args.form.json => answer(&json(&FileResult::failed(&error)), false),
            Err(error) => exit::failed(&error, exit::FAILED),
        };
    }
    let depth = paths::depth(args.recursive);
    let (named, errors) = match paths::named(&args.paths) {
        Ok(named) => (named, Vec::new()),
        Err(error) => (Vec::new(), vec![error]),
    };
    if let Some(folder) = named.iter().find(|path| args.steps > 1 && path.is_dir()) {
        let folder = words::line(&folder.display().to_string());
        return exit::failed(
            &format_args!(
                "`--steps` is for pictures, and this is a folder: `{folder}`; see `metatag-genie undo --help`"
            ),
            exit::USAGE,
        );
    }
    each(once_each(&desk.roots, named), &errors, args.form, |path| {
        desk.writer.revert_all(&desk.roots, scope(path, depth, args.steps), direction)
    })
}

fn scope(path: PathBuf, depth: Depth, steps: u32) -> Scope {
    if path.is_dir() { Scope::Folder { path, depth } } else { Scope::File { path, steps } }
}
