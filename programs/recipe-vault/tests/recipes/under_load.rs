//! Many at once over REST: nobody sees an error of the server, a killed process loses nothing it acknowledged, and a replica
//! that is behind or gone is not noticed.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use postgres_testkit::Server;
use serde_json::{Value, json};

use crate::http::{Api, create};
use crate::vault::{Database, each_engine};

const WRITERS: usize = 8;

fn titles(api: &Api) -> Vec<String> {
    let list = api.god("GET", "/api/recipes", &Value::Null).json();
    let list = list.as_array().expect("an array").iter();
    list.map(|recipe| recipe["title"].as_str().expect("a title").to_owned()).collect()
}

#[test]
fn eight_writers_never_see_an_error_of_the_server() {
    each_engine(|database| {
        let api = Api::start(database);
        std::thread::scope(|threads| {
            for writer in 0..WRITERS {
                let api = &api;
                threads.spawn(move || {
                    for number in 0..15 {
                        let made = api.god(
                            "POST",
                            "/api/recipes",
                            &json!({ "title": format!("{writer}-{number}") }),
                        );
                        assert_eq!(made.code, 201, "{}", made.text());
                        let path = format!("/api/recipes/{}", made.json()["id"].as_str().expect("an id"));
                        let changed = api.god("PATCH", &path, &json!({ "servings": 4, "tags": ["all"] }));
                        assert_eq!(changed.code, 200, "{}", changed.text());
                        assert_eq!(api.god("GET", "/api/recipes", &Value::Null).code, 200);
                        if number % 5 == 4 {
                            assert_eq!(api.god("DELETE", &path, &Value::Null).code, 204);
                        }
                    }
                });
            }
        });
        assert_eq!(titles(&api).len(), WRITERS * 12);
    });
}

/// Creates recipes until the server is gone; it is killed after the hundredth.
fn create_until_killed(api: Api) -> Vec<String> {
    let address = api.address;
    let (api, count, acknowledged) = (Mutex::new(Some(api)), AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|threads| {
        for writer in 0..WRITERS {
            let (api, count, acknowledged) = (&api, &count, &acknowledged);
            threads.spawn(move || {
                for number in 0.. {
                    let title = format!("Recipe {writer}-{number}");
                    match create(address, &title) {
                        Some(201) => acknowledged.lock().expect("the list").push(title),
                        None => return,
                        Some(other) => panic!("{title}: {other}"),
                    }
                    if count.fetch_add(1, Ordering::Relaxed) == 100 {
                        // Dropped is killed, with SIGKILL.
                        drop(api.lock().expect("the process").take());
                    }
                }
            });
        }
    });
    acknowledged.into_inner().expect("the list")
}

#[test]
fn an_api_that_is_killed_under_load_loses_nothing_acknowledged() {
    each_engine(|database| {
        let acknowledged = create_until_killed(Api::start(database));
        assert!(acknowledged.len() > 100);
        let again = Api::start(database);
        let found = titles(&again);
        for title in &acknowledged {
            assert!(found.contains(title), "{title} was acknowledged and is gone");
        }
        let recipes = again.god("GET", "/api/recipes?limit=100", &Value::Null).json();
        for entry in recipes.as_array().expect("an array") {
            let path = format!("/api/recipes/{}", entry["id"].as_str().expect("an id"));
            let recipe = again.god("GET", &path, &Value::Null).json();
            assert_eq!(recipe["steps"].as_array().map(Vec::len), Some(1), "{recipe}");
        }
    });
}

/// A process that reads from the replica, and the key of a family of it.
fn with_replica(database: &Database, replica: &str) -> (Api, String) {
    let api = Api::run(database.command().args(["serve", "--port", "0"]).env("DATABASE_REPLICAS", replica));
    let family = api.god("POST", "/api/families", &json!({ "name": "Readers" })).json();
    let opens = json!({ "for": "family", "family_id": family["id"], "role": "owner" });
    let key = api.god("POST", "/api/keys", &json!({ "opens": opens })).json();
    (api, key["key"].as_str().expect("a key").to_owned())
}

fn family_titles(api: &Api, key: &str) -> usize {
    let list = api.with(&[("X-API-Key", key)], "GET", "/api/recipes", &Value::Null).json();
    list.as_array().expect("an array").len()
}

#[test]
fn with_a_replica_that_lags_and_then_dies_everybody_reads_what_they_wrote() {
    let primary = Server::start();
    let database = Database::on(&primary);
    // The schema is there before the replica is.
    drop(Api::start(&database).god("GET", "/api/recipes", &Value::Null));
    let replica = primary.replica();
    let name = database.name().to_owned();
    let (api, key) = with_replica(&database, &replica.address(&name));
    let write = |title: &str| {
        let made = api.with(&[("X-API-Key", &key)], "POST", "/api/recipes", &json!({ "title": title }));
        assert_eq!(made.code, 201, "{}", made.text());
        let path = format!("/api/recipes/{}", made.json()["id"].as_str().expect("an id"));
        assert_eq!(api.with(&[("X-API-Key", &key)], "GET", &path, &Value::Null).code, 200);
    };
    for number in 1..=10 {
        write(&format!("Recipe {number}"));
        assert_eq!(family_titles(&api, &key), number);
    }
    replica.sql("postgres", "SELECT pg_wal_replay_pause()");
    write("While it lags");
    assert_eq!(family_titles(&api, &key), 11);
    replica.kill();
    write("Without it");
    assert_eq!(family_titles(&api, &key), 12);
}

#[test]
fn with_a_primary_that_waits_for_its_replica_every_process_reads_what_any_wrote() {
    let primary = Server::start();
    let database = Database::on(&primary);
    drop(Api::start(&database).god("GET", "/api/recipes", &Value::Null));
    let replica = primary.replica();
    primary.wait_for_replicas();
    let name = database.name().to_owned();
    let (writer, key) = with_replica(&database, &replica.address(&name));
    let reader = Api::run(
        database.command().args(["serve", "--port", "0"]).env("DATABASE_REPLICAS", replica.address(&name)),
    );
    for number in 1..=20 {
        let made = writer.with(
            &[("X-API-Key", &key)],
            "POST",
            "/api/recipes",
            &json!({ "title": format!("R {number}") }),
        );
        assert_eq!(made.code, 201, "{}", made.text());
        assert_eq!(family_titles(&reader, &key), number);
    }
}
