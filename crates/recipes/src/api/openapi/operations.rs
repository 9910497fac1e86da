//! Everything the API can do, in one list.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use super::{Body, Content, Operation, schema};
use crate::api::exchange::ImportRequest;
use crate::api::families::{Naming, Part, Today};
use crate::api::keys::{MadeKey, WantedKey};
use crate::api::photos::Wanted as PhotoPlace;
use crate::api::plan::{MealsToPlan, MealsToRemove, ToBuy};
use crate::api::recipes::{Cooked, Found, TagChanges};
use crate::api::shares::{NewLink, Wanted};
use crate::api::shopping::{Added, Checked, Cleared, Removed};
use crate::card::Trashed;
use crate::draft::{Changes, Draft};
use crate::family::{Family, FamilyChanges, Member};
use crate::import::Report;
use crate::key::ApiKey;
use crate::plan::{Meal, Shopped};
use crate::recipe::Recipe;
use crate::record::Restored;
use crate::search::Hit;
use crate::share::Share;
use crate::shopping::ShoppingList;
use crate::tag::TagCount;

/// Builds operations with one generator, so that they share their types.
struct Writer<'a> {
    generator: &'a mut SchemaGenerator,
    operations: Vec<Operation>,
}

/// Puts the finishing touches to the operation that was written last.
impl Writer<'_> {
    fn on(
        &mut self,
        method: &'static str,
        path: &'static str,
        id: &'static str,
        summary: &'static str,
    ) -> &mut Self {
        let parameters = vec![(
            "header",
            "X-User-Email",
            json!({ "type": "string", "format": "email" }),
            "Narrows the key to this person's family",
        )];
        self.operations.push(Operation {
            method,
            path,
            id,
            summary,
            parameters,
            body: None,
            ok: (204, Content::Nothing),
        });
        self
    }

    fn last(&mut self, change: impl FnOnce(&mut Operation)) -> &mut Self {
        if let Some(operation) = self.operations.last_mut() {
            change(operation);
        }
        self
    }

    fn query(&mut self, name: &'static str, schema: Value, meaning: &'static str) -> &mut Self {
        self.last(|operation| operation.parameters.push(("query", name, schema, meaning)))
    }

    fn header(&mut self, name: &'static str, meaning: &'static str) -> &mut Self {
        let schema = json!({ "type": "string", "minLength": 1, "maxLength": 200 });
        self.last(|operation| operation.parameters.push(("header", name, schema, meaning)))
    }

    fn takes<T: JsonSchema>(&mut self) -> &mut Self {
        let schema = schema::<T>(self.generator);
        self.last(|operation| {
            operation.body = Some(Body { kind: "application/json", schema, required: true });
        })
    }

    fn may_take<T: JsonSchema>(&mut self) -> &mut Self {
        let schema = schema::<T>(self.generator);
        self.last(|operation| {
            operation.body = Some(Body { kind: "application/json", schema, required: false });
        })
    }

    fn takes_file(&mut self) -> &mut Self {
        let schema = json_schema!({ "type": "string", "contentMediaType": "application/octet-stream" });
        self.last(|operation| {
            operation.body = Some(Body { kind: "application/octet-stream", schema, required: true });
        })
    }

    fn gives<T: JsonSchema>(&mut self, status: u16) -> &mut Self {
        let schema = schema::<T>(self.generator);
        self.last(|operation| operation.ok = (status, Content::Json(schema)))
    }
}

const PICTURES: &[&str] = &["image/jpeg", "image/png", "image/webp", "image/gif"];

/// An entry of the list, which is written without a type.
fn entries() -> Schema {
    json_schema!({
        "type": "array",
        "items": {
            "type": "object",
            "required": ["id", "title", "description"],
            "properties": {
                "id": { "type": "string", "format": "uuid" },
                "title": { "type": "string" },
                "description": { "type": ["string", "null"] },
                "prep_time_minutes": { "type": "integer" },
                "cook_time_minutes": { "type": "integer" },
                "servings": { "type": "integer" },
                "difficulty": { "type": "integer" },
                "tags": { "type": "array", "items": { "type": "string" } },
            },
        },
    })
}

/// Every operation.
pub(super) fn all(generator: &mut SchemaGenerator) -> Vec<Operation> {
    let mut list = Writer { generator, operations: Vec::new() };
    recipes(&mut list);
    exchange(&mut list);
    families(&mut list);
    plans(&mut list);
    list.operations
}

fn whole(least: i64, most: i64) -> Value {
    json!({ "type": "integer", "minimum": least, "maximum": most })
}

fn text(most: usize) -> Value {
    json!({ "type": "string", "maxLength": most })
}

fn recipes(list: &mut Writer<'_>) {
    list.on("get", "/recipes", "listRecipes", "Recipes in the order of their titles, or by words")
        .query("query", text(200), "Words to look for; then the best come first")
        .query("tags", text(2_000), "Only those with all of these tags; commas between them")
        .query("limit", whole(1, 100), "At most so many; all unless given")
        .query("cursor", text(4_000), "The header `X-Next-Cursor` of the page before")
        .header("If-None-Match", "The `ETag` of a list you have")
        .last(|operation| operation.ok = (200, Content::Json(entries())));
    list.on("post", "/recipes", "createRecipe", "A new recipe")
        .header("Idempotency-Key", "Sent twice with one key, it is made once")
        .takes::<Draft>()
        .gives::<Recipe>(201);
    list.on("get", "/recipes/{id}", "readRecipe", "A recipe with its details; `ETag` is its version")
        .header("If-None-Match", "The `ETag` of a recipe you have")
        .gives::<Recipe>(200);
    for (method, id) in [("put", "replaceFields"), ("patch", "updateRecipe")] {
        list.on(method, "/recipes/{id}", id, "Changes what is given; `null` empties a field; the rest stays")
            .header("If-Match", "Only if it is at this version")
            .takes::<Changes>()
            .gives::<Recipe>(200);
    }
    list.on("delete", "/recipes/{id}", "deleteRecipe", "Into the trash, for 30 days")
        .header("If-Match", "Only if it is at this version");
    list.on("get", "/trash", "listTrash", "What is in the trash, last deleted first")
        .gives::<Vec<Trashed>>(200);
    list.on("put", "/recipes/{id}/favourite", "like", "A favourite of the person in `X-User-Email`");
    list.on("delete", "/recipes/{id}/favourite", "unlike", "No favourite of theirs any more");
    list.on("post", "/recipes/{id}/undelete", "undeleteRecipe", "Out of the trash").gives::<Recipe>(200);
    list.on("post", "/recipes/{id}/cooked", "markCooked", "Notes that it was cooked")
        .header("If-Match", "Only if it is at this version")
        .may_take::<Cooked>()
        .gives::<Recipe>(200);
    list.on("post", "/recipes/{id}/tags", "tagRecipe", "Puts tags on and takes tags off")
        .header("If-Match", "Only if it is at this version")
        .takes::<TagChanges>()
        .gives::<Recipe>(200);
    for (path, id, summary) in [
        ("/recipes/{id}/photo", "readPhoto", "The photo that cards show"),
        ("/recipes/{id}/photos/{photo}", "readOnePhoto", "One of the photos"),
    ] {
        list.on("get", path, id, summary)
            .query("size", json!({ "type": "string", "enum": ["small"] }), "The small form, for cards")
            .header("If-None-Match", "The `ETag` of a photo you have")
            .last(|operation| operation.ok = (200, Content::File(PICTURES)));
    }
    for (method, id) in [("put", "setPhoto"), ("post", "postPhoto")] {
        list.on(
            method,
            "/recipes/{id}/photo",
            id,
            "The photo that cards show, in place of the one there was: JPEG, PNG, WebP or GIF, at most 25 MB; also as a \
             form's file `photo`",
        )
        .takes_file()
        .gives::<Recipe>(200);
    }
    list.on("delete", "/recipes/{id}/photo", "removePhoto", "Takes the photo that cards show away")
        .gives::<Recipe>(200);
    list.on("post", "/recipes/{id}/photos", "addPhoto", "One more photo of the dish, or the photo of a step")
        .query("step", whole(0, 299), "The position of the step it shows")
        .takes_file()
        .gives::<Recipe>(200);
    list.on("put", "/recipes/{id}/photos/{photo}", "movePhoto", "Shows a photo elsewhere")
        .takes::<PhotoPlace>()
        .gives::<Recipe>(200);
    list.on("delete", "/recipes/{id}/photos/{photo}", "removeOnePhoto", "Takes a photo away")
        .gives::<Recipe>(200);
    list.on("get", "/recipes/{id}/shares", "listShares", "The links to a recipe").gives::<Vec<Share>>(200);
    for (path, id) in [("/recipes/{id}/shares", "createShare"), ("/recipes/{id}/share", "shareRecipe")] {
        list.on("post", path, id, "A link for somebody without a key, shown once")
            .may_take::<Wanted>()
            .gives::<NewLink>(201);
    }
    list.on("delete", "/shares/{id}", "revokeShare", "Takes a link back");
    list.on("get", "/search", "searchRecipes", "Recipes by words, best first")
        .query("query", json!({ "type": "string", "minLength": 1, "maxLength": 200 }), "The words")
        .query("limit", whole(1, 100), "At most so many")
        .query("skip", whole(0, 10_000), "After skipping so many")
        .gives::<Found>(200);
    list.on("get", "/tags", "listTags", "Every tag, and how many recipes have it")
        .gives::<Vec<TagCount>>(200);
    let _ = schema::<Hit>(list.generator);
}

fn exchange(list: &mut Writer<'_>) {
    let one_of = |words: &[&str]| json!({ "type": "string", "enum": words });
    list.on("get", "/recipes/{id}/export", "exportRecipe", "A recipe for other programs")
        .query("format", one_of(&["json-ld", "cooklang"]), "schema.org JSON-LD unless given")
        .last(|operation| operation.ok = (200, Content::File(&["application/ld+json", "text/plain"])));
    list.on("post", "/import", "importRecipes", "Recipes from a page or a text")
        .takes::<ImportRequest>()
        .gives::<Report>(200);
    list.on("post", "/import/file", "importFile", "Recipes from a file of another program, at most 128 MB")
        .query("name", text(255), "What the file is called; a Cooklang file has its title from it")
        .query("on_duplicate", one_of(&["skip", "rename", "replace"]), "For titles that are taken")
        .query("dry_run", one_of(&["true", "false"]), "Only shows what would be imported")
        .takes_file()
        .gives::<Report>(200);
    list.on("get", "/backup", "backup", "Everything in reach as one archive, without keys and links")
        .last(|operation| operation.ok = (200, Content::File(&["application/zip"])));
    list.on("post", "/restore", "restore", "An archive back into the cookbook, all of it or nothing")
        .query("on_conflict", one_of(&["skip", "replace"]), "For recipes whose title or id is there")
        .takes_file()
        .gives::<Restored>(200);
}

fn families(list: &mut Writer<'_>) {
    list.on("get", "/families", "listFamilies", "The families in reach").gives::<Vec<Family>>(200);
    list.on("post", "/families", "createFamily", "A new family; takes a key that opens all")
        .takes::<Naming>()
        .gives::<Family>(201);
    list.on("patch", "/families/{id}", "updateFamily", "Another name or time zone")
        .takes::<FamilyChanges>()
        .gives::<Family>(200);
    list.on("get", "/today", "today", "The day it is for the family, and whether the key may write")
        .gives::<Today>(200);
    list.on("delete", "/families/{id}", "deleteFamily", "Removes a family with everything it has, for good");
    list.on("get", "/families/{id}/members", "listMembers", "The members of a family")
        .gives::<Vec<Member>>(200);
    list.on(
        "put",
        "/families/{id}/members/{email}",
        "setMember",
        "Makes somebody a member, or changes their role",
    )
    .takes::<Part>()
    .gives::<Member>(200);
    list.on("delete", "/families/{id}/members/{email}", "removeMember", "Takes somebody out of a family");
    list.on("get", "/keys", "listKeys", "The keys, without their secrets").gives::<Vec<ApiKey>>(200);
    list.on("post", "/keys", "createKey", "A new key, shown once").takes::<WantedKey>().gives::<MadeKey>(201);
    list.on("delete", "/keys/{id}", "revokeKey", "Stops a key from working");
}

fn plans(list: &mut Writer<'_>) {
    let day = || json!({ "type": "string", "format": "date" });
    list.on("get", "/plan", "readPlan", "The meals of these days")
        .query("from", day(), "The first day; today unless given")
        .query("to", day(), "The last day; six days later unless given")
        .gives::<Vec<Meal>>(200);
    list.on("post", "/plan", "planMeals", "Puts meals on the plan, all or none")
        .takes::<MealsToPlan>()
        .gives::<Vec<Meal>>(201);
    list.on("post", "/plan/remove", "unplanMeals", "Takes meals off the plan, all or none")
        .takes::<MealsToRemove>();
    list.on(
        "post",
        "/plan/shop",
        "shopForMeals",
        "What planned meals need on a shopping list, each meal once",
    )
    .takes::<ToBuy>()
    .gives::<Shopped>(200);
    list.on("delete", "/plan/{id}", "unplanMeal", "Takes a meal off the plan");
    list.on("get", "/shopping-lists", "listShoppingLists", "The names of the lists")
        .gives::<Vec<String>>(200);
    list.on("get", "/shopping-lists/{name}", "readShoppingList", "A list; one nobody used is empty")
        .gives::<ShoppingList>(200);
    list.on("delete", "/shopping-lists/{name}", "removeShoppingList", "Removes a list");
    list.on("post", "/shopping-lists/{name}/items", "addItems", "Adds things; what is the same adds up")
        .takes::<Added>()
        .gives::<ShoppingList>(200);
    list.on("post", "/shopping-lists/{name}/check", "checkItems", "Into the basket, or out of it")
        .takes::<Checked>()
        .gives::<ShoppingList>(200);
    list.on("post", "/shopping-lists/{name}/remove", "removeItems", "Takes things off, all or none")
        .takes::<Removed>()
        .gives::<ShoppingList>(200);
    list.on(
        "post",
        "/shopping-lists/{name}/clear",
        "clearItems",
        "Takes off what is in the basket, or everything",
    )
    .may_take::<Cleared>()
    .gives::<ShoppingList>(200);
    list.on("delete", "/shopping-lists/{name}/items/{id}", "removeItem", "Takes a thing off")
        .gives::<ShoppingList>(200);
}
