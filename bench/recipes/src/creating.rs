//! Creates: how many a second, and fifty of one title.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use serde_json::{Value, json};

use crate::client::Client;
use crate::process::Api;
use crate::table::{ms, row};
use crate::{RECIPES, Result, disk};

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

pub(crate) fn create_all(api: &Api, folder: &Path) -> Result<()> {
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

pub(crate) fn race(api: &Api) -> Result<()> {
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
