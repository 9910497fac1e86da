//! `authy resolve`: a file with `<authy:NAME>` in it, with values instead.

use std::path::PathBuf;

use authy::PolicyName;
use authy::variables::{Piece, pieces};
use zeroize::Zeroizing;

use super::desk::{self, Desk};
use super::failure::Failure;
use super::{backup, get};

/// Print a file with values in place of `<authy:NAME>`
#[derive(clap::Args)]
#[command(after_help = "Examples:
  authy resolve config.tmpl -o config.json    a new file that only you can read

It shows values, so it needs the right to see them, as `authy get` does.")]
pub(super) struct Args {
    /// The file with placeholders
    file: PathBuf,
    /// Write to this new file instead of stdout
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Only secrets that this policy covers
    #[arg(long, value_name = "POLICY")]
    scope: Option<PolicyName>,
}

pub(super) fn run(desk: &Desk, args: &Args) -> Result<(), Failure> {
    let template = backup::read(&args.file)?;
    let template = std::str::from_utf8(&template).map_err(|_| Failure::NotText(args.file.clone()))?;
    let session = desk.session()?;
    let (mut text, mut count) = (Zeroizing::new(String::new()), 0_u32);
    for piece in pieces(template) {
        match piece {
            Piece::Text(piece) => push(&mut text, piece),
            Piece::Secret(name) => {
                if let Some(scope) = &args.scope {
                    get::check_scope(&session, scope, &name)?;
                }
                let consent = desk::consent(&session, &name, "showing it")?;
                let value = session.get(&name, consent)?;
                push(&mut text, value.as_text().map_err(authy::Error::from)?);
                count += 1;
            }
        }
    }
    match &args.output {
        Some(path) => {
            backup::write_new(path, text.as_bytes())?;
            desk.remark(&format!("put {count} values into `{}`", path.display()));
            Ok(())
        }
        None => desk::show(&text),
    }
}

/// Grows by copying into a new buffer and wiping the old one, which `String` alone would not do.
fn push(text: &mut Zeroizing<String>, more: &str) {
    if text.capacity() < text.len() + more.len() {
        let mut larger = Zeroizing::new(String::with_capacity(2 * (text.len() + more.len())));
        larger.push_str(text);
        *text = larger;
    }
    text.push_str(more);
}
