//! How an AI app starts this program.

use connect::Entry;
use files::{ChosenBy, Home};

/// The program's name, by which its entries are known.
pub const PROGRAM: &str = "deskmate";

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
