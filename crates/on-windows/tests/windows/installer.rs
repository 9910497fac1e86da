//! The installers: for one person (NSIS), and for everybody (.msi). `packaging/windows/installers` makes them.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use mcp_testkit::{Client, program};
use serde_json::json;

use crate::running::ERAS;

const PROGRAMS: [&str; 7] =
    ["authy", "deskmate", "fotos-desktop", "fotos-mcp", "metatag-genie", "recipe-vault", "vision-mcp"];

/// What the window of Fotos looks for beside itself.
const LOADER: &str = "WebView2Loader.dll";

const MENU: &str = r"Microsoft\Windows\Start Menu\Programs\Deskmate";

/// What is only in the older version.
const FORMER: &str = "former.exe";

const UNINSTALL: &str = r"HKCU\Software\Microsoft\Windows\CurrentVersion\Uninstall\Deskmate";

fn folder_of(variable: &str) -> PathBuf {
    env::var_os(variable).map(PathBuf::from).unwrap_or_else(|| panic!("{variable} is not set"))
}

/// An installer of this build, or of an older version.
fn installer(name: &str) -> PathBuf {
    let path = program("deskmate").with_file_name("installers").join(name);
    assert!(path.is_file(), "{} is not there; `./dev windows installers` makes it", path.display());
    path
}

#[track_caller]
fn run(command: &mut Command) {
    let status = command.status().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(status.success(), "{command:?}: {status}");
}

/// What the registry says.
fn registry(key: &str, value: &str) -> Option<String> {
    let output = Command::new("reg").args(["query", key, "/v", value]).output().expect("reg starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line =
        text.lines().find(|line| line.trim_start().to_lowercase().starts_with(&value.to_lowercase()))?;
    let (_, value) = line.split_once("_SZ")?;
    Some(value.trim().to_owned())
}

/// One way to install.
struct Kind {
    install: fn(&Path) -> Command,
    remove: fn(&Path) -> Command,
    file: &'static str,
    /// Where the programs are afterwards.
    folder: PathBuf,
    /// Where its part of the Start menu may be: wine puts that of everybody into this person's.
    menus: Vec<PathBuf>,
    /// The key that has the Path.
    environment: &'static str,
    /// Whether it leaves everything as it is while a program runs. Windows itself handles that for an .msi.
    refuses_while_running: bool,
}

impl Kind {
    fn for_one_person() -> Kind {
        Kind {
            install: |setup| {
                let mut command = Command::new(setup);
                command.arg("/S");
                command
            },
            remove: |_| {
                let command = registry(UNINSTALL, "UninstallString").expect("it can be removed");
                let mut command = Command::new(command.trim_matches('"'));
                command.arg("/S");
                command
            },
            file: "deskmate-setup.exe",
            folder: folder_of("LOCALAPPDATA").join(r"Programs\Deskmate"),
            menus: vec![folder_of("APPDATA").join(MENU)],
            environment: r"HKCU\Environment",
            refuses_while_running: true,
        }
    }

    fn for_everybody() -> Kind {
        Kind {
            install: |package| {
                let mut command = Command::new("msiexec");
                command.arg("/i").arg(package).arg("/qn");
                command
            },
            remove: |package| {
                let mut command = Command::new("msiexec");
                command.arg("/x").arg(package).arg("/qn");
                command
            },
            file: "deskmate.msi",
            folder: folder_of("ProgramW6432").join("Deskmate"),
            menus: vec![folder_of("ProgramData").join(MENU), folder_of("APPDATA").join(MENU)],
            environment: r"HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment",
            refuses_while_running: false,
        }
    }

    /// The folders of the Path, as it is in the registry. Where the one of an .msi was, wine leaves nothing between two semicolons.
    fn path(&self) -> Vec<String> {
        let path = registry(self.environment, "PATH").unwrap_or_default();
        path.split(';').filter(|folder| !folder.is_empty()).map(str::to_owned).collect()
    }

    /// Whether programs are found here by their names.
    fn is_on_path(&self) -> bool {
        self.path().iter().any(|folder| Path::new(folder.trim_end_matches('\\')) == self.folder)
    }

    fn files(&self) -> BTreeSet<String> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    fn check(&self) {
        let path_before = self.path();
        // An older version, which has a program that is gone since.
        let older = installer(&format!(r"older\{}", self.file));
        run(&mut (self.install)(&older));
        assert!(self.files().contains(FORMER), "{:?}", self.files());
        // This one over it.
        let package = installer(self.file);
        run(&mut (self.install)(&package));
        let files = self.files();
        assert!(!files.contains(FORMER), "{files:?}");
        for name in PROGRAMS {
            assert!(files.contains(&format!("{name}.exe")), "{name}: {files:?}");
        }
        assert!(files.contains(LOADER), "{files:?}");
        assert!(self.is_on_path(), "{:?}", self.path());
        let in_menu = |menu: &PathBuf| menu.join("Deskmate command line.lnk").is_file();
        assert!(self.menus.iter().any(in_menu), "{:?}", self.menus);
        assert!(self.menus.iter().any(|menu| menu.join("Fotos.lnk").is_file()), "{:?}", self.menus);
        self.converse();
        if self.refuses_while_running {
            self.check_that_it_refuses(&package);
        }
        run(&mut (self.remove)(&package));
        // What removes a program cannot remove itself while it runs: it goes on after its first process has ended.
        let began = Instant::now();
        while self.folder.exists() {
            assert!(began.elapsed() < Duration::from_secs(120), "{:?} are left", self.files());
            std::thread::sleep(Duration::from_millis(50));
        }
        assert!(!self.menus.iter().any(|menu| menu.exists()), "{:?}", self.menus);
        assert_eq!(self.path(), path_before);
        assert_eq!(registry(UNINSTALL, "DisplayName"), None);
    }

    /// While an app has started one of the programs, nothing is changed, and the exit code says so.
    fn check_that_it_refuses(&self, package: &Path) {
        let home = mcp_testkit::Folder::new();
        let mut command = Command::new(self.folder.join("fotos-mcp.exe"));
        command.env("DESKMATE_HOME", home.path("home"));
        let mut client = Client::process(&mut command).speaking(ERAS[0]);
        client.result("tools/list", json!({}));
        let before = self.files();
        let status = (self.install)(package).status().expect("it starts");
        assert_eq!(status.code(), Some(2));
        assert_eq!(self.files(), before);
        assert_eq!(client.hang_up().code, Some(0));
    }

    /// `fotos-mcp` as it was installed answers clients.
    fn converse(&self) {
        let installed = self.folder.join("fotos-mcp.exe");
        for era in ERAS {
            let home = mcp_testkit::Folder::new();
            let mut command = Command::new(&installed);
            command.env("DESKMATE_HOME", home.path("home"));
            let mut client = Client::process(&mut command).speaking(era);
            let tools = client.result("tools/list", json!({}));
            let offers = |name: &str| {
                tools["tools"].as_array().is_some_and(|tools| tools.iter().any(|tool| tool["name"] == name))
            };
            assert!(offers("take_screenshot") && offers("list_screenshots"), "{tools}");
            assert_eq!(client.hang_up().code, Some(0));
        }
    }
}

#[test]
fn fotos_mcp_is_part_of_the_windows_installer() {
    Kind::for_one_person().check();
    Kind::for_everybody().check();
}
