//! The names in the vault that a token opens, and what waits for approval. Values are never read here, and nothing is approved:
//! that takes `authy approve`, in the person's own terminal.

use askama::Template;
use authy::{Credential, PendingApproval, Token, Vault};
use serde::Deserialize;
use web::axum::extract::Form;
use web::axum::response::Response;

use super::html;

#[derive(Deserialize)]
pub(super) struct Given {
    #[serde(default)]
    token: String,
}

#[derive(Template)]
#[template(path = "vault.html")]
struct Opened {
    error: Option<String>,
    names: Vec<String>,
    /// Nothing where the token may not see them.
    waiting: Option<Vec<Waiting>>,
}

struct Waiting {
    id: String,
    secret: String,
    purpose: String,
    until: String,
}

/// `POST /desk/vault`
pub(super) async fn look(Form(given): Form<Given>) -> Response {
    // Unlocking and reading a database is not for a thread that serves others.
    let opened = tokio::task::spawn_blocking(move || open(given.token.trim()));
    let opened = opened.await.unwrap_or_else(|_| Err("it could not be read; try again".to_owned()));
    html(&opened.unwrap_or_else(|error| Opened { error: Some(error), names: Vec::new(), waiting: None }))
}

fn open(token: &str) -> Result<Opened, String> {
    let text = |error: authy::Error| error.to_string();
    let credential = Credential::Token(Token::parse(token).map_err(text)?);
    let vault = Vault::from_environment(|name| std::env::var_os(name)).map_err(text)?;
    let session = vault.unlock(&credential).map_err(text)?.with_actor("dashboard");
    let names = session.list(None).map_err(text)?.into_iter().map(String::from).collect();
    // Only the owner sees what waits.
    let waiting = session.approvals().ok().map(|waiting| waiting.iter().map(row).collect());
    Ok(Opened { error: None, names, waiting })
}

fn row(approval: &PendingApproval) -> Waiting {
    Waiting {
        id: approval.id.to_string(),
        secret: approval.names(),
        purpose: approval.purpose.clone(),
        until: approval.expires.to_string(),
    }
}
