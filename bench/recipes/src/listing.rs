//! The list of all recipes: the first one of processes that were just started, one after a change, one of what has not changed.

use std::path::Path;
use std::time::Duration;

use serde_json::json;

use crate::Result;
use crate::client::Client;
use crate::process::{Api, Tools};
use crate::table::{both_ways, cpu_each, median, ms, row, times};

/// Processes that are started for a first list; the median counts.
const STARTED: usize = 5;

/// Rounds of lists that have not changed; the median counts.
const ROUNDS: usize = 9;

const PATH: &str = "/api/recipes";

/// Changes a recipe.
fn change(client: &mut Client, ids: &[String]) -> Result<()> {
    let path = format!("{PATH}/{}", ids.first().ok_or("no recipe")?);
    client.expect(200, "PATCH", &path, &json!({ "servings": 5 }).to_string()).map(drop)
}

pub(crate) fn over_rest(program: &Path, database: &str, api: &Api, ids: &[String]) -> Result<()> {
    let first = both_ways(&[], || {
        let lists = (0..STARTED).map(|_| {
            let api = Api::start(program, database)?;
            let mut client = Client::connect(&api.address)?;
            client.expect(200, "GET", &format!("{PATH}/{}", ids.first().ok_or("no recipe")?), "")?;
            cpu_each(&[&api.process], 1, || client.expect(200, "GET", PATH, "").map(drop))
        });
        Ok(median(lists.collect::<Result<_>>()?))
    })?;
    let (wide, alone) = both_ways(&[api.process.id()], || kept_over_rest(api, ids))?;
    let size = format!("377 ms (21.2 MB; ours {:.1} MB)", wide.megabytes);
    times("list, REST, CPU, first", &size, "<= 75 ms", 1, first);
    times("list, REST, CPU, after a change", "377 ms", "", 1, (wide.changed, alone.changed));
    times("list, REST, CPU, unchanged", "377 ms", "<= 10 ms", 1, (wide.unchanged, alone.unchanged));
    times("list, REST, CPU, known to the client (304)", "", "< 0.2 ms", 3, (wide.known, alone.known));
    Ok(())
}

/// Lists of an API that has made some before, in milliseconds.
struct Kept {
    changed: f64,
    unchanged: f64,
    known: f64,
    megabytes: f64,
}

fn kept_over_rest(api: &Api, ids: &[String]) -> Result<Kept> {
    let (mut client, mut changing) = (Client::connect(&api.address)?, Client::connect(&api.address)?);
    let whole = client.expect(200, "GET", PATH, "")?;
    let mut alone = Duration::ZERO;
    let changed = cpu_each(&[&api.process], 10, || {
        // The change itself is not what is measured.
        let before = api.process.cpu()?;
        change(&mut changing, ids)?;
        alone += api.process.cpu()? - before;
        client.expect(200, "GET", PATH, "").map(drop)
    })? - ms(alone) / 10.0;
    let unchanged = (0..ROUNDS)
        .map(|_| cpu_each(&[&api.process], 10, || client.expect(200, "GET", PATH, "").map(drop)))
        .collect::<Result<_>>()?;
    let tag = format!("If-None-Match: {}\r\n", client.expect(200, "GET", PATH, "")?.tag);
    let known = cpu_each(&[&api.process], 2_000, || match client.send("GET", PATH, &tag, "")?.status {
        304 => Ok(()),
        other => Err(format!("304 was expected, not {other}").into()),
    })?;
    Ok(Kept { changed, unchanged: median(unchanged), known, megabytes: whole.body.len() as f64 / 1e6 })
}

pub(crate) fn on_the_database(program: &Path, database: &str, ids: &[String]) -> Result<()> {
    let first = both_ways(&[], || {
        let lists = (0..STARTED).map(|_| {
            let mut tools = Tools::on_the_database(program, database, ids)?;
            list(&mut tools, |tools| tools.process.cpu())
        });
        Ok(median(lists.collect::<Result<_>>()?))
    })?;
    times("list, MCP on the database, CPU, first", "", "<= 100 ms", 1, first);
    Ok(())
}

/// Processor time of one call of `list_recipes`.
fn list(tools: &mut Tools, cpu: impl Fn(&Tools) -> Result<Duration>) -> Result<f64> {
    let before = cpu(tools)?;
    tools.call("list_recipes", &json!({}))?;
    Ok(ms(cpu(tools)? - before))
}

pub(crate) fn through_the_api(program: &Path, database: &str, api: &Api, ids: &[String]) -> Result<()> {
    let both = |tools: &Tools, api: &Api| Ok(tools.process.cpu()? + api.process.cpu()?);
    let mut peaks = Vec::new();
    let first = both_ways(&[], || {
        let lists = (0..STARTED).map(|_| {
            let api = Api::start(program, database)?;
            let mut tools = Tools::through(program, &api, ids)?;
            let time = list(&mut tools, |tools| both(tools, &api))?;
            peaks.push(tools.process.memory("VmHWM")? + api.process.memory("VmHWM")?);
            Ok(time)
        });
        Ok(median(lists.collect::<Result<_>>()?))
    })?;
    let mut tools = Tools::through(program, api, ids)?;
    let mut changing = Client::connect(&api.address)?;
    let processes = [tools.process.id(), api.process.id()];
    let (wide, alone) = both_ways(&processes, || {
        let (mut changed, mut unchanged) = (Vec::new(), Vec::new());
        for _ in 0..STARTED {
            change(&mut changing, ids)?;
            changed.push(list(&mut tools, |tools| both(tools, api))?);
            unchanged.push(list(&mut tools, |tools| both(tools, api))?);
        }
        Ok((median(changed), median(unchanged)))
    })?;
    let name = "list, MCP through the API, CPU of both";
    times(&format!("{name}, first"), "691 ms", "<= 100 ms", 1, first);
    times(&format!("{name}, after a change"), "691 ms", "", 1, (wide.0, alone.0));
    times(&format!("{name}, unchanged"), "691 ms", "", 1, (wide.1, alone.1));
    let peak = format!("{:.0} MB", median(peaks));
    row("list, MCP through the API, peak memory of both", "385 MB", "<= 120 MB", &peak);
    Ok(())
}
