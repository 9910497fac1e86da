//! What to write, as options.

use metatag::model::{DateTaken, Detail, Details, Field, Mode, Modified, Wish};

/// At least one of the fields.
#[derive(clap::Args)]
pub(super) struct What {
    #[command(flatten)]
    fields: Fields,
    /// Add to what is there; without it, the given fields are replaced
    #[arg(long)]
    append: bool,
    /// Leave the date of the file as it is
    #[arg(long, conflicts_with = "file_date")]
    keep_file_date: bool,
    /// Set the date of the file, such as `2024-05-01T18:30:00+02:00`
    #[arg(long, value_name = "DATE", value_parser = file_date)]
    file_date: Option<Modified>,
}

#[derive(clap::Args)]
#[group(required = true, multiple = true)]
struct Fields {
    /// A tag; repeat it for more. `Places|France` is a path. `--tag ''` removes all tags
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// The description; as of every text, `''` removes it
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// The name of a person; repeat it for more. `--person ''` removes all of them
    #[arg(long = "person", value_name = "NAME")]
    people: Vec<String>,
    /// The place, in words
    #[arg(long, value_name = "TEXT")]
    location: Option<String>,
    /// The title
    #[arg(long, value_name = "TEXT", value_parser = |text: &str| detail(Field::Title, text))]
    title: Option<Detail>,
    /// The headline
    #[arg(long, value_name = "TEXT", value_parser = |text: &str| detail(Field::Headline, text))]
    headline: Option<Detail>,
    /// Who made the picture; several names with `;` between them
    #[arg(long, value_name = "NAMES", value_parser = |text: &str| detail(Field::Creator, text))]
    creator: Option<Detail>,
    /// Who may use the picture
    #[arg(long, value_name = "TEXT", value_parser = |text: &str| detail(Field::Copyright, text))]
    copyright: Option<Detail>,
    /// The city
    #[arg(long, value_name = "NAME", value_parser = |text: &str| detail(Field::City, text))]
    city: Option<Detail>,
    /// The state or province
    #[arg(long, value_name = "NAME", value_parser = |text: &str| detail(Field::State, text))]
    state: Option<Detail>,
    /// The country
    #[arg(long, value_name = "NAME", value_parser = |text: &str| detail(Field::Country, text))]
    country: Option<Detail>,
    /// Stars from 0 to 5, or -1 for rejected
    #[arg(long, value_name = "STARS", allow_hyphen_values = true, value_parser = |text: &str| detail(Field::Rating, text))]
    rating: Option<Detail>,
    /// The label, such as the name of a colour
    #[arg(long, value_name = "TEXT", value_parser = |text: &str| detail(Field::Label, text))]
    label: Option<Detail>,
    /// When it was taken, such as `2024-05-01T18:30:00+02:00`
    #[arg(long, value_name = "DATE", value_parser = |text: &str| detail(Field::DateTaken, text))]
    date: Option<Detail>,
    /// Where it was taken: latitude and longitude in degrees, such as `48.8584, 2.2945`
    #[arg(long, value_name = "DEGREES", allow_hyphen_values = true, value_parser = |text: &str| detail(Field::Position, text))]
    position: Option<Detail>,
}

fn detail(field: Field, text: &str) -> Result<Detail, String> {
    Detail::parse(field, text).map_err(|error| error.to_string())
}

fn file_date(text: &str) -> Result<Modified, String> {
    let date = text.parse::<DateTaken>().map_err(|error| error.to_string())?;
    date.moment().map(Modified::At).ok_or_else(|| "there is no such moment".to_owned())
}

impl From<What> for Wish {
    fn from(what: What) -> Wish {
        let given = |list: Vec<String>| Some(list).filter(|list| !list.is_empty());
        let mode = if what.append { Mode::Append } else { Mode::Overwrite };
        let modified = match what.file_date {
            Some(date) => date,
            None if what.keep_file_date => Modified::Kept,
            None => Modified::Now,
        };
        let fields = what.fields;
        let details: Details = [
            (Field::Title, fields.title),
            (Field::Headline, fields.headline),
            (Field::Creator, fields.creator),
            (Field::Copyright, fields.copyright),
            (Field::City, fields.city),
            (Field::State, fields.state),
            (Field::Country, fields.country),
            (Field::Rating, fields.rating),
            (Field::Label, fields.label),
            (Field::DateTaken, fields.date),
            (Field::Position, fields.position),
        ]
        .into_iter()
        .filter_map(|(field, detail)| Some((field, detail?)))
        .collect();
        Wish {
            tags: given(fields.tags),
            description: fields.description,
            people: given(fields.people),
            location: fields.location,
            details,
            mode,
            modified,
        }
    }
}
