//! The command `recipe-vault`, as an API and as an MCP server, and what the kernel knows of it.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, io};

use serde_json::{Value, json};

use crate::Result;

/// The key that opens every family.
pub(crate) const KEY: &str = "bench-key";

/// A process that ends with this value.
pub(crate) struct Process {
    child: Child,
    /// From starting it to its first line, or its first answer.
    pub(crate) start: Duration,
}

impl Drop for Process {
    fn drop(&mut self) {
        // It fails only if the process is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Process {
    /// Its number.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// User and system time of all threads, past ones too.
    #[allow(unsafe_code, reason = "no safe crate offers the clock of another process")]
    pub(crate) fn cpu(&self) -> Result<Duration> {
        let pid = libc::pid_t::try_from(self.child.id())?;
        let mut clock: libc::clockid_t = 0;
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: both calls only write to the locals they are given.
        let failed = unsafe {
            libc::clock_getcpuclockid(pid, &raw mut clock) != 0
                || libc::clock_gettime(clock, &raw mut time) != 0
        };
        if failed {
            return Err(format!("no processor time of process {pid}: {}", io::Error::last_os_error()).into());
        }
        Ok(Duration::new(time.tv_sec.try_into()?, time.tv_nsec.try_into()?))
    }

    /// Resident memory in MB, now (`VmRSS`) or at its peak (`VmHWM`).
    pub(crate) fn memory(&self, name: &str) -> Result<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        let kib = line.and_then(|line| line.trim().strip_suffix("kB")).ok_or("no such line")?;
        Ok(kib.trim().parse::<f64>()? / 1_024.0)
    }
}

/// `recipe-vault serve`.
pub(crate) struct Api {
    pub(crate) process: Process,
    pub(crate) address: String,
}

impl Api {
    pub(crate) fn start(program: &Path, database: &str) -> Result<Api> {
        let began = Instant::now();
        let mut child = command(program)
            .args(["serve", "--port", "0"])
            .env("DATABASE_URL", database)
            .env("API_KEY", KEY)
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().ok_or("no pipe")?).read_line(&mut line)?;
        let process = Process { child, start: began.elapsed() };
        let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next());
        Ok(Api { address: address.ok_or("no address")?.to_owned(), process })
    }
}

/// `recipe-vault` as an MCP server.
pub(crate) struct Tools {
    pub(crate) process: Process,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Tools {
    /// On the database itself, or as a client of an API.
    pub(crate) fn start(program: &Path, variables: &[(&str, &str)]) -> Result<Tools> {
        let began = Instant::now();
        let mut child = command(program)
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let requests = child.stdin.take().ok_or("no pipe")?;
        let answers = BufReader::with_capacity(1 << 20, child.stdout.take().ok_or("no pipe")?);
        let mut tools = Tools { process: Process { child, start: Duration::ZERO }, requests, answers };
        let client = json!({ "name": "bench", "version": "1" });
        let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        tools.ask("initialize", &params)?;
        tools.process.start = began.elapsed();
        writeln!(tools.requests, "{}", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(tools)
    }

    /// On the database itself, after a first call.
    pub(crate) fn on_the_database(program: &Path, database: &str, ids: &[String]) -> Result<Tools> {
        Tools::start(program, &[("DATABASE_URL", database)])?.warmed_up(ids)
    }

    /// As a client of an API, after a first call.
    pub(crate) fn through(program: &Path, api: &Api, ids: &[String]) -> Result<Tools> {
        let url = format!("http://{}", api.address);
        Tools::start(program, &[("API_BASE_URL", &url), ("API_KEY", KEY)])?.warmed_up(ids)
    }

    fn warmed_up(mut self, ids: &[String]) -> Result<Tools> {
        self.call("get_recipe", &json!({ "recipe_id": ids.first() }))?;
        Ok(self)
    }

    /// One request; gives the bytes of its answer, which must be no error.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Result<Vec<u8>> {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        writeln!(self.requests, "{request}")?;
        let mut line = Vec::new();
        self.answers.read_until(b'\n', &mut line)?;
        let head = line.get(..line.len().min(200)).unwrap_or_default();
        if line.is_empty() || String::from_utf8_lossy(head).contains("\"error\"") {
            return Err(format!("{method}: {}", String::from_utf8_lossy(head)).into());
        }
        Ok(line)
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Result<Vec<u8>> {
        self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }))
    }
}

fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    for name in ["API_BASE_URL", "API_KEY", "DATABASE_URL", "DATABASE_REPLICAS", "USER_EMAIL"] {
        command.env_remove(name);
    }
    command.stderr(Stdio::inherit());
    command
}
