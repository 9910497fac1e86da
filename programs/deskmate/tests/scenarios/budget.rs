//! What models read of Deskmate before anybody said a word: a cost that every request pays, so it has a budget.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::binary::deskmate;

/// The tools of a server, or of all of them together, as clients see them.
fn tools(arguments: &[&str]) -> Vec<Value> {
    let said = deskmate(&[&["tools", "--json"][..], arguments].concat()).said();
    let list: Value = serde_json::from_str(&said).expect("JSON");
    list["tools"].as_array().expect("tools").clone()
}

/// About how many tokens: a quarter of the bytes of the compact list.
fn tokens(tools: &[&Value]) -> usize {
    serde_json::to_string(tools).expect("JSON").len() / 4
}

/// What each server may take of the default list.
const BUDGETS: [(&str, usize); 6] = [
    ("fotos", 2_200),
    ("zai-mcp-server", 1_900),
    ("recipe-vault", 2_000),
    ("authy", 1_200),
    ("MetaTagGenie", 600),
    ("info", 100),
];

#[test]
fn the_default_tools_fit_their_budget_together_and_server_by_server() {
    let default = tools(&[]);
    let all: Vec<&Value> = default.iter().collect();
    let mut sizes = Vec::new();
    for (server, budget) in BUDGETS {
        let own = tools(&[server]);
        let offered: Vec<&Value> =
            default.iter().filter(|tool| own.iter().any(|known| known["name"] == tool["name"])).collect();
        assert!(!offered.is_empty(), "{server} offers nothing");
        sizes.push((server, tokens(&offered), budget));
    }
    let over: Vec<_> = sizes.iter().filter(|(_, tokens, budget)| tokens > budget).collect();
    assert!(over.is_empty(), "over their budget: {over:?} of {sizes:?}");
    assert!(tokens(&all) <= 8_000, "{} tokens: {sizes:?}", tokens(&all));
}

#[test]
fn all_tools_fit_their_budget() {
    let all = tools(&["--all"]);
    let size = tokens(&all.iter().collect::<Vec<_>>());
    assert!(size <= 19_000, "{size} tokens");
}

#[test]
fn what_people_use_most_is_in_the_default_list() {
    let default = tools(&[]);
    let names: BTreeSet<&str> = default.iter().filter_map(|tool| tool["name"].as_str()).collect();
    for name in ["take_screenshot", "import_recipe", "plan_meals", "writeImageMetadata", "analyze_image"] {
        assert!(names.contains(name), "{name} is missing: {names:?}");
    }
}

#[test]
fn no_two_tools_share_a_title_and_schemas_speak_plainly() {
    let all = tools(&["--all"]);
    let titles: BTreeSet<&str> = all.iter().filter_map(|tool| tool["title"].as_str()).collect();
    assert_eq!(titles.len(), all.len());
    for tool in &all {
        let schema = tool["inputSchema"].to_string();
        for odd in ["\"oneOf\"", "\"const\"", "\"default\":null", "\"$schema\""] {
            assert!(!schema.contains(odd), "{}: {odd} in {schema}", tool["name"]);
        }
    }
}
