//! The process that draws a page of a PDF: this program again, told so by an argument that nobody types.

use std::ffi::OsString;
use std::process::ExitCode;

use super::{PageDrawer, draw_page};

/// What the program is told to draw a page.
const DRAW: &str = "draw-pdf-page";

/// Who draws pages: this program, if it can.
pub fn this_program() -> Option<PageDrawer> {
    let program = std::env::current_exe().ok().filter(|_| cfg!(feature = "pdf"))?;
    Some(PageDrawer { program, arguments: vec![DRAW.into()] })
}

/// Draws a page if that is what the arguments ask for; the first one is the name of the program. For commands that serve
/// `zai-mcp-server`.
pub fn draw_if_asked(arguments: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let mut arguments = arguments.into_iter().skip(1);
    if arguments.next()? != DRAW || cfg!(not(feature = "pdf")) {
        return None;
    }
    let number = arguments.next()?.to_str()?.parse().ok()?;
    Some(draw_page(number))
}
