//! Pages of PDF files.
//!
//! A PDF is a program rather than a picture: a small one can ask for any amount of time and memory. So a page is drawn in a
//! process of its own, which gets little of both, reads the file from its stdin and writes a PNG to its stdout. The program
//! is our own, started again; whoever puts the server together says how, with a [`PageDrawer`].

#[cfg(feature = "pdf")]
mod draw;
mod this_program;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::child::{Input, Run, RunError};
use crate::error::Error;

#[cfg(feature = "pdf")]
pub use draw::draw_page;
pub use this_program::{draw_if_asked, this_program};

/// Draws nothing: what does is the feature `pdf`.
#[cfg(not(feature = "pdf"))]
pub fn draw_page(_: u32) -> std::process::ExitCode {
    std::process::ExitCode::FAILURE
}

/// The longest time a page may take.
const TIME: Duration = Duration::from_secs(30);

/// The most bytes of a drawn page. One that is 2048 pixels wide and high and cannot be compressed has fewer.
const MOST_DRAWN: usize = 16 << 20;

/// The most of a file before its header; real ones begin with mail headers and other dirt.
const MOST_DIRT: usize = 1024;

/// The program that draws pages, as [`draw_page`] does. It gets the number of the page as its last argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageDrawer {
    /// Its path.
    pub program: PathBuf,
    /// What it has to be told to do this.
    pub arguments: Vec<OsString>,
}

/// A page as a picture.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) png: Bytes,
    pub(crate) number: u32,
    pub(crate) pages: usize,
}

/// Why a page cannot be seen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PdfError {
    /// Nothing here can draw pages.
    #[error(
        "it is a PDF, and this build cannot draw pages; build Deskmate with `--features pdf`, or save the page as a PNG"
    )]
    Unsupported,
    /// It is locked with a password.
    #[error("the PDF is locked with a password or in an unknown way; save it without one")]
    Locked,
    /// It cannot be read.
    #[error("the PDF is damaged; save it again, or save the page as a PNG")]
    Damaged,
    /// It has fewer pages.
    #[error("the PDF has {pages} {}, and `page` is {page}; choose one from 1 to {pages}", if *pages == 1 { "page" } else { "pages" })]
    NoSuchPage {
        /// Which page was wanted.
        page: u32,
        /// How many there are.
        pages: usize,
    },
    /// Drawing took more than it may.
    #[error("page {page} of the PDF cannot be drawn: {reason}; save the page as a PNG")]
    Drawing {
        /// Which page was wanted.
        page: u32,
        /// What happened.
        reason: DrawingError,
    },
}

/// Why a page was not drawn.
#[derive(Debug, thiserror::Error)]
pub enum DrawingError {
    /// The process did not end by itself.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The process ended in the middle of its work.
    #[error("it asks for more memory or time than a page gets, or for something unknown")]
    Broke,
}

/// What the process that draws says first, in a line of JSON. Behind [`Outcome::Drawn`] follows the PNG.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Drawn { pages: usize },
    NoSuchPage { pages: usize },
    Locked,
    Damaged,
}

/// Whether these bytes are a PDF.
pub(crate) fn is_pdf(bytes: &[u8]) -> bool {
    let beginning = &bytes[..bytes.len().min(MOST_DIRT)];
    picture::Kind::of(bytes).is_none() && beginning.windows(5).any(|window| window == b"%PDF-")
}

/// A page of a PDF as a picture.
pub(crate) async fn open(
    drawer: Option<&PageDrawer>,
    name: &str,
    file: &[u8],
    page: u32,
) -> Result<Page, Error> {
    let unusable = |reason| Error::Pdf { source_name: name.to_owned(), reason };
    let drawer = drawer.ok_or_else(|| unusable(PdfError::Unsupported))?;
    drawer.draw(file, page).await.map_err(unusable)
}

impl PageDrawer {
    async fn draw(&self, file: &[u8], page: u32) -> Result<Page, PdfError> {
        let mut arguments = self.arguments.clone();
        arguments.push(page.to_string().into());
        let run = Run {
            program: &self.program,
            arguments,
            input: Input::Bytes(file),
            output: MOST_DRAWN,
            time: TIME,
        };
        let failed = |reason| PdfError::Drawing { page, reason };
        let ended = run.finish().await.map_err(|error| failed(error.into()))?;
        let said = Bytes::from(ended.output);
        let end = said.iter().position(|byte| *byte == b'\n').unwrap_or(said.len());
        let outcome = serde_json::from_slice(&said[..end]).ok().filter(|_| ended.success);
        match outcome {
            Some(Outcome::Drawn { pages }) => {
                let png = said.slice((end + 1).min(said.len())..);
                Ok(Page { png, number: page, pages })
            }
            Some(Outcome::NoSuchPage { pages }) => Err(PdfError::NoSuchPage { page, pages }),
            Some(Outcome::Locked) => Err(PdfError::Locked),
            Some(Outcome::Damaged) => Err(PdfError::Damaged),
            None => Err(failed(DrawingError::Broke)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{DrawingError, PageDrawer, PdfError, is_pdf};

    /// What is made of a process that does this.
    async fn drawn_by(script: &str) -> Result<(Vec<u8>, usize), PdfError> {
        let drawer = PageDrawer { program: "/bin/sh".into(), arguments: vec!["-c".into(), script.into()] };
        drawer.draw(b"%PDF-1.7", 3).await.map(|page| (page.png.to_vec(), page.pages))
    }

    #[test]
    fn a_pdf_is_known_by_its_header_even_behind_dirt() {
        assert!(is_pdf(b"%PDF-1.7\n") && is_pdf(b"\xef\xbb\xbf\r\n%PDF-1.4"));
        assert!(!is_pdf(b"") && !is_pdf(b"%PDF") && !is_pdf(b"PDF-1.7"));
        assert!(!is_pdf(b"\x89PNG\r\n\x1a\n%PDF-1.7"), "a picture with such words in it");
    }

    #[tokio::test]
    async fn the_process_is_believed_only_if_it_ended_well() {
        let drawn = drawn_by("echo '{\"drawn\":{\"pages\":7}}'; printf PNG").await.expect("a page");
        assert_eq!(drawn, (b"PNG".to_vec(), 7));
        let empty = drawn_by("printf '{\"drawn\":{\"pages\":7}}'").await.expect("a page");
        assert_eq!(empty, (Vec::new(), 7), "what is no PNG is found out when it is read");
        for broken in ["echo '{\"drawn\":{\"pages\":7}}'; exit 1", "echo '\"gone\"'", "kill -9 $$", "true"] {
            let refused = drawn_by(broken).await.expect_err(broken);
            assert!(
                matches!(refused, PdfError::Drawing { page: 3, reason: DrawingError::Broke }),
                "{broken}: {refused}"
            );
        }
        let refused = drawn_by("echo '{\"no_such_page\":{\"pages\":1}}'").await.expect_err("no page");
        assert_eq!(refused.to_string(), "the PDF has 1 page, and `page` is 3; choose one from 1 to 1");
    }
}
