//! What a person does to connect an app: a command, an entry to copy, or a link that makes the app ask.

use connect::{Client, deep_link, printed};

use super::pieces;
use crate::doctor::{Report, Status};
use crate::entry;

/// An app, as the page shows it.
pub(super) struct App {
    pub(super) name: &'static str,
    pub(super) command: String,
    /// Whether it is on this machine, connected, or neither.
    pub(super) state: &'static str,
    pub(super) kind: &'static str,
    /// The lines for its file.
    pub(super) entry: String,
    /// A link that makes it ask.
    pub(super) link: Option<String>,
    restart: &'static str,
}

impl App {
    /// What to do so that it reads its file again, for a page.
    pub(super) fn restart_in_pieces(&self) -> Vec<(bool, &str)> {
        pieces(self.restart)
    }
}

/// A line for a client that connects over HTTP.
pub(super) struct Line {
    pub(super) app: &'static str,
    pub(super) text: String,
}

/// Every app we know, those on this machine first.
pub(super) fn apps(report: &Report) -> Vec<App> {
    let Ok(entry) = entry::of_this_program(entry::PROGRAM, vec!["stdio".to_owned()]) else {
        return Vec::new();
    };
    let app = |client: &Client| {
        let check = report.checks.iter().find(|check| check.check == client.name);
        let (state, kind) = match check.map(|check| check.status) {
            Some(Status::Ok) => ("connected", "ok"),
            Some(Status::NotSetUp) => ("on this machine, not connected", "open"),
            Some(Status::Problem) => ("does not work; see below", "bad"),
            None => ("", "none"),
        };
        App {
            name: client.name,
            command: format!("deskmate connect {}", client.id),
            state,
            kind,
            entry: printed(client, &entry),
            link: deep_link(client, &entry),
            restart: client.restart,
        }
    };
    let mut apps: Vec<App> = connect::ALL.iter().map(app).collect();
    apps.sort_by_key(|app| app.state.is_empty());
    apps
}

/// For clients that cannot start programs, or should not.
pub(super) fn lines(base: &str, token: bool) -> Vec<Line> {
    let url = format!("{base}/mcp");
    let header =
        if token { ",\n      \"headers\": { \"Authorization\": \"Bearer YOUR-TOKEN\" }" } else { "" };
    let flag = if token { " --header \"Authorization: Bearer YOUR-TOKEN\"" } else { "" };
    let codex = if token { "\nbearer_token_env_var = \"DESKMATE_TOKEN\"" } else { "" };
    let object = |key: &str, kind: &str| {
        format!(
            "{{\n  \"{key}\": {{\n    \"deskmate\": {{\n      {kind}\"url\": \"{url}\"{header}\n    }}\n  }}\n}}"
        )
    };
    vec![
        Line {
            app: "Claude Code",
            text: format!("claude mcp add --transport http --scope user deskmate {url}{flag}"),
        },
        Line { app: "Cursor (~/.cursor/mcp.json)", text: object("mcpServers", "") },
        Line { app: "VS Code (.vscode/mcp.json)", text: object("servers", "\"type\": \"http\",\n      ") },
        Line {
            app: "Codex (~/.codex/config.toml)",
            text: format!("[mcp_servers.deskmate]\nurl = \"{url}\"{codex}"),
        },
    ]
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_token_is_asked_for_but_never_shown() {
        let text = |token| {
            super::lines("http://127.0.0.1:8642", token)
                .iter()
                .map(|line| line.text.clone())
                .collect::<String>()
        };
        assert!(text(true).contains("Bearer YOUR-TOKEN") && text(true).contains("DESKMATE_TOKEN"));
        assert!(!text(false).contains("Bearer") && text(false).contains("http://127.0.0.1:8642/mcp"));
    }
}
