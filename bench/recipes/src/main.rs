//! `bench-recipes PROGRAM FOLDER`: the command `recipe-vault` with fifty thousand recipes in SQLite. Every figure is of the
//! server's processes alone: their processor time by the kernel's clock, their memory. The targets, and what the program it
//! takes the place of needed, stand beside.

mod client;
mod disk;
mod one_core;
mod process;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use client::Client;
use one_core::on_one_core;
use process::{Api, KEY, Process, Tools};
use serde_json::{Value, json};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

const RECIPES: usize = 50_000;
const WRITERS: usize = 8;
const MEASURED: usize = 8_000;

fn draft(number: usize) -> String {
    let ingredients: Vec<Value> = (0..8)
        .map(|at| json!({ "name": format!("ingredient {at}"), "quantity": at + 1, "unit": "g", "notes": "fine" }))
        .collect();
    let steps: Vec<Value> = (0..6)
        .map(|at| json!({ "instruction": format!("Do thing {at} slowly and with care."), "duration_minutes": 5 }))
        .collect();
    // Titles come in no order, as those of people do.
    let place = number.wrapping_mul(7_919) % 1_000_003;
    let description = "A dish that the whole family likes, from a card in the drawer, with \"remarks\" in two hands. It \
                       keeps for three days, and tastes better on the second; freeze what is left in small portions.";
    json!({
        "title": format!("Recipe {place:07} of the house"), "description": description, "servings": 4, "difficulty": 2,
        "prep_time_minutes": 20, "cook_time_minutes": 45, "ingredients": ingredients, "steps": steps,
    })
    .to_string()
}

/// A row of the table.
fn row(what: &str, original: &str, target: &str, ours: &str) {
    println!("| {what} | {original} | {target} | {ours} |");
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

/// Milliseconds of processor time of these processes for each of so many rounds.
fn cpu_each(processes: &[&Process], rounds: u32, mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    let sum = || processes.iter().map(|process| process.cpu()).sum::<Result<Duration>>();
    let before = sum()?;
    for _ in 0..rounds {
        work()?;
    }
    Ok(ms(sum()? - before) / f64::from(rounds))
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn main() -> Result<()> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(program), Some(folder)) = (arguments.next(), arguments.next()) else {
        return Err("usage: bench-recipes PROGRAM FOLDER".into());
    };
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder)?;
    let folder = folder.canonicalize()?;
    let database = format!("sqlite://{}/recipes.db", folder.display());
    println!("{RECIPES} recipes of 8 ingredients and 6 steps in SQLite, over REST and MCP.\n");
    println!("| figure | original | target | ours |\n|---|--:|--:|--:|");
    start_up(&program, &database)?;
    let api = Api::start(&program, &database)?;
    creating(&api, &folder)?;
    race(&api)?;
    reading(&api)?;
    listing(&program, &database, &api)?;
    tools(&program, &database, &api)?;
    drop(api);
    Ok(std::fs::remove_dir_all(&folder)?)
}

fn start_up(program: &Path, database: &str) -> Result<()> {
    let (mut served, mut asked, mut idle, mut used) = (Vec::new(), Vec::new(), [0.0; 2], [0.0; 2]);
    for _ in 0..9 {
        let api = Api::start(program, database)?;
        served.push(ms(api.process.start));
        let mut tools = Tools::start(program, &[("DATABASE_URL", database)])?;
        asked.push(ms(tools.process.start));
        idle = [api.process.memory("VmRSS")?, tools.process.memory("VmRSS")?];
        Client::connect(&api.address)?.expect(200, "GET", "/api/recipes", "")?;
        tools.call("list_recipes", &json!({}))?;
        used = [api.process.memory("VmRSS")?, tools.process.memory("VmRSS")?];
    }
    row("start-up, API", "176-288 ms", "<= 50 ms", &format!("{:.1} ms", median(served)));
    row("start-up, MCP", "169 ms", "<= 15 ms", &format!("{:.1} ms", median(asked)));
    for (name, at, original, target) in [("API", 0, "16 MB", "<= 15 MB"), ("MCP", 1, "11 MB", "<= 8 MB")] {
        row(&format!("memory, idle, {name}"), original, target, &format!("{:.1} MB", idle[at]));
        row(&format!("memory after the first call, {name}"), "", "", &format!("{:.1} MB", used[at]));
    }
    Ok(())
}

/// Eight connections create different recipes; gives how many were refused.
fn create(api: &Api, from: usize, to: usize) -> Result<usize> {
    let (next, refused) = (AtomicUsize::new(from), AtomicUsize::new(0));
    std::thread::scope(|threads| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|_| {
                threads.spawn(|| -> Result<()> {
                    let mut client = Client::connect(&api.address)?;
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= to {
                            return Ok(());
                        }
                        if client.send("POST", "/api/recipes", "", &draft(number))?.status != 201 {
                            refused.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                })
            })
            .collect();
        writers.into_iter().try_for_each(|writer| writer.join().map_err(|_| "a writer broke down")?)
    })?;
    Ok(refused.into_inner())
}

fn creating(api: &Api, folder: &Path) -> Result<()> {
    let before = api.process.cpu()?;
    let began = Instant::now();
    let refused = create(api, 0, MEASURED)?;
    let rate = MEASURED as f64 / began.elapsed().as_secs_f64();
    let each = ms(api.process.cpu()? - before) / MEASURED as f64;
    // What eight creates put into the write-ahead log, measured right after them.
    let limit = WRITERS as f64 * disk::syncs_per_second(folder, 64 * 1_024)?;
    let target = format!(">= 1,500/s, or {limit:.0}/s (disk)");
    row(
        "create, 8 connections, each on disk",
        "370/s and 2.7 refusals each",
        &target,
        &format!("{rate:.0}/s"),
    );
    row("create, CPU", "3.0 ms", "", &format!("{each:.2} ms"));
    row("create, refusals", "2,735 of 3,735", "0", &refused.to_string());
    create(api, MEASURED, RECIPES)?;
    Ok(())
}

fn race(api: &Api) -> Result<()> {
    let statuses: Result<Vec<u16>> = std::thread::scope(|threads| {
        let asking: Vec<_> = (0..50)
            .map(|_| {
                threads.spawn(|| -> Result<u16> {
                    let mut client = Client::connect(&api.address)?;
                    Ok(client.send("POST", "/api/recipes", "", r#"{"title":"The one"}"#)?.status)
                })
            })
            .collect();
        asking.into_iter().map(|asked| asked.join().map_err(|_| "a client broke down")?).collect()
    });
    let statuses = statuses?;
    let count = |wanted| statuses.iter().filter(|status| **status == wanted).count();
    let ours = format!("{}x201, {}x409", count(201), count(409));
    row("50 creates of one title at once", "1x201, 11-49x500", "1x201, 49x409", &ours);
    Ok(())
}

/// The ids of some recipes.
fn some_ids(api: &Api) -> Result<Vec<String>> {
    let page = Client::connect(&api.address)?.expect(200, "GET", "/api/recipes?limit=100", "")?;
    let page: Vec<Value> = serde_json::from_slice(&page.body)?;
    Ok(page.iter().filter_map(|entry| entry["id"].as_str().map(str::to_owned)).collect())
}

fn reading(api: &Api) -> Result<()> {
    let ids = some_ids(api)?;
    let (each, rate) = read(api, &ids)?;
    row("get, REST, 8 connections, CPU", "0.25-0.46 ms", "<= 0.08 ms", &format!("{each:.3} ms"));
    row("get, REST, 8 connections", "3,300-4,500/s", "", &format!("{rate:.0}/s"));
    let (each, _) = on_one_core(&[api.process.id()], || read(api, &ids))?;
    row("the same on one core, CPU", "", "<= 0.08 ms", &format!("{each:.3} ms"));
    Ok(())
}

/// Eight connections read recipes; gives the processor time of each, and how many there were a second.
fn read(api: &Api, ids: &[String]) -> Result<(f64, f64)> {
    let rounds = 2_000;
    let before = api.process.cpu()?;
    let began = Instant::now();
    std::thread::scope(|threads| {
        let readers: Vec<_> = (0..WRITERS)
            .map(|_| {
                threads.spawn(|| -> Result<()> {
                    let mut client = Client::connect(&api.address)?;
                    for number in 0..rounds {
                        client.expect(
                            200,
                            "GET",
                            &format!("/api/recipes/{}", ids[number % ids.len()]),
                            "",
                        )?;
                    }
                    Ok(())
                })
            })
            .collect();
        readers.into_iter().try_for_each(|reader| reader.join().map_err(|_| "a reader broke down")?)
    })?;
    let count = (WRITERS * rounds) as f64;
    let rate = count / began.elapsed().as_secs_f64();
    Ok((ms(api.process.cpu()? - before) / count, rate))
}

/// Processor time of the first list of an API, the median of five.
fn first_list(program: &Path, database: &str, ids: &[String]) -> Result<f64> {
    let mut times = Vec::new();
    for _ in 0..5 {
        let api = Api::start(program, database)?;
        let mut client = Client::connect(&api.address)?;
        let id = ids.first().ok_or("no recipe")?;
        client.expect(200, "GET", &format!("/api/recipes/{id}"), "")?;
        times.push(cpu_each(&[&api.process], 1, || client.expect(200, "GET", "/api/recipes", "").map(drop))?);
    }
    Ok(median(times))
}

fn listing(program: &Path, database: &str, api: &Api) -> Result<()> {
    let ids = some_ids(api)?;
    let first = first_list(program, database, &ids)?;
    let mut client = Client::connect(&api.address)?;
    let whole = client.expect(200, "GET", "/api/recipes", "")?;
    let size = whole.body.len() as f64 / 1e6;
    let change = json!({ "servings": 5 }).to_string();
    let path = format!("/api/recipes/{}", ids.first().ok_or("no recipe")?);
    let mut changing = Client::connect(&api.address)?;
    let mut alone = Duration::ZERO;
    let changed = cpu_each(&[&api.process], 10, || {
        // The change itself is not what is measured.
        let before = api.process.cpu()?;
        changing.expect(200, "PATCH", &path, &change)?;
        alone += api.process.cpu()? - before;
        client.expect(200, "GET", "/api/recipes", "").map(drop)
    })? - ms(alone) / 10.0;
    let unchanged =
        cpu_each(&[&api.process], 20, || client.expect(200, "GET", "/api/recipes", "").map(drop))?;
    let known = format!("If-None-Match: {}\r\n", client.expect(200, "GET", "/api/recipes", "")?.tag);
    let not_sent =
        cpu_each(&[&api.process], 2_000, || match client.send("GET", "/api/recipes", &known, "")?.status {
            304 => Ok(()),
            other => Err(format!("304 was expected, not {other}").into()),
        })?;
    row("list, REST, CPU, first", "377 ms (21.2 MB)", "<= 75 ms", &format!("{first:.1} ms ({size:.1} MB)"));
    row("list, REST, CPU, after a change", "377 ms", "", &format!("{changed:.1} ms"));
    row("list, REST, CPU, unchanged", "377 ms", "<= 5 ms", &format!("{unchanged:.1} ms"));
    row("list, REST, CPU, known to the client (304)", "", "< 0.2 ms", &format!("{not_sent:.3} ms"));
    Ok(())
}

fn tools(program: &Path, database: &str, api: &Api) -> Result<()> {
    let ids = some_ids(api)?;
    let (embedded, alone, list) = on_the_database(program, database, &ids)?;
    row("get, MCP on the database, CPU", "", "<= 0.05 ms", &format!("{embedded:.3} ms"));
    row("the same on one core, CPU", "", "<= 0.05 ms", &format!("{alone:.3} ms"));
    row("list, MCP on the database, CPU, first", "", "<= 100 ms", &format!("{list:.1} ms"));
    through_the_api(program, database, api, &ids)
}

/// Processor time of so many calls of `get_recipe`, each.
fn gets(
    tools: &mut Tools,
    ids: &[String],
    count: u32,
    cpu: impl Fn(&Tools) -> Result<Duration>,
) -> Result<f64> {
    let before = cpu(tools)?;
    for id in ids.iter().cycle().take(count as usize) {
        tools.call("get_recipe", &json!({ "recipe_id": id }))?;
    }
    Ok(ms(cpu(tools)? - before) / f64::from(count))
}

/// A process of its own for everything: one recipe, one on one core, and the first list, the median of five processes.
fn on_the_database(program: &Path, database: &str, ids: &[String]) -> Result<(f64, f64, f64)> {
    let own = |tools: &Tools| tools.process.cpu();
    let start = || {
        let mut tools = Tools::start(program, &[("DATABASE_URL", database)])?;
        gets(&mut tools, ids, 1, own)?;
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>(tools)
    };
    let shared = gets(&mut start()?, ids, 5_000, own)?;
    let mut tools = start()?;
    let pinned = tools.process.id();
    let alone = on_one_core(&[pinned], || gets(&mut tools, ids, 5_000, own))?;
    let mut lists = Vec::new();
    for _ in 0..5 {
        let mut tools = start()?;
        let before = tools.process.cpu()?;
        tools.call("list_recipes", &json!({}))?;
        lists.push(ms(tools.process.cpu()? - before));
    }
    Ok((shared, alone, median(lists)))
}

fn through_the_api(program: &Path, database: &str, api: &Api, ids: &[String]) -> Result<()> {
    let start = |api: &Api| {
        let url = format!("http://{}", api.address);
        let mut tools = Tools::start(program, &[("API_BASE_URL", &url), ("API_KEY", KEY)])?;
        gets(&mut tools, ids, 1, |tools| tools.process.cpu())?;
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>(tools)
    };
    let both = |tools: &Tools| Ok(tools.process.cpu()? + api.process.cpu()?);
    let mut remote = start(api)?;
    let each = gets(&mut remote, ids, 2_000, both)?;
    row("get, MCP through the API, CPU of both", "0.9-1.1 ms", "<= 0.3 ms", &format!("{each:.3} ms"));
    let processes = [remote.process.id(), api.process.id()];
    let each = on_one_core(&processes, || gets(&mut remote, ids, 2_000, both))?;
    row("the same on one core, CPU", "", "<= 0.3 ms", &format!("{each:.3} ms"));
    let (mut first, mut peak) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        let api = Api::start(program, database)?;
        let mut tools = start(&api)?;
        let before = tools.process.cpu()? + api.process.cpu()?;
        tools.call("list_recipes", &json!({}))?;
        first.push(ms(tools.process.cpu()? + api.process.cpu()? - before));
        peak.push(tools.process.memory("VmHWM")? + api.process.memory("VmHWM")?);
    }
    let path = format!("/api/recipes/{}", ids.first().ok_or("no recipe")?);
    let mut client = Client::connect(&api.address)?;
    let (mut changed, mut again) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        client.expect(200, "PATCH", &path, &json!({ "servings": 6 }).to_string())?;
        for kept in [&mut changed, &mut again] {
            let before = both(&remote)?;
            remote.call("list_recipes", &json!({}))?;
            kept.push(ms(both(&remote)? - before));
        }
    }
    let figure = |times| format!("{:.1} ms", median(times));
    let peak = format!("{:.0} MB", median(peak));
    row("list, MCP through the API, CPU of both, first", "691 ms", "<= 100 ms", &figure(first));
    row("list, MCP through the API, CPU of both, after a change", "691 ms", "", &figure(changed));
    row("list, MCP through the API, CPU of both, unchanged", "691 ms", "", &figure(again));
    row("list, MCP through the API, peak memory of both", "385 MB", "<= 100 MB", &peak);
    Ok(())
}
