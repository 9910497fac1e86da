//! `import_recipe`: recipes from a page, a text or a file of another program.

use std::path::Path;

use mcp::{About, Cx, Json, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::Semaphore;

use crate::State;
use crate::error::Error;
use crate::import::{self, Import, Keep, MOST_FILE, OnDuplicate, Report};
use crate::text::Text;

pub(crate) struct ImportRecipe;

/// How many imports are read at once: reading takes many times the memory of a text.
static TURNS: Semaphore = Semaphore::const_new(2);

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The address of a page with a recipe.
    #[serde(default)]
    url: Option<Text<1, 2_000>>,
    /// HTML, schema.org JSON-LD or Cooklang.
    #[serde(default)]
    text: Option<Text<1, 10_000_000>>,
    /// Absolute path of a file from Paprika, Mealie or Nextcloud Cookbook, or such text.
    #[serde(default)]
    file_path: Option<Text<1, 4_096>>,
    /// If the title is taken: leave it out, keep it as "title (2)", or replace the old one.
    #[serde(default)]
    on_duplicate: OnDuplicate,
    /// Only shows what would be imported.
    #[serde(default)]
    dry_run: bool,
}

impl Tool<State> for ImportRecipe {
    type In = Input;
    type Out = Json<Report>;
    const ABOUT: About = About::new(
        "import_recipe",
        "Import a recipe",
        "Adds recipes from a web page, from text or from a file: give one of `url`, `text` and `file_path`. Use it instead \
         of create_recipe when the recipe is written somewhere already.",
    )
    .additive()
    .core();
    const RUN: Run = Run::Blocking;

    async fn call(&self, state: &State, cx: &Cx, input: Input) -> Result<Json<Report>, Stop> {
        let Input { url, text, file_path, on_duplicate, dry_run } = input;
        // Nothing is fetched or read for somebody who may not keep it.
        state.cookbook()?.may_write().await?;
        let _turn = TURNS.acquire().await.map_err(Error::unavailable)?;
        let found = match (url, text, file_path) {
            (Some(url), None, None) => state.web.page(url.as_str()).await?,
            (None, Some(text), None) => {
                import::read_text(text.as_str(), None).map_err(|error| Error::invalid("text", error))?
            }
            (None, None, Some(path)) => file(state, cx, path.as_str())?,
            _ => return Err(Error::invalid("url", "give one of `url`, `text` and `file_path`").into()),
        };
        let keep = Keep::asked(dry_run, on_duplicate);
        Ok(Json(import::run(state.cookbook()?, &state.web, found, keep).await?))
    }
}

fn file(state: &State, cx: &Cx, path: &str) -> Result<Import, Error> {
    let roots = if cx.caller().remote { &state.remote } else { &state.local };
    let wrong = |reason: &dyn std::fmt::Display| Error::invalid("file_path", reason);
    let place = roots.resolve(Path::new(path)).map_err(|error| wrong(&error))?;
    let file = place.read(MOST_FILE as u64).map_err(|error| wrong(&error))?;
    import::read_file(path, file.bytes()).map_err(|error| wrong(&error))
}
