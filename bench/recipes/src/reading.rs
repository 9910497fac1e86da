//! One recipe.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::Result;
use crate::client::Client;
use crate::process::{Api, Tools};
use crate::table::{both_ways, median, ms, row, times};

const READERS: usize = 8;

/// The machine has other work as well; the median of so many rounds counts.
const ROUNDS: usize = 9;

pub(crate) fn over_rest(api: &Api, ids: &[String]) -> Result<()> {
    let ((each, rate), (alone, _)) = both_ways(&[api.process.id()], || {
        let rounds = (0..ROUNDS).map(|_| read(api, ids)).collect::<Result<Vec<_>>>()?;
        let (times, rates) = rounds.into_iter().unzip();
        Ok((median(times), median(rates)))
    })?;
    times("get, REST, 8 connections, CPU", "0.25-0.46 ms", "<= 0.10 ms", 3, (each, alone));
    row("get, REST, 8 connections", "3,300-4,500/s", "", &format!("{rate:.0}/s"));
    Ok(())
}

/// Eight connections read recipes; gives the processor time of each, and how many there were a second.
fn read(api: &Api, ids: &[String]) -> Result<(f64, f64)> {
    let rounds = 500;
    let before = api.process.cpu()?;
    let began = Instant::now();
    std::thread::scope(|threads| {
        let readers: Vec<_> = (0..READERS)
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
    let count = (READERS * rounds) as f64;
    let rate = count / began.elapsed().as_secs_f64();
    Ok((ms(api.process.cpu()? - before) / count, rate))
}

/// Processor time of a call of `get_recipe`; a hundred recipes are read in turn.
fn gets(tools: &mut Tools, ids: &[String], cpu: impl Fn(&Tools) -> Result<Duration>) -> Result<f64> {
    const COUNT: u16 = 1_000;
    let rounds = (0..ROUNDS).map(|_| {
        let before = cpu(tools)?;
        for id in ids.iter().cycle().take(COUNT.into()) {
            tools.call("get_recipe", &json!({ "recipe_id": id }))?;
        }
        Ok(ms(cpu(tools)? - before) / f64::from(COUNT))
    });
    Ok(median(rounds.collect::<Result<_>>()?))
}

pub(crate) fn on_the_database(program: &Path, database: &str, ids: &[String]) -> Result<()> {
    let mut tools = Tools::on_the_database(program, database, ids)?;
    let each = both_ways(&[tools.process.id()], || gets(&mut tools, ids, |tools| tools.process.cpu()))?;
    times("get, MCP on the database, CPU", "", "<= 0.10 ms", 3, each);
    Ok(())
}

/// Recipes from all over the cookbook, each read once: nothing of them is in the process's memory.
pub(crate) fn for_the_first_time(program: &Path, database: &str, all_ids: &[String]) -> Result<()> {
    let each = both_ways(&[], || {
        let mut tools = Tools::on_the_database(program, database, all_ids)?;
        let rounds = (0..ROUNDS).map(|round| {
            let ids = all_ids.iter().skip(1 + round).step_by(ROUNDS * 10);
            let count = u32::try_from(ids.len())?;
            let before = tools.process.cpu()?;
            for id in ids {
                tools.call("get_recipe", &json!({ "recipe_id": id }))?;
            }
            Ok(ms(tools.process.cpu()? - before) / f64::from(count))
        });
        Ok(median(rounds.collect::<Result<_>>()?))
    })?;
    times("get, MCP on the database, CPU, each for the first time", "", "", 3, each);
    Ok(())
}

pub(crate) fn through_the_api(program: &Path, api: &Api, ids: &[String]) -> Result<()> {
    let mut tools = Tools::through(program, api, ids)?;
    let both = |tools: &Tools| Ok(tools.process.cpu()? + api.process.cpu()?);
    let processes = [tools.process.id(), api.process.id()];
    let each = both_ways(&processes, || gets(&mut tools, ids, both))?;
    times("get, MCP through the API, CPU of both", "0.9-1.1 ms", "<= 0.3 ms", 3, each);
    Ok(())
}
