//! What providers say when they say no, and what they mean.

use std::time::Duration;

use serde::Deserialize;

use crate::error::Refusal;
use crate::provider::Provider;

/// An error in a provider's words.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Complaint {
    /// Its code, type or status, whichever it has.
    pub(crate) code: String,
    /// Its message.
    pub(crate) message: String,
}

/// The `error` of a body: an object with some of these, or a sentence.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Said {
    Sentence(String),
    Object { code: Option<Code>, r#type: Option<String>, status: Option<String>, message: Option<String> },
}

/// z.ai and OpenAI write words, Gemini a number.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Code {
    Word(String),
    Number(i64),
    Other(serde::de::IgnoredAny),
}

impl From<Said> for Complaint {
    fn from(said: Said) -> Complaint {
        match said {
            Said::Sentence(message) => Complaint { code: String::new(), message },
            Said::Object { code, r#type, status, message } => {
                let code = match code {
                    Some(Code::Word(word)) => Some(word),
                    Some(Code::Number(number)) => status.clone().or(Some(number.to_string())),
                    Some(Code::Other(_)) | None => None,
                };
                let code = code.or(r#type).or(status).unwrap_or_default();
                Complaint { code, message: message.unwrap_or_default() }
            }
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Body {
    Object {
        error: Said,
    },
    /// As Gemini answers a stream.
    List([Box<Body>; 1]),
    Message {
        message: String,
    },
}

impl Complaint {
    /// The error in a body; what is not JSON, a page of a proxy perhaps, is not passed on.
    pub(crate) fn read(body: &[u8]) -> Complaint {
        let mut parsed = serde_json::from_slice::<Body>(body).ok();
        loop {
            match parsed {
                Some(Body::List([inner])) => parsed = Some(*inner),
                Some(Body::Object { error }) => return Complaint::from(error),
                Some(Body::Message { message }) => return Complaint { code: String::new(), message },
                None => return Complaint::default(),
            }
        }
    }

    /// What it means.
    pub(crate) fn refusal(&self, provider: Provider, status: u16, wait: Option<Duration>) -> Refusal {
        if provider == Provider::Zai
            && let Some(refusal) = self.zai(wait)
        {
            return refusal;
        }
        match self.code.as_str() {
            "insufficient_quota" | "billing_error" | "billing_not_active" => return Refusal::Balance,
            "model_not_found" | "not_found_error" | "NOT_FOUND" => return Refusal::Model,
            "overloaded_error" | "rate_limit_error" | "rate_limit_exceeded" | "RESOURCE_EXHAUSTED" => {
                return Refusal::Busy { wait };
            }
            "authentication_error" | "invalid_api_key" | "permission_error" | "UNAUTHENTICATED" => {
                return Refusal::Key;
            }
            "request_too_large" => return Refusal::TooLarge,
            "content_policy_violation" | "content_filter" => return Refusal::Filtered,
            "api_error" | "server_error" | "UNAVAILABLE" | "INTERNAL" => return Refusal::Failing,
            _ => {}
        }
        match status {
            // Gemini answers a wrong key like a wrong request.
            400 if self.message.contains("API key not valid") => Refusal::Key,
            401 | 403 => Refusal::Key,
            402 => Refusal::Balance,
            404 => Refusal::Model,
            408 | 409 | 429 | 529 => Refusal::Busy { wait },
            413 => Refusal::TooLarge,
            500..=599 => Refusal::Failing,
            _ => Refusal::Request,
        }
    }

    /// z.ai has numbers of its own, whatever the status.
    fn zai(&self, wait: Option<Duration>) -> Option<Refusal> {
        Some(match self.code.parse::<u32>().ok()? {
            1113 => Refusal::Balance,
            1000..=1004 | 1110..=1121 => Refusal::Key,
            1211 => Refusal::Model,
            1210 | 1212..=1234 => Refusal::Request,
            1301 => Refusal::Filtered,
            1302 | 1305 => Refusal::Busy { wait },
            1303 | 1304 | 1308..=1313 => Refusal::Quota,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Complaint;
    use crate::error::Refusal;
    use crate::provider::Provider;

    #[track_caller]
    fn check(provider: Provider, status: u16, body: &str, expected: Refusal, message: &str) {
        let complaint = Complaint::read(body.as_bytes());
        assert_eq!(complaint.message, message);
        assert_eq!(complaint.refusal(provider, status, None), expected, "{body}");
    }

    #[test]
    fn every_provider_is_understood() {
        use Provider::{Claude, Gemini, Ollama, OpenAi, Zai};
        let busy = Refusal::Busy { wait: None };
        let zai = |code: &str| format!(r#"{{"error":{{"code":"{code}","message":"m"}},"request_id":"1"}}"#);
        check(Zai, 401, &zai("1000"), Refusal::Key, "m");
        check(Zai, 429, &zai("1113"), Refusal::Balance, "m");
        check(Zai, 429, &zai("1302"), busy, "m");
        check(Zai, 429, &zai("1308"), Refusal::Quota, "m");
        check(Zai, 400, &zai("1210"), Refusal::Request, "m");
        check(Zai, 400, &zai("1211"), Refusal::Model, "m");
        check(Zai, 400, &zai("1301"), Refusal::Filtered, "m");
        check(Zai, 500, &zai("9999"), Refusal::Failing, "m");
        let openai = r#"{"error":{"message":"m","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}"#;
        check(OpenAi, 429, openai, Refusal::Balance, "m");
        let nothing = r#"{"error":{"message":"m","type":"server_error","param":null,"code":null}}"#;
        check(OpenAi, 500, nothing, Refusal::Failing, "m");
        let claude = r#"{"type":"error","error":{"type":"overloaded_error","message":"m"},"request_id":"r"}"#;
        check(Claude, 529, claude, busy, "m");
        let gemini = r#"[{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED","details":[]}}]"#;
        check(Gemini, 429, gemini, busy, "m");
        let key =
            r#"{"error":{"code":400,"message":"API key not valid. Pass one.","status":"INVALID_ARGUMENT"}}"#;
        check(Gemini, 400, key, Refusal::Key, "API key not valid. Pass one.");
        check(Ollama, 404, r#"{"error":"model \"x\" not found"}"#, Refusal::Model, "model \"x\" not found");
        check(OpenAi, 502, "<html>Bad gateway</html>", Refusal::Failing, "");
        check(OpenAi, 413, "", Refusal::TooLarge, "");
    }
}
