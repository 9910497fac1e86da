//! `deskmate --demo …`: the same commands on a home with sample recipes, photos and a vault, so that anybody can try everything and
//! break nothing. The home is made at the first use, in the cache folder of this user.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use authy::{AuthyClient, Credential, NewGrant, PolicyName, Vault};
use files::PrivateFolder;
use fotos::annotation::{Annotation, Colour, Font, Point, Renderer, Shape};
use picture::{Effort, Pixels};

use crate::sys;

/// Why there is no demo.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No variable says where this user's files are.
    #[error("neither `XDG_CACHE_HOME` nor `HOME` is set to an absolute path; set one")]
    NoCache,
    /// Something could not be written or started.
    #[error("cannot make the demo in `{}`: {source}; remove that folder and try again", .folder.display())]
    Io {
        /// Where it was to be.
        folder: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The sample vault.
    #[error("cannot make the vault of the demo: {0}")]
    Vault(#[from] authy::Error),
    /// The folder is not this user's own.
    #[error(transparent)]
    Folder(#[from] files::FolderError),
}

/// What is in the cookbook: the arguments of `create_recipe`.
const RECIPES: &[&str] = &[
    include_str!("demo/apple_cake.json"),
    include_str!("demo/lentil_soup.json"),
    include_str!("demo/pancakes.json"),
];

/// Written last: a demo without it was not finished.
const DONE: &str = "ready";

/// Held by the process that makes it.
const LOCK: &str = "lock";

/// Where the demo is.
#[derive(Debug)]
pub struct Demo {
    folder: PathBuf,
}

impl Demo {
    /// Makes it, unless it is there.
    pub fn prepare() -> Result<Demo, Error> {
        let variable =
            |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let cache = variable("XDG_CACHE_HOME").or_else(|| sys::cache_folder(variable));
        let demo = Demo { folder: cache.ok_or(Error::NoCache)?.join("deskmate-demo") };
        let io = |source| Error::Io { folder: demo.folder.clone(), source };
        let is_done = || demo.folder.join(DONE).exists();
        if is_done() {
            return Ok(demo);
        }
        PrivateFolder::make(&demo.folder)?;
        // One process makes it, and others wait. The lock ends with the process.
        let lock = fs::File::create(demo.folder.join(LOCK)).map_err(io)?;
        lock.lock().map_err(io)?;
        if !is_done() {
            demo.remove_leftovers().map_err(io)?;
            demo.make_photos().map_err(io)?;
            demo.make_vault()?;
            demo.make_cookbook().map_err(io)?;
            fs::write(demo.folder.join(DONE), b"").map_err(io)?;
        }
        Ok(demo)
    }

    /// What was begun and not finished.
    fn remove_leftovers(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                fs::remove_dir_all(entry.path())?;
            } else if entry.file_name() != LOCK {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    /// The command with these arguments, in the demo.
    pub fn command(&self, arguments: &[OsString]) -> io::Result<Command> {
        let mut command = Command::new(std::env::current_exe()?);
        command
            .args(arguments)
            .env("DESKMATE_HOME", self.folder.join("state"))
            .env("DESKMATE_ROOTS", self.photos())
            // Not through the person's own Fotos window.
            .env("FOTOS_MODE", "standalone")
            .env("AUTHY_HOME", self.folder.join("vault"))
            .env("AUTHY_ANCHOR", self.folder.join("anchor"))
            .env("AUTHY_TOKEN", fs::read_to_string(self.folder.join("token")).unwrap_or_default());
        for elsewhere in [
            "API_BASE_URL",
            "DATABASE_URL",
            "DATABASE_REPLICAS",
            "USER_EMAIL",
            "AUTHY_KEYFILE",
            "AUTHY_TOKEN_FILE",
            "AUTHY_PASSPHRASE",
        ] {
            command.env_remove(elsewhere);
        }
        Ok(command)
    }

    fn photos(&self) -> PathBuf {
        self.folder.join("photos")
    }

    /// A beach, and a receipt with text to read.
    fn make_photos(&self) -> io::Result<()> {
        fs::create_dir_all(self.photos())?;
        let save = |name: &str, bytes: Vec<u8>| fs::write(self.photos().join(name), bytes);
        let mut beach = Pixels::plain(640, 420, [126, 190, 236]);
        let whole = beach.frame();
        let band = |top, height, width| geometry::Rect { x: whole.x, y: whole.y + top, width, height };
        beach.fill(band(210, 110, 640), [28, 107, 160]);
        beach.fill(band(320, 100, 640), [233, 205, 150]);
        let jpeg = picture::encode_jpeg(beach.picture(), 90).map_err(io::Error::other)?;
        save("beach.jpg", jpeg.bytes)?;
        let receipt =
            page(&["CORNER CAFE", "Two coffees 6.40", "Apple cake 4.10", "TOTAL 10.50", "Thank you"]);
        save("receipt.png", receipt.png(Effort::Flat).map_err(io::Error::other)?)
    }

    /// Two secrets that are none, and a token that may use them.
    fn make_vault(&self) -> Result<(), Error> {
        PrivateFolder::make(&self.folder.join("anchor"))?;
        let vault = Vault::at(self.folder.join("vault")).anchored_in(self.folder.join("anchor"));
        let owner = AuthyClient::new(vault, Credential::Keyfile(self.folder.join("keyfile")));
        owner.init_vault()?;
        owner.store("github-token", "ghp_thisIsOnlyADemoAndOpensNothing00", false)?;
        owner.store("weather-api-key", "demo-weather-key-0000", false)?;
        owner.create_policy("demo", &["*"], &[], Some("the demo"), false)?;
        let policy = PolicyName::new("demo").map_err(authy::Error::from)?;
        let lifetime = Some(Duration::from_secs(365 * 24 * 3_600));
        let grant = NewGrant { lifetime, ..NewGrant::for_agent("demo", policy) };
        let issued = owner.session()?.create_grant(&grant)?;
        PrivateFolder::open(&self.folder)?.write("token", issued.token.reveal().as_bytes())?;
        Ok(())
    }

    fn make_cookbook(&self) -> io::Result<()> {
        for recipe in RECIPES {
            let arguments: Vec<OsString> = ["call", "create_recipe", recipe].map(OsString::from).to_vec();
            let output = self.command(&arguments)?.stdin(Stdio::null()).output()?;
            if !output.status.success() {
                return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
            }
        }
        Ok(())
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// Black on white, a line each.
fn page(lines: &[&str]) -> Pixels {
    let mut page = Pixels::plain(420, 300, [255, 255, 255]);
    let mut y = 0.0;
    let annotations: Vec<Annotation> = lines
        .iter()
        .map(|line| {
            y += 45.0;
            let at = Point { x: 30.0, y };
            let shape =
                Shape::Text { at, text: (*line).to_owned(), size: 24.0, width: None, font: Font::SansSerif };
            Annotation::new(shape, Colour { rgb: [0; 3], opacity: u8::MAX }, 1.0)
        })
        .collect();
    Renderer::default().draw(&annotations, &mut page);
    page
}
