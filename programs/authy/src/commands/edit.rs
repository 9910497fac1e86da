//! `authy edit`: a value in an editor.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};

use authy::{SecretName, SecretValue};
use serde::Serialize;
use zeroize::Zeroizing;

use super::backup;
use super::desk::{self, Desk};
use super::failure::Failure;
use crate::sys;

/// Change the value of a secret in your editor; the old one is kept
#[derive(clap::Args)]
#[command(after_help = "Examples:
  authy edit stripe-key

The editor is $VISUAL, else $EDITOR, else vi. The value is in a file in memory while it is
edited, which only you can read. Your editor may keep copies elsewhere: turn swap files and
backups off for it.")]
pub(super) struct Args {
    /// Which secret
    name: SecretName,
}

#[derive(Serialize)]
struct Answer<'a> {
    name: &'a SecretName,
    version: u32,
}

pub(super) fn run(desk: &Desk, args: &Args) -> Result<(), Failure> {
    let session = desk.session()?;
    let consent = desk::consent(&session, &args.name, "showing it")?;
    let before = session.get(&args.name, consent)?;
    before.as_text().map_err(authy::Error::from)?;
    let folder = Scratch::make()?;
    let file = folder.0.join("value");
    let mut text = Zeroizing::new(before.as_bytes().to_vec());
    // Editors want a line to end.
    text.push(b'\n');
    backup::write_new(&file, &text)?;
    let editor =
        ["VISUAL", "EDITOR"].into_iter().find_map(|name| desk::variable(name).filter(|it| !it.is_empty()));
    let named = editor.as_deref().map_or("the editor".into(), |editor| editor.to_string_lossy());
    let failed = |source| Failure::Run { command: named.clone().into_owned(), source };
    let mut command = sys::editor(editor.as_deref(), &file);
    for name in ["AUTHY_TOKEN", "AUTHY_TOKEN_FILE", "AUTHY_KEYFILE", "AUTHY_PASSPHRASE"] {
        command.env_remove(name);
    }
    let ended = wait_for(command).map_err(failed)?;
    if !ended.success() {
        return Err(failed(io::Error::other("it failed, and nothing was changed")));
    }
    let text = backup::read(&file)?;
    let value = SecretValue::new(text.strip_suffix(b"\n").unwrap_or(&text)).map_err(authy::Error::from)?;
    if value.as_bytes() == before.as_bytes() {
        desk.remark("nothing was changed");
        return Ok(());
    }
    let version = session.rotate(&args.name, &value)?;
    desk.answer(
        &format!("Rotated secret '{}' to version {version}", args.name),
        &Answer { name: &args.name, version },
    )
}

fn wait_for(editor: Command) -> io::Result<ExitStatus> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(sys::editing(editor))
}

/// A folder in memory that only this user can enter, gone with this.
struct Scratch(PathBuf);

impl Scratch {
    fn make() -> Result<Scratch, Failure> {
        let runtime = desk::variable("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_dir());
        let above = runtime.or_else(sys::in_memory).unwrap_or_else(std::env::temp_dir);
        let name = authy::generate::generate(authy::generate::Recipe::Hex { bytes: 8 })
            .map_err(Failure::Generate)?;
        let path = above.join(format!("authy-{}", String::from_utf8_lossy(&name)));
        files::make_private_folder(&path).map_err(|source| Failure::Write { path: path.clone(), source })?;
        Ok(Scratch(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Overwritten before it goes: where memory is swapped, a deleted file may stay.
        if let Ok(entries) = fs::read_dir(&self.0) {
            for entry in entries.flatten() {
                if let Ok(about) = entry.metadata() {
                    let length = usize::try_from(about.len()).unwrap_or_default();
                    let _ = fs::OpenOptions::new()
                        .write(true)
                        .open(entry.path())
                        .and_then(|mut file| std::io::Write::write_all(&mut file, &vec![0; length]));
                }
            }
        }
        let _ = fs::remove_dir_all(&self.0);
    }
}
