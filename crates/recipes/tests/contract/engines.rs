//! The engines, each with an empty store, and the people who use it. Adding an engine is adding a constructor to
//! `each_engine`.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use postgres_testkit::Server;
use recipes::auth;
use recipes::draft::Draft;
use recipes::store::Postgres;
use recipes::store::sqlite::{Place, Sqlite};
use recipes::{Scope, Store};
use serde_json::{Value, json};

/// A folder for one store, gone with it.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> Folder {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("recipes-contract-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn sqlite(folder: &Folder) -> Arc<dyn Store> {
    Arc::new(Sqlite::new(Place::File(folder.0.join("recipes.db"))))
}

/// A server for the tests of this process, started by the first that needs it.
pub(crate) fn server() -> &'static Server {
    static SERVER: LazyLock<Server> = LazyLock::new(Server::start);
    &SERVER
}

pub(crate) fn postgres() -> Arc<dyn Store> {
    Arc::new(Postgres::new(&server().database(), &[]).expect("an address"))
}

/// Runs a test on an empty store of every engine.
pub(crate) fn each_engine<F: Future<Output = ()>>(test: impl Fn(Arc<dyn Store>) -> F) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).build().expect("a runtime");
    let folder = Folder::new();
    runtime.block_on(test(sqlite(&folder)));
    runtime.block_on(test(postgres()));
}

/// The family of this person, which is there from now on.
pub(crate) async fn person(store: &dyn Store, name: &str) -> Scope {
    let email = format!("{name}@example.org").parse().expect("an address");
    auth::local(store, Some(&email)).await.expect("a scope")
}

/// Every family.
pub(crate) async fn god(store: &dyn Store) -> Scope {
    auth::local(store, None).await.expect("a scope")
}

/// A draft from JSON, as REST and tools read it.
pub(crate) fn draft(json: Value) -> Draft {
    serde_json::from_value(json).expect("a draft")
}

/// A draft with nothing but a title.
pub(crate) fn titled(title: &str) -> Draft {
    draft(json!({ "title": title }))
}

/// A draft with something in every field.
pub(crate) fn full(title: &str) -> Draft {
    draft(json!({
        "title": title, "description": "Sweet & <rich>", "prep_time_minutes": 20, "cook_time_minutes": 45, "servings": 8,
        "difficulty": 3, "rating": 5, "yield_text": "one cake", "source_url": "https://example.org/cake", "notes": "n",
        "nutrition": "much", "tags": ["Dessert", "cake"],
        "ingredients": [
            { "name": "flour", "quantity": 250, "unit": "g", "section": "Dough" },
            { "name": "eggs", "quantity": 3, "quantity_max": 4 },
            { "name": "salt", "notes": "a pinch", "scales": false, "original_text": "1 pinch of salt" }
        ],
        "steps": [
            { "instruction": "Mix.", "duration_minutes": 5, "section": "Dough" },
            { "instruction": "Bake.", "temperature_value": 180, "temperature_unit": "Celsius" }
        ]
    }))
}
