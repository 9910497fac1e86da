//! Recipes from elsewhere: pages, files of other programs, text.
//!
//! Everything becomes [`Draft`]s, so what comes in obeys the same limits as what people write. What does not fit is cut, and
//! said. Every reader is bounded: in bytes, in recipes, in depth.

mod amount;
pub(crate) mod bounded;
mod cooklang;
mod duration;
mod fetching;
mod fitting;
mod html;
mod json_ld;
mod line;
mod mealie;
mod microdata;
mod nextcloud;
mod paprika;
mod plain;
mod running;
mod saving;

use bytes::Bytes;

use crate::draft::Draft;
use crate::ingredient::Ingredient;
use crate::step::Step;

pub use fetching::{fetch_page, fetch_picture, fetcher};
pub use line::read as read_ingredient;
pub use plain::read_step;
pub use running::{Entry, Keep, Report, Web, run};
pub use saving::{OnDuplicate, Outcome, Saved, save};

/// The most bytes of a page or a text.
pub const MOST_TEXT: usize = 10 * 1024 * 1024;

/// The most bytes of a file.
pub const MOST_FILE: usize = 512 * 1024 * 1024;

/// The most recipes of one import.
const MOST_RECIPES: usize = 10_000;

/// The most memory that what was read may take: it stays while somebody looks at it. A small file may not become much more
/// than it is; pictures do not get smaller in an archive, and texts not by much.
const MOST_WEIGHT: usize = 256 * 1024 * 1024;
const ALWAYS: usize = 32 * 1024 * 1024;
const TIMES: usize = 4;

fn most_weight(file: usize) -> usize {
    file.saturating_mul(TIMES).saturating_add(ALWAYS).min(MOST_WEIGHT)
}

/// The most problems that are told.
const MOST_PROBLEMS: usize = 100;

/// A recipe that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// The recipe.
    pub draft: Draft,
    /// Its picture.
    pub picture: Option<Image>,
    /// What was left out or cut, for people.
    pub remarks: Vec<String>,
}

/// Where the picture of a recipe is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Image {
    /// On the web.
    At(String),
    /// Here.
    Bytes(Bytes),
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Import {
    /// The recipes.
    pub recipes: Vec<Imported>,
    /// Entries that are no recipe, and why.
    pub problems: Vec<String>,
}

/// Why nothing can be imported.
#[derive(Debug, thiserror::Error)]
pub enum NoImport {
    /// There is no recipe in it.
    #[error(
        "no recipe was found; it must be a page with schema.org data, such data itself, a recipe as text with ingredients and \
         method, or a file of Paprika, Mealie, Nextcloud Cookbook or Recipe Vault"
    )]
    Nothing,
    /// Too large.
    #[error("it has more than {0} bytes; import it in parts")]
    TooLarge(usize),
    /// It unpacks to too much.
    #[error("it unpacks to more than {0} bytes, which no cookbook does; nothing was imported")]
    Bomb(u64),
    /// It has too many recipes.
    #[error("it has more than {MOST_RECIPES} recipes; import it in parts")]
    TooMany,
    /// One JSON text has too many values.
    #[error("its data has more than {} values; import it in parts", bounded::MOST_VALUES)]
    Values,
    /// It is damaged.
    #[error("the file is damaged: {0}; export it again")]
    Damaged(String),
}

/// Reads text: HTML with schema.org data, such data as JSON, a recipe of Mealie or Nextcloud as JSON, or Cooklang.
/// `source` is where the text came from.
pub fn read_text(text: &str, source: Option<&str>) -> Result<Import, NoImport> {
    if text.len() > MOST_TEXT {
        return Err(NoImport::TooLarge(MOST_TEXT));
    }
    let start = text.trim_start_matches('\u{feff}').trim_start();
    let mut found = if start.starts_with(['{', '[']) {
        let value = bounded::json(start.as_bytes())?;
        mealie::one(&value).map_or_else(|| json_ld::read(&value), Import::of_one)
    } else if start.starts_with('<') || html::looks_like(start) {
        html::read(start)
    } else {
        // Cooklang marks its ingredients, with braces where it says how much. What has none of these is as people write it,
        // and an `@` in it is an address, unless nothing else can be made of it.
        let marked = || cooklang::read(start, None);
        let read = if start.contains('{') || start.contains(">>") {
            marked().or_else(|| plain::read(start))
        } else {
            plain::read(start).or_else(|| if start.contains('@') { marked() } else { None })
        };
        read.map_or_else(Import::default, Import::of_one)
    };
    if found.recipes.len() > MOST_RECIPES {
        return Err(NoImport::TooMany);
    }
    if found.recipes.is_empty() {
        return Err(NoImport::Nothing);
    }
    if found.weight() > MOST_WEIGHT {
        return Err(NoImport::TooLarge(MOST_WEIGHT));
    }
    for recipe in &mut found.recipes {
        if recipe.draft.source_url.is_none() {
            recipe.draft.source_url = source.and_then(|url| crate::text::Text::new(url).ok());
        }
    }
    Ok(found)
}

/// Reads a file: an archive of Paprika, Mealie or Nextcloud Cookbook, or text. `name` is what it is called.
pub fn read_file(name: &str, bytes: &[u8]) -> Result<Import, NoImport> {
    if bytes.len() > MOST_FILE {
        return Err(NoImport::TooLarge(MOST_FILE));
    }
    let found = match bytes {
        [b'P', b'K', 3 | 5, ..] => read_archive(bytes)?,
        [0x1f, 0x8b, ..] => paprika::one(bytes).map(Import::of_one)?,
        _ => {
            let text = String::from_utf8_lossy(bytes);
            let title = name.rsplit('/').next().and_then(|name| name.strip_suffix(".cook"));
            match title {
                Some(title) => {
                    cooklang::read(&text, Some(title)).map_or_else(Import::default, Import::of_one)
                }
                None => return read_text(&text, None),
            }
        }
    };
    match found.recipes.len() {
        0 => Err(NoImport::Nothing),
        count if count > MOST_RECIPES => Err(NoImport::TooMany),
        _ => Ok(found),
    }
}

/// Every entry of an archive is read by what it is, so a folder of somebody's own making works as well.
fn read_archive(bytes: &[u8]) -> Result<Import, NoImport> {
    let mut found = Import::default();
    let mut folders = nextcloud::Folders::default();
    let (mut weighed, mut weight, most) = (0, 0, most_weight(bytes.len()));
    bounded::each_entry(bytes, |name, bytes| {
        let file = name.rsplit('/').next().unwrap_or(name);
        let kind = file.rsplit_once('.').map(|(_, kind)| kind.to_lowercase()).unwrap_or_default();
        if kind == "paprikarecipe" {
            found.add(name, paprika::one(&bytes));
        } else if kind == "cook" {
            let title = file.get(..file.len().saturating_sub(5)).unwrap_or(file);
            let text = String::from_utf8_lossy(&bytes);
            found.add(name, cooklang::read(&text, Some(title)).ok_or(NoImport::Nothing));
        } else if kind == "json" {
            match bounded::json(&bytes) {
                Ok(value) => {
                    if let Some(all) = mealie::database(&value) {
                        found.recipes.extend(all);
                    } else if let Some(one) = mealie::one(&value) {
                        found.recipes.push(one);
                    } else {
                        let recipes = json_ld::read(&value).recipes;
                        folders.remember(name, found.recipes.len(), recipes.len());
                        found.recipes.extend(recipes);
                    }
                }
                Err(error) => found.problems.push(format!("`{name}`: {error}")),
            }
        } else {
            weight += folders.offer(name, bytes);
        }
        weight += found.recipes.iter().skip(weighed).map(Imported::weight).sum::<usize>();
        weighed = found.recipes.len();
        found.problems.truncate(MOST_PROBLEMS);
        if weighed > MOST_RECIPES {
            return Err(NoImport::TooMany);
        }
        if weight > most { Err(NoImport::TooLarge(most)) } else { Ok(()) }
    })?;
    folders.attach(&mut found.recipes);
    Ok(found)
}

impl Imported {
    /// Roughly how much memory it takes.
    pub(crate) fn weight(&self) -> usize {
        let text = |text: &Option<usize>| text.unwrap_or_default();
        let Imported { draft, picture, remarks } = self;
        let ingredients = draft.ingredients.as_deref().unwrap_or_default();
        let steps = draft.steps.as_deref().unwrap_or_default();
        let lines = ingredients.iter().map(|line| {
            size_of::<Ingredient>()
                + line.name.as_str().len()
                + text(&line.unit.as_ref().map(|unit| unit.as_str().len()))
                + text(&line.notes.as_ref().map(|notes| notes.as_str().len()))
                + text(&line.original_text.as_ref().map(|original| original.as_str().len()))
        });
        let steps = steps.iter().map(|step| size_of::<Step>() + step.instruction.as_str().len());
        let texts = [
            draft.description.as_ref().map(|description| description.as_str().len()),
            draft.notes.as_ref().map(|notes| notes.as_str().len()),
            draft.nutrition.as_ref().map(|nutrition| nutrition.as_str().len()),
        ];
        let picture = match picture {
            Some(Image::Bytes(bytes)) => bytes.len(),
            Some(Image::At(url)) => url.len(),
            None => 0,
        };
        size_of::<Imported>()
            + draft.title.as_str().len()
            + texts.iter().map(text).sum::<usize>()
            + lines.sum::<usize>()
            + steps.sum::<usize>()
            + remarks.iter().map(|remark| remark.len() + size_of::<String>()).sum::<usize>()
            + picture
    }
}

impl Import {
    /// Roughly how much memory it takes.
    pub(crate) fn weight(&self) -> usize {
        self.recipes.iter().map(Imported::weight).sum()
    }

    fn of_one(recipe: Imported) -> Import {
        Import { recipes: vec![recipe], problems: Vec::new() }
    }

    fn add(&mut self, name: &str, read: Result<Imported, NoImport>) {
        match read {
            Ok(recipe) => self.recipes.push(recipe),
            Err(error) => self.problems.push(format!("`{name}`: {error}")),
        }
    }
}
