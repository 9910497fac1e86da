//! `authy admin`: the vault in a terminal UI.

mod board;
mod form;
mod keys;
mod rows;
mod sheet;
mod view;

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use ratatui::crossterm::event::{self, Event, KeyEventKind};

use super::desk::Desk;
use super::failure::Failure;
use board::{Board, Flow};

/// How long a value stays on the screen when nobody presses a key.
const SHOWN_FOR: Duration = Duration::from_secs(15);

/// Manage the vault in a terminal UI
#[derive(clap::Args)]
#[command(after_help = "Examples:
  authy admin

Secrets, policies, grants, the audit log and approvals, each on a page of its own. The keys are
at the bottom; `c` makes a new secret, policy or grant. A value is shown when you press Enter on
it, and hidden by the next key or after 15 seconds.")]
pub(super) struct Args {}

pub(super) fn run(desk: &Desk, _: &Args) -> Result<(), Failure> {
    if !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
        return Err(Failure::Usage("`authy admin` needs a terminal; the other commands do not"));
    }
    let mut board = Board::open(desk.session()?.with_actor("authy admin"))?;
    let mut terminal = ratatui::try_init()?;
    let ended = converse(&mut terminal, &mut board);
    ratatui::try_restore()?;
    Ok(ended?)
}

/// Draws and listens until the person has enough.
fn converse(terminal: &mut ratatui::DefaultTerminal, board: &mut Board) -> io::Result<()> {
    let mut last_key = Instant::now();
    loop {
        terminal.draw(|frame| view::draw(frame, board))?;
        if !event::poll(Duration::from_secs(1))? {
            if last_key.elapsed() >= SHOWN_FOR {
                board.hide();
            }
            continue;
        }
        if let Event::Key(key) = event::read()?
            && key.kind != KeyEventKind::Release
        {
            last_key = Instant::now();
            if board.press(keys::meaning(key)) == Flow::Leave {
                return Ok(());
            }
        }
    }
}
