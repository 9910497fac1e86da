//! The file of the settings. What it says and we do not know is kept; what is wrong in it is the default, and said; a file that
//! cannot be read at all is put aside.

use std::fs;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use files::PrivateFolder;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{Keep, Settings};
use crate::error::Error;

/// What the file is written as.
const SCHEMA_VERSION: u64 = 2;

/// Where the file says that.
const VERSION: &str = "_schemaVersion";

/// Between the name of a file that was put aside and the time of that.
const BROKEN: &str = ".broken-";

/// What is said of a setting in the file that does not fit.
const INSTEAD: &str = "; the default is used";

/// No person has as many settings.
const MOST_BYTES: u64 = 1 << 20;

/// Something wrong with the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Which setting, such as `capture.delayMs`; nothing where it is the file itself.
    pub setting: Option<String>,
    /// What is wrong, and what was done about it.
    pub message: String,
}

/// The settings as they are on disk.
pub struct SettingsFile {
    folder: PrivateFolder,
    name: &'static str,
    defaults: Settings,
    /// What the person wants nobody to see could not be read.
    privacy_is_unknown: bool,
    /// How long the person wants screenshots to be kept could not be read.
    history_is_unknown: bool,
    now: Mutex<Now>,
}

struct Now {
    /// All that is in the file, known or not.
    raw: Map<String, Value>,
    settings: Settings,
    problems: Vec<Problem>,
}

impl SettingsFile {
    /// Reads it. One that is not there has the defaults.
    pub fn open(folder: PrivateFolder, name: &'static str, defaults: Settings) -> SettingsFile {
        let (raw, mut problems) = match read(&folder, name) {
            Ok(raw) => (raw, Vec::new()),
            Err(problem) => (Map::new(), vec![problem]),
        };
        let is_unreadable = !problems.is_empty();
        if raw.get(VERSION).and_then(Value::as_u64).is_some_and(|version| version > SCHEMA_VERSION) {
            let message =
                "the file was written by a newer Fotos; what this one does not know is kept as it is";
            problems.push(Problem { setting: None, message: message.to_owned() });
        }
        let (settings, wrong) = understood(&raw, &defaults);
        let privacy_is_unknown = is_unreadable || wrong.iter().any(Problem::is_about_privacy);
        let history_is_unknown = is_unreadable || wrong.iter().any(Problem::is_about_history);
        problems.extend(wrong);
        let now = Mutex::new(Now { raw, settings, problems });
        SettingsFile { folder, name, defaults, privacy_is_unknown, history_is_unknown, now }
    }

    /// Whether it could not be read how long the person wants screenshots to be kept: the default would delete them.
    pub(crate) fn history_is_unknown(&self) -> bool {
        self.history_is_unknown
    }

    /// Keeps screenshots until the person says for how long. It is on the disk with the first change.
    pub(crate) fn keep_history(&self) {
        let mut now = self.now();
        let Now { raw, settings, problems } = &mut *now;
        merge(raw, Map::from_iter([("history".to_owned(), json!({ "keep": Keep::Forever }))]));
        (*settings, _) = understood(raw, &self.defaults);
        let message = "not known, so what is there stays; choose how long screenshots are kept".to_owned();
        problems.push(Problem { setting: Some("history.keep".to_owned()), message });
    }

    /// Whether what the person wants nobody to see could not be read: the defaults hide less.
    pub(crate) fn privacy_is_unknown(&self) -> bool {
        self.privacy_is_unknown
    }

    /// What is set.
    pub fn settings(&self) -> Settings {
        self.now().settings.clone()
    }

    /// What was wrong when it was read.
    pub fn problems(&self) -> Vec<Problem> {
        self.now().problems.clone()
    }

    /// Changes some settings: a JSON merge patch. All of it is done and on the disk, or nothing is.
    pub fn patch(&self, patch: &str) -> Result<Settings, Error> {
        let patch: Map<String, Value> = serde_json::from_str(patch).map_err(|error| Error::Setting {
            setting: "settings".to_owned(),
            reason: format!("not a JSON object: {error}"),
        })?;
        let mut now = self.now();
        let mut raw = now.raw.clone();
        merge(&mut raw, patch);
        let (settings, problems) = understood(&raw, &self.defaults);
        // What was wrong before and is not touched does not keep other things from being set.
        let is_new = |problem: &&Problem| {
            let setting = problem.setting.as_deref().unwrap_or_default();
            !now.problems.contains(problem) || value_of(&now.raw, setting) != value_of(&raw, setting)
        };
        if let Some(Problem { setting, message }) = problems.iter().find(is_new) {
            let setting = setting.clone().unwrap_or_default();
            // What was set stays.
            let reason = message.strip_suffix(INSTEAD).unwrap_or(message).to_owned();
            return Err(Error::Setting { setting, reason });
        }
        let version = raw.get(VERSION).and_then(Value::as_u64).unwrap_or(0).max(SCHEMA_VERSION);
        raw.insert(VERSION.to_owned(), version.into());
        let mut text = serde_json::to_vec_pretty(&raw)
            .map_err(|error| Error::Setting { setting: String::new(), reason: error.to_string() })?;
        text.push(b'\n');
        if text.len() as u64 > MOST_BYTES {
            let reason = format!("the file of the settings would be longer than {} KiB", MOST_BYTES >> 10);
            return Err(Error::Setting { setting: "settings".to_owned(), reason });
        }
        self.folder.write(self.name, &text)?;
        *now = Now { raw, settings: settings.clone(), problems };
        Ok(settings)
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Problem {
    /// Whether it is about what leaves the screen: there, a default is no safe answer.
    fn is_about_privacy(&self) -> bool {
        let setting = self.setting.as_deref().unwrap_or_default();
        matches!(setting.split('.').next(), Some("privacy"))
            || ["ai", "ai.redactBeforeSending", "agents", "agents.paused"].contains(&setting)
    }

    /// Whether it is about how long screenshots are kept: there, the default deletes them.
    fn is_about_history(&self) -> bool {
        let setting = self.setting.as_deref().unwrap_or_default();
        matches!(setting.split('.').next(), Some("history"))
    }
}

/// What a file says of a section or of a setting in it.
fn value_of<'a>(raw: &'a Map<String, Value>, setting: &str) -> Option<&'a Value> {
    match setting.split_once('.') {
        None => raw.get(setting),
        Some((section, key)) => raw.get(section)?.get(key),
    }
}

fn read(folder: &PrivateFolder, name: &str) -> Result<Map<String, Value>, Problem> {
    let path = folder.path().join(name);
    let is_file = match fs::symlink_metadata(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return last_aside(folder, name).map_or_else(|| Ok(Map::new()), Err);
        }
        Err(_) => false,
        Ok(found) => found.is_file() && found.len() <= MOST_BYTES,
    };
    let reason = if is_file {
        match fs::read(&path) {
            Ok(bytes) => match serde_json::from_slice(&bytes) {
                Ok(raw) => return Ok(raw),
                Err(error) => error.to_string(),
            },
            Err(error) => error.to_string(),
        }
    } else {
        "it is no file, or too long".to_owned()
    };
    let seconds = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
    let aside = folder.path().join(format!("{name}{BROKEN}{seconds}"));
    let message = match fs::rename(&path, &aside) {
        Ok(()) => {
            format!(
                "`{}` cannot be read: {reason}. It is kept as `{}`; everything is as by default.",
                path.display(),
                aside.display()
            )
        }
        Err(error) => {
            format!(
                "`{}` cannot be read: {reason}. It cannot be put aside either: {error}. Everything is as by default.",
                path.display()
            )
        }
    };
    Err(Problem { setting: None, message })
}

/// What was put aside at an earlier start, as long as nothing was set since: the person may not have seen that it was said.
fn last_aside(folder: &PrivateFolder, name: &str) -> Option<Problem> {
    let names =
        fs::read_dir(folder.path()).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let aside =
        names.filter(|found| found.strip_prefix(name).is_some_and(|rest| rest.starts_with(BROKEN))).max()?;
    let message = format!(
        "`{name}` could not be read at an earlier start and is kept as `{}`; everything is as by default.",
        folder.path().join(aside).display()
    );
    Some(Problem { setting: None, message })
}

/// As RFC 7396 has it: `null` takes a member away.
fn merge(into: &mut Map<String, Value>, patch: Map<String, Value>) {
    for (key, value) in patch {
        match value {
            Value::Null => drop(into.remove(&key)),
            Value::Object(inner) => {
                let place = into.entry(key).or_insert_with(|| Value::Object(Map::new()));
                if !place.is_object() {
                    *place = Value::Object(Map::new());
                }
                if let Value::Object(place) = place {
                    merge(place, inner);
                }
            }
            other => drop(into.insert(key, other)),
        }
    }
}

/// The settings in a file: each that does not fit is the default.
fn understood(raw: &Map<String, Value>, defaults: &Settings) -> (Settings, Vec<Problem>) {
    let (mut settings, mut problems) = (defaults.clone(), Vec::new());
    let Ok(Value::Object(known)) = serde_json::to_value(defaults) else { return (settings, problems) };
    for (section, fields) in &known {
        let Value::Object(fields) = fields else { continue };
        let given = match raw.get(section) {
            None => continue,
            Some(Value::Object(given)) => given,
            Some(_) => {
                let message = "not a section; its defaults are used".to_owned();
                problems.push(Problem { setting: Some(section.clone()), message });
                continue;
            }
        };
        for key in fields.keys() {
            let Some(value) = given.get(key) else { continue };
            match with(&settings, section, key, value) {
                Ok(next) => settings = next,
                Err(reason) => problems.push(Problem {
                    setting: Some(format!("{section}.{key}")),
                    message: format!("{reason}{INSTEAD}"),
                }),
            }
        }
    }
    (settings, problems)
}

/// The settings with one of them changed.
fn with(settings: &Settings, section: &str, key: &str, value: &Value) -> Result<Settings, String> {
    let mut whole = serde_json::to_value(settings).map_err(|error| error.to_string())?;
    if let Some(place) = whole.get_mut(section).and_then(|section| section.get_mut(key)) {
        *place = value.clone();
    }
    let next: Settings = serde_json::from_value(whole).map_err(|error| error.to_string())?;
    match next.mistake() {
        None => Ok(next),
        Some(reason) => Err(reason.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use files::PrivateFolder;

    use super::SettingsFile;
    use crate::settings::Settings;

    struct Scratch(PathBuf);

    impl Scratch {
        fn new() -> Scratch {
            Scratch(std::env::temp_dir().join(format!("fotos-settings-{}", uuid::Uuid::new_v4())))
        }

        fn open(&self) -> SettingsFile {
            let folder = PrivateFolder::make(&self.0).expect("a folder");
            SettingsFile::open(folder, "settings.json", Settings::default())
        }

        fn write(&self, text: &str) {
            PrivateFolder::make(&self.0).expect("a folder");
            fs::write(self.0.join("settings.json"), text).expect("written");
        }

        fn text(&self) -> String {
            fs::read_to_string(self.0.join("settings.json")).expect("a file")
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_change_is_on_disk_and_what_is_not_known_stays() {
        let scratch = Scratch::new();
        scratch.write(r#"{"capture":{"delayMs":700,"later":1},"plugins":{"x":[1]},"_schemaVersion":1}"#);
        let file = scratch.open();
        assert_eq!((file.settings().capture.delay_ms, file.problems().len()), (700, 0));
        file.patch(r#"{"ui":{"theme":"dark"},"capture":{"delayMs":null}}"#).expect("patched");
        let again = scratch.open().settings();
        assert_eq!((again.ui.theme.as_str(), again.capture.delay_ms), ("dark", 0));
        let text = scratch.text();
        for kept in [r#""later": 1"#, r#""plugins""#, r#""_schemaVersion": 2"#] {
            assert!(text.contains(kept), "{kept}: {text}");
        }
    }

    #[test]
    fn each_setting_that_does_not_fit_is_the_default_and_said() {
        let scratch = Scratch::new();
        scratch.write(r#"{"capture":{"delayMs":"soon","jpegQuality":300,"saveDirectory":"/x"},"ui":7}"#);
        let file = scratch.open();
        let settings = file.settings();
        assert_eq!((settings.capture.delay_ms, settings.capture.jpeg_quality), (0, 90));
        assert_eq!(settings.capture.save_directory, "/x");
        let named: Vec<_> = file.problems().into_iter().filter_map(|problem| problem.setting).collect();
        assert_eq!(named, ["capture.delayMs", "capture.jpegQuality", "ui"]);
        // What was wrong before does not keep other things from being set, and cannot be set wrongly again.
        file.patch(r#"{"annotation":{"blurRadius":4}}"#).expect("patched");
        assert!(file.patch(r#"{"capture":{"jpegQuality":200}}"#).is_err());
        for folder in ["", "Pictures", "~ada/Pictures", "../x"] {
            let patch = format!(r#"{{"capture":{{"saveDirectory":"{folder}"}}}}"#);
            assert!(file.patch(&patch).is_err(), "files would go wherever Fotos was started: `{folder}`");
        }
        assert!(!file.privacy_is_unknown());
    }

    #[test]
    fn what_nobody_is_to_see_is_unknown_where_it_cannot_be_read() {
        for (text, is_unknown) in [
            (r#"{"privacy":{"excludedWindows":"diary"}}"#, true),
            (r#"{"privacy":["diary"]}"#, true),
            (r#"{"ai":{"redactBeforeSending":"always"}}"#, true),
            (r#"{"agents":{"paused":"yes"}}"#, true),
            (r#"{"agents":[]}"#, true),
            (r#"{"agents":{"shareNew":"yes"}}"#, false),
            (r#"{"privacy":{"excludedWindows":["diary"]},"#, true),
            (r#"{"privacy":{"excludedWindows":["diary"]},"ui":{"theme":"pink"}}"#, false),
            ("{}", false),
        ] {
            let scratch = Scratch::new();
            scratch.write(text);
            assert_eq!(scratch.open().privacy_is_unknown(), is_unknown, "{text}");
        }
        assert!(!Scratch::new().open().privacy_is_unknown(), "there was none yet");
    }

    #[test]
    fn what_was_put_aside_stays_unknown_until_something_is_set() {
        let scratch = Scratch::new();
        scratch.write(r#"{"privacy":{"excludedWindows":["diary"]},"#);
        assert!(scratch.open().privacy_is_unknown());
        let again = scratch.open();
        assert!(again.privacy_is_unknown(), "nobody may have looked at the first start");
        assert!(again.problems()[0].message.contains(".broken-"), "{:?}", again.problems());
        again.patch("{}").expect("set as it is");
        assert!(!scratch.open().privacy_is_unknown());
    }

    #[test]
    fn a_file_that_could_not_be_read_again_is_not_written() {
        let scratch = Scratch::new();
        let file = scratch.open();
        let long = "x".repeat(1 << 20);
        assert!(file.patch(&format!(r#"{{"plugins":"{long}"}}"#)).is_err());
        file.patch(r#"{"ui":{"theme":"dark"}}"#).expect("patched");
        assert_eq!(scratch.open().settings().ui.theme, "dark");
    }

    #[test]
    fn a_patch_that_does_not_fit_changes_nothing() {
        let scratch = Scratch::new();
        let file = scratch.open();
        for patch in
            ["[]", r#"{"ui":{"theme":"pink"}}"#, r#"{"capture":{"jpegQuality":0},"ui":{"theme":"dark"}}"#]
        {
            assert!(file.patch(patch).is_err(), "{patch}");
        }
        assert_eq!(file.settings(), Settings::default());
        assert!(!scratch.0.join("settings.json").exists());
    }

    #[test]
    fn a_broken_file_is_put_aside_and_said() {
        for broken in ["{\"ui\":", "", "\u{0}\u{1}", "[1]"] {
            let scratch = Scratch::new();
            scratch.write(broken);
            let file = scratch.open();
            assert_eq!(file.settings(), Settings::default());
            assert!(file.problems()[0].message.contains("It is kept as"), "{:?}", file.problems());
            let names: Vec<String> = fs::read_dir(&scratch.0)
                .expect("a folder")
                .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
                .collect();
            assert_eq!(names.len(), 1);
            assert!(names[0].starts_with("settings.json.broken-"), "{names:?}");
            assert_eq!(fs::read_to_string(scratch.0.join(&names[0])).expect("kept"), broken);
        }
    }
}
