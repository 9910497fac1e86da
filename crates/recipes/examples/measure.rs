//! Figures of the SQLite store on this machine: `cargo run --release -p recipes --example measure`.
#![allow(clippy::expect_used, clippy::print_stdout, reason = "an example that prints what it measured")]

use std::sync::Arc;
use std::time::Instant;

use recipes::draft::Draft;
use recipes::listing::ListQuery;
use recipes::store::sqlite::{Place, Sqlite};
use recipes::{Store, auth};
use serde_json::json;

const RECIPES: usize = 50_000;
const WRITERS: usize = 8;
const READS: u32 = 20_000;

fn draft(number: usize) -> Draft {
    let ingredients: Vec<_> =
        (0..8).map(|i| json!({ "name": format!("ingredient {i}"), "quantity": i, "unit": "g" })).collect();
    let steps: Vec<_> = (0..6).map(|i| json!({ "instruction": format!("Do thing {i}.") })).collect();
    let recipe = json!({
        "title": format!("Recipe number {number}"), "description": "A dish that the family likes, with a long description",
        "servings": 4, "difficulty": 2, "ingredients": ingredients, "steps": steps
    });
    serde_json::from_value(recipe).expect("a draft")
}

/// Seconds of processor time this process has used.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks: f64 = [11, 12].iter().map(|at| fields[*at].parse::<f64>().expect("a number")).sum();
    ticks / 100.0
}

#[tokio::main(flavor = "multi_thread", worker_threads = 4)]
async fn main() {
    let folder = std::env::temp_dir().join(format!("recipes-measure-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let store: Arc<dyn Store> = Arc::new(Sqlite::new(Place::File(folder.join("recipes.db"))));
    let scope = auth::local(&*store, None).await.expect("a scope");
    let (start, used) = (Instant::now(), cpu());
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (store, scope) = (Arc::clone(&store), scope.clone());
            tokio::spawn(async move {
                let mut last = None;
                for number in (writer..RECIPES).step_by(WRITERS) {
                    last = Some(store.create_recipe(&scope, draft(number), None).await.expect("made").id);
                }
                last
            })
        })
        .collect();
    let mut id = None;
    for writer in writers {
        id = writer.await.expect("no panic");
    }
    #[allow(clippy::cast_precision_loss, reason = "a figure to read")]
    let count = RECIPES as f64;
    let seconds = start.elapsed().as_secs_f64();
    let each = (cpu() - used) * 1_000.0 / count;
    println!("create, {WRITERS} writers: {:.0}/s, {each:.3} ms CPU each", count / seconds);
    let id = id.expect("a recipe");
    let used = cpu();
    for _ in 0..READS {
        store.recipe(&scope, id).await.expect("there");
    }
    println!("get: {:.4} ms CPU each", (cpu() - used) * 1_000.0 / f64::from(READS));
    for name in ["first", "unchanged"] {
        let used = cpu();
        let listing = store.list_recipes(&scope, ListQuery::default()).await.expect("a list");
        println!(
            "list of {RECIPES}, {name}: {:.0} ms CPU, {} bytes",
            (cpu() - used) * 1_000.0,
            listing.json.len()
        );
    }
    let _ = std::fs::remove_dir_all(folder);
}
