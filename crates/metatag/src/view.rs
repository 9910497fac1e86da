//! What the stores say, together and each for itself.

use crate::stores::Stores;

/// What the stores say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct View {
    /// Keywords of all stores, each once.
    pub keywords: Vec<String>,
    /// Names of the people shown.
    pub people: Vec<String>,
    /// The description.
    pub description: Option<String>,
    /// Where it is, in words.
    pub location: Option<String>,
}

/// Reads the stores.
pub fn view(stores: &Stores) -> View {
    View { description: stores.png_description.clone(), ..View::default() }
}
