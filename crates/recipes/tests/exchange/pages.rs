//! Pages with schema.org data, as they really are.

use recipes::draft::Draft;
use recipes::import::{Image, Imported, NoImport, read_text};
use serde_json::{Value, json};

fn page(data: &Value) -> String {
    format!(
        "<!doctype html><title>x</title><script type=\"application/ld+json\">{data}</script><p>Text &amp; more"
    )
}

#[track_caller]
fn one(text: &str) -> Imported {
    let mut found = read_text(text, Some("https://example.org/page")).expect("a recipe");
    assert_eq!(found.recipes.len(), 1, "{found:?}");
    found.recipes.remove(0)
}

fn steps(draft: &Draft) -> Vec<(Option<&str>, &str)> {
    let steps = draft.steps.as_deref().unwrap_or_default();
    steps.iter().map(|step| (step.section.as_ref().map(|s| s.as_str()), step.instruction.as_str())).collect()
}

fn names(draft: &Draft) -> Vec<&str> {
    let list = draft.ingredients.as_deref().unwrap_or_default();
    list.iter().map(|ingredient| ingredient.name.as_str()).collect()
}

#[test]
fn an_ordinary_page_is_read_whole() {
    let data = json!({
        "@context": "https://schema.org", "@type": "Recipe", "name": "Mac &amp; Cheese", "description": "<p>Rich.</p>",
        "prepTime": "PT15M", "cookTime": "PT1H", "recipeYield": "4-6 servings", "keywords": "pasta, quick",
        "recipeCategory": ["Dinner"], "image": ["https://example.org/a.jpg"],
        "nutrition": { "@type": "NutritionInformation", "calories": "500 kcal", "fatContent": "20 g" },
        "recipeIngredient": ["1 ½ cups macaroni", "For the sauce:", "200 g cheese, grated"],
        "recipeInstructions": [{ "@type": "HowToStep", "text": "Boil.", "timeRequired": "PT10M" }, { "@type": "HowToStep", "name": "Bake." }],
    });
    let Imported { draft, picture, remarks } = one(&page(&data));
    assert_eq!(draft.title.as_str(), "Mac & Cheese");
    assert_eq!(draft.description.as_ref().map(|text| text.as_str()), Some("Rich."));
    assert_eq!(draft.prep_time_minutes.map(|minutes| minutes.get()), Some(15));
    assert_eq!(draft.cook_time_minutes.map(|minutes| minutes.get()), Some(60));
    assert_eq!(draft.servings.map(|servings| servings.get()), Some(4));
    assert_eq!(draft.yield_text.as_ref().map(|text| text.as_str()), Some("4-6 servings"));
    assert_eq!(draft.nutrition.as_ref().map(|text| text.as_str()), Some("calories: 500 kcal; fat: 20 g"));
    assert_eq!(draft.source_url.as_ref().map(|url| url.as_str()), Some("https://example.org/page"));
    assert_eq!(draft.tags.as_ref().map(|tags| tags.len()), Some(3));
    assert_eq!(names(&draft), ["macaroni", "cheese"]);
    let list = draft.ingredients.as_ref().expect("ingredients");
    assert_eq!(list[1].section.as_ref().map(|section| section.as_str()), Some("For the sauce"));
    assert_eq!(list[0].quantity.map(|amount| amount.get()), Some(1.5));
    assert_eq!(steps(&draft), [(None, "Boil."), (None, "Bake.")]);
    assert_eq!(
        draft.steps.as_ref().expect("steps")[0].duration_minutes.map(|minutes| minutes.get()),
        Some(10)
    );
    assert_eq!(picture, Some(Image::At("https://example.org/a.jpg".to_owned())));
    assert_eq!(remarks, Vec::<String>::new());
}

#[test]
fn a_graph_with_false_in_it_and_references() {
    let data = json!({ "@context": "https://schema.org", "@graph": [
        false, null, { "@type": "WebPage", "@id": "#page" },
        { "@type": "ImageObject", "@id": "#picture", "url": "https://example.org/p.jpg" },
        { "@type": ["Recipe", "NewsArticle"], "name": ["Soup"], "image": { "@id": "#picture" }, "totalTime": "PT4200S",
          "recipeIngredient": "1 l water\n2 leeks", "recipeInstructions": "1. Cut.\n2. Boil.", "recipeYield": [4, "4 bowls"],
          "mainEntityOfPage": { "@id": "https://example.org/soup" } },
    ]});
    let Imported { draft, picture, .. } = one(&page(&data));
    assert_eq!(draft.cook_time_minutes.map(|minutes| minutes.get()), Some(70));
    assert_eq!(draft.servings.map(|servings| servings.get()), Some(4));
    assert_eq!(names(&draft), ["water", "leeks"]);
    assert_eq!(steps(&draft), [(None, "Cut."), (None, "Boil.")]);
    assert_eq!(picture, Some(Image::At("https://example.org/p.jpg".to_owned())));
    assert_eq!(draft.source_url.as_ref().map(|url| url.as_str()), Some("https://example.org/soup"));
}

#[test]
fn sections_item_lists_and_ranges() {
    let data = json!([{ "@type": "http://schema.org/Recipe", "name": "Cake",
    "cookTime": { "@type": "Duration", "minValue": "PT30M", "maxValue": "PT40M" }, "recipeYield": "24 cookies",
    "recipeInstructions": [
        { "@type": "HowToSection", "name": "Dough", "itemListElement": [
            { "@type": "HowToStep", "text": "Mix." }, { "@type": "ListItem", "item": { "@type": "HowToStep", "text": "Rest." } }] },
        { "@type": "ItemList", "itemListElement": ["Bake.", false, { "@type": "HowToStep", "itemListElement": [
            { "@type": "HowToDirection", "text": "Cool." }] }] },
    ]}]);
    let Imported { draft, .. } = one(&data.to_string());
    assert_eq!(draft.cook_time_minutes.map(|minutes| minutes.get()), Some(40));
    assert_eq!(draft.servings, None);
    assert_eq!(draft.yield_text.as_ref().map(|text| text.as_str()), Some("24 cookies"));
    let expected = [(Some("Dough"), "Mix."), (Some("Dough"), "Rest."), (None, "Bake."), (None, "Cool.")];
    assert_eq!(steps(&draft), expected);
}

#[test]
fn scripts_that_are_not_quite_json() {
    let broken = "<script type='application/ld+json; charset=utf-8'>//<![CDATA[\n{\"@type\":\"Recipe\",\"name\":\"A\tB\nC\"}\n//]]></script>";
    assert_eq!(one(broken).draft.title.as_str(), "A B C");
    let two = format!(
        "{}<script type='application/ld+json'>{{broken</script>",
        page(&json!({ "@type": "Recipe", "name": "X" }))
    );
    assert_eq!(one(&two).draft.title.as_str(), "X");
}

#[test]
fn microdata_is_read_like_json() {
    let html = r#"<html><body><div itemscope itemtype="http://schema.org/Recipe"><h1 itemprop="name">Pan&shy;cakes</h1>
        <img itemprop="image" src="https://example.org/p.png"><meta itemprop="prepTime" content="PT10M">
        <time itemprop="cookTime" datetime="PT20M">20 minutes</time> for <span itemprop="recipeYield">4 people</span>
        <ul><li itemprop="recipeIngredient">250 g flour</li><li itemprop="ingredients">3 <b>eggs</b></li></ul>
        <div itemprop="author" itemscope itemtype="http://schema.org/Person"><span itemprop="name">Ada</span></div>
        <ol itemprop="recipeInstructions"><li>Mix.</li><li>Fry.</li></ol></div>"#;
    let Imported { draft, picture, .. } = one(html);
    assert_eq!(draft.title.as_str(), "Pan\u{ad}cakes");
    assert_eq!(
        (draft.prep_time_minutes.map(|m| m.get()), draft.cook_time_minutes.map(|m| m.get())),
        (Some(10), Some(20))
    );
    assert_eq!(draft.servings.map(|servings| servings.get()), Some(4));
    assert_eq!(names(&draft), ["flour", "eggs"]);
    assert_eq!(steps(&draft), [(None, "Mix."), (None, "Fry.")]);
    assert_eq!(picture, Some(Image::At("https://example.org/p.png".to_owned())));
}

#[test]
fn what_is_too_long_is_cut_and_said() {
    let data = json!({ "@type": "Recipe", "name": "x".repeat(500), "description": "y".repeat(5_000),
        "recipeIngredient": vec!["salt"; 400] });
    let Imported { draft, remarks, .. } = one(&data.to_string());
    assert_eq!(draft.title.as_str().chars().count(), 200);
    assert_eq!(draft.ingredients.expect("ingredients").len(), 300);
    assert_eq!(remarks.len(), 3, "{remarks:?}");
}

#[test]
fn text_without_a_recipe_is_refused() {
    for text in [
        "",
        "Hello, world",
        "<p>Hello</p>",
        "{}",
        "[]",
        "{\"@type\":\"Person\",\"name\":\"Ada\"}",
        "{\"@type\":\"Recipe\"}",
    ] {
        assert!(matches!(read_text(text, None), Err(NoImport::Nothing)), "{text}");
    }
    assert!(matches!(read_text("{", None), Err(NoImport::Damaged(_))));
    assert!(matches!(read_text(&"x".repeat(11 << 20), None), Err(NoImport::TooLarge(_))));
    // As deep as JSON may be here, and deeper.
    let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
    assert!(read_text(&deep, None).is_err());
    assert!(read_text(&"[".repeat(100_000), None).is_err());
    assert!(read_text(&"<div itemscope itemprop=x>".repeat(10_000), None).is_err());
}
