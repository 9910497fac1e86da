//! exiftool, writing the same fields to the same places.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::Result;
use crate::ways::{DESCRIPTION, LOCATION, PEOPLE, TAGS};

/// The options for a write, one a line.
pub(crate) fn options() -> Vec<String> {
    let mut options = vec!["-overwrite_original".to_owned(), "-codedcharacterset=utf8".to_owned()];
    for keyword in TAGS.iter().chain(&PEOPLE) {
        for tag in ["XMP-dc:Subject", "XMP-digiKam:TagsList", "IPTC:Keywords"] {
            options.push(format!("-{tag}={keyword}"));
        }
    }
    for person in PEOPLE {
        options.push(format!("-XMP-iptcExt:PersonInImage={person}"));
    }
    for tag in ["XMP-dc:Description", "IPTC:Caption-Abstract", "IFD0:ImageDescription"] {
        options.push(format!("-{tag}={DESCRIPTION}"));
    }
    for tag in ["XMP-iptcCore:Location", "IPTC:Sub-location"] {
        options.push(format!("-{tag}={LOCATION}"));
    }
    options
}

/// Starts it for one file, or for all files of a folder.
pub(crate) fn write(path: &Path) -> Result<()> {
    let done = Command::new("exiftool").args(options()).arg("-q").arg(path).output()?;
    if !done.status.success() {
        return Err(format!("exiftool: {}", String::from_utf8_lossy(&done.stderr)).into());
    }
    Ok(())
}

/// One process for many files.
pub(crate) struct StayOpen {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl StayOpen {
    pub(crate) fn start() -> Result<StayOpen> {
        let mut child = Command::new("exiftool")
            .args(["-stay_open", "True", "-@", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("exiftool does not start: {error}; install libimage-exiftool-perl"))?;
        let requests = child.stdin.take().ok_or("no pipe to exiftool")?;
        let answers = BufReader::new(child.stdout.take().ok_or("no pipe from exiftool")?);
        Ok(StayOpen { child, requests, answers })
    }

    pub(crate) fn write(&mut self, path: &Path) -> Result<()> {
        let lines = options().join("\n");
        self.requests.write_all(format!("{lines}\n{}\n-execute\n", path.display()).as_bytes())?;
        let (mut line, mut said) = (String::new(), String::new());
        while line.trim_end() != "{ready}" {
            said.push_str(&line);
            line.clear();
            if self.answers.read_line(&mut line)? == 0 {
                return Err("exiftool ended".into());
            }
        }
        if said.contains("1 image files updated") { Ok(()) } else { Err(format!("exiftool: {said}").into()) }
    }
}

impl Drop for StayOpen {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
