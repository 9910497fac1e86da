//! Where clients keep their configuration, by operating system.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// The operating systems that clients differ by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    /// Linux, and what is like it.
    Linux,
    /// macOS.
    Mac,
    /// Windows.
    Windows,
}

impl System {
    /// This one.
    pub fn this() -> System {
        match std::env::consts::OS {
            "macos" => System::Mac,
            "windows" => System::Windows,
            _ => System::Linux,
        }
    }

    /// What the file of a program may be called. On Windows, many are scripts that start something else.
    pub(crate) fn program_names(self, program: &str) -> impl Iterator<Item = String> {
        let endings: &[&str] = if self == System::Windows { &[".exe", ".cmd", ".bat"] } else { &[""] };
        endings.iter().map(move |ending| format!("{program}{ending}"))
    }
}

/// The surroundings that decide where a file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Where {
    /// The operating system.
    pub system: System,
    /// The home folder.
    pub home: PathBuf,
    variables: Vec<(&'static str, PathBuf)>,
}

/// Variables that move a file.
const MOVERS: &[&str] =
    &["XDG_CONFIG_HOME", "APPDATA", "LOCALAPPDATA", "CLAUDE_CONFIG_DIR", "COPILOT_HOME", "CODEX_HOME"];

impl Where {
    /// From the variables of the environment; nothing without a home folder.
    pub fn from_environment(system: System, variable: impl Fn(&str) -> Option<OsString>) -> Option<Where> {
        let path = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = path(if system == System::Windows { "USERPROFILE" } else { "HOME" })?;
        let variables = MOVERS.iter().filter_map(|name| Some((*name, path(name)?))).collect();
        Some(Where { system, home, variables })
    }

    fn set(&self, name: &str) -> Option<&Path> {
        self.variables.iter().find(|(known, _)| *known == name).map(|(_, path)| path.as_path())
    }

    /// A path below the home folder, or below the folder that a variable names instead of its first part.
    pub(crate) fn home_or(&self, variable: &str, first: &str, rest: &str) -> PathBuf {
        self.set(variable).map_or_else(|| self.home.join(first), Path::to_owned).join(rest)
    }

    /// `~/.config`.
    pub(crate) fn config(&self) -> PathBuf {
        self.set("XDG_CONFIG_HOME").map_or_else(|| self.home.join(".config"), Path::to_owned)
    }

    /// Where desktop programs keep their settings.
    pub(crate) fn applications(&self) -> PathBuf {
        match self.system {
            System::Linux => self.config(),
            System::Mac => self.home.join("Library/Application Support"),
            System::Windows => {
                self.set("APPDATA").map_or_else(|| self.home.join("AppData/Roaming"), Path::to_owned)
            }
        }
    }

    /// Where the Claude Desktop from the Windows store keeps its settings: the folder has a random part.
    pub(crate) fn packaged_claude(&self) -> Vec<PathBuf> {
        if self.system != System::Windows {
            return Vec::new();
        }
        let local = self.set("LOCALAPPDATA").map_or_else(|| self.home.join("AppData/Local"), Path::to_owned);
        let packages = fs::read_dir(local.join("Packages")).into_iter().flatten().flatten();
        let claude = packages.filter(|entry| entry.file_name().to_string_lossy().starts_with("Claude_"));
        let mut found: Vec<PathBuf> =
            claude.map(|entry| entry.path().join("LocalCache/Roaming/Claude")).collect();
        found.sort();
        found
    }
}
