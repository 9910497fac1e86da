//! The command line.

use std::{path::PathBuf, time::Duration};

use crate::{Result, request::Era};

const USAGE: &str = "\
usage: load stdio|http --ours \"COMMAND\" [--peer \"COMMAND\"] [options]

A command is split at blanks and run without a shell. For http, `{port}` in it becomes a free port.

  --ours-sessions \"COMMAND\"  the server for the legacy session figures, if not the one above (http)
  --peer-sessions \"COMMAND\"
  --peer-name NAME           what the peer is called in the report, default rmcp
  --era modern|legacy        2026-07-28 (default) or 2025-11-25
  --rounds N                 default 5 on stdio, 3 on http
  --seconds S                length of each measurement, default 1.5
  --only NAME                run one measurement only; may be repeated
  --path PATH                where the server listens (http), default /mcp
  --json FILE                write the figures and every sample there too";

pub(crate) struct Options {
    pub(crate) transport: Transport,
    pub(crate) servers: Vec<ServerCommand>,
    pub(crate) era: Era,
    pub(crate) rounds: u32,
    pub(crate) span: Duration,
    pub(crate) only: Vec<String>,
    pub(crate) path: String,
    pub(crate) json: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transport {
    Stdio,
    Http,
}

pub(crate) struct ServerCommand {
    pub(crate) name: String,
    pub(crate) command: String,
    /// What to run when legacy sessions are opened; servers may serve them in another mode only.
    pub(crate) with_sessions: String,
}

impl ServerCommand {
    fn new(name: String, command: String, with_sessions: Option<String>) -> Self {
        let with_sessions = with_sessions.unwrap_or_else(|| command.clone());
        Self { name, command, with_sessions }
    }
}

impl Options {
    pub(crate) fn parse(mut args: impl Iterator<Item = String>) -> Result<Self> {
        let transport = match args.next().as_deref() {
            Some("stdio") => Transport::Stdio,
            Some("http") => Transport::Http,
            _ => return Err(USAGE.into()),
        };
        let [mut ours, mut peer, mut ours_sessions, mut peer_sessions] = [const { None }; 4];
        let mut peer_name = "rmcp".to_owned();
        let (mut era, mut rounds, mut seconds) = (Era::Modern, None, 1.5);
        let (mut only, mut path, mut json) = (Vec::new(), "/mcp".to_owned(), None);
        while let Some(flag) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("`{flag}` needs a value\n\n{USAGE}"));
            match flag.as_str() {
                "--ours" => ours = Some(value()?),
                "--peer" => peer = Some(value()?),
                "--peer-name" => peer_name = value()?,
                "--ours-sessions" => ours_sessions = Some(value()?),
                "--peer-sessions" => peer_sessions = Some(value()?),
                "--era" => era = era_named(&value()?)?,
                "--rounds" => rounds = Some(number(&flag, &value()?)?),
                "--seconds" => seconds = number(&flag, &value()?)?,
                "--only" => only.push(value()?),
                "--path" => path = value()?,
                "--json" => json = Some(value()?.into()),
                _ => return Err(format!("unknown option: `{flag}`\n\n{USAGE}").into()),
            }
        }
        let ours = ours.ok_or_else(|| format!("`--ours` is missing\n\n{USAGE}"))?;
        let mut servers = vec![ServerCommand::new("ours".to_owned(), ours, ours_sessions)];
        servers.extend(peer.map(|peer| ServerCommand::new(peer_name, peer, peer_sessions)));
        let usual_rounds = if transport == Transport::Stdio { 5 } else { 3 };
        let rounds = rounds.unwrap_or(usual_rounds);
        if rounds == 0 {
            return Err("`--rounds` must be 1 or more".into());
        }
        let span = Duration::try_from_secs_f64(seconds).map_err(|error| format!("`--seconds`: {error}"))?;
        Ok(Self { transport, servers, era, rounds, span, only, path, json })
    }

    pub(crate) fn wants(&self, measurement: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == measurement)
    }

    /// Says so when `--only` names nothing there is, rather than measuring nothing.
    pub(crate) fn check_names(&self, known: &[&str]) -> Result<()> {
        match self.only.iter().find(|only| !known.contains(&only.as_str())) {
            Some(unknown) => Err(format!("no measurement `{unknown}`; there is {}", known.join(", ")).into()),
            None => Ok(()),
        }
    }
}

fn era_named(name: &str) -> Result<Era> {
    match name {
        "modern" => Ok(Era::Modern),
        "legacy" => Ok(Era::Legacy),
        _ => Err(format!("`--era` takes `modern` or `legacy`, not `{name}`").into()),
    }
}

fn number<T: std::str::FromStr>(flag: &str, value: &str) -> Result<T> {
    value.parse().map_err(|_| format!("`{flag}` takes a number, not `{value}`").into())
}
