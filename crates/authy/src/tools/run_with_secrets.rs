//! `run_with_secrets`: a command that gets secrets, whose output nobody can read them in.

use std::time::Duration;

use ::mcp::{About, Cx, Fail, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::using::{Values, Wanted, section};
use crate::child::{
    BadRule, Bounds, Command, CommandRule, Confinement, Environment, Rule, Rules, RunError, Stdin, Variable,
};
use crate::secret::SecretInfo;
use crate::state::State;

pub(crate) struct RunWithSecrets;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The program and its arguments, each by itself: `["git", "push", "origin"]`. There is no shell, so no quoting, pipes or
    /// variables.
    #[schemars(length(min = 1, max = 64), inner(length(max = 4096)))]
    command: Vec<String>,
    /// Secrets the command finds in its environment.
    #[serde(default)]
    #[schemars(length(max = 16))]
    secrets: Vec<InEnvironment>,
    /// The name of a secret the command reads on stdin.
    #[schemars(length(min = 1, max = 128))]
    stdin_secret: Option<String>,
    /// How many seconds it may take; 60 if not said.
    #[serde(default = "usual_time")]
    #[schemars(range(min = 1, max = 600))]
    timeout_seconds: u64,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InEnvironment {
    /// The name of the secret.
    #[schemars(length(min = 1, max = 128))]
    name: String,
    /// The environment variable it goes into; without one, its name in capitals with `_` for other characters.
    #[schemars(length(min = 1, max = 128))]
    variable: Option<String>,
}

fn usual_time() -> u64 {
    60
}

impl Tool<State> for RunWithSecrets {
    type In = Input;
    type Out = String;
    const ABOUT: About = About::new(
        "run_with_secrets",
        "Run a command with secrets",
        "Run a command that needs secrets without seeing them: they are put into its environment or on its stdin, and taken \
         out of what it prints. Use this instead of get_secret whenever a program is to log in somewhere. Only commands \
         that the owner allows for these secrets are run (secret_info lists them), without a shell.",
    )
    .core();
    const RUN: Run = Run::Blocking;

    async fn call(&self, state: &State, cx: &Cx, input: Input) -> Result<String, Stop> {
        let (program, arguments) = input
            .command
            .split_first()
            .ok_or_else(|| Fail::arguments("`command` is empty; name a program"))?;
        if !(1..=600).contains(&input.timeout_seconds) {
            return Err(Fail::arguments("`timeout_seconds` is between 1 and 600").into());
        }
        let session = state.session(cx)?;
        let names =
            input.secrets.iter().map(|secret| secret.name.as_str()).chain(input.stdin_secret.as_deref());
        let wanted = Wanted::find(&session, names)?;
        if wanted.infos().is_empty() {
            return Err(Fail::arguments("no secret is named; name one in `secrets` or `stdin_secret`").into());
        }
        // Every secret has a say, and none has a value yet.
        let mut allowing = Vec::with_capacity(wanted.infos().len());
        for info in wanted.infos() {
            let place = rules(info)?.check(program, arguments).map_err(RunError::from)?;
            allowing.push((info.name.as_str(), info.attributes.rules.get(place)));
        }
        let confinement = Confinement::of(allowing.iter().map(|(_, rule)| *rule)).map_err(RunError::from)?;
        let purpose = purpose(&input);
        let values = wanted.values(&session, cx, &purpose)?;
        let command = Command {
            program,
            arguments,
            variables: variables(&input.secrets, &values, &allowing)?,
            stdin: match &input.stdin_secret {
                Some(name) => Stdin::Secret(values.get(name)?),
                None => Stdin::Empty,
            },
            also_hidden: Vec::new(),
            confinement,
        };
        let rules = wanted.infos().first().map(rules).transpose()?.unwrap_or_default();
        let bounds = Bounds { time: Duration::from_secs(input.timeout_seconds), ..Bounds::default() };
        let environment = Environment::inherited();
        // Dropping the run ends the command; a thread is not dropped, so it listens for the end itself.
        let finished = tokio::select! {
            finished = command.run(&rules, &environment, bounds) => finished?,
            () = cx.cancelled() => return Err(Fail::new("cancelled; the command was ended").into()),
        };
        let (stdout, stderr) = (section("stdout", &finished.stdout), section("stderr", &finished.stderr));
        Ok(format!("{}\n{stdout}\n{stderr}", finished.exit))
    }
}

/// All of what is about to be done, so that no two calls read the same.
fn purpose(input: &Input) -> String {
    let quoted = |text: &str| serde_json::to_string(text).unwrap_or_default();
    let words: Vec<String> = input.command.iter().map(|word| quoted(word)).collect();
    let mut parts = vec![format!("run [{}]", words.join(", "))];
    for secret in &input.secrets {
        let variable = secret.variable.clone().unwrap_or_else(|| Variable::usual_name(&secret.name));
        parts.push(format!("with {} in {}", quoted(&secret.name), quoted(&variable)));
    }
    parts.extend(input.stdin_secret.as_ref().map(|name| format!("with {} on stdin", quoted(name))));
    parts.join(" ")
}

fn variables<'a>(
    secrets: &[InEnvironment],
    values: &'a Values,
    allowing: &[(&str, Option<&CommandRule>)],
) -> Result<Vec<Variable<'a>>, Fail> {
    let variable = |secret: &InEnvironment| {
        let name = secret.variable.clone().unwrap_or_else(|| Variable::usual_name(&secret.name));
        let rule = allowing.iter().find(|(of, _)| *of == secret.name).and_then(|(_, rule)| *rule);
        let allowed = rule.map(|rule| rule.variables.as_slice()).unwrap_or_default();
        Variable::new(&name, values.get(&secret.name)?, allowed)
            .map_err(|error| Fail::from(RunError::from(error)))
    };
    secrets.iter().map(variable).collect()
}

/// The commands a secret may be given to: first those that say what a command may do, in their order.
fn rules(info: &SecretInfo) -> Result<Rules, Fail> {
    let ruled = info.attributes.rules.iter().map(|rule| &rule.command);
    let parsed: Result<Vec<Rule>, BadRule> =
        ruled.chain(&info.attributes.commands).map(|text| text.parse()).collect();
    let bad = |error| Fail::new(format!("the commands allowed for `{}` cannot be read: {error}", info.name));
    parsed.map(Rules::new).map_err(bad)
}

impl From<RunError> for Fail {
    fn from(error: RunError) -> Fail {
        Fail::new(error.to_string())
    }
}
