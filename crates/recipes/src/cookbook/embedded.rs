//! The store itself, for one person or for whoever owns the database.

use std::sync::Arc;

use tokio::sync::Mutex;

use crate::auth::{self, Scope};
use crate::card::Trashed;
use crate::draft::{Changes, Draft, OnceKey};
use crate::email::Email;
use crate::error::Error;
use crate::family::Role;
use crate::id::{MealId, RecipeId};
use crate::listing::{ListQuery, Listing};
use crate::photo::{Picture, Place};
use crate::plan::{Days, Meal, NewMeal, Shopped, ToShop};
use crate::recipe::Recipe;
use crate::search::{Hits, SearchQuery};
use crate::secret::Secret;
use crate::share::NewShare;
use crate::shopping::{ListChange, ListName, ShoppingList};
use crate::store::{Answer, Store};
use crate::tag::Tag;
use crate::time::{Day, Time};

use super::{Cookbook, Link};

/// A cookbook in a store of this process.
pub struct Embedded {
    store: Arc<dyn Store>,
    whose: Whose,
    /// Somebody who comes for the first time gets a family once, however many calls come at once.
    arriving: Mutex<()>,
}

/// Who uses it.
enum Whose {
    /// This person, or whoever may open the database. Looked up for every call: people come to families and leave them
    /// while we run.
    Local(Option<Email>),
    /// Somebody the API or the pages know.
    Known(Scope),
}

impl Embedded {
    /// With the family of this person in reach, or every family.
    pub fn new(store: Arc<dyn Store>, person: Option<Email>) -> Embedded {
        Embedded { store, whose: Whose::Local(person), arriving: Mutex::new(()) }
    }

    /// With what this scope reaches.
    pub fn within(store: Arc<dyn Store>, scope: Scope) -> Embedded {
        Embedded { store, whose: Whose::Known(scope), arriving: Mutex::new(()) }
    }

    /// Somebody with an address is looked up, and may come for the first time, for a read too.
    async fn scope_to_read(&self) -> Result<Scope, Error> {
        match &self.whose {
            Whose::Local(None) => Ok(auth::local_to_read()),
            Whose::Local(Some(_)) | Whose::Known(_) => self.scope().await,
        }
    }

    async fn scope(&self) -> Result<Scope, Error> {
        match &self.whose {
            Whose::Known(scope) => Ok(scope.clone()),
            Whose::Local(person) => {
                let _arriving = self.arriving.lock().await;
                auth::local(&*self.store, person.as_ref()).await
            }
        }
    }
}

impl Cookbook for Embedded {
    fn list(&self, query: ListQuery) -> Answer<'_, Listing> {
        Box::pin(async move { self.store.list_recipes(&self.scope_to_read().await?, query).await })
    }

    fn recipe(&self, id: RecipeId) -> Answer<'_, Recipe> {
        Box::pin(async move { self.store.recipe(&self.scope_to_read().await?, id).await })
    }

    fn create(&self, draft: Draft, once: OnceKey) -> Answer<'_, Recipe> {
        Box::pin(async move { self.store.create_recipe(&self.scope().await?, draft, Some(once)).await })
    }

    fn update(&self, id: RecipeId, changes: Changes) -> Answer<'_, Recipe> {
        Box::pin(async move { self.store.update_recipe(&self.scope().await?, id, changes).await })
    }

    fn delete(&self, id: RecipeId) -> Answer<'_, ()> {
        Box::pin(async move { self.store.delete_recipe(&self.scope().await?, id, None).await })
    }

    fn trash(&self) -> Answer<'_, Vec<Trashed>> {
        Box::pin(async move { self.store.trash(&self.scope_to_read().await?).await })
    }

    fn undelete(&self, id: RecipeId) -> Answer<'_, Recipe> {
        Box::pin(async move { self.store.undelete_recipe(&self.scope().await?, id).await })
    }

    fn today(&self) -> Answer<'_, Day> {
        Box::pin(async move { auth::today(&*self.store, &self.scope_to_read().await?).await })
    }

    fn shop_for_meals(&self, days: Days, list: ListName) -> Answer<'_, Shopped> {
        Box::pin(
            async move { self.store.shop_for_meals(&self.scope().await?, days, list, ToShop::New).await },
        )
    }

    fn may_write(&self) -> Answer<'_, ()> {
        Box::pin(async move { self.scope().await?.may(Role::Editor).map(drop) })
    }

    fn search(&self, query: SearchQuery) -> Answer<'_, Hits> {
        Box::pin(async move { self.store.search_recipes(&self.scope_to_read().await?, query).await })
    }

    fn tag(&self, id: RecipeId, add: Vec<Tag>, remove: Vec<Tag>) -> Answer<'_, Recipe> {
        Box::pin(async move { self.store.tag_recipe(&self.scope().await?, id, add, remove, None).await })
    }

    fn add_photo(&self, id: RecipeId, picture: Picture, place: Place) -> Answer<'_, Recipe> {
        Box::pin(async move { self.store.add_photo(&self.scope().await?, id, picture, place).await })
    }

    fn mark_cooked(&self, id: RecipeId, at: Time) -> Answer<'_, Recipe> {
        Box::pin(async move { self.store.mark_cooked(&self.scope().await?, id, at, None).await })
    }

    fn plan_meals(&self, meals: Vec<NewMeal>) -> Answer<'_, Vec<Meal>> {
        Box::pin(async move { self.store.plan_meals(&self.scope().await?, meals).await })
    }

    fn unplan_meals(&self, meals: Vec<MealId>) -> Answer<'_, ()> {
        Box::pin(async move { self.store.unplan_meals(&self.scope().await?, meals).await })
    }

    fn plan(&self, days: Days) -> Answer<'_, Vec<Meal>> {
        Box::pin(async move { self.store.plan(&self.scope().await?, days).await })
    }

    fn shopping_list(&self, name: ListName) -> Answer<'_, ShoppingList> {
        Box::pin(async move { self.store.shopping_list(&self.scope().await?, name).await })
    }

    fn change_shopping_list(&self, name: ListName, change: ListChange) -> Answer<'_, ShoppingList> {
        Box::pin(async move { self.store.change_shopping_list(&self.scope().await?, name, change).await })
    }

    fn share(&self, id: RecipeId, days: i64) -> Answer<'_, Link> {
        Box::pin(async move {
            let token = Secret::new().map_err(Error::unavailable)?;
            let expires_at = Time::now().plus_days(days);
            let share = NewShare { recipe_id: id, token: token.hash(), expires_at };
            self.store.create_share(&self.scope().await?, share).await?;
            let path = format!("/share/{}", token.reveal());
            let advice = "nobody can open it before the pages are served: put it behind the address of \
                          `recipe-vault serve --host 0.0.0.0` (or `deskmate serve`, then behind `/cookbook`)";
            Ok(Link { url: None, path, advice: Some(advice.to_owned()), expires_at })
        })
    }
}
