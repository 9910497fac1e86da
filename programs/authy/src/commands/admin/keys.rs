//! What keys mean.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A key, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    NextPage,
    PreviousPage,
    Up,
    Down,
    First,
    Last,
    Enter,
    Escape,
    Rub,
    Leave,
    /// Any other character. What it does depends on the page.
    Letter(char),
    Other,
}

pub(super) fn meaning(key: KeyEvent) -> Key {
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return if matches!(key.code, KeyCode::Char('c' | 'd')) { Key::Leave } else { Key::Other };
    }
    match key.code {
        KeyCode::Tab | KeyCode::Right => Key::NextPage,
        KeyCode::BackTab | KeyCode::Left => Key::PreviousPage,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Home => Key::First,
        KeyCode::End => Key::Last,
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Escape,
        KeyCode::Backspace => Key::Rub,
        KeyCode::Char(letter) => Key::Letter(letter),
        _ => Key::Other,
    }
}
