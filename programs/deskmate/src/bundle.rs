//! Bundles that apps install with a double click: a ZIP file with a manifest and a program.

pub mod registry;

use std::io::{self, Cursor, Write};
use std::path::{Path, PathBuf};

use mcp::Surface;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::{asking, programs, servers};

/// What goes into one bundle.
#[derive(Debug)]
pub struct Bundle {
    /// The name for programs.
    name: String,
    title: String,
    about: String,
    /// Name and description of each tool.
    tools: Vec<(String, String)>,
    /// The servers in it.
    servers: Vec<String>,
}

/// The program in a bundle, and what follows its name.
#[derive(Debug, PartialEq, Eq)]
pub struct Program {
    /// Where it is now.
    pub path: PathBuf,
    arguments: Vec<String>,
}

impl Program {
    /// Its file's name.
    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// What the person is asked when they install, and the variable that gets it.
struct Question {
    key: &'static str,
    variable: &'static str,
    /// The servers that want it.
    servers: &'static [&'static str],
    field: fn() -> Value,
}

const QUESTIONS: &[Question] = &[
    Question {
        key: "folder",
        variable: "DESKMATE_ROOTS",
        servers: &["MetaTagGenie", "zai-mcp-server", "recipe-vault"],
        field: || {
            json!({ "type": "directory", "title": "Folder with files the app may open", "required": false, "default": "${HOME}",
                    "description": "Pictures and other files outside this folder stay closed." })
        },
    },
    Question {
        key: "anthropic_api_key",
        variable: "ANTHROPIC_API_KEY",
        servers: &["zai-mcp-server", "fotos"],
        field: || {
            json!({ "type": "string", "title": "Anthropic API key", "sensitive": true, "required": false, "default": "",
                    "description": "Only if a Claude model should look at pictures. Without a key they are read on this machine." })
        },
    },
    Question {
        key: "authy_token",
        variable: "AUTHY_TOKEN",
        servers: &["authy"],
        field: || {
            json!({ "type": "string", "title": "Token of a grant", "sensitive": true, "required": false, "default": "",
                    "description": "What `authy setup-agent` prints. Without it, the vault stays closed." })
        },
    },
];

impl Bundle {
    /// All servers as one.
    pub fn of_all(surface: &Surface) -> Bundle {
        Bundle {
            name: "deskmate".to_owned(),
            title: "Deskmate".to_owned(),
            about: "Your screen, photos, secrets, pictures and the family cookbook, for the AI app you use."
                .to_owned(),
            tools: tools(surface),
            servers: asking::ABILITIES.iter().map(|ability| ability.server.to_owned()).collect(),
        }
    }

    /// One server.
    pub fn of(server: &str, surface: &Surface) -> Bundle {
        let ability = asking::about(server);
        Bundle {
            name: server.to_owned(),
            title: ability
                .map_or_else(|| server.to_owned(), |ability| format!("Deskmate: {}", ability.title)),
            about: ability.map_or("What Deskmate offers here.", |ability| ability.good_for).to_owned(),
            tools: tools(surface),
            servers: vec![server.to_owned()],
        }
    }

    /// What it is called for people.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// What it is, in one line for the registry.
    pub fn summary(&self) -> &str {
        let own = servers::ALL.iter().find(|entry| entry.name == self.name);
        own.map_or(
            "Screen, photos, secrets, pictures and the family cookbook, on your own machine.",
            |entry| entry.about,
        )
    }

    /// The program for it: the lean one of its only server where that lies beside `deskmate`, otherwise `deskmate` itself.
    pub fn program(&self, deskmate: &Path) -> Program {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        if let ([server], true) = (self.servers.as_slice(), self.name != "deskmate") {
            let lean = programs::ALL.iter().find(|lean| lean.server == server);
            if let Some((lean, path)) = lean.and_then(|lean| Some((lean, lean.beside(deskmate)?))) {
                return Program { path, arguments: words(lean.arguments) };
            }
            return Program { path: deskmate.to_owned(), arguments: words(&["stdio", server.as_str()]) };
        }
        Program { path: deskmate.to_owned(), arguments: words(&["stdio"]) }
    }

    /// What its file is called.
    pub fn file_name(&self) -> String {
        format!("{}.mcpb", self.name)
    }

    /// The manifest, for a program.
    fn manifest(&self, program: &Program) -> Value {
        let (program, arguments) = (program.name(), &program.arguments);
        let asked =
            QUESTIONS.iter().filter(|question| question.servers.iter().any(|server| self.has(server)));
        let (mut fields, mut variables) = (serde_json::Map::new(), serde_json::Map::new());
        for question in asked {
            fields.insert(question.key.to_owned(), (question.field)());
            variables
                .insert(question.variable.to_owned(), json!(format!("${{user_config.{}}}", question.key)));
        }
        let tools: Vec<Value> =
            self.tools.iter().map(|(name, about)| json!({ "name": name, "description": about })).collect();
        let mut manifest = json!({
            "manifest_version": "0.3",
            "name": self.name,
            "display_name": self.title,
            "version": env!("CARGO_PKG_VERSION"),
            "description": self.about,
            "author": { "name": "Deskmate" },
            "license": "MIT OR Apache-2.0",
            "server": {
                "type": "binary",
                "entry_point": format!("server/{program}"),
                "mcp_config": {
                    "command": format!("${{__dirname}}/server/{program}"),
                    "args": arguments,
                    "env": variables,
                },
            },
            "tools": tools,
            "compatibility": { "platforms": [platform()] },
        });
        if !fields.is_empty() {
            manifest["user_config"] = Value::Object(fields);
        }
        manifest
    }

    fn has(&self, server: &str) -> bool {
        self.servers.iter().any(|known| known == server)
    }

    /// The bundle with this program in it.
    pub fn pack(&self, program: &Program) -> io::Result<Vec<u8>> {
        let name = program.name();
        let manifest = serde_json::to_vec_pretty(&self.manifest(program))?;
        let bytes = std::fs::read(&program.path)?;
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        zip.start_file("manifest.json", options.unix_permissions(0o644))?;
        zip.write_all(&manifest)?;
        zip.start_file(format!("server/{name}"), options.unix_permissions(0o755))?;
        zip.write_all(&bytes)?;
        // Where `deskmate` looks for the kind of package it came in.
        zip.start_file("share/deskmate/package", options.unix_permissions(0o644))?;
        zip.write_all(b"mcpb\n")?;
        Ok(zip.finish()?.into_inner())
    }
}

fn tools(surface: &Surface) -> Vec<(String, String)> {
    surface.tools().iter().map(|tool| (tool.name.clone(), tool.description.clone())).collect()
}

/// As Node.js calls it.
fn platform() -> &'static str {
    match std::env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        _ => "linux",
    }
}

/// SHA-256, in hexadecimal.
pub fn digest(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Bundle;
    use crate::servers::{self, Selection};

    #[test]
    fn every_bundle_can_be_summed_up_for_the_registry() {
        for chosen in servers::choose(&Selection::default()).map_err(|error| error.to_string()).expect("all")
        {
            let bundle = Bundle::of(chosen.entry.name, &chosen.service.surface());
            for text in [bundle.summary(), bundle.title()] {
                assert!((1..=100).contains(&text.chars().count()), "{text}");
            }
        }
    }

    #[test]
    fn a_bundle_asks_only_for_what_its_server_uses() {
        let questions = |name: &str| {
            let surface =
                servers::choose(&Selection { names: vec![name.to_owned()], ..Selection::default() })
                    .map_err(|error| error.to_string())
                    .expect("a server")[0]
                    .service
                    .surface();
            let bundle = Bundle::of(name, &surface);
            let manifest = bundle.manifest(&bundle.program(Path::new("/nowhere/deskmate")));
            manifest["user_config"].as_object().map(|fields| fields.keys().cloned().collect::<Vec<_>>())
        };
        assert_eq!(questions("authy"), Some(vec!["authy_token".to_owned()]));
        assert_eq!(questions("MetaTagGenie"), Some(vec!["folder".to_owned()]));
        assert_eq!(questions("info"), None);
    }
}
