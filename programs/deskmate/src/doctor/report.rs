//! What there is to tell about Deskmate on this machine, as data and in words.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use connect::harmless;
use mcp::Version;

use super::check::{Check, Status};
use crate::servers::Entry;

/// Deskmate on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Report {
    /// Of this build.
    pub version: String,
    /// Operating system and processor.
    pub platform: String,
    /// Every server of this build.
    pub servers: Vec<ServerReport>,
    /// Everything that was looked at.
    pub checks: Vec<Check>,
    /// How clients can connect.
    pub transports: Vec<&'static str>,
    /// Revisions of the Model Context Protocol, newest first.
    pub protocol_versions: Vec<&'static str>,
}

/// One server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ServerReport {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub about: String,
    /// Whether its tools can do their work now.
    pub ready: bool,
    /// The checks that stand in its way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
}

/// How clients can reach this build.
const TRANSPORTS: &[&str] = &["stdio", "Streamable HTTP"];

impl Report {
    /// Puts rows and servers together. Rows quote files and paths, which others may have named: a terminal shows them and does
    /// not obey.
    pub fn new(servers: &[Entry], mut checks: Vec<Check>) -> Report {
        for check in &mut checks {
            check.found = harmless(&check.found);
            check.fix = check.fix.as_deref().map(harmless);
        }
        let server = |entry: &Entry| {
            let stops = |check: &&Check| check.status != Status::Ok && check.stops.contains(&entry.name);
            let needs: Vec<String> = checks.iter().filter(stops).map(|check| check.check.clone()).collect();
            ServerReport {
                name: entry.name.to_owned(),
                about: entry.about.to_owned(),
                ready: needs.is_empty(),
                needs,
            }
        };
        Report {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            servers: servers.iter().map(server).collect(),
            checks,
            transports: TRANSPORTS.to_vec(),
            protocol_versions: Version::ALL.map(Version::as_str).to_vec(),
        }
    }

    /// Those of one kind.
    pub fn with(&self, status: Status) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(move |check| check.status == status)
    }
}

/// For a model, and for people who read text: what can be used, then what is wrong, then what could be set up.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Deskmate {} on {}", self.version, self.platform)?;
        writeln!(f, "\nServers:")?;
        for server in &self.servers {
            let state = if server.ready {
                "ready".to_owned()
            } else {
                format!("not ready, see: {}", server.needs.join(", "))
            };
            writeln!(f, "- {} ({state}): {}", server.name, server.about)?;
        }
        for (heading, status) in
            [("Does not work", Status::Problem), ("Not set up", Status::NotSetUp), ("Works", Status::Ok)]
        {
            let mut rows = self.with(status).peekable();
            if rows.peek().is_none() {
                continue;
            }
            writeln!(f, "\n{heading}:")?;
            for Check { check, found, fix, .. } in rows {
                writeln!(f, "- {check}: {found}")?;
                if let Some(fix) = fix {
                    writeln!(f, "  To change that: {fix}")?;
                }
            }
        }
        writeln!(f, "\nTransports: {}", self.transports.join(", "))?;
        write!(f, "MCP revisions: {}", self.protocol_versions.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Check, Report};
    use crate::servers::Entry;

    const SERVERS: &[Entry] = &[
        Entry::new("screen", "looks", |_| Ok(Arc::new(mcp::Server::new("screen", "1", ())))),
        Entry::new("book", "cooks", |_| Ok(Arc::new(mcp::Server::new("book", "1", ())))),
    ];

    #[test]
    fn a_report_says_what_works_what_does_not_and_how_to_change_it() {
        let checks = vec![
            Check::ok("disk", "9 GB free"),
            Check::not_set_up("display", "there is none", "start a desktop").stops(&["screen"]),
            Check::problem("HTTP", "another program listens", "choose another port"),
        ];
        let mut report = Report::new(SERVERS, checks);
        (report.version, report.platform) = ("1.2.3".to_owned(), "linux riscv64".to_owned());
        report.protocol_versions = vec!["b", "a"];
        assert_eq!(
            report.to_string(),
            "Deskmate 1.2.3 on linux riscv64\n\nServers:\n- screen (not ready, see: display): looks\n- book (ready): cooks\n\n\
             Does not work:\n- HTTP: another program listens\n  To change that: choose another port\n\n\
             Not set up:\n- display: there is none\n  To change that: start a desktop\n\n\
             Works:\n- disk: 9 GB free\n\nTransports: stdio, Streamable HTTP\nMCP revisions: b, a"
        );
    }

    #[test]
    fn an_error_says_what_to_do_after_its_last_semicolon() {
        let check = Check::problem_of("a", "cannot read `x`; it is locked; unlock it", "else");
        assert_eq!(
            (check.found.as_str(), check.fix.as_deref()),
            ("cannot read `x`; it is locked", Some("unlock it"))
        );
        assert_eq!(Check::problem_of("a", "broken", "mend it").fix.as_deref(), Some("mend it"));
    }
}
