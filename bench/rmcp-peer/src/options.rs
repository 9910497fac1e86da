//! The command line.

const USAGE: &str = "usage: rmcp-peer stdio | http PORT [--legacy-session]   [--threads one|many]";

pub(crate) struct Options {
    pub(crate) transport: Transport,
    pub(crate) threads: Threads,
}

pub(crate) enum Transport {
    Stdio,
    Http { port: u16, sessions: Sessions },
}

#[derive(Clone, Copy)]
pub(crate) enum Threads {
    One,
    Many,
}

/// Whether clients of the older protocol revisions get a session.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sessions {
    Never,
    Legacy,
}

impl Options {
    pub(crate) fn parse(mut args: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut transport = match args.next().as_deref() {
            Some("stdio") => Transport::Stdio,
            Some("http") => {
                let port = args.next().ok_or(USAGE)?;
                let port = port.parse().map_err(|_| format!("not a port: `{port}`"))?;
                Transport::Http { port, sessions: Sessions::Never }
            }
            _ => return Err(USAGE.to_owned()),
        };
        // The faster of the two for rmcp on this transport; see the README.
        let mut threads = match transport {
            Transport::Stdio => Threads::One,
            Transport::Http { .. } => Threads::Many,
        };
        while let Some(arg) = args.next() {
            match (arg.as_str(), &mut transport) {
                ("--legacy-session", Transport::Http { sessions, .. }) => *sessions = Sessions::Legacy,
                ("--threads", _) => {
                    threads = match args.next().as_deref() {
                        Some("one") => Threads::One,
                        Some("many") => Threads::Many,
                        _ => return Err("`--threads` takes `one` or `many`".to_owned()),
                    }
                }
                _ => return Err(format!("unknown argument: `{arg}`\n{USAGE}")),
            }
        }
        Ok(Self { transport, threads })
    }
}
