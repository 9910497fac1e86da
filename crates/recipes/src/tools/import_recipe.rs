//! `import_recipe`: recipes from a page, a text or a file of another program.

use std::path::Path;

use mcp::{About, Cx, Json, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::State;
use crate::draft::Draft;
use crate::error::Error;
use crate::id::RecipeId;
use crate::import::{self, Image, Import, Imported, MOST_FILE, OnDuplicate, Outcome};
use crate::photo::Picture;
use crate::text::Text;

/// How many recipes a preview shows in full.
const SHOWN: usize = 3;

/// How many remarks and problems an answer has.
const MOST_REMARKS: usize = 20;

pub(crate) struct ImportRecipe;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The address of a page with a recipe.
    #[serde(default)]
    url: Option<Text<1, 2_000>>,
    /// The HTML of such a page, schema.org JSON-LD, or a recipe in Cooklang.
    #[serde(default)]
    text: Option<Text<1, 10_000_000>>,
    /// The absolute path of a file: an export of Paprika, Mealie or Nextcloud Cookbook, a page, JSON-LD or Cooklang.
    #[serde(default)]
    file_path: Option<Text<1, 4_096>>,
    /// What to do with a recipe whose title is taken: `skip` (the default) leaves it out, `rename` keeps it as "title (2)",
    /// `replace` puts it in place of the one that is there.
    #[serde(default)]
    on_duplicate: OnDuplicate,
    /// Only shows what would be imported.
    #[serde(default)]
    dry_run: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Answer {
    /// The recipes that were found.
    recipes: Vec<Entry>,
    /// What could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<String>,
    /// Whether this is only a preview.
    dry_run: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Entry {
    /// What became of it; nothing in a preview.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Outcome>,
    /// Its id in the cookbook.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<RecipeId>,
    /// Its title.
    title: String,
    /// The whole recipe, for the first few of a preview.
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<Draft>,
    /// What was cut or left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    remarks: Vec<String>,
}

impl Tool<State> for ImportRecipe {
    type In = Input;
    type Out = Json<Answer>;
    const ABOUT: About = About::new(
        "import_recipe",
        "Import a recipe",
        "Reads recipes from a web page (`url`), from text (`text`: HTML, schema.org JSON-LD or Cooklang) or from a file \
         (`file_path`: Paprika, Mealie, Nextcloud Cookbook, Cooklang) and adds them to the cookbook. Give one of the three. \
         With `dry_run` it only shows what it found. Use it instead of create_recipe when the recipe is somewhere already.",
    )
    .additive();
    const RUN: Run = Run::Blocking;

    async fn call(&self, state: &State, cx: &Cx, input: Input) -> Result<Json<Answer>, Stop> {
        let Input { url, text, file_path, on_duplicate, dry_run } = input;
        let found = match (url, text, file_path) {
            (Some(url), None, None) => page(state, url.as_str()).await?,
            (None, Some(text), None) => {
                import::read_text(text.as_str(), None).map_err(|error| Error::invalid("text", error))?
            }
            (None, None, Some(path)) => file(state, cx, path.as_str())?,
            _ => return Err(Error::invalid("url", "give one of `url`, `text` and `file_path`").into()),
        };
        let Import { recipes, mut problems } = found;
        problems.truncate(MOST_REMARKS);
        let mut entries = Vec::with_capacity(recipes.len());
        for recipe in recipes {
            entries.push(if dry_run {
                preview(recipe, entries.len() < SHOWN)
            } else {
                save(state, recipe, on_duplicate).await?
            });
        }
        Ok(Json(Answer { recipes: entries, problems, dry_run }))
    }
}

async fn page(state: &State, url: &str) -> Result<Import, Error> {
    let fetched = import::fetch_page(state.fetcher()?, url).await;
    let (text, source) = fetched.map_err(|error| Error::invalid("url", error))?;
    import::read_text(&text, Some(&source)).map_err(|error| Error::invalid("url", error))
}

fn file(state: &State, cx: &Cx, path: &str) -> Result<Import, Error> {
    let roots = if cx.caller().remote { &state.remote } else { &state.local };
    let wrong = |reason: &dyn std::fmt::Display| Error::invalid("file_path", reason);
    let place = roots.resolve(Path::new(path)).map_err(|error| wrong(&error))?;
    let file = place.read(MOST_FILE as u64).map_err(|error| wrong(&error))?;
    import::read_file(path, file.bytes()).map_err(|error| wrong(&error))
}

fn preview(recipe: Imported, shown: bool) -> Entry {
    let Imported { draft, remarks, .. } = recipe;
    let title = draft.title.to_string();
    Entry { outcome: None, id: None, title, preview: shown.then_some(draft), remarks }
}

async fn save(state: &State, recipe: Imported, on_duplicate: OnDuplicate) -> Result<Entry, Error> {
    let Imported { draft, picture, mut remarks } = recipe;
    let cookbook = state.cookbook()?;
    let saved = import::save(cookbook, draft, on_duplicate).await?;
    if let (Some(id), Some(picture), true) = (saved.id, picture, saved.outcome != Outcome::Skipped) {
        // A recipe without its picture is still a recipe.
        let got = match picture {
            Image::Bytes(bytes) => Picture::new(bytes).map_err(|error| error.to_string()),
            Image::At(url) => import::fetch_picture(state.fetcher()?, &url).await,
        };
        match got {
            Ok(picture) => drop(cookbook.set_photo(id, picture).await?),
            Err(reason) => remarks.push(format!("the picture was left out: {reason}")),
        }
    }
    remarks.truncate(MOST_REMARKS);
    Ok(Entry { outcome: Some(saved.outcome), id: saved.id, title: saved.title, preview: None, remarks })
}
