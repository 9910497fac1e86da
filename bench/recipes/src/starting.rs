//! Start-up, and memory before there is much to do.

use std::path::Path;

use serde_json::json;

use crate::Result;
use crate::client::Client;
use crate::process::{Api, Tools};
use crate::table::{median, ms, row};

pub(crate) fn start_up(program: &Path, database: &str) -> Result<()> {
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
