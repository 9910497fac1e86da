//! What can go wrong in a command, and the exit code that says so.

use std::io;
use std::path::PathBuf;

use cli::exit::{FAILED, USAGE};

use crate::{client, demo, servers};

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error(transparent)]
    Servers(#[from] servers::Error),
    #[error("there is no tool `{name}`; {}`deskmate tools --all` lists what there is", guess(.similar.as_deref()))]
    UnknownTool { name: String, similar: Option<String> },
    #[error("the arguments are not JSON: {reason}{excerpt}")]
    NotJson { reason: String, excerpt: String },
    #[error("the arguments are empty; give a JSON object, or leave them out for a tool without any")]
    NoArguments,
    #[error("the arguments must be a JSON object, such as {{\"name\": \"value\"}}, not {found}")]
    NotAnObject { found: &'static str },
    #[error("cannot read the arguments from stdin: {0}; give a JSON object as UTF-8 text")]
    Stdin(io::Error),
    /// The tool's own words.
    #[error("{0}")]
    ToolFailed(String),
    #[error(transparent)]
    Client(#[from] client::Error),
    #[error("cannot save `{path}`: {source}; choose another folder with `--out`")]
    Save { path: PathBuf, source: io::Error },
    #[error("the connection on stdin and stdout broke: {0}")]
    Stdio(io::Error),
    #[error("cannot write to stdout: {0}")]
    Stdout(#[from] io::Error),
    #[error(transparent)]
    Bind(#[from] web::BindError),
    #[error(transparent)]
    Gate(#[from] web::GateError),
    #[error(transparent)]
    Link(#[from] web::LinkError),
    #[error("cannot start serving: {0}")]
    Runtime(io::Error),
    #[error("there is no app `{name}`; name one of these: {}", apps())]
    UnknownApp { name: String },
    #[error("no AI app was found; name one of these: {}", apps())]
    NoApp,
    #[error("`HOME` is not set to an absolute path, so the files of apps cannot be found; set it")]
    NoHome,
    #[error("there is no terminal to ask at; agree with `--yes`, or look first with `--dry-run`")]
    NobodyToAsk,
    #[error("the app was not changed; the reason is above")]
    App,
    #[error("{failed} of {of} apps were not changed; the reasons are above")]
    Apps { failed: usize, of: usize },
    #[error("cannot find out where this program is: {0}")]
    Program(io::Error),
    #[error(transparent)]
    Home(files::HomeError),
    #[error("cannot use the folder `{}`: {source}; name a folder that is there", .path.display())]
    Folder { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Folders(files::AddError),
    #[error(transparent)]
    StateFolder(files::FolderError),
    #[error("{problems} of the checks found a problem; what to do is above")]
    Unwell { problems: usize },
    #[error(
        "cannot {what}: {reason}; run `deskmate serve` yourself, or start it with the tools of your system"
    )]
    Service { what: String, reason: String },
    #[error(
        "a token in the file of a service could be read by others; on this system, install the service without one"
    )]
    TokenInService,
    #[error("clients could not find a service on any free port; choose one with `--port`")]
    AnyPortInService,
    #[error(
        "the demo changes nothing outside its folder; without `--demo` this works on your own apps and services"
    )]
    OutsideDemo,
    #[error(transparent)]
    Demo(demo::Error),
    #[error("the registry does not take the name `{name}`; give one such as `io.github.you/deskmate`")]
    RegistryName { name: String },
    #[error(
        "the registry downloads bundles by https, not from `{url}`; give the address of their folder, such as `https://example.com/v1`"
    )]
    RegistryUrl { url: String },
    #[error("cannot make `{}`: {source}", .path.display())]
    Bundle { path: PathBuf, source: io::Error },
}

impl Error {
    /// Says whose turn it is.
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Error::Servers(servers::Error::Unknown { .. } | servers::Error::Mode(_))
            | Error::UnknownTool { .. }
            | Error::NotJson { .. }
            | Error::NoArguments
            | Error::NotAnObject { .. }
            | Error::UnknownApp { .. }
            | Error::NoApp
            | Error::NobodyToAsk
            | Error::Folder { .. }
            | Error::TokenInService
            | Error::AnyPortInService
            | Error::OutsideDemo
            | Error::RegistryName { .. }
            | Error::RegistryUrl { .. }
            | Error::Gate(_) => USAGE,
            Error::Servers(servers::Error::Clash(_))
            | Error::Stdin(_)
            | Error::ToolFailed(_)
            | Error::Client(_)
            | Error::Save { .. }
            | Error::Stdio(_)
            | Error::Stdout(_)
            | Error::Bind(_)
            | Error::Link(_)
            | Error::Runtime(_)
            | Error::NoHome
            | Error::App
            | Error::Apps { .. }
            | Error::Program(_)
            | Error::Home(_)
            | Error::Folders(_)
            | Error::StateFolder(_)
            | Error::Unwell { .. }
            | Error::Service { .. }
            | Error::Demo(_)
            | Error::Bundle { .. } => FAILED,
        }
    }
}

fn apps() -> String {
    connect::ALL.iter().map(|client| client.id).collect::<Vec<_>>().join(", ")
}

fn guess(similar: Option<&str>) -> String {
    similar.map(|name| format!("perhaps `{name}` is meant; ")).unwrap_or_default()
}
