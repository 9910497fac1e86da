//! How an AI app starts this program.

use connect::Entry;
use files::{ChosenBy, Home};

/// The program's name, by which its entries are known.
pub const PROGRAM: &str = "deskmate";

/// The longest name an app takes.
const MOST_LETTERS: usize = 64;

/// A name for an entry, as every app takes it. For the command line.
pub fn name(text: &str) -> Result<String, String> {
    let is_taken = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if (1..=MOST_LETTERS).contains(&text.len()) && text.bytes().all(is_taken) {
        Ok(text.to_owned())
    } else {
        Err(format!("use 1 to {MOST_LETTERS} letters, digits, `-` and `_`; some apps take nothing else"))
    }
}

/// The entry that starts this very program with these arguments, under a name of the app's choosing.
pub fn of_this_program(name: &str, arguments: Vec<String>) -> std::io::Result<Entry> {
    let program = std::env::current_exe()?;
    // An app does not have our environment: a state folder in an unusual place has to be named.
    let home = Home::from_environment(|name| std::env::var_os(name)).ok();
    let unusual = home.filter(|home| home.chosen_by() != ChosenBy::UserHome);
    let variables = unusual
        .map(|home| ("DESKMATE_HOME".to_owned(), home.path().display().to_string()))
        .into_iter()
        .collect();
    Ok(Entry { name: name.to_owned(), command: program.display().to_string(), arguments, variables })
}
