//! Bundles that apps install with a double click: a ZIP file with a manifest and a program.

use std::io::{self, Cursor, Write};
use std::path::{Path, PathBuf};

use mcp::Surface;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::asking;

/// What goes into one bundle.
#[derive(Debug)]
pub struct Bundle {
    /// The name for programs.
    name: String,
    title: String,
    about: String,
    /// The program it holds, and what follows its name.
    start: Start,
    /// Name and description of each tool.
    tools: Vec<(String, String)>,
    /// The servers in it.
    servers: Vec<String>,
}

/// How the server in a bundle is started.
#[derive(Debug)]
struct Start {
    program: PathBuf,
    arguments: Vec<String>,
}

impl Start {
    fn new(program: &Path, arguments: &[&str]) -> Start {
        let arguments = arguments.iter().map(|&word| word.to_owned()).collect();
        Start { program: program.to_owned(), arguments }
    }
}

/// Where the programs for bundles are.
#[derive(Debug, Clone, Copy)]
pub enum Programs<'a> {
    /// This one, which has every server.
    This(&'a Path),
    /// A folder with `deskmate` and the program of each server, which has nothing of the others.
    Folder(&'a Path),
}

/// The program of a server, and what makes it speak MCP.
const LEAN: &[(&str, &str, &[&str])] = &[
    (fotos::NAME, "fotos-mcp", &[]),
    ("MetaTagGenie", "metatag-genie", &[]),
    ("authy", "authy", &["serve", "--mcp"]),
    (vision::NAME, "vision-mcp", &[]),
    ("recipe-vault", "recipe-vault", &[]),
];

impl Programs<'_> {
    fn of_all(self) -> Start {
        match self {
            Programs::This(program) => Start::new(program, &["stdio"]),
            Programs::Folder(folder) => Start::new(&folder.join("deskmate"), &["stdio"]),
        }
    }

    fn of(self, server: &str) -> Start {
        let lean = LEAN.iter().find(|(name, ..)| *name == server);
        match (self, lean) {
            (Programs::Folder(folder), Some((_, program, arguments))) => {
                Start::new(&folder.join(program), arguments)
            }
            (Programs::Folder(folder), None) => Start::new(&folder.join("deskmate"), &["stdio", server]),
            (Programs::This(program), _) => Start::new(program, &["stdio", server]),
        }
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
    pub fn of_all(programs: Programs<'_>, surface: &Surface) -> Bundle {
        Bundle {
            name: "deskmate".to_owned(),
            title: "Deskmate".to_owned(),
            about: "Your screen, photos, secrets, pictures and the family cookbook, for the AI app you use."
                .to_owned(),
            start: programs.of_all(),
            tools: tools(surface),
            servers: asking::ABILITIES.iter().map(|ability| ability.server.to_owned()).collect(),
        }
    }

    /// One server.
    pub fn of(server: &str, programs: Programs<'_>, surface: &Surface) -> Bundle {
        let ability = asking::about(server);
        Bundle {
            name: server.to_owned(),
            title: ability
                .map_or_else(|| server.to_owned(), |ability| format!("Deskmate: {}", ability.title)),
            about: ability.map_or("What Deskmate offers here.", |ability| ability.good_for).to_owned(),
            start: programs.of(server),
            tools: tools(surface),
            servers: vec![server.to_owned()],
        }
    }

    /// What its file is called.
    pub fn file_name(&self) -> String {
        format!("{}.mcpb", self.name)
    }

    /// The program in it.
    pub fn program(&self) -> &Path {
        &self.start.program
    }

    fn program_name(&self) -> String {
        self.start.program.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    fn manifest(&self) -> Value {
        let program = self.program_name();
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
                    "args": self.start.arguments,
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

    /// The bundle as a file.
    pub fn pack(&self) -> io::Result<Vec<u8>> {
        let name = self.program_name();
        let manifest = serde_json::to_vec_pretty(&self.manifest())?;
        let bytes = std::fs::read(&self.start.program)?;
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        zip.start_file("manifest.json", options.unix_permissions(0o644))?;
        zip.write_all(&manifest)?;
        zip.start_file(format!("server/{name}"), options.unix_permissions(0o755))?;
        zip.write_all(&bytes)?;
        // Where the program looks for the kind of its package.
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

/// What the MCP registry wants to know: the first bundle, and where it is.
pub fn registry_entry(name: &str, url: &str, digest: &str) -> Value {
    json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": name,
        "title": "Deskmate",
        "description": "Screen, photos, secrets, pictures and the family cookbook, on your own machine.",
        "version": env!("CARGO_PKG_VERSION"),
        "packages": [{
            "registryType": "mcpb",
            "identifier": url,
            "version": env!("CARGO_PKG_VERSION"),
            "fileSha256": digest,
            "transport": { "type": "stdio" },
        }],
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Bundle, Programs};
    use crate::servers::{self, Selection};

    /// Rules that the registry has for what we write, as they were read in its schema of 2025-09-29; the schema itself is not run here.
    #[test]
    fn the_entry_for_the_registry_keeps_its_rules() {
        let entry = super::registry_entry(
            "io.github.ada/deskmate",
            "https://example.org/mcp.mcpb",
            &super::digest(b"x"),
        );
        let name = entry["name"].as_str().expect("a name");
        let is_name =
            |part: &str| part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
        assert!(name.split_once('/').is_some_and(|(space, name)| is_name(space) && is_name(name)), "{entry}");
        assert!(
            entry["description"].as_str().is_some_and(|text| (1..=100).contains(&text.chars().count())),
            "{entry}"
        );
        assert!(
            entry["title"].as_str().is_some_and(|text| (1..=100).contains(&text.chars().count())),
            "{entry}"
        );
        let package = &entry["packages"][0];
        for field in ["registryType", "identifier", "version", "fileSha256", "transport"] {
            assert!(!package[field].is_null(), "{field}: {entry}");
        }
        assert!(
            package["fileSha256"]
                .as_str()
                .is_some_and(|hash| hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
        );
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
            let manifest = Bundle::of(name, Programs::This(Path::new("deskmate")), &surface).manifest();
            manifest["user_config"].as_object().map(|fields| fields.keys().cloned().collect::<Vec<_>>())
        };
        assert_eq!(questions("authy"), Some(vec!["authy_token".to_owned()]));
        assert_eq!(questions("MetaTagGenie"), Some(vec!["folder".to_owned()]));
        assert_eq!(questions("info"), None);
    }

    #[test]
    fn a_bundle_of_one_server_holds_its_own_program_where_there_is_one() {
        let words = |start: super::Start| {
            let program = start.program.display().to_string();
            [vec![program], start.arguments].concat().join(" ")
        };
        let folder = Programs::Folder(Path::new("/p"));
        assert_eq!(words(folder.of("authy")), "/p/authy serve --mcp");
        assert_eq!(words(folder.of("recipe-vault")), "/p/recipe-vault");
        assert_eq!(words(folder.of("info")), "/p/deskmate stdio info");
        assert_eq!(words(folder.of_all()), "/p/deskmate stdio");
        assert_eq!(words(Programs::This(Path::new("/deskmate")).of("authy")), "/deskmate stdio authy");
        for entry in servers::ALL.iter().filter(|entry| entry.name != "info") {
            assert!(super::LEAN.iter().any(|(name, ..)| *name == entry.name), "{}", entry.name);
        }
    }
}
