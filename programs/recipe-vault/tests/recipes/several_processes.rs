//! Several processes on one PostgreSQL: one is killed under load, and nothing that was acknowledged is lost. And the
//! cookbook as a file, from one engine to the other.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use crate::http::{Api, create};
use crate::vault::{Database, cake};

#[test]
fn of_two_processes_one_is_killed_under_load_and_nothing_acknowledged_is_lost() {
    let database = Database::postgres();
    let (first, second) = (Api::start(&database), Api::start(&database));
    let (one, other) = (first.address, second.address);
    let first = Mutex::new(Some(first));
    let (acknowledged, count) = (Mutex::new(Vec::new()), AtomicUsize::new(0));
    std::thread::scope(|threads| {
        for writer in 0..4 {
            let (acknowledged, count, first) = (&acknowledged, &count, &first);
            threads.spawn(move || {
                for number in 0..40 {
                    let title = format!("Recipe {writer}-{number}");
                    let status = create(if number % 2 == 0 { one } else { other }, &title);
                    // Who gets no answer asks the other process, and may hear that it was done all the same.
                    let status = status.or_else(|| create(other, &title));
                    assert!(matches!(status, Some(201 | 409)), "{title}: {status:?}");
                    acknowledged.lock().expect("the list").push(title);
                    if count.fetch_add(1, Ordering::Relaxed) == 60 {
                        // Dropped is killed, with SIGKILL.
                        drop(first.lock().expect("the process").take());
                    }
                }
            });
        }
    });
    assert!(first.lock().expect("the process").is_none());
    let list = second.god("GET", "/api/recipes", &json!(null)).json();
    let titles: Vec<&str> =
        list.as_array().expect("an array").iter().filter_map(|r| r["title"].as_str()).collect();
    let acknowledged = acknowledged.into_inner().expect("the list");
    assert_eq!(acknowledged.len(), 160);
    for title in &acknowledged {
        assert!(titles.contains(&title.as_str()), "{title} was acknowledged and is gone");
    }
    assert_eq!(titles.len(), 160);
}

#[test]
fn a_cookbook_moves_from_sqlite_to_postgresql_by_a_file() {
    let (small, large) = (Database::sqlite(), Database::postgres());
    let made = small.person("ada@example.org").create(cake());
    let archive = small.file("place", b"").with_file_name("cookbook.zip");
    for (database, verb) in [(&small, "export"), (&large, "restore")] {
        let output = database.command().arg(verb).arg(&archive).output().expect("the command runs");
        assert!(output.status.success(), "{verb}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let again = small.command().arg("export").arg(&archive).output().expect("the command runs");
    assert!(!again.status.success(), "an archive that is there stays");
    let mut ada = large.person("ada@example.org");
    assert_eq!(ada.call("get_recipe", json!({ "recipe_id": made["id"] })), made);
}

#[test]
fn a_recipe_is_imported_and_exported_by_tools() {
    crate::vault::each_engine(|database| {
        let mut ada = database.person("ada@example.org");
        let page = r#"<script type="application/ld+json">{"@type":"Recipe","name":"Soup","recipeIngredient":["1 ½ l water"]}</script>"#;
        let seen = ada.call("import_recipe", json!({ "text": page, "dry_run": true }));
        assert_eq!(seen["recipes"][0]["preview"]["ingredients"][0]["quantity"], 1.5, "{seen}");
        assert!(ada.titles().is_empty());
        let file = database.file("soup.html", page.as_bytes());
        for (arguments, outcome) in [
            (json!({ "text": page }), "created"),
            (json!({ "file_path": file }), "skipped"),
            (json!({ "text": page, "on_duplicate": "rename" }), "renamed"),
        ] {
            assert_eq!(ada.call("import_recipe", arguments)["recipes"][0]["outcome"], outcome);
        }
        assert_eq!(ada.titles(), ["Soup", "Soup (2)"]);
        let id = ada.call("import_recipe", json!({ "text": page }))["recipes"][0]["id"].clone();
        assert_eq!(
            ada.call("export_recipe", json!({ "recipe_id": id }))["recipeIngredient"],
            json!(["1.5 l water"])
        );
        for url in ["http://127.0.0.1:9/", "http://169.254.169.254/latest", "file:///etc/passwd"] {
            ada.fails("import_recipe", json!({ "url": url }), -32602, &["url"]);
        }
        ada.fails("import_recipe", json!({}), -32602, &["one of"]);
        ada.fails("import_recipe", json!({ "text": "Hello" }), -32602, &["no recipe"]);
    });
}
