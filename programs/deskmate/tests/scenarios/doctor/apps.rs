//! The rows of AI apps: their entry broken and mended.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use super::row;
use crate::home::Home;

/// A program of that name which is none of ours.
fn script(home: &Home, commands: &str) -> PathBuf {
    let file = home.file("bin/deskmate", format!("#!/bin/sh\n{commands}").as_bytes());
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("a mode");
    file
}

#[test]
fn the_row_of_an_app() {
    let home = Home::new();
    let file = home.file(".cursor/mcp.json", b"{}");
    row(&home, &[], "Cursor").is("not_set_up", &["not connected", "deskmate connect cursor"]);
    home.run(&["connect", "cursor", "--yes"]).said();
    let good = fs::read_to_string(&file).expect("the file");
    row(&home, &[], "Cursor").is("ok", &["it starts", "tools", "MCP 2025-06-18"]);
    let write = |text: &str| fs::write(&file, text).expect("written");
    write(&good.replace(env!("CARGO_BIN_EXE_deskmate"), "/old/deskmate"));
    row(&home, &[], "Cursor")
        .is("problem", &["/old/deskmate", "not there any more", "deskmate connect cursor"]);
    write(&good.replace(env!("CARGO_BIN_EXE_deskmate"), "deskmate"));
    row(&home, &[], "Cursor").is("problem", &["without its folder", "deskmate connect cursor"]);
    // Somebody else may have written the file; a terminal does not do what is in it.
    write(&good.replace(env!("CARGO_BIN_EXE_deskmate"), "/\\u001b[2J\u{202e}/deskmate"));
    row(&home, &[], "Cursor").is("problem", &["/\u{fffd}[2J\u{fffd}/deskmate"]);
    write(&good.replace(env!("CARGO_BIN_EXE_deskmate"), "/usr/bin/env"));
    row(&home, &[], "Cursor").is("problem", &["another program"]);
    let silent = script(&home, "echo 'no library' >&2\nexit 1\n");
    write(&good.replace(env!("CARGO_BIN_EXE_deskmate"), silent.to_str().expect("text")));
    row(&home, &[], "Cursor").is("problem", &["did not answer", "no library"]);
    write("{ \"mcpServers\": ");
    row(&home, &[], "Cursor").is("problem", &["line 1", "correct the file"]);
    write(&good);
    row(&home, &[], "Cursor").is("ok", &[]);
    home.run(&["disconnect", "cursor", "--yes"]).said();
    row(&home, &[], "Cursor").is("not_set_up", &[]);
}

/// An entry is known by what it starts: people may call it something else, and `connect` tells them to where the name is taken.
#[test]
fn an_app_is_connected_whatever_the_entry_is_called() {
    let home = Home::new();
    let taken = "{\"mcpServers\":{\"deskmate\":{\"command\":\"/usr/bin/env\"}}}";
    let file = home.file(".cursor/mcp.json", taken.as_bytes());
    row(&home, &[], "Cursor").is("problem", &["another program", "--name"]);
    home.run(&["connect", "cursor", "--yes", "--name", "desk"]).said();
    row(&home, &[], "Cursor").is("ok", &["it starts"]);
    let text = fs::read_to_string(&file).expect("the file");
    fs::write(&file, text.replace(env!("CARGO_BIN_EXE_deskmate"), "/old/deskmate")).expect("written");
    row(&home, &[], "Cursor").is("problem", &["not there any more", "deskmate connect cursor --name desk"]);
}

/// An entry with a URL has no program to start; whether it leads anywhere is looked at all the same.
#[test]
fn an_app_over_http_is_connected_if_somebody_listens() {
    let home = Home::new();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let enter = |entry: &str| {
        home.file(".cursor/mcp.json", format!("{{\"mcpServers\": {{\"deskmate\": {entry}}}}}").as_bytes());
    };
    enter(&format!("{{\"url\": \"http://{address}/mcp\"}}"));
    row(&home, &[], "Cursor").is("ok", &["connected over HTTP"]);
    drop(listener);
    let nobody = format!("nothing listens at http://{address}/");
    row(&home, &[], "Cursor").is("problem", &[&nobody, "deskmate serve --install"]);
    enter(&format!("{{\"url\": \"http://{address}?token=s3cret\"}}"));
    let report = row(&home, &[], "Cursor").is("problem", &[&nobody]);
    assert!(!report.contains("s3cret"), "{report}");
    enter("{\"url\": \"https://desk.home/mcp\"}");
    row(&home, &[], "Cursor").is("ok", &["connected over HTTP"]);
    for nothing in ["null", "{}", "{\"command\": []}"] {
        enter(nothing);
        row(&home, &[], "Cursor").is("problem", &["neither a program nor a URL", "remove it"]);
    }
}

#[test]
fn nobody_waits_for_a_hanging_app() {
    let home = Home::new();
    let hanging = script(&home, "exec sleep 1000\n");
    let text = format!("{{\"mcpServers\":{{\"deskmate\":{{\"command\":{hanging:?}}}}}}}");
    home.file(".cursor/mcp.json", text.as_bytes());
    row(&home, &[], "Cursor").is("problem", &["did not answer"]);
}
