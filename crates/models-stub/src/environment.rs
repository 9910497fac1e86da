//! What a server is told so that it asks a stub, and nobody else.

use std::process::Command;

use crate::Stub;

/// The key of every provider.
pub const KEY: &str = "zai-0123456789abcdef.secret";

/// What else the person who runs the tests may have set.
const OTHERS: [&str; 20] = [
    "ANTHROPIC_AUTH_TOKEN",
    "AUTHY_ANCHOR",
    "AUTHY_HOME",
    "AUTHY_KEYFILE",
    "AUTHY_PASSPHRASE",
    "AUTHY_TOKEN",
    "AUTHY_TOKEN_FILE",
    "DESKMATE_ROOTS",
    "GOOGLE_API_KEY",
    "OLLAMA_API_KEY",
    "OLLAMA_BASE_URL",
    "OPENAI_API",
    "PLATFORM_MODE",
    "VISION_ALLOW_HOSTS",
    "VISION_PROVIDER",
    "ZAI_API_KEY",
    "Z_AI_API_KEY",
    "Z_AI_MODE",
    "Z_AI_TIMEOUT",
    "Z_AI_VISION_MODEL",
];

impl Stub {
    /// The variables under which every provider is this one.
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        let url = self.url();
        vec![
            ("Z_AI_BASE_URL", format!("{url}/api/paas/v4")),
            ("OPENAI_BASE_URL", format!("{url}/v1")),
            ("ANTHROPIC_BASE_URL", url.clone()),
            ("GEMINI_BASE_URL", url.clone()),
            ("OLLAMA_HOST", url.clone()),
            ("OPENAI_COMPATIBLE_BASE_URL", format!("{url}/v1")),
            ("Z_AI_API_KEY", KEY.to_owned()),
            ("OPENAI_API_KEY", KEY.to_owned()),
            ("ANTHROPIC_API_KEY", KEY.to_owned()),
            ("GEMINI_API_KEY", KEY.to_owned()),
            ("OPENAI_COMPATIBLE_API_KEY", KEY.to_owned()),
            ("Z_AI_RETRY_COUNT", "0".to_owned()),
        ]
    }
}

/// Takes away what the person who runs the tests has set.
pub fn clean(command: &mut Command) -> &mut Command {
    for name in OTHERS {
        command.env_remove(name);
    }
    command
}
