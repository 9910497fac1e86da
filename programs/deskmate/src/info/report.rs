//! What there is to tell about Deskmate on this machine, as data and in words.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

/// Deskmate on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Report {
    /// Of this build.
    pub version: String,
    /// Operating system and processor.
    pub platform: String,
    /// Every server of this build.
    pub servers: Vec<ServerReport>,
    /// Where state is kept; absent when there is no usable place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state_folder: Option<Folder>,
    /// How clients can connect.
    pub transports: Vec<String>,
    /// Revisions of the Model Context Protocol, newest first.
    pub protocol_versions: Vec<String>,
    /// What Deskmate as a whole lacks; what one server lacks stands with it.
    pub missing: Vec<Missing>,
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
    /// What it still needs.
    pub missing: Vec<Missing>,
}

/// Something that is not there, and how to get it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Missing {
    /// What, and why it is missed.
    pub what: String,
    /// The one step that fixes it.
    pub fix: String,
}

/// The folder with everything Deskmate keeps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Folder {
    /// Where it is.
    pub path: String,
    /// Whether it is there already; if not, it is made on first use.
    pub exists: bool,
    /// The environment variable that decided.
    pub chosen_by: ChosenBy,
}

/// What decided where the state folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ChosenBy {
    /// The person, for Deskmate.
    DeskmateHome,
    /// The person, for all programs.
    XdgDataHome,
    /// Nobody: it is the usual place.
    Home,
}

/// What a report is made of.
pub(super) struct Facts {
    pub(super) version: &'static str,
    pub(super) servers: Vec<ServerReport>,
    pub(super) protocol_versions: Vec<&'static str>,
    pub(super) transports: Vec<&'static str>,
    pub(super) folder: Result<Folder, Missing>,
}

impl Report {
    pub(super) fn new(facts: Facts) -> Report {
        let owned = |names: Vec<&'static str>| names.into_iter().map(str::to_owned).collect();
        let (state_folder, missing) = match facts.folder {
            Ok(folder) => (Some(folder), Vec::new()),
            Err(missing) => (None, vec![missing]),
        };
        Report {
            version: facts.version.into(),
            platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            servers: facts.servers,
            state_folder,
            transports: owned(facts.transports),
            protocol_versions: owned(facts.protocol_versions),
            missing,
        }
    }
}

impl ServerReport {
    /// A server that lacks `missing`.
    pub fn new(name: &str, about: &str, missing: Vec<Missing>) -> ServerReport {
        ServerReport { name: name.into(), about: about.into(), ready: missing.is_empty(), missing }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Deskmate {} on {}", self.version, self.platform)?;
        writeln!(f, "\nServers:")?;
        for server in &self.servers {
            let state = if server.ready { "ready" } else { "not ready" };
            writeln!(f, "- {} ({state}): {}", server.name, server.about)?;
        }
        writeln!(f)?;
        if let Some(folder) = &self.state_folder {
            writeln!(f, "{folder}")?;
        }
        writeln!(f, "Transports: {}", self.transports.join(", "))?;
        writeln!(f, "MCP revisions: {}", self.protocol_versions.join(", "))?;
        write!(f, "\nMissing:")?;
        let of_servers = self.servers.iter().flat_map(|server| &server.missing);
        let mut missing = self.missing.iter().chain(of_servers).peekable();
        if missing.peek().is_none() {
            write!(f, " nothing")?;
        }
        missing.try_for_each(|Missing { what, fix }| write!(f, "\n- {what}\n  To fix it: {fix}"))
    }
}

impl fmt::Display for Folder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = if self.exists { "exists" } else { "made on first use" };
        let by = match self.chosen_by {
            ChosenBy::DeskmateHome => ", set by DESKMATE_HOME",
            ChosenBy::XdgDataHome => ", below XDG_DATA_HOME",
            ChosenBy::Home => "",
        };
        write!(f, "State folder ({state}{by}): {}", self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::{ChosenBy, Facts, Folder, Missing, Report, ServerReport};

    fn report(servers: Vec<ServerReport>, folder: Result<Folder, Missing>) -> String {
        let facts = Facts {
            version: "1.2.3",
            servers,
            protocol_versions: vec!["b", "a"],
            transports: vec!["stdio"],
            folder,
        };
        Report { platform: "linux riscv64".into(), ..Report::new(facts) }.to_string()
    }

    #[test]
    fn a_report_reads_as_text() {
        let folder = Folder { path: "/desk".into(), exists: false, chosen_by: ChosenBy::DeskmateHome };
        let text = report(vec![ServerReport::new("info", "this", Vec::new())], Ok(folder));
        assert_eq!(
            text,
            "Deskmate 1.2.3 on linux riscv64\n\nServers:\n- info (ready): this\n\n\
             State folder (made on first use, set by DESKMATE_HOME): /desk\nTransports: stdio\n\
             MCP revisions: b, a\n\nMissing: nothing"
        );
    }

    #[test]
    fn every_missing_thing_comes_with_its_fix() {
        let missing = |what: &str| Missing { what: what.into(), fix: format!("get {what}") };
        let server = ServerReport::new("vision", "pictures", vec![missing("a key")]);
        let text = report(vec![server], Err(missing("a folder")));
        assert!(text.contains("- vision (not ready): pictures\n\nTransports: "), "{text}");
        let listed = "\nMissing:\n- a folder\n  To fix it: get a folder\n- a key\n  To fix it: get a key";
        assert!(text.ends_with(listed), "{text}");
    }
}
