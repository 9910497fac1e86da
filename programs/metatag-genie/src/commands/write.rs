//! `metatag-genie write`: metadata into pictures, many at a time.

use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cli::{exit, terminal};
use metatag::batch::{Batch, FileResult, Summary};
use metatag::model::Wish;
use metatag::words;

use super::each::Form;
use super::paths::Paths;
use super::progress::Progress;
use super::what::What;
use super::{Desk, answer, json};

/// Write metadata into pictures
#[derive(clap::Args)]
#[command(
    override_usage = "metatag-genie write [OPTIONS] <FILE|FOLDER>...",
    after_help = "Examples:
  metatag-genie write beach.jpg --tag family --tag beach --person Ada --location 'Brighton'
  metatag-genie write photos --recursive --append --tag 2024
  metatag-genie write beach.jpg --description ''    removes the description

Of a folder, the pictures are taken and other files are left alone; links and hidden files are
not followed. Ctrl-C stops between files: what is written stays written, and `metatag-genie undo`
takes it back."
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
    let interrupted = on_interrupt();
    let (files, errors) = args.paths.find(desk);
    let progress = Progress::start();
    let batch = Batch { writer: &desk.writer, roots: &desk.roots, change: (&wish).into() };
    let mut summary = batch.run(files, |step| {
        progress.tell(step);
        if interrupted.load(Ordering::Acquire) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    progress.end();
    summary.prepend(&errors);
    if args.form.json {
        return answer(&json(&summary), summary.success);
    }
    print(&summary)
}

/// A file or two are named; of many, only those that failed, and what there is to say about the others.
fn print(summary: &Summary) -> ExitCode {
    const FEW: usize = 10;
    for FileResult { file_path, message, error, .. } in &summary.results {
        let file_path = words::line(file_path);
        match (error, message) {
            (Some(error), _) => {
                terminal::complain(&format!("error: `{file_path}`: {}", words::line(&error.reason)));
            }
            (None, Some(message)) if summary.total <= FEW => {
                if terminal::say(&format!("{file_path}: {message}")).is_err() {
                    return ExitCode::from(exit::FAILED);
                }
            }
            (None, _) => {}
        }
    }
    let mut hints = Vec::new();
    if summary.results.iter().filter_map(|result| result.message.as_deref()).any(says_replaced) {
        hints.push("Tags were replaced; `--append` adds to those that are there.".to_owned());
    }
    if let Some(batch) = summary.batch.as_ref().filter(|_| summary.total > 1) {
        hints.push(format!("`metatag-genie undo --batch {batch}` takes all of it back."));
    }
    hints.push(summary.totals());
    answer(&hints.join("\n"), summary.success)
}

fn says_replaced(message: &str) -> bool {
    message.contains(words::REPLACED)
}

/// Set once somebody presses Ctrl-C. The second time ends the process at once, as usual: each file is whole at any time.
fn on_interrupt() -> Arc<AtomicBool> {
    let pressed = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&pressed);
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let Ok(runtime) = runtime else { return };
        let waited = runtime.block_on(async {
            tokio::signal::ctrl_c().await?;
            seen.store(true, Ordering::Release);
            tokio::signal::ctrl_c().await
        });
        if waited.is_ok() {
            #[allow(clippy::exit, reason = "the person insists")]
            std::process::exit(130);
        }
    });
    pressed
}
