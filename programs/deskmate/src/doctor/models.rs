//! The keys of model providers: whether there are any, never what they are.

use ::models::{EnvironmentKeys, Keys, Provider};
use vision::{Config, DefaultProvider};

use super::check::Check;

const ADD: &str = "set a key such as `ANTHROPIC_API_KEY` where the app starts, or keep it in the vault: \
                   `authy store anthropic-api-key`";

pub(super) fn look() -> Vec<Check> {
    let config = Config::from_environment(super::set);
    if let Err(error) = &config.settings {
        return vec![
            Check::problem_of("model keys", &error.to_string(), "correct the variable")
                .stops(&[vision::NAME]),
        ];
    }
    let default = match config.provider {
        Ok(default) => default,
        Err(error) => {
            let fix = "correct `VISION_PROVIDER`, or unset it";
            return vec![Check::problem_of("model keys", &error.to_string(), fix).stops(&[vision::NAME])];
        }
    };
    // Only the environment: each look into the vault is an entry in its log.
    let environment =
        EnvironmentKeys(|name: &str| super::set(name).and_then(|value| value.into_string().ok()));
    let has_key = |provider: &Provider| matches!(environment.key(*provider), Ok(Some(_)));
    let there: Vec<&str> =
        Provider::ALL.iter().filter(|provider| has_key(provider)).map(|provider| provider.name()).collect();
    let wanted = match default {
        DefaultProvider::Chosen(choice) => Some(choice),
        DefaultProvider::ZaiOrLocal => None,
    };
    if let Some(::models::Choice::Model(provider)) = wanted
        && provider.needs_key()
        && !has_key(&provider)
        && super::set("AUTHY_TOKEN").is_none()
    {
        let found = format!("`VISION_PROVIDER` is {}, whose key is not in the environment", provider.name());
        return vec![Check::problem(
            "model keys",
            found,
            format!("set `{}`", provider.key_variables().join("` or `")),
        )];
    }
    vec![if there.is_empty() {
        Check::not_set_up(
            "model keys",
            "none in the environment: pictures are read on this machine (text, colours, layout), and no model sees them",
            ADD,
        )
    } else {
        Check::ok("model keys", format!("there is one for {}", there.join(", ")))
    }]
}
