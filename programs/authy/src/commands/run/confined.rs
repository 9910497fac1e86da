//! A command under a token that may use secrets and not see them: as `run_with_secrets` runs it, with its output passed on.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::process::ExitCode;

use authy::child::{Command, CommandRule, Confinement, Environment, Exit, Rule, Rules, Stdin, Variable};
use authy::scrub::{Patterns, Secret};
use authy::{Consent, SecretName, SecretValue, Session};

use super::super::failure::Failure;

/// A secret this command may have, and the rule that says so.
struct Allowed {
    variable: String,
    name: SecretName,
    rules: Rules,
    rule: Option<CommandRule>,
    /// Whether a person says yes each time.
    approved: bool,
}

pub(super) fn run(
    session: &Session,
    variables: &BTreeMap<String, SecretName>,
    command: &[OsString],
) -> Result<ExitCode, Failure> {
    let words: Option<Vec<String>> = command.iter().map(|word| word.to_str().map(str::to_owned)).collect();
    let words =
        words.ok_or(Failure::Usage("the command is not UTF-8 text, and no rule allows such a one"))?;
    let (program, arguments) = words.split_first().ok_or(Failure::Usage("say which command"))?;
    let allowed = allowed(session, variables, program, arguments)?;
    let Some(first) = allowed.first() else { return Err(Failure::NotForCommand(program.clone())) };
    let confinement = Confinement::of(allowed.iter().map(|each| each.rule.as_ref()))?;
    let purpose = super::purpose(command, allowed.iter().map(|each| (&each.name, each.variable.as_str())));
    let names: Vec<SecretName> = allowed.iter().map(|each| each.name.clone()).collect();
    let values = session.use_values(&names, &purpose, Consent::Unasked)?;
    let values: Vec<(&Allowed, SecretValue)> = allowed.iter().zip(values).collect();
    let secrets = values.iter().map(|(each, value)| (*each, secret(each, value)));
    let mut given = Vec::with_capacity(values.len());
    for (each, secret) in secrets {
        let own = each.rule.as_ref().map(|rule| rule.variables.as_slice()).unwrap_or_default();
        let variable = Variable::new(&each.variable, secret, own).map_err(authy::child::RunError::from)?;
        given.push(variable);
    }
    let patterns = Patterns::new(values.iter().map(|(each, value)| secret(each, value)));
    if let Some(name) = patterns.too_short().first() {
        return Err(Failure::TooShortToScrub(name.clone()));
    }
    // What a person agrees to is all there is: nothing that they have not read reaches the command.
    let stdin = if allowed.iter().any(|each| each.approved) { Stdin::Empty } else { Stdin::Ours };
    let command =
        Command { program, arguments, variables: given, stdin, also_hidden: Vec::new(), confinement };
    let code = match command.pass_on(&first.rules, &Environment::of_the_system())? {
        Exit::Code(code) => u8::try_from(code).unwrap_or(1),
        Exit::Signal(signal) => u8::try_from(128 + signal).unwrap_or(1),
        Exit::TimedOut => 1,
    };
    Ok(ExitCode::from(code))
}

fn secret<'a>(allowed: &'a Allowed, value: &'a SecretValue) -> Secret<'a> {
    Secret { name: allowed.name.as_str(), value: value.as_bytes() }
}

/// Those secrets that their owner lets this command have.
fn allowed(
    session: &Session,
    variables: &BTreeMap<String, SecretName>,
    program: &str,
    arguments: &[String],
) -> Result<Vec<Allowed>, Failure> {
    let mut allowed = Vec::new();
    for (variable, name) in variables {
        let attributes = session.usable(name)?.attributes;
        let texts = attributes.rules.iter().map(|rule| &rule.command).chain(&attributes.commands);
        let parsed: Result<Vec<Rule>, _> = texts.map(|text| text.parse()).collect();
        let Ok(rules) = parsed.map(Rules::new) else { continue };
        if let Ok(place) = rules.check(program, arguments) {
            let rule = attributes.rules.get(place).cloned();
            allowed.push(Allowed {
                variable: variable.clone(),
                name: name.clone(),
                rules,
                rule,
                approved: attributes.approve_each_use,
            });
        }
    }
    Ok(allowed)
}
