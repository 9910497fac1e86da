//! `authy env` and `authy export`: secrets as variables in a text.

use std::collections::BTreeMap;

use authy::{PolicyName, SecretName, SecretValue};
use zeroize::Zeroizing;

use super::desk::{self, Desk, Output};
use super::failure::Failure;
use super::variables::{NamingArgs, reveal};

/// Print secrets as variables for a shell
#[derive(clap::Args)]
#[command(after_help = "Examples:
  eval \"$(authy env --scope shop --uppercase)\"

`authy run` gives them to one command instead, and shows them to nobody.")]
pub(super) struct EnvArgs {
    /// Those that this policy covers
    #[arg(long, value_name = "POLICY")]
    scope: Option<PolicyName>,
    #[command(flatten)]
    naming: NamingArgs,
    /// In which form
    #[arg(long, value_enum, default_value_t = EnvFormat::Shell)]
    format: EnvFormat,
    /// Leave `export` out of the shell form
    #[arg(long)]
    no_export: bool,
}

/// Print secrets as a dotenv file or JSON
#[derive(clap::Args)]
#[command(after_help = "Examples:
  authy export --scope shop > shop.env")]
pub(super) struct ExportArgs {
    /// Those that this policy covers
    #[arg(long, value_name = "POLICY")]
    scope: Option<PolicyName>,
    #[command(flatten)]
    naming: NamingArgs,
    /// In which form; `json` keeps the names of secrets
    #[arg(long, value_enum, default_value_t = ExportFormat::Env)]
    format: ExportFormat,
    /// Print what can still be read of a damaged vault, as JSON; what is never shown or wants a yes each time is left out
    #[arg(long, conflicts_with = "scope")]
    salvage: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum EnvFormat {
    Shell,
    Dotenv,
    Json,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum ExportFormat {
    Env,
    Json,
}

pub(super) fn env(desk: &Desk, args: &EnvArgs) -> Result<(), Failure> {
    let session = desk.session()?;
    let scope = args.scope.as_ref();
    let values = reveal(&session, scope, args.naming.variables(&session, scope)?)?;
    let format = if desk.output == Output::Json { EnvFormat::Json } else { args.format };
    let text = match format {
        EnvFormat::Shell if args.no_export => lines(&values, "", shell_quoted)?,
        EnvFormat::Shell => lines(&values, "export ", shell_quoted)?,
        EnvFormat::Dotenv => lines(&values, "", dotenv_quoted)?,
        EnvFormat::Json => json(&values)?,
    };
    desk::show(&text)
}

pub(super) fn export(desk: &Desk, args: &ExportArgs) -> Result<(), Failure> {
    let session = desk.session()?;
    if args.salvage {
        let authy::Salvaged { saved, lost, left_out } = session.salvage()?;
        if lost > 0 {
            desk.remark(&format!("{lost} secrets could not be read"));
        }
        if left_out > 0 {
            desk.remark(&format!(
                "{left_out} secrets were left out: they are never shown, or want your yes each time"
            ));
        }
        let values: Values = saved.into_iter().map(|(info, value)| (info.name.to_string(), value)).collect();
        return desk::show(&json(&values)?);
    }
    let scope = args.scope.as_ref();
    let format = if desk.output == Output::Json { ExportFormat::Json } else { args.format };
    let text = match format {
        ExportFormat::Env => {
            let variables = args.naming.variables(&session, scope)?;
            lines(&reveal(&session, scope, variables)?, "", dotenv_quoted)?
        }
        ExportFormat::Json => {
            let names = session.list(scope)?.into_iter().map(|name: SecretName| (name.to_string(), name));
            json(&reveal(&session, scope, names.collect())?)?
        }
    };
    desk::show(&text)
}

type Values = BTreeMap<String, SecretValue>;
type Text = Zeroizing<String>;

fn lines(values: &Values, start: &str, quoted: fn(&str) -> Text) -> Result<Text, Failure> {
    let mut text = Text::default();
    for (variable, value) in values {
        let value = quoted(value.as_text().map_err(authy::Error::from)?);
        text.reserve_exact(start.len() + variable.len() + value.len() + 2);
        for part in [start, variable, "=", &value, "\n"] {
            text.push_str(part);
        }
    }
    Ok(text)
}

fn json(values: &Values) -> Result<Text, Failure> {
    let text = |(variable, value): (&String, &SecretValue)| {
        Ok((variable.clone(), value.as_text().map_err(authy::Error::from)?.to_owned()))
    };
    let texts: BTreeMap<String, String> = values.iter().map(text).collect::<Result<_, Failure>>()?;
    let json = serde_json::to_string_pretty(&texts).map(Zeroizing::new);
    for value in texts.into_values() {
        drop(Zeroizing::new(value));
    }
    Ok(json.map_err(std::io::Error::from)?)
}

/// In single quotes, where a shell changes nothing.
fn shell_quoted(value: &str) -> Text {
    Zeroizing::new(format!("'{}'", Zeroizing::new(value.replace('\'', r"'\''")).as_str()))
}

/// As `authy import` and other readers of dotenv files read it back.
fn dotenv_quoted(value: &str) -> Text {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:@%+,=".contains(c);
    if !value.is_empty() && value.chars().all(plain) {
        return Zeroizing::new(value.to_owned());
    }
    let mut text = Zeroizing::new(String::with_capacity(2 * value.len() + 2));
    text.push('"');
    for c in value.chars() {
        match c {
            '"' | '\\' | '$' | '`' => text.extend(['\\', c]),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            c => text.push(c),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::{dotenv_quoted, shell_quoted};

    #[test]
    fn a_shell_reads_back_what_was_quoted() {
        assert_eq!(shell_quoted("it's $HOME `x`").as_str(), r"'it'\''s $HOME `x`'");
    }

    #[test]
    fn our_own_import_reads_back_what_was_quoted() {
        for value in
            ["", "plain", "two words", "a\"b\\c$d`e", "line\nline\r\n", "#x", "ключ", "tab\there", "\\n"]
        {
            let text = format!("A={}\n", dotenv_quoted(value).as_str());
            let found = authy::import::dotenv(&text).expect("a dotenv file");
            assert_eq!(found[0].value.as_text(), Ok(value), "{text}");
        }
    }
}
