//! One import from its beginning to its end: what was read goes into the cookbook, with its pictures, or is only shown.

use std::sync::OnceLock;

use fetch::Client;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::task::JoinSet;

use super::{
    Image, Import, Imported, OnDuplicate, Outcome, Saved, fetch_page, fetch_picture, fetcher, read_text, save,
};
use crate::cookbook::Cookbook;
use crate::draft::Draft;
use crate::error::Error;
use crate::id::RecipeId;
use crate::photo::{Picture, Place};
use crate::title::Title;

/// How many recipes a preview shows in full.
const SHOWN: usize = 3;

/// How many recipes are kept before their pictures are fetched, all of them beside each other.
const AT_ONCE: usize = 8;

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
        // Reading takes long enough to need a thread of its own: anybody writes pages.
        let read = tokio::task::spawn_blocking(move || read_text(&text, Some(&source)));
        let read = read.await.map_err(|_| Error::unavailable("reading broke down; try again"))?;
        read.map_err(|error| Error::invalid("url", error))
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

/// Puts everything that was read into the cookbook, or shows it. A recipe that cannot be kept is no reason to leave out the
/// others: the report says what became of each.
pub async fn run(cookbook: &dyn Cookbook, web: &Web, found: Import, keep: Keep) -> Result<Report, Error> {
    let Import { recipes, mut problems } = found;
    problems.truncate(MOST_REMARKS);
    let mut entries = Vec::with_capacity(recipes.len());
    let mut recipes = recipes.into_iter();
    let mut gone: Option<String> = None;
    loop {
        let next: Vec<Imported> = recipes.by_ref().take(AT_ONCE).collect();
        if next.is_empty() {
            break;
        }
        let Keep::All(on_duplicate) = keep else {
            for recipe in next {
                let shown = entries.len() < SHOWN;
                entries.push(preview(recipe, shown));
            }
            continue;
        };
        if let Some(reason) = &gone {
            entries.extend(next.into_iter().map(|recipe| failed(&recipe.draft.title, reason)));
            continue;
        }
        let mut waiting = Vec::new();
        for Imported { draft, picture, mut remarks } in next {
            let title = draft.title.clone();
            let entry = if let Some(reason) = &gone {
                failed(&title, reason)
            } else {
                match save(cookbook, draft, on_duplicate).await {
                    Ok(saved) => {
                        if let (Some(id), Some(picture), true) =
                            (saved.id, picture, saved.outcome != Outcome::Skipped)
                        {
                            waiting.push((entries.len(), id, picture));
                        }
                        remarks.truncate(MOST_REMARKS);
                        let Saved { outcome, id, title } = saved;
                        Entry { outcome: Some(outcome), id, title, preview: None, remarks }
                    }
                    Err(error) => {
                        // Nothing was kept yet: then the error says it all.
                        if entries.is_empty()
                            && matches!(error, Error::Forbidden { .. } | Error::Unavailable { .. })
                        {
                            return Err(error);
                        }
                        let reason = error.to_string();
                        if matches!(
                            error,
                            Error::Unavailable { .. } | Error::Api(_) | Error::Forbidden { .. }
                        ) {
                            gone = Some(reason.clone());
                        }
                        failed(&title, &reason)
                    }
                }
            };
            entries.push(entry);
        }
        for (at, reason) in add_pictures(cookbook, web, waiting).await {
            if let Some(entry) = entries.get_mut(at) {
                entry.remarks.push(format!("the picture was left out: {reason}"));
            }
        }
    }
    Ok(Report { recipes: entries, problems, dry_run: keep == Keep::Nothing })
}

/// A recipe that is not in the cookbook, and why.
fn failed(title: &Title, reason: &str) -> Entry {
    let remarks = vec![reason.to_owned()];
    Entry { outcome: Some(Outcome::Failed), id: None, title: title.to_string(), preview: None, remarks }
}

/// Gives recipes their pictures, which are fetched beside each other. A recipe without its picture is still a recipe: what
/// is wrong with one is said.
async fn add_pictures(
    cookbook: &dyn Cookbook,
    web: &Web,
    waiting: Vec<(usize, RecipeId, Image)>,
) -> Vec<(usize, String)> {
    let mut fetching = JoinSet::new();
    for (at, id, picture) in waiting {
        let client = web.client().cloned();
        fetching.spawn(async move {
            let got = match (picture, client) {
                (Image::Bytes(bytes), _) => Picture::prepared(bytes).await.map_err(|error| error.to_string()),
                (Image::At(url), Ok(client)) => fetch_picture(&client, &url).await,
                (Image::At(_), Err(error)) => Err(error.to_string()),
            };
            (at, id, got)
        });
    }
    let mut left_out = Vec::new();
    while let Some(done) = fetching.join_next().await {
        let Ok((at, id, got)) = done else { continue };
        let kept = match got {
            Ok(picture) => {
                let kept = cookbook.add_photo(id, picture, Place::Cover).await;
                kept.map(drop).map_err(|error| error.to_string())
            }
            Err(reason) => Err(reason),
        };
        left_out.extend(kept.err().map(|reason| (at, reason)));
    }
    left_out
}

fn preview(recipe: Imported, shown: bool) -> Entry {
    let Imported { draft, remarks, .. } = recipe;
    let title = draft.title.to_string();
    Entry { outcome: None, id: None, title, preview: shown.then_some(draft), remarks }
}
