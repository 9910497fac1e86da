//! Golden texts: what goes in, what comes out, and the way back.

use super::{Dialect, EditError, Extra, enter, leave, look, look_for_program};
use crate::entry::Entry;

const JSON: Dialect = Dialect::Json { servers: "mcpServers", comments: false, extra: Extra::Nothing };
const JSONC: Dialect = Dialect::Json { servers: "servers", comments: true, extra: Extra::Type };

fn entry() -> Entry {
    Entry {
        name: "deskmate".into(),
        command: "/opt/deskmate".into(),
        arguments: vec!["stdio".into()],
        variables: Vec::new(),
    }
}

/// The entry goes in as expected, a second time changes nothing, and without it the text is what it was.
#[track_caller]
fn round(dialect: Dialect, old: &str, new: &str) {
    let entered = enter(old, dialect, &entry()).expect("entered");
    assert_eq!(entered, new, "\n--- wanted\n{new}\n--- got\n{entered}");
    assert_eq!(enter(new, dialect, &entry()).as_deref(), Ok(new));
    assert_eq!(leave(new, dialect, "deskmate").as_deref(), Ok(old));
}

/// The entry goes in as expected; the backup is the way back to the byte.
#[track_caller]
fn into(dialect: Dialect, old: &str, new: &str) {
    let entered = enter(old, dialect, &entry()).expect("entered");
    assert_eq!(entered, new, "\n--- wanted\n{new}\n--- got\n{entered}");
    assert!(leave(new, dialect, "deskmate").is_ok_and(|left| look(&left, dialect, "deskmate") == Ok(None)));
}

#[track_caller]
fn refused(dialect: Dialect, text: &str, message: &str) {
    assert_eq!(enter(text, dialect, &entry()).expect_err("refused").to_string(), message);
}

#[test]
fn json_with_other_servers_keeps_their_order_and_indentation() {
    round(
        JSON,
        "{\n    \"theme\": \"dark\",\n    \"mcpServers\": {\n        \"other\": {\"command\":\"x\"}\n    }\n}\n",
        "{\n    \"theme\": \"dark\",\n    \"mcpServers\": {\n        \"other\": {\"command\":\"x\"},\n        \"deskmate\": {\n            \"command\": \"/opt/deskmate\",\n            \"args\": [\"stdio\"]\n        }\n    }\n}\n",
    );
}

#[test]
fn json_without_servers_gets_the_key() {
    into(
        JSON,
        "{\n\t\"numStartups\": 1.50e1\n}",
        "{\n\t\"numStartups\": 1.50e1,\n\t\"mcpServers\": {\n\t\t\"deskmate\": {\n\t\t\t\"command\": \"/opt/deskmate\",\n\t\t\t\"args\": [\"stdio\"]\n\t\t}\n\t}\n}",
    );
    into(
        JSON,
        "",
        "{\n  \"mcpServers\": {\n    \"deskmate\": {\n      \"command\": \"/opt/deskmate\",\n      \"args\": [\"stdio\"]\n    }\n  }\n}\n",
    );
    into(
        JSON,
        "{}",
        "{\n  \"mcpServers\": {\n    \"deskmate\": {\n      \"command\": \"/opt/deskmate\",\n      \"args\": [\"stdio\"]\n    }\n  }\n}",
    );
}

#[test]
fn json_on_one_line_stays_on_one_line() {
    round(
        JSON,
        r#"{"mcpServers":{"a":{"command":"a"}},"b":1}"#,
        r#"{"mcpServers":{"a":{"command":"a"}, "deskmate": {"command": "/opt/deskmate", "args": ["stdio"]}},"b":1}"#,
    );
    round(
        JSON,
        r#"{"mcpServers":{}}"#,
        r#"{"mcpServers":{"deskmate": {"command": "/opt/deskmate", "args": ["stdio"]}}}"#,
    );
}

#[test]
fn comments_trailing_commas_crlf_and_the_byte_order_mark_stay() {
    round(
        JSONC,
        "\u{feff}// mine\r\n{\r\n  \"servers\": {\r\n    \"a\": { \"command\": \"a\" } // the first, \"and\" only\r\n    /* none yet */\r\n  },\r\n  \"inputs\": [],\r\n}\r\n",
        "\u{feff}// mine\r\n{\r\n  \"servers\": {\r\n    \"a\": { \"command\": \"a\" }, // the first, \"and\" only\r\n    /* none yet */\r\n    \"deskmate\": {\r\n      \"type\": \"stdio\",\r\n      \"command\": \"/opt/deskmate\",\r\n      \"args\": [\"stdio\"]\r\n    }\r\n  },\r\n  \"inputs\": [],\r\n}\r\n",
    );
    round(
        JSONC,
        "{\n  \"servers\": {\n    \"a\": {}, // last\n  }\n}\n",
        "{\n  \"servers\": {\n    \"a\": {}, // last\n    \"deskmate\": {\n      \"type\": \"stdio\",\n      \"command\": \"/opt/deskmate\",\n      \"args\": [\"stdio\"]\n    },\n  }\n}\n",
    );
    round(
        JSONC,
        "{ \"servers\": { \"a\": {} // one\n} }",
        "{ \"servers\": { \"a\": {}, // one\n  \"deskmate\": {\n    \"type\": \"stdio\",\n    \"command\": \"/opt/deskmate\",\n    \"args\": [\"stdio\"]\n  }\n} }",
    );
}

#[test]
fn an_entry_between_others_comes_out_alone() {
    let text =
        "{\n  \"mcpServers\": {\n    \"deskmate\": {\"command\": \"/x/deskmate\"},\n    \"b\": {}\n  }\n}\n";
    let left = leave(text, JSON, "deskmate").expect("left");
    assert_eq!(left, "{\n  \"mcpServers\": {\n    \"b\": {}\n  }\n}\n");
}

#[test]
fn our_own_entry_is_brought_up_to_date_and_keeps_what_was_added_to_it() {
    let old = "{\"mcpServers\": {\"deskmate\": {\"args\": [\"stdio\", \"info\"], \"command\": \"/old/deskmate\", \"disabled\": true}}}";
    let new = "{\"mcpServers\": {\"deskmate\": {\"args\": [\"stdio\"], \"command\": \"/opt/deskmate\", \"disabled\": true}}}";
    assert_eq!(enter(old, JSON, &entry()).as_deref(), Ok(new));
    let toml = "[mcp_servers.deskmate]\ncommand = '/old/deskmate' # mine\nargs = [\n  \"stdio\", \"info\",\n]\nstartup_timeout_sec = 20\n";
    let mended = "[mcp_servers.deskmate]\ncommand = \"/opt/deskmate\" # mine\nargs = [\"stdio\"]\nstartup_timeout_sec = 20\n";
    assert_eq!(enter(toml, Dialect::Toml, &entry()).as_deref(), Ok(mended));
    let yaml = "extensions:\n  deskmate:\n    cmd: /old/deskmate # mine\n    args:\n      - stdio\n      - info\n    enabled: false\n";
    let mended = "extensions:\n  deskmate:\n    cmd: /opt/deskmate # mine\n    args:\n      [\"stdio\"]\n    enabled: false\n";
    assert_eq!(enter(yaml, Dialect::YamlMap, &entry()).as_deref(), Ok(mended));
}

/// An older entry that lacks something gets it; everything else in it stays, to the byte.
#[test]
fn what_an_entry_lacks_is_added_and_nothing_else_changes() {
    let with = Entry { variables: vec![("DESKMATE_HOME".into(), "/d".into())], ..entry() };
    let check = |dialect, old: &str, new: &str| {
        let entered = enter(old, dialect, &with).expect("entered");
        assert_eq!(entered, new, "\n--- wanted\n{new}\n--- got\n{entered}");
    };
    check(
        JSONC,
        "{\n  \"servers\": {\n    \"deskmate\": {\n      \"command\": \"/old/deskmate\", // mine\n      \"disabled\": true\n    }\n  }\n}\n",
        "{\n  \"servers\": {\n    \"deskmate\": {\n      \"command\": \"/opt/deskmate\",\n      \"args\": [\"stdio\"],\n      \"env\": {\"DESKMATE_HOME\": \"/d\"}, // mine\n      \"disabled\": true\n    }\n  }\n}\n",
    );
    check(
        JSON,
        r#"{"mcpServers":{"deskmate":{"env":{"AUTHY_TOKEN_FILE":"/t"},"command":"/old/deskmate","disabled":true}}}"#,
        r#"{"mcpServers":{"deskmate":{"env":{"AUTHY_TOKEN_FILE":"/t", "DESKMATE_HOME": "/d"},"command":"/opt/deskmate", "args": ["stdio"],"disabled":true}}}"#,
    );
    check(
        JSON,
        r#"{"mcpServers":{"deskmate":{"env":{},"command":"/old/deskmate"}}}"#,
        r#"{"mcpServers":{"deskmate":{"env":{"DESKMATE_HOME": "/d"},"command":"/opt/deskmate", "args": ["stdio"]}}}"#,
    );
    check(
        Dialect::Toml,
        "[mcp_servers.deskmate]\r\ncommand = \"/old/deskmate\" # mine\r\nstartup_timeout_sec = 20\r\n[mcp_servers.deskmate.env]\r\nAUTHY_TOKEN_FILE = \"/t\" # why\r\n[tui]\r\n",
        "[mcp_servers.deskmate]\r\ncommand = \"/opt/deskmate\" # mine\r\nargs = [\"stdio\"]\r\nstartup_timeout_sec = 20\r\n[mcp_servers.deskmate.env]\r\nAUTHY_TOKEN_FILE = \"/t\" # why\r\nDESKMATE_HOME = \"/d\"\r\n[tui]\r\n",
    );
    check(
        Dialect::Toml,
        "[mcp_servers]\ndeskmate = { command = '/old/deskmate', env = { A = \"b\" } }\n",
        "[mcp_servers]\ndeskmate = { command = \"/opt/deskmate\", args = [\"stdio\"], env = { A = \"b\", DESKMATE_HOME = \"/d\" } }\n",
    );
    check(
        Dialect::YamlMap,
        "extensions:\n  deskmate:\n    cmd: /old/deskmate # mine\n    envs:\n      DESKMATE_HOME: /old\n      A: b # why\n    enabled: false\nother: 1\n",
        "extensions:\n  deskmate:\n    cmd: /opt/deskmate # mine\n    args: [\"stdio\"]\n    envs:\n      DESKMATE_HOME: /d\n      A: b # why\n    enabled: false\nother: 1\n",
    );
    check(
        Dialect::YamlList,
        "mcpServers:\n  - command: /old/deskmate\n    name: deskmate\n    env: {A: b}\n  - {name: x, command: y}\n",
        "mcpServers:\n  - command: /opt/deskmate\n    args: [\"stdio\"]\n    name: deskmate\n    env: {A: b, \"DESKMATE_HOME\": \"/d\"}\n  - {name: x, command: y}\n",
    );
}

/// Only the program has moved: the variables are right as they are.
#[test]
fn variables_of_the_person_survive_an_update() {
    let with = Entry { variables: vec![("DESKMATE_HOME".into(), "/d".into())], ..entry() };
    for (dialect, old) in [
        (
            JSON,
            r#"{"mcpServers":{"deskmate":{"command":"/old/deskmate","args":["stdio"],"env":{"DESKMATE_HOME":"/d","A":"b"}}}}"#,
        ),
        (
            Dialect::Toml,
            "[mcp_servers.deskmate]\ncommand = \"/old/deskmate\"\nargs = [\"stdio\"]\nenv = { DESKMATE_HOME = \"/d\", A = \"b\" }\n",
        ),
        (
            Dialect::YamlMap,
            "extensions:\n  deskmate:\n    cmd: /old/deskmate\n    args: [stdio]\n    envs: {DESKMATE_HOME: /d, A: b}\n",
        ),
    ] {
        let new = enter(old, dialect, &with).expect("entered");
        let found = look(&new, dialect, "deskmate").expect("readable").expect("there");
        assert!(found.variables.contains(&("A".into(), "b".into())), "{new}");
        assert_eq!(
            new.replace("/opt/", "/old/").replace("[\"stdio\"]", "[stdio]"),
            old.replace("[\"stdio\"]", "[stdio]")
        );
    }
}

#[test]
fn somebody_elses_entry_of_the_same_name_is_left_alone() {
    for (dialect, text) in [
        (JSON, r#"{"mcpServers":{"deskmate":{"command":"/usr/bin/other"}}}"#),
        (JSON, r#"{"mcpServers":{"deskmate":{"url":"http://127.0.0.1:8642/mcp"}}}"#),
        (Dialect::Toml, "[mcp_servers.deskmate]\ncommand = \"other\"\n"),
        (Dialect::YamlMap, "extensions:\n  deskmate:\n    cmd: other\n"),
        (Dialect::YamlList, "mcpServers:\n  - name: deskmate\n    command: other\n"),
    ] {
        assert_eq!(enter(text, dialect, &entry()), Err(EditError::Taken("deskmate".into())), "{text}");
    }
}

#[test]
fn broken_files_are_refused_with_line_and_column() {
    refused(
        JSON,
        "{\n  \"a\": 1,\n  \"b\" 2\n}",
        "line 3, column 7: expected colon after the string or word in object property",
    );
    refused(JSON, "{\n  // no comments here\n}", "line 2, column 3: comments are not allowed");
    refused(JSON, "{\"a\": 1,}", "line 1, column 8: trailing commas are not allowed");
    refused(JSON, "{\"mcpServers\": []}", "`mcpServers` is not an object with a key for each server");
    refused(JSON, "[]", "it is not an object with keys");
    refused(
        JSON,
        "{\"mcpServers\": {}, \"mcpServers\": {}}",
        "`mcpServers` is there twice; remove one of them",
    );
    let error = enter("a = 1\nb = [1,\n", Dialect::Toml, &entry()).expect_err("refused").to_string();
    assert!(error.starts_with("line "), "{error}");
    let error = enter("a: [1\nb: 2\n", Dialect::YamlMap, &entry()).expect_err("refused").to_string();
    assert!(error.starts_with("line "), "{error}");
    refused(Dialect::YamlList, "mcpServers:\n  a: 1\n", "`mcpServers` is not a list of servers");
    refused(
        Dialect::YamlList,
        "mcpServers:\n- name: deskmate\n  command: /x/deskmate\n- name: deskmate\n  command: /y/deskmate\n",
        "`deskmate` is there twice; remove one of them",
    );
    for dialect in [JSON, Dialect::Toml, Dialect::YamlMap] {
        let with_a_mark = enter("\u{feff}[", dialect, &entry()).expect_err("refused").to_string();
        let without = enter("[", dialect, &entry()).expect_err("refused").to_string();
        assert_eq!(with_a_mark, without, "an editor does not show the mark");
    }
}

#[test]
fn toml_gets_a_table_at_its_end() {
    round(
        Dialect::Toml,
        "# mine\nmodel = \"o\"\n\n[mcp_servers.a]\ncommand = \"a\" # first\n",
        "# mine\nmodel = \"o\"\n\n[mcp_servers.a]\ncommand = \"a\" # first\n\n[mcp_servers.deskmate]\ncommand = \"/opt/deskmate\"\nargs = [\"stdio\"]\n",
    );
    round(
        Dialect::Toml,
        "model = \"o\"\r\n",
        "model = \"o\"\r\n\r\n[mcp_servers.deskmate]\r\ncommand = \"/opt/deskmate\"\r\nargs = [\"stdio\"]\r\n",
    );
    into(Dialect::Toml, "", "[mcp_servers.deskmate]\ncommand = \"/opt/deskmate\"\nargs = [\"stdio\"]\n");
    into(
        Dialect::Toml,
        "\u{feff}a = 1",
        "\u{feff}a = 1\n\n[mcp_servers.deskmate]\ncommand = \"/opt/deskmate\"\nargs = [\"stdio\"]\n",
    );
    refused(
        Dialect::Toml,
        "mcp_servers = { a = { command = \"a\" } }\n",
        "it is written in a way that cannot be changed safely; change it by hand: `deskmate connect --print` shows the entry",
    );
    let between = "[mcp_servers.deskmate]\ncommand = \"/x/deskmate\"\n[mcp_servers.deskmate.env]\nA = \"b\"\n\n# theirs\n[other]\n";
    assert_eq!(leave(between, Dialect::Toml, "deskmate").as_deref(), Ok("\n# theirs\n[other]\n"));
}

#[test]
fn yaml_mappings_take_an_entry_in_the_manner_of_the_others() {
    round(
        Dialect::YamlMap,
        "# goose\nGOOSE_MODEL: x\nextensions:\n    developer:\n        enabled: true # yes\n        name: developer\nother: |\n  text\n",
        "# goose\nGOOSE_MODEL: x\nextensions:\n    developer:\n        enabled: true # yes\n        name: developer\n    deskmate:\n        name: deskmate\n        type: stdio\n        cmd: /opt/deskmate\n        args: [\"stdio\"]\n        enabled: true\n        timeout: 300\nother: |\n  text\n",
    );
    round(
        Dialect::YamlMap,
        "extensions: {a: {b: 1}}\r\n",
        "extensions: {a: {b: 1}, \"deskmate\": {\"name\": \"deskmate\", \"type\": \"stdio\", \"cmd\": \"/opt/deskmate\", \"args\": [\"stdio\"], \"enabled\": true, \"timeout\": 300}}\r\n",
    );
    let fields = "  deskmate:\n    name: deskmate\n    type: stdio\n    cmd: /opt/deskmate\n    args: [\"stdio\"]\n    enabled: true\n    timeout: 300\n";
    round(Dialect::YamlMap, "extensions:\n", &format!("extensions:\n{fields}"));
    into(Dialect::YamlMap, "a: 1\n", &format!("a: 1\nextensions:\n{fields}"));
    into(Dialect::YamlMap, "", &format!("extensions:\n{fields}"));
    into(Dialect::YamlMap, "# nothing yet\n", &format!("# nothing yet\nextensions:\n{fields}"));
}

#[test]
fn yaml_lists_take_an_entry_in_the_manner_of_the_others() {
    round(
        Dialect::YamlList,
        "name: mine\nmcpServers:\n- name: a\n  command: a\n\n# the rest\nmodels: []\n",
        "name: mine\nmcpServers:\n- name: a\n  command: a\n- name: deskmate\n  command: /opt/deskmate\n  args: [\"stdio\"]\n\n# the rest\nmodels: []\n",
    );
    round(
        Dialect::YamlList,
        "mcpServers:\r\n  - name: \"a\"\r\n    command: >-\r\n      a\r\n",
        "mcpServers:\r\n  - name: \"a\"\r\n    command: >-\r\n      a\r\n  - name: deskmate\r\n    command: /opt/deskmate\r\n    args: [\"stdio\"]\r\n",
    );
    round(
        Dialect::YamlList,
        "mcpServers: []\n",
        "mcpServers: [{\"name\": \"deskmate\", \"command\": \"/opt/deskmate\", \"args\": [\"stdio\"]}]\n",
    );
}

#[test]
fn variables_are_written_where_they_are_needed() {
    let with = Entry { variables: vec![("DESKMATE_HOME".into(), "/d".into())], ..entry() };
    for (dialect, line) in [
        (JSON, r#""env": {"DESKMATE_HOME": "/d"}"#),
        (Dialect::Toml, r#"env = { DESKMATE_HOME = "/d" }"#),
        (Dialect::YamlMap, r#"envs: {"DESKMATE_HOME": "/d"}"#),
        (Dialect::YamlList, r#"env: {"DESKMATE_HOME": "/d"}"#),
    ] {
        let text = enter("", dialect, &with).expect("entered");
        assert!(text.contains(line), "{text}");
        let found = look(&text, dialect, "deskmate").expect("readable").expect("there");
        assert_eq!(found.variables, with.variables);
        // An entry that had none gets them.
        let without = enter("", dialect, &entry()).expect("entered");
        let mended = enter(&without, dialect, &with).expect("mended");
        assert_eq!(
            look(&mended, dialect, "deskmate").expect("readable").expect("there").variables,
            with.variables
        );
    }
}

/// The app cannot read these either; an entry in them would be no connection.
#[test]
fn what_only_a_lenient_parser_reads_is_refused() {
    refused(JSONC, "{\n  \"a\": \"\u{1}\"\n}", "line 2, column 9: a control character");
    refused(Dialect::YamlMap, "a: 1\nb: \u{7}\n", "line 2, column 4: a control character");
    let error =
        enter("{\n  \"a\":\u{a0}1\n}", JSON, &entry()).expect_err("no white space of JSON").to_string();
    assert!(error.starts_with("line 2, column ") && error.ends_with("expected value"), "{error}");
    assert!(enter("{\n  \"a\":\t1\r\n}", JSON, &entry()).is_ok());
    assert!(enter("{\"a\": 1e999, \"b\": 123456789012345678901234567890}", JSON, &entry()).is_ok());
}

#[test]
fn an_entry_of_ours_is_found_by_what_it_starts() {
    let names = |dialect, text| -> Vec<String> {
        let found = look_for_program(text, dialect, "deskmate").expect("readable");
        found.into_iter().map(|(name, _)| name).collect()
    };
    let json =
        r#"{"mcpServers":{"a":{"command":"x"},"desk":{"command":"C:\\d\\deskmate.exe"},"b":{"url":"u"}}}"#;
    assert_eq!(names(JSON, json), ["desk"]);
    assert_eq!(names(Dialect::Toml, "[mcp_servers.desk]\ncommand = \"/opt/deskmate\"\n"), ["desk"]);
    assert_eq!(
        names(Dialect::YamlMap, "extensions:\n  desk: {cmd: /opt/deskmate}\n  a: {cmd: b}\n"),
        ["desk"]
    );
    assert_eq!(
        names(Dialect::YamlList, "mcpServers:\n- {name: desk, command: /opt/deskmate}\n- x\n"),
        ["desk"]
    );
    assert!(names(JSON, "").is_empty() && names(JSON, "{}").is_empty());
    assert!(look_for_program("{\"mcpServers\":[]}", JSON, "deskmate").is_err());
}

/// On Windows, a program has an ending; the entry it wrote is its own all the same.
#[test]
fn an_entry_with_an_ending_is_brought_up_to_date() {
    let entry = |folder: &str| Entry { command: format!("C:\\{folder}\\deskmate.exe"), ..entry() };
    let old = enter("{}", JSON, &entry("old")).expect("entered");
    assert!(enter(&old, JSON, &entry("new")).expect("updated").contains("C:\\\\new"), "{old}");
}

/// Whatever is brought up to date can be taken out again, however the person wrote it.
#[test]
fn toml_entries_written_by_hand_come_out_again() {
    let check = |old: &str, left: &str| {
        let updated = enter(old, Dialect::Toml, &entry()).expect("brought up to date");
        for text in [old, updated.as_str()] {
            let found = leave(text, Dialect::Toml, "deskmate");
            assert_eq!(found.as_deref(), Ok(left), "{text}");
        }
    };
    check(
        "[mcp_servers]\n# first\na = { command = \"a\" }\ndeskmate = { command = \"/x/deskmate\" } # mine\nb = { command = \"b\" }\n",
        "[mcp_servers]\n# first\na = { command = \"a\" }\nb = { command = \"b\" }\n",
    );
    check("a = 1\r\nmcp_servers.deskmate = { command = \"/x/deskmate\" }\r\nb = 2", "a = 1\r\nb = 2");
    check(
        "[mcp_servers]\ndeskmate.command = \"/x/deskmate\"\na.command = \"a\"\ndeskmate.env.A = \"b\"\n",
        "[mcp_servers]\na.command = \"a\"\n",
    );
    check("mcp_servers = { deskmate = { command = \"/x/deskmate\" } }\n", "mcp_servers = { }\n");
    check(
        "mcp_servers = { a = { command = \"a\" }, deskmate = { command = \"/x/deskmate\" } }\n",
        "mcp_servers = { a = { command = \"a\" } }\n",
    );
    check(
        "mcp_servers = { deskmate = { command = \"/x/deskmate\" }, \"a,b\" = { command = \"a\" } }\n",
        "mcp_servers = { \"a,b\" = { command = \"a\" } }\n",
    );
    check(
        "[mcp_servers.deskmate]\ncommand = \"/x/deskmate\"\n\n[tui]\nx = 1\n\n# variables\n[mcp_servers.deskmate.env]\nA = \"b\"\n",
        "\n[tui]\nx = 1\n\n# variables\n",
    );
}

/// An app that writes all its settings writes one without a value like this.
#[test]
fn null_is_no_servers_yet() {
    into(
        JSON,
        "{\n    \"mcpServers\": null,\n    \"theme\": \"dark\"\n}\n",
        "{\n    \"mcpServers\": {\n        \"deskmate\": {\n            \"command\": \"/opt/deskmate\",\n            \"args\": [\"stdio\"]\n        }\n    },\n    \"theme\": \"dark\"\n}\n",
    );
    into(
        JSON,
        r#"{"mcpServers":null}"#,
        r#"{"mcpServers":{"deskmate": {"command": "/opt/deskmate", "args": ["stdio"]}}}"#,
    );
    into(
        JSONC,
        "\u{feff}{\r\n  \"servers\": null, // none\r\n}\r\n",
        "\u{feff}{\r\n  \"servers\": {\r\n    \"deskmate\": {\r\n      \"type\": \"stdio\",\r\n      \"command\": \"/opt/deskmate\",\r\n      \"args\": [\"stdio\"]\r\n    }\r\n  }, // none\r\n}\r\n",
    );
    for null in ["null", "~", "Null", "NULL"] {
        into(
            Dialect::YamlList,
            &format!("mcpServers: {null} # none\na: 1\n"),
            "mcpServers: # none\n  - name: deskmate\n    command: /opt/deskmate\n    args: [\"stdio\"]\na: 1\n",
        );
    }
    into(
        Dialect::YamlMap,
        "extensions: null",
        "extensions:\n  deskmate:\n    name: deskmate\n    type: stdio\n    cmd: /opt/deskmate\n    args: [\"stdio\"]\n    enabled: true\n    timeout: 300",
    );
    let quoted = enter("extensions: \"null\"\n", Dialect::YamlMap, &entry());
    assert!(matches!(quoted, Err(EditError::Shape { .. })), "{quoted:?}");
}
