//! The cookbook as a file: `recipe-vault export` and `recipe-vault restore`.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use cli::terminal;
use recipes::auth;
use recipes::export::{read_archive_from_disk, write_archive};
use recipes::record::OnConflict;
use tokio::runtime::Runtime;

use super::error::Error;
use super::{config, store};

/// Write everything into one archive: families, members, recipes, photos, plans and lists
#[derive(clap::Args)]
#[command(after_help = "Examples:
  recipe-vault export cookbook.zip
  recipe-vault export cookbook.zip --database sqlite:///home/ada/recipes.db
  recipe-vault restore cookbook.zip --database postgres://db/recipes   moves it to PostgreSQL

With USER_EMAIL it is the family of this person, else every family. Keys, links and passwords are
not in it.")]
pub(super) struct ExportArgs {
    /// The archive to make; it must not be there
    file: PathBuf,

    /// The database, `sqlite:///path` or `postgres://…`; `DATABASE_URL` can hold it, too
    #[arg(long, value_name = "URL")]
    database: Option<String>,
}

/// Put an archive into the cookbook, all of it or nothing
#[derive(clap::Args)]
#[command(after_help = "Examples:
  recipe-vault restore cookbook.zip")]
pub(super) struct RestoreArgs {
    /// The archive
    file: PathBuf,

    /// Recipes and lists of the archive replace those of the same title; else those that are there stay
    #[arg(long)]
    replace: bool,

    /// The database, `sqlite:///path` or `postgres://…`; `DATABASE_URL` can hold it, too
    #[arg(long, value_name = "URL")]
    database: Option<String>,
}

/// `recipe-vault export`
pub(super) fn export(args: &ExportArgs) -> Result<(), Error> {
    let path = &args.file;
    let failed = |source| Error::Archive { path: path.clone(), source };
    if path.exists() {
        return Err(failed(io::Error::new(
            io::ErrorKind::AlreadyExists,
            "it is there already; choose another name",
        )));
    }
    // Under another name until it is whole and on disk.
    let part = path.with_extension("part");
    let file = files::create_private(&part).map_err(failed)?;
    let done = fill(args, &file).and_then(|count| {
        file.sync_all()
            .and_then(|()| fs::rename(&part, path))
            .and_then(|()| sync_folder(path))
            .map_err(failed)?;
        Ok(count)
    });
    if done.is_err() {
        let _ = fs::remove_file(&part);
    }
    terminal::say(&format!("{} records are in {}", done?, path.display()))?;
    Ok(())
}

fn fill(args: &ExportArgs, file: &File) -> Result<u64, Error> {
    let store = store(args.database.as_deref())?;
    Runtime::new().map_err(Error::Runtime)?.block_on(async {
        let scope = auth::local(&*store, config().person.as_ref()).await?;
        Ok(write_archive(store.export(&scope).await?, BufWriter::new(file)).await?)
    })
}

fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    files::sync_folder(folder)
}

/// `recipe-vault restore`
pub(super) fn restore(args: &RestoreArgs) -> Result<(), Error> {
    // What cannot be opened is said with its path.
    File::open(&args.file).map_err(|source| Error::Archive { path: args.file.clone(), source })?;
    let records = read_archive_from_disk(args.file.clone())?;
    let store = store(args.database.as_deref())?;
    let on_conflict = if args.replace { OnConflict::Replace } else { OnConflict::Skip };
    let done = Runtime::new().map_err(Error::Runtime)?.block_on(async {
        let scope = auth::local(&*store, config().person.as_ref()).await?;
        store.restore(&scope, records, on_conflict).await
    })?;
    terminal::say(&format!("{} records were restored; {} were there already", done.written, done.skipped))?;
    Ok(())
}
