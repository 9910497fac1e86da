//! What PostgreSQL does for a restore; `store::restore` decides.

use crate::auth::Scope;
use crate::family::{Family, Member};
use crate::id::{FamilyId, RecipeId};
use crate::photo::Photo;
use crate::plan::Meal;
use crate::recipe::{Recipe, Version};
use crate::record::{OnConflict, Restored, Source};
use crate::shopping::ShoppingList;
use crate::store::edit::{Parts, json};
use crate::store::restore::{self, Pictured, Target, There};
use crate::store::row::Found;
use crate::title::Key;

use super::row;
use super::transaction::{Failure, Transaction};
use super::{families, meals, photos, shopping, sight};

pub(super) async fn restore(
    tx: &Transaction<'_>,
    scope: &Scope,
    records: &dyn Source,
    on_conflict: OnConflict,
) -> Result<Restored, Failure> {
    restore::restore(Writing(tx), scope, records, on_conflict).await
}

struct Writing<'a>(&'a Transaction<'a>);

impl Target for Writing<'_> {
    type Failure = Failure;

    async fn has_family(&self, id: FamilyId) -> Result<bool, Failure> {
        Ok(families::get(self.0, id).await?.is_some())
    }

    async fn put_family(&self, family: &Family) -> Result<(), Failure> {
        families::put(self.0, family).await
    }

    async fn put_member(&self, family: FamilyId, member: &Member, on: OnConflict) -> Result<bool, Failure> {
        if on == OnConflict::Skip && families::role(self.0, family, &member.email).await?.is_some() {
            return Ok(false);
        }
        families::put_member(self.0, family, member).await.map(|()| true)
    }

    async fn by_id(&self, family: FamilyId, id: RecipeId) -> Result<Option<There>, Failure> {
        let sql = "SELECT deleted_at IS NOT NULL FROM recipes WHERE family_id = $1 AND id = $2";
        let row = self.0.row(sql, &[&family, &id]).await?;
        Ok(row.map(|row| row.try_get(0)).transpose()?.map(|in_trash| There { id, in_trash }))
    }

    async fn by_title(&self, family: FamilyId, key: &Key) -> Result<Option<RecipeId>, Failure> {
        let sql = "SELECT id FROM recipes WHERE family_id = $1 AND title_key = $2 AND deleted_at IS NULL";
        let row = self.0.row(sql, &[&family, &key.as_str()]).await?;
        Ok(row.map(|row| row.try_get(0)).transpose()?)
    }

    async fn free_title(&self, family: FamilyId, id: RecipeId) -> Result<(), Failure> {
        // No title has this key: a key has no control characters at its ends.
        let sql = "UPDATE recipes SET title_key = $3 WHERE family_id = $1 AND id = $2";
        self.0.execute(sql, &[&family, &id, &format!("\u{1}{id}")]).await?;
        Ok(())
    }

    async fn insert(&self, family: FamilyId, recipe: &Recipe) -> Result<(), Failure> {
        row::insert(self.0, family, recipe).await
    }

    async fn overwrite(&self, family: FamilyId, recipe: &Recipe) -> Result<(), Failure> {
        // The key first: what leaves the trash must not meet the title it had there.
        let sql = "UPDATE recipes SET title_key = $3, deleted_at = NULL, version = greatest(version + 1, $4)
                   WHERE family_id = $1 AND id = $2 RETURNING seq, version";
        let key = Key::of(recipe.title.as_str());
        let row = self.0.row(sql, &[&family, &recipe.id, &key.as_str(), &recipe.version.0]).await?;
        let Some(row) = row else { return Ok(()) };
        photos::clear(self.0, family, recipe.id).await?;
        let recipe = Recipe { version: Version(row.try_get(1)?), ..recipe.clone() };
        row::replace(self.0, &Found { seq: row.try_get(0)?, family, recipe }, Parts::ALL).await
    }

    async fn put_photo(&self, family: FamilyId, recipe: &Pictured, photo: &Photo) -> Result<(), Failure> {
        photos::put(self.0, family, recipe.recipe, photo).await?;
        let sql = "UPDATE recipes SET photo_id = $3, photos = $4 WHERE family_id = $1 AND id = $2";
        self.0.execute(sql, &[&family, &recipe.recipe, &recipe.cover, &json(&recipe.photos)]).await?;
        Ok(())
    }

    async fn put_meal(&self, family: FamilyId, meal: &Meal) -> Result<bool, Failure> {
        meals::put(self.0, family, meal).await
    }

    async fn has_list(&self, family: FamilyId, name: &str) -> Result<bool, Failure> {
        Ok(!shopping::get(self.0, family, name).await?.items.is_empty())
    }

    async fn put_list(&self, family: FamilyId, list: &ShoppingList) -> Result<(), Failure> {
        shopping::put(self.0, family, list).await
    }

    async fn touch(&self, family: FamilyId) -> Result<(), Failure> {
        sight::touch(self.0, family).await
    }
}
