//! The package `fotos`: the application, where there is nothing but what it depends on.

use std::process::Command;

use super::{older, out};
use crate::built::{VERSION, said};
use crate::debian::Debian;
use crate::session::Session;
use crate::window::{Window, agent_takes_a_screenshot};

fn install(debian: &Debian, packages: &std::path::Path, version: &str) {
    let file = |name: &str| format!("/given/{name}_{version}_amd64.deb");
    debian.run(packages, &["dpkg", "--install", &file("fotos-mcp"), &file("fotos")]);
}

#[test]
fn the_window_opens_where_nothing_else_is_and_shows_what_an_agent_took() {
    let (debian, session) = (Debian::for_fotos(), Session::new());
    install(&debian, &out(), VERSION);
    let mut window =
        Window::start(&mut debian.command_in(&session, &["fotos-desktop"]), &mut session.fotos_mcp(&[]));
    assert!(window.titles().iter().any(|title| title == "Fotos"), "{:?}", window.titles());
    window.keep("deb");
    agent_takes_a_screenshot(&mut session.fotos_mcp(&[]));
    window.shows_a_screenshot();
    window.keep("deb-agent");
}

#[test]
fn fotos_is_upgraded_and_removed_without_leftovers() {
    let (debian, older) = (Debian::for_fotos(), older());
    install(&debian, older.as_path(), "0.0.1");
    install(&debian, &out(), VERSION);
    let status = debian
        .run(&out(), &["dpkg-query", "--show", "--showformat=${Version} ${Status}\n", "fotos", "fotos-mcp"]);
    assert_eq!(status, format!("{VERSION} install ok installed\n").repeat(2));
    assert_eq!(debian.run(&out(), &["fotos-desktop", "--version"]), format!("fotos-desktop {VERSION}\n"));
    debian.run(&out(), &["dpkg", "--purge", "fotos", "fotos-mcp"]);
    assert_eq!(debian.changes(), Vec::<String>::new());
}

#[test]
fn fotos_depends_on_fotos_mcp_of_the_same_version() {
    let debian = Debian::for_fotos();
    let words = ["dpkg", "--install", &format!("/given/fotos_{VERSION}_amd64.deb")];
    let output = debian.command(&out(), &words).output().expect("dpkg");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains(&format!("fotos-mcp (= {VERSION})")), "{said}");
}

/// Every library that the application is linked with is in a package that it depends on, or in one that those depend on.
#[test]
fn its_libraries_come_with_its_dependencies() {
    let debian = Debian::for_fotos();
    install(&debian, &out(), VERSION);
    let libraries = debian.run(&out(), &["ldd", "/usr/bin/fotos-desktop"]);
    assert!(libraries.contains("libwebkit2gtk-4.1.so.0") && !libraries.contains("not found"), "{libraries}");
}

/// No path of the machine that built it is in it.
#[test]
fn it_does_not_say_where_it_was_built() {
    let texts = said(Command::new("strings").arg(crate::built::program("fotos-desktop")));
    let root = crate::built::root();
    let cargo = std::env::var("CARGO_HOME").unwrap_or_else(|_| "/.cargo/registry".to_owned());
    for private in [root.to_str().expect("UTF-8"), &cargo] {
        let found: Vec<&str> = texts.lines().filter(|line| line.contains(private)).take(5).collect();
        assert!(found.is_empty(), "{found:?}");
    }
}

/// It is written by hand, and must not fall behind.
#[test]
fn its_manual_page_names_every_option() {
    let debian = Debian::for_fotos();
    install(&debian, &out(), VERSION);
    let page = debian.run(&out(), &["zcat", "/usr/share/man/man1/fotos-desktop.1.gz"]).replace('\\', "");
    let help = debian.run(&out(), &["fotos-desktop", "--help"]);
    let options: Vec<&str> =
        help.split(|letter: char| letter.is_whitespace()).filter(|word| word.starts_with("--")).collect();
    assert!(options.len() >= 5, "{help}");
    for option in options {
        assert!(
            page.contains(option.trim_matches(|letter: char| letter != '-' && !letter.is_alphabetic())),
            "{option}: {page}"
        );
    }
}
