//! What a person can set: where each provider is, which model, how long.

use std::time::Duration;

use fetch::{Proxy, Url};

use crate::provider::Provider;

/// Where a provider is, and which of its models is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// What paths are added to.
    pub base: Url,
    /// The model, unless a request names another.
    pub model: String,
    /// The longest answer, in tokens; `None` leaves it to the provider.
    pub max_tokens: Option<u32>,
    /// Whether a person set the address: then it may be on this machine or in a private network.
    pub chosen: bool,
}

/// How adventurous z.ai's models are; the other providers want no such numbers any more.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    /// From 0 to 2.
    pub temperature: f64,
    /// From 0 to 1.
    pub top_p: f64,
}

/// Which of OpenAI's two interfaces is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OpenAiApi {
    /// Chat completions.
    #[default]
    Chat,
    /// Responses.
    Responses,
}

/// A variable that does not say what it should.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the variable `{name}` is {reason}: {value}")]
pub struct SettingsError {
    /// Its name.
    pub name: String,
    /// What it should be, and is not.
    pub reason: &'static str,
    /// What it is.
    pub value: String,
}

/// What a person can set.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    zai: Endpoint,
    openai: Endpoint,
    claude: Endpoint,
    gemini: Endpoint,
    ollama: Endpoint,
    compatible: Option<Endpoint>,
    /// For z.ai.
    pub sampling: Sampling,
    /// For OpenAI.
    pub openai_api: OpenAiApi,
    /// How long an answer may take, repetitions included.
    pub timeout: Duration,
    /// How often a request is repeated where that helps.
    pub retries: u32,
    /// The proxy of this machine, for providers that are reached with encryption.
    pub proxy: Option<Proxy>,
}

const ZAI: &str = "https://api.z.ai/api/paas/v4";
const ZHIPU: &str = "https://open.bigmodel.cn/api/paas/v4";

impl Settings {
    /// From the variables of the environment. Those of z.ai have the names its own server knows.
    pub fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Result<Settings, SettingsError> {
        let read = Variables { variable: &variable };
        let ollama = read.text("OLLAMA_HOST").map(|host| with_scheme(&host));
        let compatible = read.text("OPENAI_COMPATIBLE_BASE_URL");
        let settings = Settings {
            zai: Endpoint {
                max_tokens: read
                    .number("Z_AI_VISION_MODEL_MAX_TOKENS", (1.0, 1e7))?
                    .map_or(Some(32_768), |most| Some(whole(most))),
                ..read.endpoint(
                    &Names { base: "Z_AI_BASE_URL", model: "Z_AI_VISION_MODEL" },
                    read.zai()?,
                    "glm-4.6v",
                )?
            },
            openai: read.endpoint(
                &Names { base: "OPENAI_BASE_URL", model: "OPENAI_VISION_MODEL" },
                "https://api.openai.com/v1",
                "gpt-5.6-terra",
            )?,
            claude: Endpoint {
                max_tokens: Some(8192),
                ..read.endpoint(
                    &Names { base: "ANTHROPIC_BASE_URL", model: "ANTHROPIC_VISION_MODEL" },
                    "https://api.anthropic.com",
                    "claude-sonnet-5-5",
                )?
            },
            gemini: read.endpoint(
                &Names { base: "GEMINI_BASE_URL", model: "GEMINI_VISION_MODEL" },
                "https://generativelanguage.googleapis.com",
                "gemini-3.8-flash",
            )?,
            ollama: Endpoint {
                chosen: true,
                ..read.endpoint(
                    &Names { base: "OLLAMA_BASE_URL", model: "OLLAMA_VISION_MODEL" },
                    ollama.as_deref().unwrap_or("http://127.0.0.1:11434"),
                    "qwen3-vl:8b",
                )?
            },
            compatible: match compatible {
                None => None,
                Some(base) => Some(read.endpoint(
                    &Names { base: "OPENAI_COMPATIBLE_BASE_URL", model: "OPENAI_COMPATIBLE_MODEL" },
                    &base,
                    "default",
                )?),
            },
            sampling: Sampling {
                temperature: read.number("Z_AI_VISION_MODEL_TEMPERATURE", (0.0, 2.0))?.unwrap_or(0.8),
                top_p: read.number("Z_AI_VISION_MODEL_TOP_P", (0.0, 1.0))?.unwrap_or(0.6),
            },
            openai_api: read.openai_api()?,
            timeout: read
                .number("Z_AI_TIMEOUT", (1.0, 3_600_000.0))?
                .map_or(Duration::from_secs(300), |milliseconds| {
                    Duration::from_secs_f64(milliseconds / 1000.0)
                }),
            retries: read.number("Z_AI_RETRY_COUNT", (0.0, 10.0))?.map_or(2, whole),
            proxy: read.proxy()?,
        };
        Ok(settings)
    }

    /// Where a provider is; `None` for the compatible endpoint if none is set.
    pub fn endpoint(&self, provider: Provider) -> Option<&Endpoint> {
        match provider {
            Provider::Zai => Some(&self.zai),
            Provider::OpenAi => Some(&self.openai),
            Provider::Claude => Some(&self.claude),
            Provider::Gemini => Some(&self.gemini),
            Provider::Ollama => Some(&self.ollama),
            Provider::Compatible => self.compatible.as_ref(),
        }
    }

    /// Puts a provider elsewhere, as a person's choice.
    pub fn place(mut self, provider: Provider, base: Url) -> Settings {
        let endpoint = match provider {
            Provider::Zai => &mut self.zai,
            Provider::OpenAi => &mut self.openai,
            Provider::Claude => &mut self.claude,
            Provider::Gemini => &mut self.gemini,
            Provider::Ollama => &mut self.ollama,
            Provider::Compatible => self.compatible.get_or_insert_with(|| Endpoint {
                base: base.clone(),
                model: "default".to_owned(),
                max_tokens: None,
                chosen: true,
            }),
        };
        endpoint.base = base;
        endpoint.chosen = true;
        self
    }

    /// Asks another model of a provider.
    pub fn with_model(mut self, provider: Provider, model: String) -> Settings {
        let endpoint = match provider {
            Provider::Zai => &mut self.zai,
            Provider::OpenAi => &mut self.openai,
            Provider::Claude => &mut self.claude,
            Provider::Gemini => &mut self.gemini,
            Provider::Ollama => &mut self.ollama,
            Provider::Compatible => match &mut self.compatible {
                Some(endpoint) => endpoint,
                None => return self,
            },
        };
        endpoint.model = model;
        self
    }
}

/// The variables of one provider.
struct Names {
    base: &'static str,
    model: &'static str,
}

struct Variables<'a, F> {
    variable: &'a F,
}

impl<F: Fn(&str) -> Option<String>> Variables<'_, F> {
    fn text(&self, name: &str) -> Option<String> {
        let value = (self.variable)(name)?.trim().to_owned();
        (!value.is_empty()).then_some(value)
    }

    fn number(&self, name: &str, (least, most): (f64, f64)) -> Result<Option<f64>, SettingsError> {
        let Some(value) = self.text(name) else { return Ok(None) };
        match value.parse::<f64>() {
            Ok(number) if (least..=most).contains(&number) => Ok(Some(number)),
            _ => Err(SettingsError {
                name: name.to_owned(),
                reason: "not a number that makes sense here",
                value,
            }),
        }
    }

    fn endpoint(&self, names: &Names, usual: &str, model: &str) -> Result<Endpoint, SettingsError> {
        let set = self.text(names.base);
        let chosen = set.is_some();
        let text = set.unwrap_or_else(|| usual.to_owned());
        let wrong = |reason| SettingsError { name: names.base.to_owned(), reason, value: text.clone() };
        let base = Url::parse(&text).map_err(|_| wrong("not an address that starts with `https://`"))?;
        if base.host().is_none() || !matches!(base.scheme(), "http" | "https") {
            return Err(wrong("not an address that starts with `https://`"));
        }
        if !base.username().is_empty() || base.password().is_some() {
            // The address is not told: there is a password in it.
            return Err(SettingsError {
                value: "…".to_owned(),
                ..wrong("an address with a user name or password in it")
            });
        }
        let model = self.text(names.model).unwrap_or_else(|| model.to_owned());
        Ok(Endpoint { base, model, max_tokens: None, chosen })
    }

    /// The two platforms with z.ai's interface. An address that is set counts more.
    fn zai(&self) -> Result<&'static str, SettingsError> {
        let Some((name, mode)) =
            ["Z_AI_MODE", "PLATFORM_MODE"].into_iter().find_map(|name| Some((name, self.text(name)?)))
        else {
            return Ok(ZAI);
        };
        match mode.to_ascii_uppercase().as_str() {
            "ZAI" | "Z_AI" | "Z" => Ok(ZAI),
            "ZHIPU" | "ZHIPUAI" | "ZHIPU_AI" | "BIGMODEL" => Ok(ZHIPU),
            _ => {
                Err(SettingsError { name: name.to_owned(), reason: "neither `ZAI` nor `ZHIPU`", value: mode })
            }
        }
    }

    /// The proxy, in the variables every program knows.
    fn proxy(&self) -> Result<Option<Proxy>, SettingsError> {
        let set = |names: &[&'static str]| names.iter().find_map(|name| Some((*name, self.text(name)?)));
        let Some((name, value)) = set(&["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"]) else {
            return Ok(None);
        };
        let text = if value.contains("://") { value } else { format!("http://{value}") };
        let url = Url::parse(&text)
            .ok()
            .filter(|url| url.host().is_some() && matches!(url.scheme(), "http" | "https"));
        // The address is not told: there may be a password in it.
        let wrong = || SettingsError {
            name: name.to_owned(),
            reason: "not the address of a proxy that starts with `http://`",
            value: "…".to_owned(),
        };
        let except = set(&["NO_PROXY", "no_proxy"]).map(|(_, hosts)| hosts).unwrap_or_default();
        Ok(Some(Proxy { url: url.ok_or_else(wrong)?, except }))
    }

    fn openai_api(&self) -> Result<OpenAiApi, SettingsError> {
        match self.text("OPENAI_API").as_deref() {
            None | Some("chat") => Ok(OpenAiApi::Chat),
            Some("responses") => Ok(OpenAiApi::Responses),
            Some(other) => Err(SettingsError {
                name: "OPENAI_API".to_owned(),
                reason: "neither `chat` nor `responses`",
                value: other.to_owned(),
            }),
        }
    }
}

/// `OLLAMA_HOST` may be a host alone.
fn with_scheme(host: &str) -> String {
    if host.contains("://") { host.to_owned() } else { format!("http://{host}") }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be in range")]
fn whole(number: f64) -> u32 {
    number as u32
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{OpenAiApi, Settings, SettingsError};
    use crate::provider::Provider;

    fn settings(variables: &[(&str, &str)]) -> Result<Settings, SettingsError> {
        Settings::from_environment(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    fn base(variables: &[(&str, &str)], provider: Provider) -> String {
        let settings = settings(variables).expect("settings");
        settings.endpoint(provider).expect("an endpoint").base.to_string()
    }

    #[test]
    fn z_ai_is_set_by_the_names_its_own_server_knows() {
        let usual = settings(&[]).expect("settings");
        let zai = usual.endpoint(Provider::Zai).expect("z.ai");
        assert_eq!((zai.base.as_str(), zai.model.as_str()), ("https://api.z.ai/api/paas/v4", "glm-4.6v"));
        assert_eq!((zai.max_tokens, zai.chosen, usual.retries), (Some(32_768), false, 2));
        assert_eq!(usual.timeout, Duration::from_secs(300));
        for (name, mode) in [("Z_AI_MODE", "ZHIPU"), ("PLATFORM_MODE", "bigmodel")] {
            assert_eq!(base(&[(name, mode)], Provider::Zai), "https://open.bigmodel.cn/api/paas/v4");
        }
        let set = settings(&[
            ("Z_AI_MODE", "ZHIPU"),
            ("Z_AI_BASE_URL", "http://127.0.0.1:8080/api/coding/paas/v4/"),
            ("Z_AI_VISION_MODEL", "glm-5v-turbo"),
            ("Z_AI_VISION_MODEL_TEMPERATURE", "0.1"),
            ("Z_AI_VISION_MODEL_TOP_P", "1"),
            ("Z_AI_VISION_MODEL_MAX_TOKENS", "1000"),
            ("Z_AI_TIMEOUT", "2500"),
            ("Z_AI_RETRY_COUNT", "0"),
        ])
        .expect("settings");
        let zai = set.endpoint(Provider::Zai).expect("z.ai");
        assert_eq!((zai.base.as_str(), zai.chosen), ("http://127.0.0.1:8080/api/coding/paas/v4/", true));
        assert_eq!((zai.model.as_str(), zai.max_tokens), ("glm-5v-turbo", Some(1000)));
        assert!(set.sampling.temperature < 0.2 && set.sampling.top_p > 0.9);
        assert_eq!((set.timeout, set.retries), (Duration::from_millis(2500), 0));
    }

    #[test]
    fn the_others_are_where_they_are_unless_somebody_says_otherwise() {
        assert_eq!(base(&[], Provider::Ollama), "http://127.0.0.1:11434/");
        assert_eq!(base(&[("OLLAMA_HOST", "nas.home:1234")], Provider::Ollama), "http://nas.home:1234/");
        assert_eq!(
            base(&[("OPENAI_BASE_URL", "https://a.example/v1")], Provider::OpenAi),
            "https://a.example/v1"
        );
        assert_eq!(settings(&[]).expect("settings").endpoint(Provider::Compatible), None);
        let own = [("OPENAI_COMPATIBLE_BASE_URL", "http://localhost:8000/v1"), ("OPENAI_API", "responses")];
        assert_eq!(base(&own, Provider::Compatible), "http://localhost:8000/v1");
        assert_eq!(settings(&own).expect("settings").openai_api, OpenAiApi::Responses);
    }

    #[test]
    fn the_proxy_of_this_machine_is_used_and_not_printed() {
        let set = settings(&[("https_proxy", "ada:secret@proxy.example:3128"), ("NO_PROXY", "localhost")])
            .expect("settings");
        let proxy = set.proxy.as_ref().expect("a proxy");
        assert_eq!(
            (proxy.url.host_str(), proxy.url.port(), proxy.except.as_str()),
            (Some("proxy.example"), Some(3128), "localhost")
        );
        assert!(!format!("{set:?}").contains("secret"));
        let wrong = settings(&[("HTTPS_PROXY", "socks5://ada:secret@x")]).expect_err("no HTTP").to_string();
        assert!(wrong.contains("HTTPS_PROXY") && !wrong.contains("secret"), "{wrong}");
    }

    #[test]
    fn what_cannot_be_meant_is_named() {
        let wrong = [
            ("Z_AI_MODE", "moon"),
            ("Z_AI_TIMEOUT", "soon"),
            ("Z_AI_TIMEOUT", "NaN"),
            ("Z_AI_VISION_MODEL_TOP_P", "7"),
            ("OPENAI_BASE_URL", "api.openai.com"),
            ("GEMINI_BASE_URL", "file:///etc/passwd"),
            ("OPENAI_API", "assistants"),
        ];
        for (name, value) in wrong {
            let error = settings(&[(name, value)]).expect_err(name).to_string();
            assert!(error.contains(name) && error.contains(value), "{error}");
        }
        let secret =
            settings(&[("ANTHROPIC_BASE_URL", "https://ada:secret@a.example")]).expect_err("a password");
        assert!(!secret.to_string().contains("secret"), "{secret}");
    }
}
