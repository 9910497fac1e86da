//! `bench-recipes PROGRAM FOLDER`: the command `recipe-vault` with fifty thousand recipes in SQLite. Every figure is of the
//! server's processes alone: their processor time by the kernel's clock, their memory. The targets, and what the program it
//! takes the place of needed, stand beside.

mod client;
mod creating;
mod disk;
mod listing;
mod one_core;
mod process;
mod reading;
mod starting;
mod table;

use std::path::PathBuf;

use client::Client;
use process::Api;
use serde_json::Value;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

const RECIPES: usize = 50_000;

fn main() -> Result<()> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(program), Some(folder)) = (arguments.next(), arguments.next()) else {
        return Err("usage: bench-recipes PROGRAM FOLDER".into());
    };
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder)?;
    let folder = folder.canonicalize()?;
    let database = format!("sqlite://{}/recipes.db", folder.display());
    println!(
        "{RECIPES} recipes of 8 ingredients and 6 steps in SQLite, over REST and MCP. On one core, programs and their"
    );
    println!(
        "clients take turns: what is left out is the waking of one processor by another. Gets read a hundred recipes in"
    );
    println!("turn, whose pages of the file are in memory then, unless they are for the first time.\n");
    table::head();
    starting::start_up(&program, &database)?;
    let api = Api::start(&program, &database)?;
    creating::create_all(&api, &folder)?;
    creating::race(&api)?;
    let all_ids = all_ids(&api)?;
    let ids = all_ids.get(..100).ok_or("too few recipes")?.to_vec();
    reading::over_rest(&api, &ids)?;
    reading::on_the_database(&program, &database, &ids)?;
    reading::for_the_first_time(&program, &database, &all_ids)?;
    reading::through_the_api(&program, &api, &ids)?;
    listing::over_rest(&program, &database, &api, &ids)?;
    listing::on_the_database(&program, &database, &ids)?;
    listing::through_the_api(&program, &database, &api, &ids)?;
    drop(api);
    Ok(std::fs::remove_dir_all(&folder)?)
}

/// The ids of all recipes.
fn all_ids(api: &Api) -> Result<Vec<String>> {
    let list = Client::connect(&api.address)?.expect(200, "GET", "/api/recipes", "")?;
    let list: Vec<Value> = serde_json::from_slice(&list.body)?;
    Ok(list.iter().filter_map(|entry| entry["id"].as_str().map(str::to_owned)).collect())
}
