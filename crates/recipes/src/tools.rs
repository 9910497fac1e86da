//! The tools, in the order clients see them.

mod add_to_shopping_list;
mod check_shopping_items;
mod clear_shopping_list;
mod create_recipe;
mod delete_recipe;
mod export_recipe;
mod get_meal_plan;
mod get_recipe;
mod get_shopping_list;
mod import_recipe;
mod list_recipes;
mod mark_cooked;
mod plan_meals;
mod restore_recipe;
mod scale_recipe;
mod search_recipes;
mod set_recipe_photo;
mod share_recipe;
mod tag_recipe;
mod update_recipe;

use mcp::{Fail, Server};
use serde_json::json;

use crate::State;
use crate::error::Error;

/// Not found.
const NOT_FOUND: i32 = -32001;
/// Conflict.
const CONFLICT: i32 = -32002;

pub(crate) fn offer(server: Server<State>) -> Server<State> {
    server
        .tool(list_recipes::ListRecipes)
        .tool(search_recipes::SearchRecipes)
        .tool(get_recipe::GetRecipe)
        .tool(create_recipe::CreateRecipe)
        .tool(update_recipe::UpdateRecipe)
        .tool(delete_recipe::DeleteRecipe)
        .tool(restore_recipe::RestoreRecipe)
        .tool(import_recipe::ImportRecipe)
        .tool(export_recipe::ExportRecipe)
        .tool(scale_recipe::ScaleRecipe)
        .tool(tag_recipe::TagRecipe)
        .tool(set_recipe_photo::SetRecipePhoto)
        .tool(mark_cooked::MarkCooked)
        .tool(share_recipe::ShareRecipe)
        .tool(plan_meals::PlanMeals)
        .tool(get_meal_plan::GetMealPlan)
        .tool(get_shopping_list::GetShoppingList)
        .tool(add_to_shopping_list::AddToShoppingList)
        .tool(check_shopping_items::CheckShoppingItems)
        .tool(clear_shopping_list::ClearShoppingList)
}

impl From<Error> for Fail {
    fn from(error: Error) -> Fail {
        let message = error.to_string();
        match error {
            Error::NotFound { .. } => Fail::rpc(NOT_FOUND, message),
            Error::TitleTaken { existing, .. } => {
                Fail::rpc(CONFLICT, message).data(&json!({ "field": "title", "existing_id": existing }))
            }
            Error::Stale { current } => Fail::rpc(CONFLICT, message).data(&json!({ "version": current })),
            Error::Exists { .. } | Error::KeyReused => Fail::rpc(CONFLICT, message),
            Error::Invalid { field, .. } => Fail::arguments(message).data(&json!({ "field": field })),
            Error::Forbidden { .. } | Error::Unavailable { .. } | Error::Api(_) | Error::Unsupported(_) => {
                Fail::rpc(mcp::code::INTERNAL_ERROR, message)
            }
        }
    }
}
