//! The `recipe-vault` process on a database of its own.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_testkit::Client;
use postgres_testkit::Server;
use serde_json::{Value, json};

/// A folder for one test, gone with it.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> Folder {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("deskmate-recipes-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        Folder(fs::canonicalize(folder).expect("a real path"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Where a database is.
pub(crate) struct Database {
    pub(crate) url: String,
    folder: Folder,
}

impl Database {
    pub(crate) fn sqlite() -> Database {
        let folder = Folder::new();
        Database { url: format!("sqlite://{}/recipes.db", folder.0.display()), folder }
    }

    pub(crate) fn postgres() -> Database {
        static SERVER: LazyLock<Server> = LazyLock::new(Server::start);
        Database { url: SERVER.database(), folder: Folder::new() }
    }

    /// A database of a server of the test's own.
    pub(crate) fn on(server: &Server) -> Database {
        Database { url: server.database(), folder: Folder::new() }
    }

    /// What it is called on its server.
    pub(crate) fn name(&self) -> &str {
        self.url.rsplit('/').next().expect("a name")
    }

    /// The server on this database, for nobody in particular.
    pub(crate) fn command(&self) -> Command {
        command(&self.url, &self.folder)
    }

    /// A client that reaches every family.
    pub(crate) fn god(&self) -> Vault {
        Vault { client: Client::process(&mut self.command()) }
    }

    /// A client that reaches the family of this person.
    pub(crate) fn person(&self, email: &str) -> Vault {
        Vault { client: Client::process(self.command().env("USER_EMAIL", email)) }
    }

    /// A file of the test.
    pub(crate) fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.folder.0.join(name);
        fs::write(&path, bytes).expect("a file");
        path
    }
}

/// The server on a database of this address, with nothing else set.
pub(crate) fn command(url: &str, home: &Folder) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_recipe-vault"));
    for name in [
        "API_BASE_URL",
        "API_KEY",
        "DATABASE_REPLICAS",
        "USER_EMAIL",
        "DESKMATE_ROOTS",
        "DESKMATE_HOME",
        "XDG_DATA_HOME",
    ] {
        command.env_remove(name);
    }
    command.env("HOME", &home.0).env("DATABASE_URL", url);
    command
}

/// Runs a test on an empty database of every engine.
pub(crate) fn each_engine(test: impl Fn(&Database)) {
    test(&Database::sqlite());
    test(&Database::postgres());
}

/// A client of the server.
pub(crate) struct Vault {
    pub(crate) client: Client,
}

impl Vault {
    fn answer(&mut self, tool: &str, arguments: &Value) -> Value {
        self.client.request("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// The JSON a tool answers with.
    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.answer(tool, &arguments);
        assert!(answer.get("error").is_none(), "{tool} {arguments}: {answer}");
        let text = answer["result"]["content"][0]["text"].as_str().expect("text");
        serde_json::from_str(text).expect("JSON")
    }

    /// The error a tool ends in.
    #[track_caller]
    pub(crate) fn error(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.answer(tool, &arguments);
        assert!(answer.get("result").is_none(), "{tool} {arguments}: {answer}");
        answer["error"].clone()
    }

    /// Checks the code of an error, and that its message has all these parts.
    #[track_caller]
    pub(crate) fn fails(&mut self, tool: &str, arguments: Value, code: i32, parts: &[&str]) {
        let error = self.error(tool, arguments);
        assert_eq!(error["code"], code, "{error}");
        let message = error["message"].as_str().expect("a message").to_lowercase();
        for part in parts {
            assert!(message.contains(&part.to_lowercase()), "`{part}` is not in {error}");
        }
    }

    #[track_caller]
    pub(crate) fn create(&mut self, recipe: Value) -> Value {
        self.call("create_recipe", recipe)
    }

    /// The titles in the list.
    #[track_caller]
    pub(crate) fn titles(&mut self) -> Vec<String> {
        let list = self.call("list_recipes", json!({}));
        let list = list.as_array().expect("an array");
        list.iter().map(|recipe| recipe["title"].as_str().expect("a title").to_owned()).collect()
    }
}

/// A recipe with ingredients and steps.
pub(crate) fn cake() -> Value {
    json!({
        "title": "Chocolate Cake", "description": "Dark and moist", "prep_time_minutes": 20, "cook_time_minutes": 40,
        "servings": 8, "difficulty": 2,
        "ingredients": [
            { "name": "flour", "quantity": 250, "unit": "g" },
            { "name": "eggs", "quantity": 3 },
            { "name": "dark chocolate", "quantity": 200, "unit": "g", "notes": "melted" }
        ],
        "steps": [
            { "instruction": "Mix everything.", "duration_minutes": 10 },
            { "instruction": "Bake.", "duration_minutes": 40, "temperature_value": 180, "temperature_unit": "Celsius" }
        ]
    })
}

/// A UUID that names nothing.
pub(crate) const UNKNOWN: &str = "018f3c1e-7a2b-7c3d-8e4f-5a6b7c8d9e0f";

/// A picture of one pixel.
pub(crate) const PNG: &[u8] =
    b"\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x01\x00\x00\x00\x01\
    \x08\x02\x00\x00\x00\x90\x77\x53\xde\x00\x00\x00\x0c\x49\x44\x41\x54\x78\x9c\x63\x38\xe0\xa0\x00\
    \x00\x02\xe4\x01\x21\x81\x25\xc8\xc8\x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82";
