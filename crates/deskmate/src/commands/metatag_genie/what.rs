//! What to write, as options.

use metatag::model::{Mode, Wish};

/// At least one of the fields.
#[derive(clap::Args)]
pub(super) struct What {
    #[command(flatten)]
    fields: Fields,
    /// Add to what is there; without it, the given fields are replaced
    #[arg(long)]
    append: bool,
}

#[derive(clap::Args)]
#[group(required = true, multiple = true)]
struct Fields {
    /// A tag; repeat it for more. `--tag ''` removes all of them
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// The description; `''` removes it
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// The name of a person; repeat it for more. `--person ''` removes all of them
    #[arg(long = "person", value_name = "NAME")]
    people: Vec<String>,
    /// The place, in words; `''` removes it
    #[arg(long, value_name = "TEXT")]
    location: Option<String>,
}

impl From<What> for Wish {
    fn from(what: What) -> Wish {
        let given = |list: Vec<String>| Some(list).filter(|list| !list.is_empty());
        let Fields { tags, description, people, location } = what.fields;
        let mode = if what.append { Mode::Append } else { Mode::Overwrite };
        Wish { tags: given(tags), description, people: given(people), location, mode }
    }
}
