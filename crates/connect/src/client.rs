//! The clients we know, as data: where each keeps its servers, how it writes them, and what it speaks.

use std::path::PathBuf;

use crate::document::{Dialect, Extra};
use crate::place::{System, Where};

/// How a client begins a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// With `initialize`, offering this revision.
    Legacy(&'static str),
    /// With `server/discover`, in this revision.
    Modern(&'static str),
}

/// A program that starts MCP servers.
#[derive(Debug)]
pub struct Client {
    /// What the person types.
    pub id: &'static str,
    /// What it is called.
    pub name: &'static str,
    /// Other names people have for it.
    pub aliases: &'static [&'static str],
    /// How it writes down its servers.
    pub dialect: Dialect,
    /// How it greets them.
    pub era: Era,
    /// Where a project may have servers of its own, from the project's folder.
    pub project: Option<&'static str>,
    /// What a new file must begin with.
    pub preamble: &'static str,
    /// What to do so that it reads the file again.
    pub restart: &'static str,
    /// The command on the search path that shows that it is installed.
    program: Option<&'static str>,
    /// Its files, the likeliest first.
    files: fn(&Where) -> Vec<PathBuf>,
}

const fn json(servers: &'static str, comments: bool, extra: Extra) -> Dialect {
    Dialect::Json { servers, comments, extra }
}

/// What Continue wants at the top of a file.
const CONTINUE: &str = "name: Local\nversion: 1.0.0\nschema: v1\n";

/// Every client, the most used first.
pub const ALL: &[Client] = &[
    Client {
        id: "claude-desktop",
        name: "Claude Desktop",
        aliases: &["claude-app"],
        dialect: json("mcpServers", false, Extra::Nothing),
        era: Era::Legacy("2025-11-25"),
        project: None,
        preamble: "",
        restart: "quit Claude Desktop completely (closing its window is not enough) and open it again",
        program: Some("claude-desktop"),
        files: |here| {
            let folders = here.packaged_claude().into_iter().chain([here.applications().join("Claude")]);
            folders.map(|folder| folder.join("claude_desktop_config.json")).collect()
        },
    },
    Client {
        id: "claude-code",
        name: "Claude Code",
        aliases: &["claude"],
        dialect: json("mcpServers", false, Extra::Type),
        era: Era::Modern("2026-07-28"),
        project: Some(".mcp.json"),
        preamble: "",
        restart: "start a new `claude` session",
        program: Some("claude"),
        files: |here| vec![here.home_or("CLAUDE_CONFIG_DIR", "", ".claude.json")],
    },
    Client {
        id: "cursor",
        name: "Cursor",
        aliases: &[],
        dialect: json("mcpServers", true, Extra::Nothing),
        era: Era::Legacy("2025-06-18"),
        project: Some(".cursor/mcp.json"),
        preamble: "",
        restart: "restart Cursor, or switch the server on under Settings, MCP",
        program: Some("cursor"),
        files: |here| vec![here.home.join(".cursor/mcp.json")],
    },
    Client {
        id: "vscode",
        name: "VS Code",
        aliases: &["code", "vs-code", "visual-studio-code"],
        dialect: json("servers", true, Extra::Type),
        era: Era::Legacy("2025-11-25"),
        project: Some(".vscode/mcp.json"),
        preamble: "",
        restart: "run `MCP: List Servers` in the command palette and start `deskmate`",
        program: Some("code"),
        files: |here| vec![here.applications().join("Code/User/mcp.json")],
    },
    Client {
        id: "copilot",
        name: "Copilot CLI",
        aliases: &["copilot-cli", "github-copilot"],
        dialect: json("mcpServers", true, Extra::Tools),
        era: Era::Legacy("2025-06-18"),
        project: Some(".mcp.json"),
        preamble: "",
        restart: "start a new `copilot` session",
        program: Some("copilot"),
        files: |here| vec![here.home_or("COPILOT_HOME", ".copilot", "mcp-config.json")],
    },
    Client {
        id: "zed",
        name: "Zed",
        aliases: &[],
        dialect: json("context_servers", true, Extra::Nothing),
        era: Era::Legacy("2025-11-25"),
        project: Some(".zed/settings.json"),
        preamble: "",
        restart: "open the agent panel: Zed reads its settings at once",
        program: Some("zed"),
        files: |here| {
            let folder = match here.system {
                System::Linux => here.config().join("zed"),
                // Not in `Application Support`.
                System::Mac => here.home.join(".config/zed"),
                System::Windows => here.applications().join("Zed"),
            };
            vec![folder.join("settings.json")]
        },
    },
    Client {
        id: "windsurf",
        name: "Windsurf",
        aliases: &["codeium"],
        dialect: json("mcpServers", true, Extra::Nothing),
        era: Era::Legacy("2025-06-18"),
        project: None,
        preamble: "",
        restart: "press Refresh in the MCP panel of Cascade",
        program: Some("windsurf"),
        files: |here| vec![here.home.join(".codeium/windsurf/mcp_config.json")],
    },
    Client {
        id: "codex",
        name: "Codex",
        aliases: &["codex-cli", "openai-codex"],
        dialect: Dialect::Toml,
        era: Era::Legacy("2025-06-18"),
        project: Some(".codex/config.toml"),
        preamble: "",
        restart: "start a new `codex` session",
        program: Some("codex"),
        files: |here| vec![here.home_or("CODEX_HOME", ".codex", "config.toml")],
    },
    Client {
        id: "gemini",
        name: "Gemini CLI",
        aliases: &["gemini-cli"],
        dialect: json("mcpServers", true, Extra::Nothing),
        era: Era::Legacy("2025-06-18"),
        project: Some(".gemini/settings.json"),
        preamble: "",
        restart: "start a new `gemini` session",
        program: Some("gemini"),
        files: |here| vec![here.home.join(".gemini/settings.json")],
    },
    Client {
        id: "continue",
        name: "Continue",
        aliases: &["continue-dev"],
        dialect: Dialect::YamlList,
        era: Era::Legacy("2025-06-18"),
        project: Some(".continue/mcpServers/deskmate.yaml"),
        preamble: CONTINUE,
        restart: "reload the window of your editor",
        program: Some("cn"),
        files: |here| vec![here.home.join(".continue/config.yaml")],
    },
    Client {
        id: "goose",
        name: "Goose",
        aliases: &["block-goose"],
        dialect: Dialect::YamlMap,
        era: Era::Legacy("2025-06-18"),
        project: None,
        preamble: "",
        restart: "start a new Goose session",
        program: Some("goose"),
        files: |here| {
            let folder = match here.system {
                System::Linux => here.config().join("goose"),
                System::Mac => here.home.join(".config/goose"),
                System::Windows => here.applications().join("Block/goose/config"),
            };
            vec![folder.join("config.yaml")]
        },
    },
    Client {
        id: "lm-studio",
        name: "LM Studio",
        aliases: &["lmstudio"],
        dialect: json("mcpServers", true, Extra::Nothing),
        era: Era::Legacy("2025-06-18"),
        project: None,
        preamble: "",
        restart: "switch `deskmate` on in the Program tab of LM Studio",
        program: Some("lms"),
        files: |here| vec![here.home.join(".lmstudio/mcp.json"), here.home.join(".cache/lm-studio/mcp.json")],
    },
];

/// The client a person means.
pub fn find(name: &str) -> Option<&'static Client> {
    let name = name.to_ascii_lowercase().replace([' ', '_'], "-");
    ALL.iter().find(|client| client.id == name || client.aliases.contains(&name.as_str()))
}

impl Client {
    /// The file with the servers of this person: the first that is there, else the likeliest.
    pub fn file(&self, here: &Where) -> Option<PathBuf> {
        let files = (self.files)(here);
        let file = files.iter().find(|file| file.exists()).or(files.first())?;
        // With the separators of this system: people see this path.
        Some(file.components().collect())
    }

    /// Whether it seems to be installed: its file, the folder of the file, or its command is there.
    pub fn is_installed(&self, here: &Where, search_path: &[PathBuf]) -> bool {
        let is_here = |file: &PathBuf| {
            let folder = file.parent().filter(|folder| *folder != here.home);
            file.exists() || folder.is_some_and(std::path::Path::is_dir)
        };
        let on_path = |program: &str| {
            let mut names = here.system.program_names(program);
            names.any(|name| search_path.iter().any(|folder| folder.join(&name).is_file()))
        };
        (self.files)(here).iter().any(is_here) || self.program.is_some_and(on_path)
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{ALL, find};
    use crate::place::{System, Where};

    /// On Windows, where tests run too, a path without a drive is not absolute.
    fn absolute(path: &str) -> PathBuf {
        std::path::absolute(path).expect("a path")
    }

    fn here(system: System, variables: &[(&str, &str)]) -> Where {
        let home = if system == System::Windows { "USERPROFILE" } else { "HOME" };
        Where::from_environment(system, |name| {
            let known = variables.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
            known.or((name == home).then_some("/u")).map(|path| absolute(path).into_os_string())
        })
        .expect("a home")
    }

    #[track_caller]
    fn check(here: &Where, files: &[(&str, &str)]) {
        for (client, file) in files {
            let found = find(client).expect(client).file(here).expect("a file");
            assert_eq!(found, absolute(file), "{client}");
        }
    }

    #[test]
    fn every_client_has_its_file_on_linux() {
        let files = [
            ("claude-desktop", "/u/.config/Claude/claude_desktop_config.json"),
            ("claude-code", "/u/.claude.json"),
            ("cursor", "/u/.cursor/mcp.json"),
            ("vscode", "/u/.config/Code/User/mcp.json"),
            ("copilot", "/u/.copilot/mcp-config.json"),
            ("zed", "/u/.config/zed/settings.json"),
            ("windsurf", "/u/.codeium/windsurf/mcp_config.json"),
            ("codex", "/u/.codex/config.toml"),
            ("gemini", "/u/.gemini/settings.json"),
            ("continue", "/u/.continue/config.yaml"),
            ("goose", "/u/.config/goose/config.yaml"),
            ("lm-studio", "/u/.lmstudio/mcp.json"),
        ];
        assert_eq!(files.len(), ALL.len());
        check(&here(System::Linux, &[]), &files);
    }

    #[test]
    fn every_client_has_its_file_on_windows() {
        let files = [
            ("claude-desktop", "/a/Claude/claude_desktop_config.json"),
            ("claude-code", "/u/.claude.json"),
            ("cursor", "/u/.cursor/mcp.json"),
            ("vscode", "/a/Code/User/mcp.json"),
            ("copilot", "/u/.copilot/mcp-config.json"),
            ("zed", "/a/Zed/settings.json"),
            ("windsurf", "/u/.codeium/windsurf/mcp_config.json"),
            ("codex", "/u/.codex/config.toml"),
            ("gemini", "/u/.gemini/settings.json"),
            ("continue", "/u/.continue/config.yaml"),
            ("goose", "/a/Block/goose/config/config.yaml"),
            ("lm-studio", "/u/.lmstudio/mcp.json"),
        ];
        assert_eq!(files.len(), ALL.len());
        check(&here(System::Windows, &[("APPDATA", "/a")]), &files);
    }

    #[test]
    fn other_systems_and_variables_move_files() {
        let mac = here(System::Mac, &[]);
        check(
            &mac,
            &[
                ("claude-desktop", "/u/Library/Application Support/Claude/claude_desktop_config.json"),
                ("vscode", "/u/Library/Application Support/Code/User/mcp.json"),
                ("zed", "/u/.config/zed/settings.json"),
                ("goose", "/u/.config/goose/config.yaml"),
            ],
        );
        let moved = [("XDG_CONFIG_HOME", "/x"), ("CLAUDE_CONFIG_DIR", "/c"), ("CODEX_HOME", "/d")];
        check(
            &here(System::Linux, &moved),
            &[
                ("zed", "/x/zed/settings.json"),
                ("claude-code", "/c/.claude.json"),
                ("codex", "/d/config.toml"),
            ],
        );
    }

    #[test]
    fn the_packaged_claude_of_windows_comes_first() {
        let folder = std::env::temp_dir().join(format!("deskmate-msix-{}", std::process::id()));
        let claude = folder.join("Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude");
        std::fs::create_dir_all(&claude).expect("a folder");
        let local = folder.display().to_string();
        let found =
            find("claude-desktop").expect("known").file(&here(System::Windows, &[("LOCALAPPDATA", &local)]));
        std::fs::remove_dir_all(&folder).expect("removed");
        assert_eq!(found, Some(claude.join("claude_desktop_config.json")));
    }

    #[test]
    fn a_command_on_the_path_tells_that_a_client_is_installed() {
        let folder = std::env::temp_dir().join(format!("deskmate-path-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        for name in ["codex", "gemini.cmd", "goose.exe", "lms.txt"] {
            std::fs::write(folder.join(name), b"").expect("a file");
        }
        let path = [folder.clone()];
        let installed = |system| {
            let here = here(system, &[]);
            let names = ["codex", "gemini", "goose", "lm-studio"];
            names.map(|name| find(name).expect("known").is_installed(&here, &path))
        };
        let (linux, windows) = (installed(System::Linux), installed(System::Windows));
        std::fs::remove_dir_all(&folder).expect("removed");
        assert_eq!(linux, [true, false, false, false]);
        assert_eq!(windows, [false, true, true, false]);
    }

    #[test]
    fn people_have_other_names_for_clients() {
        for (name, id) in [("Claude Code", "claude-code"), ("VS Code", "vscode"), ("LM_Studio", "lm-studio")]
        {
            assert_eq!(find(name).map(|client| client.id), Some(id));
        }
        assert!(find("emacs").is_none());
    }
}
