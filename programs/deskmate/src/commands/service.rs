//! `deskmate serve --install` and `--uninstall`: a service of the operating system that serves after a restart, too.
//!
//! Linux gets a systemd user service, macOS a launch agent, Windows a scheduled task. What is written for the other systems is
//! tested here as text; only systemd is run.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::Command;

use cli::terminal;
use connect::System;
use files::{ChosenBy, Home, PrivateFolder, Roots};

use super::error::Error;

/// The name of the service for systemd.
const UNIT: &str = "deskmate.service";
/// Its name for launchd.
const LABEL: &str = "io.github.deskmate";
/// Its name for the task scheduler.
const TASK: &str = "Deskmate";

/// Where a service is written, and the commands that make the system know it.
#[derive(Debug, PartialEq, Eq)]
struct Service {
    file: PathBuf,
    text: String,
    start: Vec<Vec<String>>,
    stop: Vec<Vec<String>>,
    /// What makes the system forget it, once its file is gone.
    forget: Vec<Vec<String>>,
}

/// The file with the token, in the state folder.
const TOKEN_FILE: &str = "serve.env";

/// What is asked of a service.
pub(super) struct Wanted<'w> {
    /// The arguments of `deskmate serve`, without `--install`.
    pub(super) arguments: &'w [String],
    /// Goes into a file of its own, which only this user can read.
    pub(super) token: Option<&'w str>,
    /// Where it is going to listen.
    pub(super) address: SocketAddr,
}

/// Writes the service and starts it. One that does not start leaves nothing behind, unless there was one before.
pub(super) fn install(wanted: &Wanted<'_>) -> Result<(), Error> {
    let address = wanted.address;
    if address.port() == 0 {
        return Err(Error::AnyPortInService);
    }
    let service = this(wanted.arguments)?;
    let is_first = !service.file.exists();
    match wanted.token {
        Some(_) if System::this() != System::Linux => return Err(Error::TokenInService),
        Some(token) => {
            let text = environment_file(token);
            let folder = PrivateFolder::make(state()?.path()).map_err(Error::StateFolder)?;
            folder.write(TOKEN_FILE, text.as_bytes()).map_err(Error::StateFolder)?;
        }
        // One from before would be asked for, and nobody said so this time.
        None => forget_token()?,
    }
    let writing = |source: String| Error::Service {
        what: format!("write `{}`", service.file.display()),
        reason: source,
    };
    write(&service.file, service.text.as_bytes()).map_err(writing)?;
    if let Err(error) = service.start.iter().try_for_each(|command| run(command)) {
        if is_first {
            let _ = service.stop.iter().try_for_each(|command| run(command));
            remove(&service.file)?;
            forget_token()?;
            let _ = service.forget.iter().try_for_each(|command| run(command));
        }
        return Err(why_not(address).unwrap_or(error));
    }
    let file = service.file.display();
    let here = if address.ip().is_unspecified() {
        SocketAddr::from((Ipv4Addr::LOCALHOST, address.port()))
    } else {
        address
    };
    let link = match (wanted.token, System::this()) {
        (Some(_), System::Linux) => {
            "\n  The link that lets your browser in is in its log: journalctl --user --unit deskmate"
        }
        _ => "",
    };
    Ok(terminal::say(&format!(
        "Deskmate serves now, and after every login: http://{here}/{link}\n  File: {file}\n  `deskmate serve --uninstall` ends it."
    ))?)
}

/// The usual reason why a service does not start, in our own words: somebody else has the port.
fn why_not(address: SocketAddr) -> Option<Error> {
    let taken = std::net::TcpListener::bind(address).is_err_and(|error| error.kind() == ErrorKind::AddrInUse);
    taken.then_some(Error::Bind(web::BindError::InUse(address)))
}

/// Ends the service and takes its file away.
pub(super) fn uninstall() -> Result<(), Error> {
    let service = this(&[])?;
    if !service.file.exists() {
        return Ok(terminal::say("Deskmate was not installed as a service; nothing was changed.")?);
    }
    // Where the system does not know the service, its files go all the same.
    let stopped = service.stop.iter().try_for_each(|command| run(command));
    remove(&service.file)?;
    forget_token()?;
    // It has nothing to forget of a service that never failed.
    let _ = service.forget.iter().try_for_each(|command| run(command));
    stopped?;
    Ok(terminal::say(&format!("Deskmate is not a service any more; removed: {}", service.file.display()))?)
}

/// The line that systemd reads a token from. It knows quotes and escapes, as a shell does. Tokens have neither spaces nor line
/// breaks.
fn environment_file(token: &str) -> String {
    let mut quoted = String::with_capacity(token.len() + 2);
    for letter in token.chars() {
        if matches!(letter, '"' | '\\' | '$' | '`') {
            quoted.push('\\');
        }
        quoted.push(letter);
    }
    format!("DESKMATE_TOKEN=\"{quoted}\"\n")
}

fn state() -> Result<Home, Error> {
    Home::from_environment(|name| std::env::var_os(name)).map_err(Error::Home)
}

fn forget_token() -> Result<(), Error> {
    remove(&state()?.path().join(TOKEN_FILE))
}

/// A file that is gone already is no error.
fn remove(file: &Path) -> Result<(), Error> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(Error::Service { what: format!("remove `{}`", file.display()), reason: error.to_string() })
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

fn this(arguments: &[String]) -> Result<Service, Error> {
    let program = std::env::current_exe().map_err(Error::Program)?;
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = files::person_home(|name| std::env::var_os(name)).ok_or(Error::NoHome)?;
    let config = variable("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
    let setting = Setting { program, home, config, state: state()? };
    Ok(service(System::this(), &setting, arguments))
}

/// What a service is made of.
struct Setting {
    program: PathBuf,
    home: PathBuf,
    config: PathBuf,
    /// Where state is. The service does not have our environment: an unusual place has to be named.
    state: Home,
}

fn service(system: System, setting: &Setting, arguments: &[String]) -> Service {
    let words: Vec<String> = [setting.program.display().to_string(), "serve".to_owned()]
        .into_iter()
        .chain(arguments.iter().cloned())
        .collect();
    let state_folder = setting.state.path();
    let state = (setting.state.chosen_by() != ChosenBy::UserHome).then(|| state_folder.display().to_string());
    let command = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    match system {
        System::Linux => Service {
            file: setting.config.join("systemd/user").join(UNIT),
            text: systemd(&words, state.as_deref(), &state_folder.join(TOKEN_FILE)),
            start: vec![
                command(&["systemctl", "--user", "daemon-reload"]),
                command(&["systemctl", "--user", "enable", UNIT]),
                // Waits until it serves, and fails if it does not.
                command(&["systemctl", "--user", "restart", UNIT]),
            ],
            stop: vec![command(&["systemctl", "--user", "disable", "--now", UNIT])],
            forget: vec![
                command(&["systemctl", "--user", "daemon-reload"]),
                command(&["systemctl", "--user", "reset-failed", UNIT]),
            ],
        },
        System::Mac => {
            let file = setting.home.join("Library/LaunchAgents").join(format!("{LABEL}.plist"));
            let path = file.display().to_string();
            Service {
                text: launchd(&words, state.as_deref()),
                start: vec![command(&["launchctl", "load", "-w", &path])],
                stop: vec![command(&["launchctl", "unload", "-w", &path])],
                forget: Vec::new(),
                file,
            }
        }
        System::Windows => {
            let file = setting.home.join("AppData/Local/Deskmate/task.xml");
            let path = file.display().to_string();
            Service {
                text: task(&words),
                start: vec![
                    command(&["schtasks", "/Create", "/F", "/TN", TASK, "/XML", &path]),
                    command(&["schtasks", "/Run", "/TN", TASK]),
                ],
                stop: vec![
                    command(&["schtasks", "/End", "/TN", TASK]),
                    command(&["schtasks", "/Delete", "/F", "/TN", TASK]),
                ],
                forget: Vec::new(),
                file,
            }
        }
    }
}

fn systemd(words: &[String], state: Option<&str>, token: &Path) -> String {
    // A percent sign begins a specifier, quotes end words, and a line break ends the setting.
    let escaped = |word: &str| {
        let escaped = word.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%");
        escaped.replace('\n', "\\n").replace('\r', "\\r").replace('\t', "\\t")
    };
    // A dollar begins a variable, but not in the path of the program.
    let quoted = |word: &str| format!("\"{}\"", escaped(word).replace('$', "$$"));
    let mut line: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    if let (Some(program), Some(first)) = (words.first(), line.first_mut()) {
        // systemd takes no such path for a program, but any argument.
        let is_odd = program.contains(|letter: char| letter.is_control() || "\"'\\".contains(letter));
        *first = if is_odd { format!("/usr/bin/env {first}") } else { format!("\"{}\"", escaped(program)) };
    }
    let state = state
        .map(|state| format!("Environment=\"{}\"\n", escaped(&format!("DESKMATE_HOME={state}"))))
        .unwrap_or_default();
    format!(
        "[Unit]\nDescription=Deskmate, the MCP servers of this user\n\n[Service]\nType=notify\nExecStart={}\n{state}EnvironmentFile=-{}\nRestart=on-failure\n\
         NoNewPrivileges=true\n\n[Install]\nWantedBy=default.target\n",
        line.join(" "),
        token.display().to_string().replace('%', "%%")
    )
}

fn launchd(words: &[String], state: Option<&str>) -> String {
    let words: Vec<String> =
        words.iter().map(|word| format!("    <string>{}</string>\n", xml(word))).collect();
    let words = words.concat();
    let state = state.map_or_else(String::new, |state| {
        format!(
            "  <key>EnvironmentVariables</key>\n  <dict>\n    <key>DESKMATE_HOME</key>\n    <string>{}</string>\n  </dict>\n",
            xml(state)
        )
    });
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \
         \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n<plist version=\"1.0\">\n<dict>\n  <key>Label</key>\n  \
         <string>{LABEL}</string>\n  <key>ProgramArguments</key>\n  <array>\n{words}  </array>\n{state}  <key>RunAtLoad</key>\n  \
         <true/>\n  <key>KeepAlive</key>\n  <dict>\n    <key>SuccessfulExit</key>\n    <false/>\n  </dict>\n</dict>\n</plist>\n"
    )
}

fn task(words: &[String]) -> String {
    let (program, arguments) =
        words.split_first().map_or(("", &[][..]), |(program, rest)| (program.as_str(), rest));
    let arguments: Vec<String> = arguments
        .iter()
        .map(|word| if word.contains([' ', '\t']) { format!("\"{word}\"") } else { word.clone() })
        .collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Task version=\"1.2\" \
         xmlns=\"http://schemas.microsoft.com/windows/2004/02/mit/task\">\n  <Triggers>\n    <LogonTrigger />\n  </Triggers>\n  \
         <Settings>\n    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>\n    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>\n    \
         <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>\n  </Settings>\n  <Actions>\n    <Exec>\n      <Command>{}</Command>\n      \
         <Arguments>{}</Arguments>\n    </Exec>\n  </Actions>\n</Task>\n",
        xml(program),
        xml(&arguments.join(" "))
    )
}

fn xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// In one step: what is there is the old file or the new one.
fn write(file: &Path, text: &[u8]) -> Result<(), String> {
    let everywhere = Roots::around(file);
    if file.exists() {
        let place = everywhere.resolve(file).map_err(|error| error.to_string())?;
        let original = place.read(1 << 20).map_err(|error| error.to_string())?;
        return original.replace(text).map(|_| ()).map_err(|error| error.to_string());
    }
    let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else { return Ok(()) };
    std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let folder = everywhere.resolve(folder).map_err(|error| error.to_string())?;
    match folder.for_new(name) {
        Some(place) => place.create(text, &folder).map(|_| ()).map_err(|error| error.to_string()),
        None => Err("its name cannot be used".to_owned()),
    }
}

fn run(words: &[String]) -> Result<(), Error> {
    let Some((program, arguments)) = words.split_first() else { return Ok(()) };
    let what = format!("run `{}`", words.join(" "));
    let output = Command::new(program)
        .args(arguments)
        .output()
        .map_err(|error| Error::Service { what: what.clone(), reason: error.to_string() })?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().next().unwrap_or("it failed and said nothing").trim().to_owned();
    Err(Error::Service { what, reason: said })
}

#[cfg(test)]
mod tests {
    use connect::System;
    use files::Home;

    use super::{Setting, service};

    fn setting() -> Setting {
        Setting {
            program: "/opt/my desk/deskmate".into(),
            home: "/home/ada".into(),
            config: "/home/ada/.config".into(),
            state: Home::from_environment(|_| Some("/srv/100% $desk".into())).expect("a place"),
        }
    }

    #[test]
    fn systemd_is_told_the_whole_path_and_every_argument() {
        let made = service(System::Linux, &setting(), &["--port".into(), "9000".into()]);
        let odd = |program: &str| {
            let setting = Setting { program: program.into(), ..setting() };
            let text = service(System::Linux, &setting, &["--allow-host".into(), "a$b".into()]).text;
            text.lines().find(|line| line.starts_with("ExecStart=")).map(str::to_owned).unwrap_or_default()
        };
        assert_eq!(odd("/o/$x 5%/d"), "ExecStart=\"/o/$x 5%%/d\" \"serve\" \"--allow-host\" \"a$$b\"");
        assert!(odd("/o'b/$x/d").starts_with("ExecStart=/usr/bin/env \"/o'b/$$x/d\" \"serve\" "));
        assert_eq!(made.file.to_str(), Some("/home/ada/.config/systemd/user/deskmate.service"));
        assert!(
            made.text.contains("ExecStart=\"/opt/my desk/deskmate\" \"serve\" \"--port\" \"9000\"\n"),
            "{}",
            made.text
        );
        assert!(made.text.contains("Environment=\"DESKMATE_HOME=/srv/100%% $desk\"\n"), "{}", made.text);
        assert!(made.text.contains("EnvironmentFile=-/srv/100%% $desk/serve.env\n"), "{}", made.text);
        assert!(made.text.ends_with("WantedBy=default.target\n"), "{}", made.text);
    }

    #[test]
    fn macos_and_windows_get_theirs() {
        let mac = service(System::Mac, &setting(), &["--only".into(), "a&b".into()]);
        assert!(mac.file.ends_with("Library/LaunchAgents/io.github.deskmate.plist"));
        assert!(
            mac.text.contains("<string>a&amp;b</string>") && mac.text.contains("RunAtLoad"),
            "{}",
            mac.text
        );
        let windows = service(System::Windows, &setting(), &["--folder".into(), "C:/My Photos".into()]);
        assert!(windows.text.contains("<LogonTrigger />"), "{}", windows.text);
        assert!(
            windows.text.contains("<Arguments>serve --folder \"C:/My Photos\"</Arguments>"),
            "{}",
            windows.text
        );
        assert_eq!(windows.stop.len(), 2);
    }
}
