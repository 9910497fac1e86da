//! `export_recipe`: a recipe for other programs.

use mcp::{About, Cx, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::State;
use crate::error::Error;
use crate::export;
use crate::id::RecipeId;

pub(crate) struct ExportRecipe;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The recipe's id, a UUID.
    recipe_id: RecipeId,
    /// `json-ld` (schema.org, the default) or `cooklang`.
    #[serde(default)]
    format: Format,
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Format {
    #[default]
    JsonLd,
    Cooklang,
}

impl Tool<State> for ExportRecipe {
    type In = Input;
    type Out = String;
    const ABOUT: About = About::new(
        "export_recipe",
        "Export a recipe",
        "Gives a recipe as schema.org JSON-LD or as Cooklang text, for other programs. To read a recipe yourself use \
         get_recipe.",
    )
    .read_only()
    .local();

    async fn call(&self, state: &State, _: &Cx, input: Input) -> Result<String, Stop> {
        let recipe = state.cookbook()?.recipe(input.recipe_id).await?;
        Ok(match input.format {
            Format::JsonLd => {
                serde_json::to_string_pretty(&export::json_ld(&recipe)).map_err(Error::unavailable)?
            }
            Format::Cooklang => export::cooklang(&recipe),
        })
    }
}
