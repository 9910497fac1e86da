//! The servers Deskmate has, and how a selection of them becomes one service.

use std::sync::Arc;

use cli::selection::{Access, Breadth, reduce};
use fotos::Host;
use fotos::bridge::{Mode, Place, Relaying, UnknownMode, service_of};
use mcp::{Clash, Combined, Identity, Service};

use crate::info;

/// One server: what it is called, what it is for, and how it is made.
#[derive(Clone, Copy)]
pub struct Entry {
    /// What the person types, and what clients know the server by.
    pub name: &'static str,
    /// What it is for, in a few words.
    pub about: &'static str,
    /// Makes it. No work is done before the first call.
    pub make: fn(Making) -> Result<Arc<dyn Service>, UnknownMode>,
}

/// What servers are made for.
#[derive(Clone, Default)]
pub struct Making {
    /// What tools may do.
    pub access: Access,
    /// Who can call them.
    pub callers: Callers,
    /// The screenshots of this process, where pages show them, too.
    pub screen: Option<Arc<Host>>,
}

/// A host for the screenshots of this process, in memory. No work is done before the first call.
pub fn screen() -> Arc<Host> {
    let variable = |name: &str| std::env::var_os(name);
    Arc::new(Host::new(fotos::Config { keys: keys::all(), ..fotos::Config::from_environment(variable) }))
}

/// Who can call tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Callers {
    /// Programs of this user on this machine.
    #[default]
    OwnUser,
    /// Others too: other machines, or whoever has a token.
    Others,
}

impl Entry {
    /// A server.
    pub(crate) const fn new(
        name: &'static str,
        about: &'static str,
        make: fn(Making) -> Result<Arc<dyn Service>, UnknownMode>,
    ) -> Entry {
        Entry { name, about, make }
    }
}

/// Every server, in the order clients see their tools.
pub const ALL: &[Entry] = &[
    Entry::new("info", "what Deskmate offers here, and what is missing", |_| Ok(Arc::new(info::server(ALL)))),
    Entry::new("MetaTagGenie", "reads and writes tags, descriptions, people and places in pictures", |_| {
        Ok(Arc::new(metatag::server(metatag::Config::from_environment(|name| std::env::var_os(name)))))
    }),
    Entry::new("authy", "keeps secrets that an agent can use without seeing them", |_| {
        Ok(Arc::new(authy::server(authy::Config::from_environment())))
    }),
    Entry::new("recipe-vault", "keeps the family cookbook: recipes, meal plans and shopping lists", |_| {
        Ok(Arc::new(recipes::server(recipes::Config::from_environment(|name| std::env::var_os(name)))))
    }),
    Entry::new(fotos::NAME, fotos::ABOUT, |making| {
        let variable = |name: &str| std::env::var_os(name);
        let mode = match making.callers {
            Callers::OwnUser => Mode::from_environment(variable)?,
            // The application serves this user's own programs only.
            Callers::Others => Mode::Standalone,
        };
        let read_only = making.access == Access::ReadOnly;
        let host = making.screen.unwrap_or_else(screen);
        Ok(service_of(host, Relaying { mode, place: Place::from_environment(variable), read_only }))
    }),
    Entry::new(vision::NAME, vision::ABOUT, |_| {
        let config = vision::Config::from_environment(|name| std::env::var_os(name));
        let pages = vision::pdf::this_program();
        Ok(Arc::new(vision::server(vision::Config { keys: keys::all(), pages, ..config })))
    }),
];

/// What people call servers, and what those are called.
const ALSO: &[(&str, &str)] = &[
    ("photos", "MetaTagGenie"),
    ("recipes", "recipe-vault"),
    ("screen", fotos::NAME),
    ("secrets", "authy"),
    ("vision", vision::NAME),
];

/// The name of the server a person means, where there is one.
fn meant(name: &str) -> &str {
    let is_it = |(also, _): &&(&str, &str)| also.eq_ignore_ascii_case(name);
    ALSO.iter().find(is_it).map_or(name, |(_, server)| *server)
}

/// What people call a server.
pub fn spoken(server: &str) -> &str {
    ALSO.iter().find(|(_, name)| *name == server).map_or(server, |(also, _)| *also)
}

/// Which servers to serve, and how much of each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Their names; none means all.
    pub names: Vec<String>,
    /// What tools may do.
    pub access: Access,
    /// How many tools each server shows in a combination; one alone shows all it has.
    pub breadth: Breadth,
}

impl Selection {
    fn making(&self) -> Making {
        Making { access: self.access, callers: Callers::OwnUser, screen: None }
    }
}

/// Why a selection cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A name that no server has.
    #[error("there is no server `{name}`; name one of these, or none to get all: {}", known.join(", "))]
    Unknown {
        /// What was asked for.
        name: String,
        /// The names there are.
        known: Vec<&'static str>,
    },
    /// `FOTOS_MODE` says something else.
    #[error("`FOTOS_MODE` is wrong: {0}")]
    Mode(#[from] UnknownMode),
    /// Two servers offer the same thing.
    #[error(transparent)]
    Clash(#[from] Clash),
}

/// A server, and as much of it as is let through.
#[derive(Clone)]
pub struct Chosen {
    /// Which server.
    pub entry: Entry,
    /// What is left of it.
    pub service: Arc<dyn Service>,
}

/// Servers, one instance of each. It can be mounted several times, with different tools: all mounts share its state, and all are
/// told of its changes.
pub struct Instances {
    /// Whole.
    chosen: Vec<Chosen>,
    choice: Choice,
}

/// How servers were chosen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    ByName,
    All,
}

impl Instances {
    /// Makes the servers of these names, or all if there is none, in the order of [`ALL`].
    pub fn make(names: &[String], making: &Making) -> Result<Instances, Error> {
        Instances::make_from(ALL, names, making)
    }

    fn make_from(all: &[Entry], names: &[String], making: &Making) -> Result<Instances, Error> {
        let is_meant = |entry: &Entry, name: &str| entry.name == name || entry.name == meant(name);
        if let Some(name) = names.iter().find(|name| !all.iter().any(|entry| is_meant(entry, name))) {
            let known = all.iter().map(|entry| entry.name).collect();
            return Err(Error::Unknown { name: name.clone(), known });
        }
        let is_chosen = |entry: &&Entry| names.is_empty() || names.iter().any(|name| is_meant(entry, name));
        let make = |entry: &Entry| -> Result<Chosen, Error> {
            Ok(Chosen { entry: *entry, service: (entry.make)(making.clone())? })
        };
        let choice = if names.is_empty() { Choice::All } else { Choice::ByName };
        Ok(Instances { chosen: all.iter().filter(is_chosen).map(make).collect::<Result<_, _>>()?, choice })
    }

    /// Each by itself. One alone shows all it has.
    pub fn each(&self, access: Access, breadth: Breadth) -> Vec<Chosen> {
        let breadth = if self.chosen.len() == 1 { Breadth::All } else { breadth };
        let reduced = |chosen: &Chosen| Chosen {
            entry: chosen.entry,
            service: reduce(Arc::clone(&chosen.service), access, breadth),
        };
        self.chosen.iter().map(reduced).collect()
    }

    /// All as one service. One server that was asked for by name is itself; anything else is `deskmate`.
    pub fn together(&self, access: Access, breadth: Breadth) -> Result<Arc<dyn Service>, Error> {
        let chosen = self.each(access, breadth);
        if let ([only], Choice::ByName) = (chosen.as_slice(), self.choice) {
            return Ok(Arc::clone(&only.service));
        }
        let instructions = instructions(&chosen);
        let parts = chosen.into_iter().map(|chosen| chosen.service).collect();
        Ok(Arc::new(Combined::new(identity(), Some(instructions), parts)?))
    }
}

/// The selected servers, each by itself, in the order of [`ALL`].
pub fn choose(selection: &Selection) -> Result<Vec<Chosen>, Error> {
    Ok(Instances::make(&selection.names, &selection.making())?.each(selection.access, selection.breadth))
}

/// The selected servers as one service.
pub fn compose(selection: &Selection) -> Result<Arc<dyn Service>, Error> {
    compose_from(ALL, selection)
}

fn compose_from(all: &[Entry], selection: &Selection) -> Result<Arc<dyn Service>, Error> {
    let instances = Instances::make_from(all, &selection.names, &selection.making())?;
    instances.together(selection.access, selection.breadth)
}

fn identity() -> Identity {
    Identity {
        name: "deskmate".into(),
        title: Some("Deskmate".into()),
        version: env!("CARGO_PKG_VERSION").into(),
        description: Some("The MCP servers of this person's own machine, as one".into()),
    }
}

/// Some clients show a model nothing else at first, so it names what is there.
fn instructions(chosen: &[Chosen]) -> String {
    let servers = chosen.iter().map(|Chosen { entry, .. }| format!("\n- {}: {}", entry.name, entry.about));
    let mut text = "Deskmate runs on this person's own machine. Its servers:".to_owned();
    text.extend(servers);
    text
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use cli::selection::{Access, Breadth};
    use mcp::{About, Cx, Server, Stop, Tool};
    use schemars::JsonSchema;
    use serde::Deserialize;

    use super::{Entry, Making, Selection, compose_from};

    #[derive(Deserialize, JsonSchema)]
    struct Nothing {}

    /// Declares tools that differ in what the client is told about them.
    macro_rules! tools {
        ($($tool:ident = $about:expr;)*) => {$(
            struct $tool;
            impl Tool<()> for $tool {
                type In = Nothing;
                type Out = String;
                const ABOUT: About = $about;
                async fn call(&self, (): &(), _: &Cx, _: Nothing) -> Result<String, Stop> {
                    Ok(String::new())
                }
            }
        )*};
    }

    tools! {
        Find = About::new("find", "Find", "Finds a thing.").read_only().core();
        Count = About::new("count", "Count", "Counts things.").read_only();
        Save = About::new("save", "Save", "Saves a thing.").core();
        Paint = About::new("paint", "Paint", "Paints a thing.").core();
    }

    const TWO: &[Entry] = &[
        Entry::new("things", "things", |_| {
            Ok(Arc::new(Server::new("things", "1", ()).tool(Find).tool(Count).tool(Save)))
        }),
        Entry::new("paint", "paint", |_| Ok(Arc::new(Server::new("paint", "1", ()).tool(Paint)))),
    ];

    fn select(names: &[&str], access: Access, breadth: Breadth) -> Selection {
        Selection { names: names.iter().map(|name| (*name).to_owned()).collect(), access, breadth }
    }

    #[track_caller]
    fn check(selection: &Selection, identity: &str, tools: &[&str]) {
        let service = compose_from(TWO, selection).map_err(|error| error.to_string()).expect("a service");
        let surface = service.surface();
        let names: Vec<&str> = surface.tools().iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!((surface.identity().name.as_str(), names.as_slice()), (identity, tools));
    }

    #[test]
    fn a_combination_shows_core_tools_unless_all_are_wanted() {
        check(&Selection::default(), "deskmate", &["find", "save", "paint"]);
        check(&select(&[], Access::Full, Breadth::All), "deskmate", &["find", "count", "save", "paint"]);
    }

    #[test]
    fn a_server_alone_is_itself_and_shows_everything() {
        check(&select(&["things"], Access::Full, Breadth::Core), "things", &["find", "count", "save"]);
    }

    #[test]
    fn the_order_and_repetition_of_names_do_not_matter() {
        let two = select(&["paint", "things", "paint"], Access::Full, Breadth::Core);
        check(&two, "deskmate", &["find", "save", "paint"]);
    }

    #[test]
    fn read_only_leaves_what_changes_nothing() {
        check(&select(&[], Access::ReadOnly, Breadth::Core), "deskmate", &["find"]);
        check(&select(&["things"], Access::ReadOnly, Breadth::Core), "things", &["find", "count"]);
        check(&select(&["paint"], Access::ReadOnly, Breadth::All), "paint", &[]);
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_names_there_are() {
        let error = compose_from(TWO, &select(&["things", "paints"], Access::Full, Breadth::Core)).err();
        assert_eq!(
            error.expect("refused").to_string(),
            "there is no server `paints`; name one of these, or none to get all: things, paint"
        );
    }

    #[test]
    fn the_model_is_told_which_servers_there_are() {
        let both = compose_from(TWO, &Selection::default()).map_err(|error| error.to_string());
        let parts = both.expect("a service").surface().parts();
        assert!(parts.instructions.expect("instructions").ends_with("\n- things: things\n- paint: paint"));
    }

    /// A server whose name in the list is not its own would be served under two names.
    #[test]
    fn every_server_is_listed_under_its_own_name() {
        for entry in super::ALL {
            let service = (entry.make)(Making::default()).expect("made");
            assert_eq!(service.surface().identity().name, entry.name);
        }
    }
}
