//! A command whose output passes through us, with values replaced by their names.

use std::io::{self, Read, Write};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::sync::Arc;
use std::thread;

use authy::scrub::{Patterns, Scrubber, Secret};

use super::super::failure::Failure;
use super::Values;
use crate::sys;

pub(super) fn run(mut command: Command, values: &Values) -> Result<ExitCode, Failure> {
    let secrets =
        values.values().map(|(name, value)| Secret { name: name.as_str(), value: value.as_bytes() });
    let patterns = Arc::new(Patterns::new(secrets));
    if let Some(name) = patterns.too_short().first() {
        return Err(Failure::TooShortToScrub(name.clone()));
    }
    let failed = |program: &Command, source| Failure::Run {
        command: program.get_program().to_string_lossy().into_owned(),
        source,
    };
    let spawned = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = spawned.map_err(|source| failed(&command, source))?;
    let (out, errors) = (child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        scope.spawn(|| out.map(|out| pass_on(out, io::stdout(), &patterns)));
        scope.spawn(|| errors.map(|errors| pass_on(errors, io::stderr(), &patterns)));
    });
    let status = child.wait().map_err(|source| failed(&command, source))?;
    Ok(ExitCode::from(code(status)))
}

/// Copies until the end. When nobody reads any more, the command learns it by its closed pipe.
fn pass_on(mut from: impl Read, mut to: impl Write, patterns: &Arc<Patterns>) -> io::Result<()> {
    let mut scrubber = Scrubber::new(Arc::clone(patterns));
    let (mut chunk, mut clean) = ([0; 8192], Vec::new());
    loop {
        let length = match from.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        scrubber.push(chunk.get(..length).unwrap_or_default(), &mut clean);
        to.write_all(&clean)?;
        to.flush()?;
        clean.clear();
    }
    scrubber.finish(&mut clean);
    to.write_all(&clean)?;
    to.flush()
}

/// As a shell tells it: the command's own, or 128 and the signal that ended it.
fn code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| sys::signal_of(status).map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}
