//! Retrieve Recipe Details via MCP.

use serde_json::{Value, json};

use crate::vault::{UNKNOWN, cake, each_engine};

#[test]
fn get_recipe_by_valid_id() {
    each_engine(|database| {
        let mut vault = database.god();
        let made = vault.create(cake());
        let recipe = vault.call("get_recipe", json!({ "recipe_id": made["id"] }));
        assert_eq!(recipe, made);
        let places = |list: &str, field: &str| -> Vec<(Value, Value)> {
            let list = recipe[list].as_array().expect("an array");
            list.iter().map(|entry| (entry["position"].clone(), entry[field].clone())).collect()
        };
        let expected = |names: &[&str]| -> Vec<(Value, Value)> {
            (0..).zip(names).map(|(place, name)| (json!(place), json!(name))).collect()
        };
        assert_eq!(places("ingredients", "name"), expected(&["flour", "eggs", "dark chocolate"]));
        assert_eq!(places("steps", "instruction"), expected(&["Mix everything.", "Bake."]));
        for (field, value) in cake().as_object().expect("an object") {
            if !value.is_array() {
                assert_eq!(&recipe[field], value);
            }
        }
    });
}

/// The specification's own example, `invalid-id`, is malformed by its next scenario; an id of the right form that names
/// nothing is what is not found.
#[test]
fn get_recipe_with_invalid_id() {
    each_engine(|database| {
        database.god().fails("get_recipe", json!({ "recipe_id": UNKNOWN }), -32001, &["not found", UNKNOWN]);
    });
}

#[test]
fn get_recipe_with_malformed_id() {
    each_engine(|database| {
        let mut vault = database.god();
        let id = vault.create(cake())["id"].as_str().expect("an id").to_owned();
        let walk = format!("../recipes/{id}");
        let photo = format!("{id}/photo");
        let bare = id.replace('-', "");
        for bad in ["not-a-uuid", "invalid-id", "", &walk, &photo, &bare] {
            vault.fails("get_recipe", json!({ "recipe_id": bad }), -32602, &["recipe_id", "invalid format"]);
        }
        vault.fails("get_recipe", json!({ "recipe_id": 7 }), -32602, &["recipe_id", "string"]);
        vault.fails("get_recipe", json!({}), -32602, &["recipe_id"]);
    });
}
