//! `authy run`: what a command gets, and what it does not.

use crate::home::{Home, finish};

fn home() -> Home {
    let home =
        Home::with(&[("db-url", "canary://db"), ("api.key/main", "canary key"), ("other", "canary other")]);
    home.run(&["policy", "create", "app", "--allow", "db-*", "api*"]).said();
    home
}

#[test]
fn secrets_reach_the_command_under_names_a_shell_can_read() {
    let home = home();
    let run = |options: &[&str], script: &str| {
        let arguments = [&["run", "--scope", "app"], options, &["--", "sh", "-c", script]].concat();
        home.run(&arguments).said()
    };
    assert_eq!(run(&[], "echo \"$db_url, $api_key_main, $other\""), "canary://db, canary key, \n");
    assert_eq!(run(&["--uppercase", "--prefix", "APP_"], "echo $APP_DB_URL"), "canary://db\n");
}

#[test]
fn the_exit_code_is_the_commands_own() {
    let home = home();
    assert_eq!(home.run(&["run", "--scope", "app", "--", "sh", "-c", "exit 42"]).code, Some(42));
    assert_eq!(home.run(&["run", "--scope", "app", "--scrub", "--", "sh", "-c", "exit 42"]).code, Some(42));
    assert_eq!(
        home.run(&["run", "--scope", "app", "--scrub", "--", "sh", "-c", "kill -9 $$"]).code,
        Some(137)
    );
    let missing = home.run(&["run", "--scope", "app", "--", "no-such-program"]).complained(127);
    assert!(missing.contains("cannot run `no-such-program`"), "{missing}");
}

#[test]
fn the_command_gets_nothing_that_opens_the_vault_and_little_else() {
    let home = home();
    let mut command = home.command(&["run", "--scope", "app", "--", "env"]);
    let shown = finish(command.env("EDITOR", "vi").env("LC_ALL", "C"), "").said();
    assert!(!shown.contains("AUTHY_") && !shown.contains("EDITOR"), "{shown}");
    assert!(shown.contains("PATH=") && shown.contains("LC_ALL=C"), "{shown}");
    let mut command = home.command(&["run", "--scope", "app", "--keep-env", "--", "env"]);
    let shown = finish(command.env("EDITOR", "vi").env("AUTHY_PASSPHRASE", "x"), "").said();
    assert!(!shown.contains("AUTHY_") && shown.contains("EDITOR=vi"), "{shown}");
}

#[test]
fn a_command_cannot_ask_the_vault_for_more() {
    let home = home();
    let authy = env!("CARGO_BIN_EXE_authy");
    for keep in [&[][..], &["--keep-env"]] {
        let script = format!("AUTHY_HOME={} {authy} get other", home.text("vault"));
        let arguments = [&["run", "--scope", "app"], keep, &["--", "sh", "-c", &script]].concat();
        assert!(home.run(&arguments).complained(2).contains("No credentials configured"));
    }
}

#[test]
fn names_that_change_how_programs_run_are_refused() {
    let home = Home::with(&[("ld-preload", "canary"), ("a-b", "canary"), ("a.b", "canary")]);
    home.run(&["policy", "create", "ld", "--allow", "ld-*"]).said();
    home.run(&["policy", "create", "ab", "--allow", "a*"]).said();
    let refused = home.run(&["run", "--scope", "ld", "--uppercase", "--", "true"]).complained(1);
    assert!(refused.contains("LD_PRELOAD"), "{refused}");
    home.run(&["run", "--scope", "ld", "--uppercase", "--prefix", "MY_", "--", "true"]).said();
    let clash = home.run(&["run", "--scope", "ab", "--", "true"]).complained(1);
    assert!(clash.contains("would both be the variable `a_b`"), "{clash}");
}

#[test]
fn scrubbed_output_has_names_instead_of_values() {
    let home = home();
    let script = "echo url=$db_url; echo $db_url >&2; printf %s \"$db_url\" | base64";
    let finished = home.run(&["run", "--scope", "app", "--scrub", "--", "sh", "-c", script]);
    assert_eq!(finished.code, Some(0));
    assert_eq!(finished.stderr, "[secret:db-url]\n");
    assert!(finished.stdout.starts_with("url=[secret:db-url]\n"), "{}", finished.stdout);
    assert!(!finished.stdout.contains("Y2FuYXJ5"), "{}", finished.stdout);
}

#[test]
fn a_token_that_may_not_see_runs_what_its_owner_allows_and_nothing_else() {
    let home = home();
    let token = home.run(&["grant", "create", "--policy", "app"]).said();
    let token = token.trim();
    let refused = home.run_as(token, &["run", "--", "printenv", "db_url"]).complained(4);
    assert!(refused.contains("authy set NAME --command PATTERN"), "{refused}");
    home.run(&["set", "db-url", "--command", "printenv *"]).said();
    assert_eq!(home.run_as(token, &["run", "--", "printenv", "db_url"]).said(), "[secret:db-url]\n");
    home.run_as(token, &["run", "--", "sh", "-c", "echo $db_url | rev"]).complained(4);
}

/// A command could print it.
#[test]
fn what_is_never_shown_is_not_shown_by_a_command_of_a_grant_that_may_see_others() {
    let home = Home::with(&[("key", "canary-of-the-key")]);
    home.run(&["set", "key", "--never-reveal"]).said();
    let token = home.token("all", "*", "list,use,reveal");
    for more in [&[][..], &["--keep-env"], &["--scrub"]] {
        let run =
            home.run_as(&token, &[&["run", "--secret", "key"], more, &["--", "printenv", "KEY"]].concat());
        assert!(run.code != Some(0) && run.stdout.is_empty(), "{run:?}");
    }
    home.run(&["set", "key", "--command", "printenv *"]).said();
    let run = home.run_as(&token, &["run", "--secret", "key", "--", "printenv", "KEY"]);
    assert_eq!(run.said(), "[secret:key]\n");
}

#[test]
fn without_a_scope_the_owner_is_asked_for_one() {
    assert!(home().run(&["run", "--", "true"]).complained(2).contains("--scope"));
}

#[test]
fn references_are_read_and_filled_in() {
    let home = home();
    assert_eq!(home.run(&["read", "authy://db-url"]).said(), "canary://db");
    home.run(&["read", "db-url"]).complained(2);
    let mut run = home.command(&["run", "--", "sh", "-c", "echo $URL"]);
    assert_eq!(finish(run.env("URL", "authy://db-url"), "").said(), "canary://db\n");
    let mut run = home.command(&["run", "--", "true"]);
    assert!(finish(run.env("NODE_OPTIONS", "authy://db-url"), "").complained(1).contains("NODE_OPTIONS"));
}
