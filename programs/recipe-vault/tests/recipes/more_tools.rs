//! The tools beyond the specification.

use serde_json::json;

use crate::vault::{PNG, cake, each_engine};

#[test]
fn a_recipe_is_scaled_and_stays_as_it_is() {
    each_engine(|database| {
        let mut vault = database.god();
        let made = vault.create(cake());
        let id = &made["id"];
        let half = vault.call("scale_recipe", json!({ "recipe_id": id, "servings": 4 }));
        assert_eq!((&half["factor"], &half["ingredients"][0]["quantity"]), (&json!(0.5), &json!(125.0)));
        let have = json!({ "name": "Flour", "quantity": 500 });
        let double = vault.call("scale_recipe", json!({ "recipe_id": id, "ingredient": have }));
        assert_eq!((&double["factor"], &double["servings"]), (&json!(2.0), &json!(16)));
        vault.fails("scale_recipe", json!({ "recipe_id": id }), -32602, &["servings", "factor"]);
        assert_eq!(vault.call("get_recipe", json!({ "recipe_id": id })), made);
    });
}

#[test]
fn search_finds_by_ingredient_and_pages() {
    each_engine(|database| {
        let mut vault = database.god();
        vault.create(cake());
        vault.create(json!({ "title": "Mousse", "ingredients": [{ "name": "chocolate" }] }));
        let first = vault.call("search_recipes", json!({ "query": "chocolate", "limit": 1 }));
        assert_eq!(first["recipes"][0]["title"], "Chocolate Cake");
        let next = json!({ "query": "chocolate", "limit": 1, "cursor": first["next_cursor"] });
        let second = vault.call("search_recipes", next);
        assert_eq!(second["recipes"][0]["title"], "Mousse");
        assert!(second.get("next_cursor").is_none());
    });
}

#[test]
fn a_recipe_is_deleted_tagged_cooked_and_shared() {
    each_engine(|database| {
        let mut vault = database.god();
        let id = vault.create(cake())["id"].clone();
        let tagged = vault.call("tag_recipe", json!({ "recipe_id": id, "add": ["Sweet", "quick"] }));
        assert_eq!(tagged["tags"], json!(["quick", "Sweet"]));
        assert_eq!(vault.call("list_recipes", json!({ "tags": ["sweet"] }))[0]["id"], id);
        assert_eq!(vault.call("mark_cooked", json!({ "recipe_id": id }))["times_cooked"], 1);
        let link = vault.call("share_recipe", json!({ "recipe_id": id }));
        assert!(link["path"].as_str().is_some_and(|path| path.starts_with("/share/") && path.len() > 60));
        assert_eq!(vault.call("delete_recipe", json!({ "recipe_id": id })), json!({ "deleted": id }));
        vault.fails("get_recipe", json!({ "recipe_id": id }), -32001, &["not found"]);
    });
}

#[test]
fn meals_are_planned_and_shopped_for() {
    each_engine(|database| {
        let mut vault = database.god();
        let id = vault.create(cake())["id"].clone();
        let meals = json!([{ "day": "2026-11-16", "recipe_id": id, "servings": 4 }, { "day": "2026-11-17", "text": "soup" }]);
        vault.call("plan_meals", json!({ "meals": meals }));
        let plan = vault.call("get_meal_plan", json!({ "from": "2026-11-15" }));
        assert_eq!(
            (&plan["to"], &plan["meals"][0]["title"]),
            (&json!("2026-11-21"), &json!("Chocolate Cake"))
        );
        let meal = plan["meals"][1]["id"].clone();
        assert_eq!(vault.call("plan_meals", json!({ "remove": [meal] }))["removed"], 1);
        vault.call("add_to_shopping_list", json!({ "recipe_id": id, "servings": 4 }));
        let list = vault.call(
            "add_to_shopping_list",
            json!({ "items": [{ "name": "Flour", "quantity": 1, "unit": "kg" }] }),
        );
        assert_eq!(list["items"][0]["quantity"], 1125.0);
        let eggs = list["items"][1]["id"].clone();
        vault.call("check_shopping_items", json!({ "items": [eggs] }));
        let left = vault.call("clear_shopping_list", json!({}));
        assert_eq!(left["items"].as_array().map(Vec::len), Some(2));
        vault.fails("get_meal_plan", json!({ "from": "2026-02-30" }), -32602, &["from", "day"]);
    });
}

#[test]
fn a_picture_becomes_the_photo() {
    each_engine(|database| {
        let mut vault = database.god();
        let id = vault.create(cake())["id"].clone();
        let picture = database.file("a.png", PNG);
        let set = vault.call("set_recipe_photo", json!({ "recipe_id": id, "file_path": picture }));
        assert_eq!(vault.call("get_recipe", json!({ "recipe_id": id }))["photo_id"], set["photo_id"]);
        let text = database.file("a.txt", b"a text");
        vault.fails(
            "set_recipe_photo",
            json!({ "recipe_id": id, "file_path": text }),
            -32602,
            &["file_path", "JPEG"],
        );
        let outside = json!({ "recipe_id": id, "file_path": "/etc/hostname" });
        vault.fails("set_recipe_photo", outside, -32602, &["file_path"]);
    });
}
