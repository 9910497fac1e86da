//! Which commands may be run: nothing, but for what a rule allows.

use std::fmt;
use std::str::FromStr;

/// A pattern of a whole command: `git push *`, `/usr/bin/psql -c **`.
///
/// Words are separated by spaces. The first is the program, by name or by absolute path, and is matched as it is. Of the
/// others each stands for one argument; `*` in it is any text and `?` any character. A pattern that does not begin with a
/// dash matches no argument that does, so that `*` does not let options in. `**` at the end is any further arguments,
/// options as well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    text: String,
    program: String,
    arguments: Vec<String>,
    more: bool,
}

/// All the rules there are. Without any, nothing is allowed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rules(Vec<Rule>);

/// Why a text is no rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadRule {
    /// There is nothing in it.
    #[error("a rule names a program first, such as `git push *`; this one is empty")]
    Empty,
    /// Any program, or a relative path.
    #[error("a rule begins with the name of a program or its absolute path, without `*`; name one")]
    Program,
    /// `**` with something behind it.
    #[error("`**` stands for all further arguments and comes last; move it to the end")]
    NotLast,
}

/// The command is not allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the command `{program}` with {arguments} arguments is not allowed; {}", remedy(allowed))]
pub struct NotAllowed {
    program: String,
    arguments: usize,
    allowed: Vec<String>,
}

fn remedy(allowed: &[String]) -> String {
    match allowed {
        [] => "no command is: the owner of the vault allows some by `authy set NAME --command 'git push *'`"
            .to_owned(),
        rules => format!("allowed are: `{}`", rules.join("`, `")),
    }
}

impl FromStr for Rule {
    type Err = BadRule;

    fn from_str(text: &str) -> Result<Rule, BadRule> {
        let mut words = text.split_ascii_whitespace().map(str::to_owned);
        let program = words.next().ok_or(BadRule::Empty)?;
        let relative = program.contains('/') && !program.starts_with('/');
        if relative || program.contains(['*', '?']) {
            return Err(BadRule::Program);
        }
        let mut arguments: Vec<String> = words.collect();
        let more = arguments.pop_if(|last| last == "**").is_some();
        if arguments.iter().any(|argument| argument == "**") {
            return Err(BadRule::NotLast);
        }
        Ok(Rule { text: text.trim().to_owned(), program, arguments, more })
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Rule {
    /// Whether it allows this command.
    pub fn allows(&self, program: &str, arguments: &[String]) -> bool {
        let enough = if self.more {
            arguments.len() >= self.arguments.len()
        } else {
            arguments.len() == self.arguments.len()
        };
        let mut pairs = self.arguments.iter().zip(arguments);
        enough && program == self.program && pairs.all(|(pattern, argument)| fits(pattern, argument))
    }
}

impl Rules {
    /// These rules.
    pub fn new(rules: impl IntoIterator<Item = Rule>) -> Rules {
        Rules(rules.into_iter().collect())
    }

    /// The first rule that allows this command, by its place.
    pub fn check(&self, program: &str, arguments: &[String]) -> Result<usize, NotAllowed> {
        if let Some(place) = self.0.iter().position(|rule| rule.allows(program, arguments)) {
            return Ok(place);
        }
        let allowed = self.0.iter().map(ToString::to_string).collect();
        Err(NotAllowed { program: program.to_owned(), arguments: arguments.len(), allowed })
    }
}

fn fits(pattern: &str, argument: &str) -> bool {
    if argument.starts_with('-') && !pattern.starts_with('-') {
        return false;
    }
    matches(&pattern.chars().collect::<Vec<_>>(), &argument.chars().collect::<Vec<_>>())
}

/// Wildcards in time proportional to pattern times text at worst: only the last `*` is ever tried again.
fn matches(pattern: &[char], text: &[char]) -> bool {
    let (mut at, mut next) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while next < text.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, next));
                at += 1;
            }
            Some(&wanted) if wanted == '?' || wanted == text[next] => {
                at += 1;
                next += 1;
            }
            _ => match star {
                Some((place, from)) => {
                    star = Some((place, from + 1));
                    (at, next) = (place + 1, from + 1);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|character| *character == '*')
}

#[cfg(test)]
mod tests {
    use super::{BadRule, Rule, Rules};

    #[track_caller]
    fn check(rule: &str, command: &[&str], allowed: bool) {
        let rule: Rule = rule.parse().expect(rule);
        let words: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
        assert_eq!(rule.allows(&words[0], &words[1..]), allowed, "{rule}: {command:?}");
    }

    #[test]
    fn a_command_is_allowed_word_by_word() {
        check("git push *", &["git", "push", "origin"], true);
        check("git push *", &["git", "push"], false);
        check("git push *", &["git", "push", "origin", "main"], false);
        check("git push *", &["git", "pull", "origin"], false);
        check("git push *", &["/tmp/git", "push", "origin"], false);
        check("git push", &["git", "push"], true);
        check("curl https://*.example.com/?", &["curl", "https://api.example.com/x"], true);
        check("curl https://*.example.com/?", &["curl", "https://api.example.com/xy"], false);
        check("a *b*c", &["a", "xxbyybzzc"], true);
        check("a *b*c", &["a", "xxbyybzz"], false);
        check("a *", &["a", ""], true);
        check("a *", &["a", "with space\nand line"], true);
    }

    #[test]
    fn a_star_lets_no_option_in() {
        check("git push *", &["git", "push", "--receive-pack=evil"], false);
        check("git push --*", &["git", "push", "--tags"], true);
        check("git push **", &["git", "push", "--tags", "origin"], true);
        check("git push **", &["git", "push"], true);
        check("git push * **", &["git", "push"], false);
    }

    #[test]
    fn many_stars_take_no_time_to_speak_of() {
        let rule = format!("a {}b", "*a".repeat(50));
        check(&rule, &["a", &"a".repeat(20_000)], false);
    }

    #[test]
    fn what_is_no_rule_is_refused() {
        for (text, bad) in [
            ("", BadRule::Empty),
            ("  ", BadRule::Empty),
            ("* x", BadRule::Program),
            ("./a", BadRule::Program),
            ("bin/a", BadRule::Program),
            ("a ** b", BadRule::NotLast),
        ] {
            assert_eq!(text.parse::<Rule>(), Err(bad), "{text}");
        }
    }

    #[test]
    fn without_rules_nothing_is_allowed_and_the_message_says_what_is() {
        let refused = Rules::default().check("ls", &[]).expect_err("nothing is allowed");
        assert!(refused.to_string().contains("no command is"), "{refused}");
        let rules = Rules::new(["git push *".parse().expect("a rule")]);
        let secret_argument = ["--password=x".to_owned()];
        let refused = rules.check("ls", &secret_argument).expect_err("not allowed").to_string();
        assert!(refused.contains("`git push *`") && !refused.contains("password"), "{refused}");
    }
}
