//! What to write, in the tools beside that of the contract: everything a photo person writes.

use mcp::Fail;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::model::{DateTaken, Detail, Details, Field, Mode, Modified, Wish};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(inline)]
pub(super) struct FullMetadata {
    /// Tags. `Places|France` is a path: the tag is `France`, and programs with trees of tags show it below `Places`. `[]`
    /// removes all tags.
    tags: Option<Vec<String>>,
    /// Names of the people shown, who become tags as well; `[]` removes them.
    people: Option<Vec<String>>,
    /// The description; as every text, `""` removes it.
    description: Option<String>,
    /// The place in words, such as `Eiffel Tower`.
    location: Option<String>,
    /// The title.
    title: Option<String>,
    /// The headline.
    headline: Option<String>,
    /// Names of those who made the picture; `[]` removes them.
    creator: Option<Vec<String>>,
    /// Who may use the picture, such as `© 2024 Ada Lovelace`.
    copyright: Option<String>,
    /// The city.
    city: Option<String>,
    /// The state or province.
    state: Option<String>,
    /// The country.
    country: Option<String>,
    /// Stars from 0 to 5; -1 for rejected.
    #[schemars(range(min = -1, max = 5))]
    rating: Option<i8>,
    /// The label, in most programs the name of a colour.
    label: Option<String>,
    /// When it was taken: `2024-05-01`, `2024-05-01T18:30:00` or, with the offset from UTC, `2024-05-01T18:30:00+02:00`.
    date_taken: Option<String>,
    /// Where it was taken: latitude and longitude in degrees, such as `48.8584, 2.2945`; south and west are negative.
    position: Option<String>,
}

impl FullMetadata {
    pub(super) fn into_wish(self, overwrite: bool, modified: Option<&str>) -> Result<Wish, Fail> {
        let mode = if overwrite { Mode::Overwrite } else { Mode::Append };
        let rating = self.rating.map(|rating| rating.to_string());
        let mut details = Details::new();
        for (field, text) in [
            (Field::Title, self.title),
            (Field::Headline, self.headline),
            (Field::Copyright, self.copyright),
            (Field::City, self.city),
            (Field::State, self.state),
            (Field::Country, self.country),
            (Field::Rating, rating),
            (Field::Label, self.label),
            (Field::DateTaken, self.date_taken),
            (Field::Position, self.position),
        ] {
            let Some(text) = text else { continue };
            let detail = Detail::parse(field, &text).map_err(|error| {
                Fail::arguments(format!("Argument `metadata.{field}`: {error}; got `{text}`"))
            })?;
            details.insert(field, detail);
        }
        if let Some(creators) = self.creator {
            let names = crate::model::keywords::unique(creators);
            let detail = if names.is_empty() { Detail::Removed } else { Detail::Texts(names) };
            details.insert(Field::Creator, detail);
        }
        let FullMetadata { tags, people, description, location, .. } = self;
        let modified = modified.map_or(Ok(Modified::Now), modification)?;
        Ok(Wish { tags, description, people, location, details, mode, modified })
    }
}

/// What the date of the file shall be.
fn modification(text: &str) -> Result<Modified, Fail> {
    if text == "keep" {
        return Ok(Modified::Kept);
    }
    let moment = text.parse::<DateTaken>().ok().and_then(|date| date.moment());
    moment.map(Modified::At).ok_or_else(|| {
        let message =
            format!("Argument `fileModified`: expected `keep` or `2024-05-01T18:30:00+02:00`, got `{text}`");
        Fail::arguments(message)
    })
}
