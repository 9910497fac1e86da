//! What goes out comes in again.

use recipes::draft::Draft;
use recipes::export::{cooklang, json_ld};
use recipes::import::read_text;
use recipes::recipe::Recipe;
use serde_json::json;

fn recipe() -> Recipe {
    serde_json::from_value(json!({
        "id": "018f3c1e-7a2b-7c3d-8e4f-5a6b7c8d9e0f", "title": "Cake: the best", "description": "Sweet & rich", "servings": 8,
        "prep_time_minutes": 20, "cook_time_minutes": 45, "tags": ["cake", "Dessert"], "version": 1,
        "created_at": "2026-01-01T00:00:00.000Z", "updated_at": "2026-01-01T00:00:00.000Z",
        "source_url": "https://example.org/cake",
        "ingredients": [
            { "position": 0, "name": "flour", "quantity": 250, "unit": "g", "notes": "sifted" },
            { "position": 1, "name": "eggs", "quantity": 3, "quantity_max": 4 },
            { "position": 2, "name": "salt", "quantity": 1, "unit": "pinch", "scales": false }
        ],
        "steps": [
            { "position": 0, "instruction": "Mix.", "duration_minutes": 5 },
            { "position": 1, "instruction": "Bake.", "section": "Oven" }
        ]
    }))
    .expect("a recipe")
}

fn back(text: &str) -> Draft {
    read_text(text, None).expect("a recipe").recipes.remove(0).draft
}

/// What both formats can say.
#[track_caller]
fn check(draft: &Draft) {
    let recipe = recipe();
    assert_eq!(draft.title, recipe.title);
    assert_eq!(draft.description, recipe.description);
    assert_eq!(
        (draft.prep_time_minutes, draft.cook_time_minutes),
        (recipe.prep_time_minutes, recipe.cook_time_minutes)
    );
    assert_eq!((draft.servings, &draft.source_url), (recipe.servings, &recipe.source_url));
    assert_eq!(draft.tags.as_ref().map(|tags| tags.len()), Some(2));
    let list = draft.ingredients.as_ref().expect("ingredients");
    for (read, written) in list.iter().zip(&recipe.ingredients) {
        let written = &written.what;
        assert_eq!(
            (&read.name, read.quantity, read.quantity_max),
            (&written.name, written.quantity, written.quantity_max)
        );
        assert_eq!((&read.unit, &read.notes, read.scales), (&written.unit, &written.notes, written.scales));
    }
    assert_eq!(list.len(), 3);
}

#[test]
fn json_ld_comes_back() {
    let draft = back(&json_ld(&recipe()).to_string());
    check(&draft);
    let steps = draft.steps.as_ref().expect("steps");
    assert_eq!(steps[0].duration_minutes.map(|minutes| minutes.get()), Some(5));
    assert_eq!(steps[1].section.as_ref().map(|section| section.as_str()), Some("Oven"));
}

#[test]
fn cooklang_comes_back() {
    let draft = back(&cooklang(&recipe()));
    check(&draft);
    // The ingredients stand in a step of their own.
    assert_eq!(draft.steps.as_ref().expect("steps").len(), 3);
}
