//! Whom one can ask.

use std::fmt;
use std::str::FromStr;

/// A provider of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Provider {
    /// z.ai, and Zhipu with the same interface.
    Zai,
    /// OpenAI.
    OpenAi,
    /// Anthropic.
    Claude,
    /// Google Gemini.
    Gemini,
    /// Ollama, on this machine or another.
    Ollama,
    /// Anything that speaks OpenAI's chat completions.
    Compatible,
}

/// What a provider takes in one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Intake {
    /// The most bytes of a picture, before it is encoded for the wire.
    pub picture_bytes: usize,
    /// The longest edge of a picture that is worth sending.
    pub picture_edge: u32,
    /// Media types of pictures that go as they are.
    pub picture_types: &'static [&'static str],
    /// The most bytes of a video; `None` where only single pictures are understood.
    pub video_bytes: Option<usize>,
}

/// A name that no provider has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no provider `{0}`; use one of zai, openai, claude, gemini, ollama, compatible")]
pub struct UnknownProvider(pub String);

const PNG_AND_JPEG: &[&str] = &["image/png", "image/jpeg"];
const WEB: &[&str] = &["image/png", "image/jpeg", "image/webp"];
const MIB: usize = 1 << 20;

impl Provider {
    /// All of them.
    pub const ALL: [Provider; 6] = [
        Provider::Zai,
        Provider::OpenAi,
        Provider::Claude,
        Provider::Gemini,
        Provider::Ollama,
        Provider::Compatible,
    ];

    /// The name in arguments and settings.
    pub const fn id(self) -> &'static str {
        match self {
            Provider::Zai => "zai",
            Provider::OpenAi => "openai",
            Provider::Claude => "claude",
            Provider::Gemini => "gemini",
            Provider::Ollama => "ollama",
            Provider::Compatible => "compatible",
        }
    }

    /// The name for people.
    pub const fn name(self) -> &'static str {
        match self {
            Provider::Zai => "z.ai",
            Provider::OpenAi => "OpenAI",
            Provider::Claude => "Anthropic",
            Provider::Gemini => "Gemini",
            Provider::Ollama => "Ollama",
            Provider::Compatible => "the OpenAI-compatible endpoint",
        }
    }

    /// The environment variables that may hold its key, first the one to recommend.
    pub const fn key_variables(self) -> &'static [&'static str] {
        match self {
            Provider::Zai => &["Z_AI_API_KEY", "ZAI_API_KEY"],
            Provider::OpenAi => &["OPENAI_API_KEY"],
            Provider::Claude => &["ANTHROPIC_API_KEY"],
            Provider::Gemini => &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
            Provider::Ollama => &["OLLAMA_API_KEY"],
            Provider::Compatible => &["OPENAI_COMPATIBLE_API_KEY"],
        }
    }

    /// Whether nothing works without a key.
    pub const fn needs_key(self) -> bool {
        match self {
            Provider::Zai | Provider::OpenAi | Provider::Claude | Provider::Gemini => true,
            Provider::Ollama | Provider::Compatible => false,
        }
    }

    /// What it takes.
    pub const fn intake(self) -> Intake {
        match self {
            Provider::Zai => Intake {
                picture_bytes: 5 * MIB,
                picture_edge: 32_768,
                picture_types: PNG_AND_JPEG,
                video_bytes: Some(8 * MIB),
            },
            Provider::OpenAi | Provider::Compatible => {
                Intake { picture_bytes: 14 * MIB, picture_edge: 2048, picture_types: WEB, video_bytes: None }
            }
            // Five million characters of base64, and nothing is seen beyond this edge.
            Provider::Claude => {
                Intake { picture_bytes: 3_700_000, picture_edge: 1568, picture_types: WEB, video_bytes: None }
            }
            // Twenty million bytes for the whole request.
            Provider::Gemini => Intake {
                picture_bytes: 6 * MIB,
                picture_edge: 3072,
                picture_types: WEB,
                video_bytes: Some(8 * MIB),
            },
            Provider::Ollama => Intake {
                picture_bytes: 14 * MIB,
                picture_edge: 2048,
                picture_types: PNG_AND_JPEG,
                video_bytes: None,
            },
        }
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Provider {
    type Err = UnknownProvider;

    fn from_str(text: &str) -> Result<Provider, UnknownProvider> {
        let id = match text {
            "anthropic" => "claude",
            "z.ai" | "z_ai" | "zhipu" => "zai",
            other => other,
        };
        let known = Provider::ALL.into_iter().find(|provider| provider.id().eq_ignore_ascii_case(id));
        known.ok_or_else(|| UnknownProvider(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::Provider;

    #[test]
    fn a_provider_is_read_by_the_name_it_prints() {
        for provider in Provider::ALL {
            assert_eq!(provider.id().parse(), Ok(provider));
        }
        assert_eq!("anthropic".parse(), Ok(Provider::Claude));
        let unknown = "claud".parse::<Provider>().expect_err("no provider");
        assert!(Provider::ALL.iter().all(|known| unknown.to_string().contains(known.id())), "{unknown}");
    }
}
