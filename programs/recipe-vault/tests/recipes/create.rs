//! Create Recipe via MCP.

use serde_json::json;

use crate::vault::{cake, each_engine};

#[test]
fn create_recipe_with_minimal_fields() {
    each_engine(|database| {
        let mut vault = database.god();
        let made = vault.create(json!({ "title": "Simple Pasta", "description": "Pasta, simply" }));
        assert_eq!((&made["title"], &made["description"]), (&json!("Simple Pasta"), &json!("Pasta, simply")));
        let id = made["id"].as_str().expect("an id");
        assert_eq!((id.len(), id.split('-').count()), (36, 5));
        let created = made["created_at"].as_str().expect("a time");
        assert!(created.ends_with('Z') && created.len() == 24, "{created}");
        assert_eq!((&made["ingredients"], &made["steps"]), (&json!([]), &json!([])));
        assert_eq!(vault.titles(), ["Simple Pasta"]);
    });
}

#[test]
fn create_recipe_with_full_details() {
    each_engine(|database| {
        let mut vault = database.god();
        let made = vault.create(cake());
        for list in ["ingredients", "steps"] {
            let (given, kept) = (cake()[list].clone(), made[list].clone());
            let (given, kept) = (given.as_array().expect("an array"), kept.as_array().expect("an array"));
            assert_eq!(given.len(), kept.len());
            for ((position, given), kept) in (0..).zip(given).zip(kept) {
                assert_eq!(kept["position"], position);
                for (field, value) in given.as_object().expect("an object") {
                    // A whole number comes back as the number it is.
                    assert_eq!(
                        kept[field].as_f64().map(json_number),
                        value.as_f64().map(json_number),
                        "{field}"
                    );
                    if value.is_string() {
                        assert_eq!(&kept[field], value);
                    }
                }
            }
        }
        assert_eq!(vault.call("get_recipe", json!({ "recipe_id": made["id"] })), made);
    });
}

fn json_number(number: f64) -> String {
    number.to_string()
}

#[test]
fn create_recipe_with_duplicate_title() {
    each_engine(|database| {
        let mut vault = database.god();
        let made = vault.create(cake());
        for title in ["Chocolate Cake", "chocolate cake", "  Chocolate   CAKE "] {
            vault.fails("create_recipe", json!({ "title": title }), -32002, &["chocolate", "already exists"]);
        }
        let error = vault.error("create_recipe", cake());
        assert_eq!(error["data"]["existing_id"], made["id"]);
        assert_eq!(vault.titles().len(), 1);
    });
}

#[test]
fn create_recipe_with_missing_required_field() {
    each_engine(|database| {
        let mut vault = database.god();
        vault.fails("create_recipe", json!({ "description": "No name" }), -32602, &["missing", "`title`"]);
        let nameless = json!({ "title": "A", "ingredients": [{ "quantity": 1 }] });
        vault.fails("create_recipe", nameless, -32602, &["missing", "ingredients[0].name"]);
        assert!(vault.titles().is_empty());
    });
}

#[test]
fn create_recipe_with_invalid_servings() {
    each_engine(|database| {
        let mut vault = database.god();
        for servings in [json!(-5), json!(0), json!(2.5), json!("four"), json!(4_294_967_297_u64)] {
            let recipe = json!({ "title": "Bad", "servings": servings });
            vault.fails("create_recipe", recipe, -32602, &["servings", "1-1000"]);
        }
        assert!(vault.titles().is_empty());
    });
}

#[test]
fn wrong_types_and_lengths_name_the_field() {
    each_engine(|database| {
        let mut vault = database.god();
        for (field, value, part) in [
            ("title", json!(""), "1 to 200 characters"),
            ("title", json!("ä".repeat(201)), "1 to 200 characters"),
            ("title", json!(7), "string"),
            ("description", json!("x".repeat(2_001)), "2000 characters"),
            ("prep_time_minutes", json!(-1), "at least 0"),
            ("cook_time_minutes", json!("long"), "whole number"),
            ("difficulty", json!(9), "1-5"),
            ("ingredients", json!("flour"), "array"),
            ("steps", json!([{ "instruction": "Bake", "temperature_unit": "Kelvin" }]), "Kelvin"),
            ("tags", json!(["x".repeat(51)]), "50 characters"),
            ("title", json!("a\u{0}b"), "U+0000"),
        ] {
            let mut recipe = json!({ "title": "Fine" });
            recipe[field] = value;
            vault.fails("create_recipe", recipe, -32602, &[field, part]);
        }
        // 200 characters that are more bytes are fine, and so is what looks like SQL.
        vault.create(json!({ "title": "ä".repeat(200) }));
        vault.create(json!({ "title": "'; DROP TABLE recipes; --" }));
        assert_eq!(vault.titles().len(), 2);
    });
}
