//! The settings of the desktop program. Without it, everybody gets the defaults; who has the models, the environment says.

mod file;

pub use file::{Problem, SettingsFile};

use std::path::Path;

use models::{Choice, Provider};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// All settings, in the words of the file they are kept in.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Settings {
    /// How pictures are taken.
    pub capture: Capture,
    /// How they are drawn on.
    pub annotation: Annotation,
    /// How they are read.
    pub ai: Ai,
    /// How the program looks.
    pub ui: Ui,
    /// What nobody is to see.
    pub privacy: Privacy,
    /// What agents may see.
    pub agents: Agents,
    /// What is kept for the next time.
    pub history: History,
}

/// What nobody is to see.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Privacy {
    /// Parts of the titles or classes of windows that are left out of every picture. Agents are not told: a title says much.
    pub excluded_windows: Vec<String>,
}

/// The settings as agents are told them.
#[derive(Debug, Serialize)]
pub(crate) struct Told<'a> {
    capture: Capture,
    annotation: &'a Annotation,
    ai: Ai,
    ui: &'a Ui,
}

impl Settings {
    /// Without what is between the person and the application.
    pub(crate) fn told(&self) -> Told<'_> {
        let Settings { capture, annotation, ai, ui, privacy: _, agents: _, history: _ } = self;
        let mut capture = capture.clone();
        if capture.default_mode == Taken::Region {
            // Agents have no mode of this name: for them, a region is a part of the whole screen.
            capture.default_mode = Taken::Fullscreen;
        }
        let mut ai = ai.clone();
        for endpoint in &mut ai.endpoints {
            endpoint.base_url = public_part(&endpoint.base_url);
        }
        Told { capture, annotation, ai, ui }
    }
}

/// An address without what may be a secret in it: a name and a password, and what comes after the path.
fn public_part(address: &str) -> String {
    let address = address.split(['?', '#']).next().unwrap_or_default();
    let (scheme, rest) = address.split_once("//").map_or(("", address), |(scheme, rest)| (scheme, rest));
    let (host, path) = rest.split_once('/').map_or((rest, None), |(host, path)| (host, Some(path)));
    let host = host.rsplit('@').next().unwrap_or_default();
    let slashes = if scheme.is_empty() { "" } else { "//" };
    path.map_or_else(|| format!("{scheme}{slashes}{host}"), |path| format!("{scheme}{slashes}{host}/{path}"))
}

/// What agents may see.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Agents {
    /// Whether agents see what the person takes, without being asked for each.
    pub share_new: bool,
    /// Whether the person paused agents: also for the next run, until they let them go on.
    pub paused: bool,
}

/// What is kept for the next time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct History {
    /// How long screenshots are kept.
    pub keep: Keep,
    /// For how many days, where it is days.
    pub days: u32,
}

/// How long screenshots are kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Keep {
    /// Until the program ends.
    #[default]
    Off,
    /// For some days.
    Days,
    /// Until somebody deletes them.
    Forever,
}

impl Default for History {
    fn default() -> History {
        History { keep: Keep::Off, days: 30 }
    }
}

/// How pictures are taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Capture {
    /// What the button takes.
    pub default_mode: Taken,
    /// Whether the pointer is in the picture.
    pub include_mouse_cursor: bool,
    /// How long to wait, in milliseconds.
    pub delay_ms: u32,
    /// Where files go.
    pub save_directory: String,
    /// What kind of files.
    pub default_format: String,
    /// Of which quality, where they are JPEG files.
    pub jpeg_quality: u8,
    /// Of which quality, where they are WebP files; 100 is without loss.
    pub webp_quality: u8,
    /// Whether a picture is in the clipboard at once.
    pub copy_to_clipboard_after_capture: bool,
}

/// What a picture is taken of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Taken {
    /// A part of the frozen screen, which the person chooses.
    Region,
    /// All monitors.
    Fullscreen,
    /// One monitor.
    Monitor,
    /// One window.
    Window,
}

/// How pictures are drawn on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Annotation {
    /// Colour of lines.
    pub default_stroke_color: String,
    /// Width of lines, in pixels.
    pub default_stroke_width: f32,
    /// Size of letters, in pixels.
    pub default_font_size: f32,
    /// Their font.
    pub default_font_family: String,
    /// Colour of numbered steps.
    pub step_number_color: String,
    /// Size of numbered steps, in pixels.
    pub step_number_size: f32,
    /// How far what is blurred is smeared, in pixels.
    pub blur_radius: f32,
}

/// How pictures are read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Ai {
    /// Language of the text in them.
    pub ocr_language: String,
    /// Whose model looks at them.
    pub default_llm_provider: Choice,
    /// Longest edge of what a model gets, in pixels.
    pub image_max_dim: u32,
    /// JPEG quality of what a model gets, where a PNG is too large.
    pub image_quality: u8,
    /// Whether what is private is taken out of every picture before a model gets it.
    pub redact_before_sending: bool,
    /// Where models can be asked; keys are never among the settings.
    pub endpoints: Vec<Endpoint>,
}

/// Where a provider is, and which of its models is asked.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Endpoint {
    /// What `analyze_screenshot` calls it.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// Its address.
    pub base_url: String,
    /// The model.
    pub model: String,
}

impl Settings {
    /// What makes no sense in them, if anything does.
    pub(crate) fn mistake(&self) -> Option<&'static str> {
        let Settings { capture, annotation, ai, ui, privacy, agents: _, history } = self;
        let is_colour = |text: &str| crate::annotation::Colour::parse(text).is_some();
        let is_whole = |text: &str| text == "~" || text.starts_with("~/") || Path::new(text).is_absolute();
        let sizes = [
            annotation.default_stroke_width,
            annotation.default_font_size,
            annotation.step_number_size,
            annotation.blur_radius,
        ];
        let checks = [
            (capture.delay_ms <= 60_000, "at most 60000 milliseconds"),
            (["png", "jpg", "webp"].contains(&capture.default_format.as_str()), "one of png, jpg and webp"),
            (is_whole(&capture.save_directory), "a whole path, such as `~/Pictures`"),
            ((1..=100).contains(&capture.jpeg_quality), "from 1 to 100"),
            ((1..=100).contains(&capture.webp_quality), "from 1 to 100"),
            (privacy.excluded_windows.len() <= 1_000, "at most 1000 windows"),
            (is_colour(&annotation.default_stroke_color), "a colour, such as `#FF0000`"),
            (is_colour(&annotation.step_number_color), "a colour, such as `#FF0000`"),
            (sizes.iter().all(|size| (0.1..=1_000.0).contains(size)), "from 0.1 to 1000"),
            ((64..=16_384).contains(&ai.image_max_dim), "from 64 to 16384"),
            ((1..=100).contains(&ai.image_quality), "from 1 to 100"),
            (ai.endpoints.len() <= 100, "at most 100 endpoints"),
            (["system", "light", "dark"].contains(&ui.theme.as_str()), "one of system, light and dark"),
            ((1..=3_650).contains(&history.days), "from 1 to 3650 days"),
        ];
        checks.into_iter().find(|(is_fine, _)| !is_fine).map(|(_, allowed)| allowed)
    }

    /// The defaults, with these models.
    pub fn with_models(models: &models::Settings) -> Settings {
        let endpoints = Provider::ALL.into_iter().filter_map(|provider| {
            let known = models.endpoint(provider)?;
            let mut address = known.base.clone();
            // What comes after the path may be a secret.
            address.set_query(None);
            address.set_fragment(None);
            let (id, name) = (provider.id().to_owned(), provider.name().to_owned());
            Some(Endpoint { id, name, base_url: address.to_string(), model: known.model.clone() })
        });
        Settings { ai: Ai { endpoints: endpoints.collect(), ..Ai::default() }, ..Settings::default() }
    }
}

/// How the program looks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Ui {
    /// Light, dark, or as the system is.
    pub theme: String,
    /// Whether the panel is open.
    pub show_ai_panel: bool,
    /// Whether there is a line at the bottom.
    pub show_status_bar: bool,
    /// Whether zooming glides.
    pub smooth_zoom: bool,
}

impl Default for Capture {
    fn default() -> Capture {
        Capture {
            default_mode: Taken::Region,
            include_mouse_cursor: false,
            delay_ms: 0,
            save_directory: "~/Pictures/Fotos".to_owned(),
            default_format: "png".to_owned(),
            jpeg_quality: 90,
            webp_quality: 100,
            copy_to_clipboard_after_capture: true,
        }
    }
}

impl Default for Annotation {
    fn default() -> Annotation {
        Annotation {
            default_stroke_color: "#FF0000".to_owned(),
            default_stroke_width: 2.0,
            default_font_size: 16.0,
            default_font_family: "sans-serif".to_owned(),
            step_number_color: "#FF0000".to_owned(),
            step_number_size: 24.0,
            blur_radius: 10.0,
        }
    }
}

impl Default for Ai {
    fn default() -> Ai {
        Ai {
            ocr_language: "eng".to_owned(),
            default_llm_provider: Choice::Model(Provider::Claude),
            image_max_dim: 2_048,
            image_quality: 85,
            redact_before_sending: false,
            endpoints: Vec::new(),
        }
    }
}

impl Default for Ui {
    fn default() -> Ui {
        Ui { theme: "system".to_owned(), show_ai_panel: true, show_status_bar: true, smooth_zoom: true }
    }
}

#[cfg(test)]
mod tests {
    use super::{Endpoint, Settings};

    #[test]
    fn agents_are_not_told_what_is_secret_in_an_address() {
        let mut settings = Settings::default();
        let base_url = "https://anna:hunter2@models.example:8443/v1/x@y?key=s3cret#s3cret".to_owned();
        settings.ai.endpoints = vec![Endpoint { base_url, ..Endpoint::default() }];
        let told = serde_json::to_value(settings.told()).expect("JSON");
        assert_eq!(told["ai"]["endpoints"][0]["baseUrl"], "https://models.example:8443/v1/x@y");
        assert_eq!(super::public_part("anna:hunter2@models.example"), "models.example");
    }

    #[test]
    fn settings_are_read_back_and_what_is_missing_is_the_default() {
        let mut settings = Settings::default();
        settings.capture.delay_ms = 700;
        let json = serde_json::to_string(&settings).expect("JSON");
        assert_eq!(serde_json::from_str::<Settings>(&json).expect("settings"), settings);
        let some: Settings = serde_json::from_str(r#"{"ui":{"theme":"dark"}}"#).expect("settings");
        assert_eq!((some.ui.theme.as_str(), &some.capture), ("dark", &Settings::default().capture));
        assert!(serde_json::from_str::<Settings>(r#"{"capture":{"defaultMode":"moon"}}"#).is_err());
    }
}
