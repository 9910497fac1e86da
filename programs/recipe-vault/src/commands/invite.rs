//! `recipe-vault invite`: a link that signs a member in.

use cli::terminal;
use recipes::email::Email;
use tokio::runtime::Runtime;

use super::error::Error;
use super::store;

/// Print a link that signs a member in once, within seven days
#[derive(clap::Args)]
#[command(after_help = "Examples:
  recipe-vault invite ada@example.org                             the path of a link
  recipe-vault invite ada@example.org --url http://book.home:8643   the whole link

Somebody who is in no family becomes the owner of the cookbook as long as nobody else is in it.")]
pub(super) struct Args {
    /// Who
    email: Email,

    /// Where the cookbook is served
    #[arg(long, default_value = "")]
    url: String,

    /// The database, `sqlite:///path` or `postgres://…`; `DATABASE_URL` can hold it, too
    #[arg(long, value_name = "URL")]
    database: Option<String>,
}

pub(super) fn run(args: &Args) -> Result<(), Error> {
    let store = store(args.database.as_deref())?;
    let link = Runtime::new()
        .map_err(Error::Runtime)?
        .block_on(recipes::auth::sign_in_link(&*store, &args.email))?;
    Ok(terminal::say(&format!("{}/sign-in/{}", args.url.trim_end_matches('/'), link.reveal()))?)
}
