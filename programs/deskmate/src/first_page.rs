//! The page at `/`: which servers there are, where, and what to tell a client.

use std::fmt::Write as _;
use std::net::SocketAddr;

use mcp::Surface;

use crate::servers::Chosen;

/// Where a server has its own endpoint.
pub fn path(server: &str) -> String {
    format!("/mcp/{server}/mcp")
}

const STYLE: &str = "
:root { color-scheme: light dark; --ink: #1d2129; --soft: #5a6272; --line: #d9dde4; --card: #fff; --ground: #f6f7f9; --accent: #0b6e4f }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaed; --soft: #a3aab8; --line: #343a46; --card: #1d2129; --ground: #14171c; --accent: #5fd0a5 } }
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
main { max-width: 46rem; margin: 0 auto; padding: 2rem 1rem 4rem }
h1 { font-size: 1.7rem; margin: 0 } h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem } h3 { margin: 0; font-size: 1rem }
p { margin: .3rem 0 } .soft { color: var(--soft) }
article { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .9rem 1rem; margin: .7rem 0 }
code, pre { font: .86rem/1.45 ui-monospace, monospace; overflow-wrap: anywhere }
pre { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .8rem 1rem; white-space: pre-wrap; margin: .4rem 0 1rem }
ul { padding-left: 1.1rem; margin: .4rem 0 0 } li code, a { color: var(--accent) }
";

/// The whole page.
pub fn html(
    address: SocketAddr,
    token: bool,
    combined: &Surface,
    servers: &[Chosen],
    cookbook: Option<&str>,
) -> String {
    let base = format!("http://{address}");
    let mut page = String::with_capacity(8_192);
    let _ = write!(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Deskmate</title>\n<style>{STYLE}</style>\n<main>\n<header><h1>Deskmate</h1><p class=\"soft\">Version {}. The MCP servers of this machine.</p></header>\n",
        escaped(&combined.identity().version)
    );
    if let Some(path) = cookbook {
        let _ = writeln!(
            page,
            "<h2>Pages</h2>\n<article><h3><a href=\"{path}\">The cookbook</a></h3><p class=\"soft\">Recipes, the meal plan and shopping lists, for people.</p></article>"
        );
    }
    page.push_str("<h2>Servers</h2>\n");
    let all = format!("everything below at one address: {}", count(combined.tools().len(), "tool"));
    server(&mut page, "All servers", &all, &format!("{base}/mcp"), None);
    for chosen in servers {
        let url = format!("{base}{}", path(chosen.entry.name));
        server(&mut page, chosen.entry.name, chosen.entry.about, &url, Some(&chosen.service.surface()));
    }
    connect(&mut page, &base, token);
    page.push_str("</main>\n</html>\n");
    page
}

fn server(page: &mut String, name: &str, about: &str, url: &str, surface: Option<&Surface>) {
    let _ = write!(
        page,
        "<article><h3>{}</h3><p class=\"soft\">{}</p><p><code>{}</code></p>",
        escaped(name),
        escaped(&capitalised(about)),
        escaped(url)
    );
    if let Some(surface) = surface {
        page.push_str("<ul>");
        for tool in surface.tools() {
            let _ = write!(page, "<li><code>{}</code> {}</li>", escaped(&tool.name), escaped(&tool.title));
        }
        page.push_str("</ul>");
    }
    page.push_str("</article>\n");
}

fn connect(page: &mut String, base: &str, token: bool) {
    let url = format!("{base}/mcp");
    let header =
        if token { ",\n      \"headers\": { \"Authorization\": \"Bearer YOUR-TOKEN\" }" } else { "" };
    let flag = if token { " --header \"Authorization: Bearer YOUR-TOKEN\"" } else { "" };
    page.push_str("<h2>Connect a client</h2>\n<p class=\"soft\">Restart the client afterwards.</p>\n");
    for (client, entry) in [
        ("Claude Code", format!("claude mcp add --transport http --scope user deskmate {url}{flag}")),
        (
            "Cursor (~/.cursor/mcp.json)",
            format!(
                "{{\n  \"mcpServers\": {{\n    \"deskmate\": {{\n      \"url\": \"{url}\"{header}\n    }}\n  }}\n}}"
            ),
        ),
        (
            "VS Code (.vscode/mcp.json)",
            format!(
                "{{\n  \"servers\": {{\n    \"deskmate\": {{\n      \"type\": \"http\",\n      \"url\": \"{url}\"{header}\n    }}\n  }}\n}}"
            ),
        ),
        (
            "Codex (~/.codex/config.toml)",
            format!(
                "[mcp_servers.deskmate]\nurl = \"{url}\"{}",
                if token { "\nbearer_token_env_var = \"DESKMATE_TOKEN\"" } else { "" }
            ),
        ),
    ] {
        let _ = writeln!(page, "<h3>{}</h3><pre>{}</pre>", escaped(client), escaped(&entry));
    }
    page.push_str(
        "<p class=\"soft\">Claude Desktop starts its servers itself: give it the command <code>deskmate stdio</code>.</p>\n",
    );
}

fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Text that means itself in HTML, in content and in attributes.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use crate::servers::{self, Selection};

    fn page(token: bool) -> String {
        let selection = Selection::default();
        let combined = servers::compose(&selection).map_err(|error| error.to_string()).expect("a service");
        let chosen = servers::choose(&selection).map_err(|error| error.to_string()).expect("servers");
        let address = "127.0.0.1:8642".parse().expect("an address");
        super::html(address, token, &combined.surface(), &chosen, Some("/cookbook"))
    }

    #[test]
    fn every_server_is_named_with_its_endpoint_and_tools() {
        let page = page(false);
        for expected in [
            "http://127.0.0.1:8642/mcp<",
            "http://127.0.0.1:8642/mcp/info/mcp<",
            "deskmate_info",
            "claude mcp add",
            "<a href=\"/cookbook\">",
        ] {
            assert!(page.contains(expected), "{expected} is not in {page}");
        }
        assert!(!page.contains("Bearer"));
    }

    #[test]
    fn a_token_is_asked_for_but_never_shown() {
        assert!(page(true).contains("Bearer YOUR-TOKEN"));
    }

    #[test]
    fn nothing_breaks_out_of_the_text() {
        assert_eq!(super::escaped("<a href=\"x\" y='&'>"), "&lt;a href=&quot;x&quot; y=&#39;&amp;&#39;&gt;");
    }
}
