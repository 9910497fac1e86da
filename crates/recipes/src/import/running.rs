//! One import from its beginning to its end: what was read goes into the cookbook, with its pictures, or is only shown.

use std::sync::OnceLock;

use fetch::Client;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Image, Import, Imported, OnDuplicate, Outcome, fetch_page, fetch_picture, fetcher, read_text, save,
};
use crate::cookbook::Cookbook;
use crate::draft::Draft;
use crate::error::Error;
use crate::id::RecipeId;
use crate::photo::Picture;

/// How many recipes a preview shows in full.
const SHOWN: usize = 3;

/// How many remarks and problems an answer has.
const MOST_REMARKS: usize = 20;

/// The way to the web, made when the first page is imported.
#[derive(Default)]
pub struct Web(OnceLock<Result<Client, String>>);

impl Web {
    fn client(&self) -> Result<&Client, Error> {
        let made = self.0.get_or_init(|| fetcher().map_err(|error| error.to_string()));
        made.as_ref().map_err(|reason| Error::Api(reason.clone()))
    }

    /// The recipes of a page.
    pub async fn page(&self, url: &str) -> Result<Import, Error> {
        let fetched = fetch_page(self.client()?, url).await;
        let (text, source) = fetched.map_err(|error| Error::invalid("url", error))?;
        read_text(&text, Some(&source)).map_err(|error| Error::invalid("url", error))
    }
}

/// Whether anything is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// Nothing: it is only shown.
    Nothing,
    /// Everything; this says what becomes of titles that are taken.
    All(OnDuplicate),
}

impl Keep {
    /// From what a client says.
    pub fn asked(dry_run: bool, on_duplicate: OnDuplicate) -> Keep {
        if dry_run { Keep::Nothing } else { Keep::All(on_duplicate) }
    }
}

/// What an import did, or would do.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ImportReport")]
pub struct Report {
    /// The recipes that were found.
    pub recipes: Vec<Entry>,
    /// What could not be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// Whether this is only a preview.
    pub dry_run: bool,
}

/// A recipe that was found.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ImportEntry")]
pub struct Entry {
    /// What became of it; nothing in a preview.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Its id in the cookbook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<RecipeId>,
    /// Its title.
    pub title: String,
    /// The whole recipe, for the first few of a preview.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<Draft>,
    /// What was cut or left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

/// Puts everything that was read into the cookbook, or shows it.
pub async fn run(cookbook: &dyn Cookbook, web: &Web, found: Import, keep: Keep) -> Result<Report, Error> {
    let Import { recipes, mut problems } = found;
    problems.truncate(MOST_REMARKS);
    let mut entries = Vec::with_capacity(recipes.len());
    for recipe in recipes {
        entries.push(match keep {
            Keep::Nothing => preview(recipe, entries.len() < SHOWN),
            Keep::All(on_duplicate) => one(cookbook, web, recipe, on_duplicate).await?,
        });
    }
    Ok(Report { recipes: entries, problems, dry_run: keep == Keep::Nothing })
}

fn preview(recipe: Imported, shown: bool) -> Entry {
    let Imported { draft, remarks, .. } = recipe;
    let title = draft.title.to_string();
    Entry { outcome: None, id: None, title, preview: shown.then_some(draft), remarks }
}

async fn one(
    cookbook: &dyn Cookbook,
    web: &Web,
    recipe: Imported,
    on_duplicate: OnDuplicate,
) -> Result<Entry, Error> {
    let Imported { draft, picture, mut remarks } = recipe;
    let saved = save(cookbook, draft, on_duplicate).await?;
    if let (Some(id), Some(picture), true) = (saved.id, picture, saved.outcome != Outcome::Skipped) {
        // A recipe without its picture is still a recipe.
        let got = match picture {
            Image::Bytes(bytes) => Picture::new(bytes).map_err(|error| error.to_string()),
            Image::At(url) => fetch_picture(web.client()?, &url).await,
        };
        match got {
            Ok(picture) => drop(cookbook.set_photo(id, picture).await?),
            Err(reason) => remarks.push(format!("the picture was left out: {reason}")),
        }
    }
    remarks.truncate(MOST_REMARKS);
    Ok(Entry { outcome: Some(saved.outcome), id: saved.id, title: saved.title, preview: None, remarks })
}
