//! `authy set`: what is said about a secret, and how it may be used.

use std::path::PathBuf;

use authy::child::{CommandRule, Program, Rule, Unconfined, check_folder, digest};
use authy::request::HostRule;
use authy::{SecretName, Timestamp};

use super::desk::{self, Desk};
use super::failure::Failure;
use super::lifetime::Lifetime;
use super::list::Row;

/// Say something about a secret, or how it may be used
#[derive(clap::Args)]
#[command(after_help = "Examples:
  authy set stripe-key --host api.stripe.com        http_request sends it there and nowhere else
  authy set db-password --command 'pg_dump * *' --network   for this command alone
  authy set prod-db --approve                       a person says yes to each use
  authy set signing-key --never-reveal              nobody sees it, its owner neither")]
pub(super) struct Args {
    /// Which secret
    name: SecretName,
    #[command(flatten)]
    attributes: Attributes,
}

#[allow(clippy::struct_excessive_bools, reason = "each is an option a person can give")]
#[derive(clap::Args)]
pub(super) struct Attributes {
    /// What it is
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// A word to find it by; may be repeated, and replaces those there are
    #[arg(long = "tag", value_name = "WORD")]
    tags: Vec<String>,
    /// A host it may be sent to, such as `api.example.com` or `*.example.com`; may be repeated
    #[arg(long = "host", value_name = "HOST")]
    hosts: Vec<String>,
    /// A command it may be given to, as a pattern of the whole command line; may be repeated. It runs in an empty folder of
    /// its own, without network, and can write nowhere else
    #[arg(long = "command", value_name = "PATTERN")]
    commands: Vec<String>,
    /// Let the commands use the network
    #[arg(long, requires = "commands")]
    network: bool,
    /// Run the commands in this folder, which nobody but root can write
    #[arg(long = "in", value_name = "FOLDER", requires = "commands")]
    folder: Option<PathBuf>,
    /// A folder that the commands may write to; may be repeated
    #[arg(long = "writes", value_name = "FOLDER", requires = "commands")]
    writes: Vec<PathBuf>,
    /// A folder of your home that the commands may read; may be repeated
    #[arg(long = "reads", value_name = "FOLDER", requires = "commands")]
    reads: Vec<PathBuf>,
    /// A variable that the commands may find it in, besides the usual one; may be repeated
    #[arg(long = "variable", value_name = "NAME", requires = "commands")]
    variables: Vec<String>,
    /// Let the commands be nothing but the programs as they are now
    #[arg(long, requires = "commands")]
    pin: bool,
    /// When it should have been replaced, from now: 90d, 1y, or `never`
    #[arg(long, value_name = "TIME")]
    expires: Option<Lifetime>,
    /// Never show its value to anybody; it can only be used
    #[arg(long, conflicts_with = "reveal")]
    never_reveal: bool,
    /// Let its value be shown to those who may see values
    #[arg(long)]
    reveal: bool,
    /// Ask a person for a yes each time it is used or shown
    #[arg(long, conflicts_with = "no_approve")]
    approve: bool,
    /// Ask nobody
    #[arg(long)]
    no_approve: bool,
}

impl Attributes {
    /// Whether anything is said.
    pub(super) fn are_given(&self) -> bool {
        let flags = [self.never_reveal, self.reveal, self.approve, self.no_approve];
        let lists = [&self.tags, &self.hosts, &self.commands];
        flags.contains(&true)
            || lists.iter().any(|list| !list.is_empty())
            || self.description.is_some()
            || self.expires.is_some()
    }

    /// What is said now, after what was said before.
    pub(super) fn change(self, before: authy::Attributes) -> Result<authy::Attributes, Failure> {
        let rules = self.rules()?;
        for host in &self.hosts {
            host.parse::<HostRule>().map_err(|reason| Failure::BadHost { host: host.clone(), reason })?;
        }
        let or = |new: Vec<String>, old| if new.is_empty() { old } else { new };
        let flag = |on: bool, off: bool, old: bool| on || (old && !off);
        Ok(authy::Attributes {
            description: self.description.or(before.description).filter(|text| !text.is_empty()),
            tags: or(self.tags, before.tags),
            hosts: or(self.hosts, before.hosts),
            // New rules take the place of all, those from before they said more, too.
            commands: if rules.is_empty() { before.commands } else { Vec::new() },
            rules: if rules.is_empty() { before.rules } else { rules },
            expires: match self.expires {
                None => before.expires,
                Some(Lifetime::Endless) => None,
                Some(Lifetime::For(time)) => Some(Timestamp::now().after(time)),
            },
            never_reveal: flag(self.never_reveal, self.reveal, before.never_reveal),
            approve_each_use: flag(self.approve, self.no_approve, before.approve_each_use),
        })
    }

    /// The commands with what they may do: each by the program there is now.
    fn rules(&self) -> Result<Vec<CommandRule>, Failure> {
        if let Some(folder) = &self.folder {
            check_folder(folder)?;
        }
        self.commands.iter().map(|command| self.rule(command)).collect()
    }

    fn rule(&self, command: &str) -> Result<CommandRule, Failure> {
        let rule = confined(command)?;
        let failed = |source| Failure::Read { what: format!("`{}`", rule.program.display()), source };
        // As they are now: a link that is put in the place of one later leads nowhere.
        let real = |folder: &PathBuf| {
            let unusable = |source| Unconfined::Folder { path: folder.clone(), source };
            std::fs::canonicalize(folder).map_err(unusable)
        };
        let writes = self.writes.iter().map(real).collect::<Result<Vec<_>, _>>()?;
        let reads = self.reads.iter().map(real).collect::<Result<Vec<_>, _>>()?;
        let sha256 = if self.pin { Some(digest(&rule.program).map_err(failed)?) } else { None };
        Ok(CommandRule {
            sha256,
            folder: self.folder.clone(),
            network: self.network,
            writes,
            reads,
            variables: self.variables.clone(),
            ..rule
        })
    }

    /// What is worth knowing about the commands before they get a secret.
    pub(super) fn warnings(&self) -> Vec<String> {
        // `python3.13` is `python` as well.
        let plain = |name: &str| {
            name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-').to_owned()
        };
        // By its name, and by that of what a link leads to.
        let programs = |command: &String| {
            let name = command.split_ascii_whitespace().next().unwrap_or_default();
            let real = Program::find(name, &desk::variable("PATH").unwrap_or_default()).ok();
            let file = |path: &std::path::Path| Some(path.file_name()?.to_str()?.to_owned());
            let real = real.and_then(|program| file(program.path()));
            let mut names: Vec<String> = file(std::path::Path::new(name)).into_iter().chain(real).collect();
            names.retain(|name| RUNS_ANYTHING.contains(&plain(name).as_str()));
            names.into_iter().next()
        };
        self.commands.iter().filter_map(programs).map(|name| {
            format!(
                "warning: `{name}` runs other programs, hooks or scripts as its arguments and files say; whoever chooses \
                 those gets the secret"
            )
        })
        .collect()
    }
}

/// A rule for a command with the program there is now: in an empty folder, without network.
pub(super) fn confined(command: &str) -> Result<CommandRule, Failure> {
    command.parse::<Rule>().map_err(|reason| Failure::BadRule { rule: command.to_owned(), reason })?;
    let name = command.split_ascii_whitespace().next().unwrap_or_default();
    let path = desk::variable("PATH").unwrap_or_default();
    let program =
        Program::find(name, &path).map_err(|reason| Failure::Program { program: name.to_owned(), reason })?;
    Ok(CommandRule {
        command: command.to_owned(),
        program: program.path().to_owned(),
        sha256: None,
        folder: None,
        network: false,
        writes: Vec::new(),
        reads: Vec::new(),
        variables: Vec::new(),
    })
}

/// Programs that run whatever they are told or find.
const RUNS_ANYTHING: [&str; 102] = [
    "sh",
    "bash",
    "dash",
    "zsh",
    "fish",
    "ksh",
    "busybox",
    "env",
    "xargs",
    "find",
    "sudo",
    "su",
    "doas",
    "ssh",
    "nice",
    "nohup",
    "setsid",
    "timeout",
    "watch",
    "parallel",
    "script",
    "screen",
    "tmux",
    "expect",
    "python",
    "pypy",
    "perl",
    "ruby",
    "node",
    "nodejs",
    "deno",
    "bun",
    "php",
    "lua",
    "luajit",
    "tclsh",
    "awk",
    "gawk",
    "mawk",
    "sed",
    "java",
    "pwsh",
    "git",
    "make",
    "gmake",
    "cmake",
    "ninja",
    "meson",
    "just",
    "npm",
    "npx",
    "yarn",
    "pnpm",
    "pip",
    "pipx",
    "uv",
    "uvx",
    "poetry",
    "cargo",
    "go",
    "mvn",
    "gradle",
    "ant",
    "rake",
    "bundle",
    "docker",
    "podman",
    "terraform",
    "ansible",
    "psql",
    "mysql",
    "sqlite",
    "vim",
    "vi",
    "nvim",
    "emacs",
    "less",
    "man",
    "gdb",
    "strace",
    "rsync",
    "cc",
    "gcc",
    "clang",
    "rustc",
    "tar",
    "gh",
    "kubectl",
    "helm",
    "socat",
    "flock",
    "stdbuf",
    "ionice",
    "taskset",
    "unshare",
    "nsenter",
    "chroot",
    "scp",
    "sftp",
    "Rscript",
    "julia",
    "dotnet",
];

pub(super) fn run(desk: &Desk, args: Args) -> Result<(), Failure> {
    if !args.attributes.are_given() {
        return Err(Failure::Usage(
            "say what to set, such as `--host`, `--command` or `--approve`: `authy set --help`",
        ));
    }
    let session = desk.session()?;
    let before = session.info(&args.name)?.attributes;
    for warning in args.attributes.warnings() {
        desk.remark(&warning);
    }
    let after = args.attributes.change(before)?;
    if !after.commands.is_empty() {
        desk.remark(&format!(
            "warning: the commands of '{}' are from before rules said what a command may do, and run unconfined; set them \
             again with `--command`",
            args.name
        ));
    }
    session.set_attributes(&args.name, &after)?;
    let info = session.info(&args.name)?;
    desk.answer(&format!("Changed secret '{}'", args.name), &Row::from(&info))
}
