//! Migrations: numbered, embedded, checksummed.

use std::sync::Mutex;

use rusqlite::{Connection, OptionalExtension, params};
use sha2::{Digest, Sha256};

use crate::error::Error;
use crate::id::FamilyId;
use crate::store::row::{self, RECIPES};
use crate::store::sql::{Failure, Sql, at_once};
use crate::store::{recipes, search};
use crate::time::Time;
use crate::title::Key;

use super::locked;

/// Every migration, in order; the number of the first is 1. A migration that was released is never edited.
const MIGRATIONS: &[&str] = &[
    include_str!("../../../migrations/sqlite/0001_cookbook.sql"),
    include_str!("../../../migrations/sqlite/0002_listed.sql"),
    SORTED,
    FOLDED,
    include_str!("../../../migrations/sqlite/0005_photos.sql"),
    include_str!("../../../migrations/sqlite/0006_members.sql"),
];

/// The migration after which recipes have a key to be sorted by, which is made in Rust.
const SORTED: &str = include_str!("../../../migrations/sqlite/0003_sorted.sql");

/// The migration after which words are folded in Rust.
const FOLDED: &str = include_str!("../../../migrations/sqlite/0004_family.sql");

/// Marks a file as ours: "RVLT".
const APPLICATION: i32 = 0x5256_4c54;

/// Brings a database to this schema, or says why not.
pub(super) fn migrate(connection: &Mutex<Connection>) -> Result<(), Error> {
    apply(connection, MIGRATIONS)
}

/// How many migrations a database has, and how many there are; or why this program cannot use it.
pub(super) fn inspect(connection: &Connection) -> Result<(usize, usize), Error> {
    must_be_ours(connection)?;
    Ok((applied(connection, MIGRATIONS)?, MIGRATIONS.len()))
}

fn must_be_ours(connection: &Connection) -> Result<(), Error> {
    let application: i32 = connection.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if application != APPLICATION && tables > 0 {
        return Err(Error::unavailable("the file is a database of another program; name another file"));
    }
    Ok(())
}

fn apply(connection: &Mutex<Connection>, migrations: &[&str]) -> Result<(), Error> {
    must_be_ours(&locked(connection))?;
    if applied(&locked(connection), migrations)? == migrations.len() {
        return Ok(());
    }
    locked(connection).execute_batch("BEGIN IMMEDIATE")?;
    let done = bring_up(connection, migrations);
    locked(connection).execute_batch(if done.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
    done
}

fn bring_up(shared: &Mutex<Connection>, migrations: &[&str]) -> Result<(), Error> {
    let connection = locked(shared);
    // Another process may have been here in between.
    let done = applied(&connection, migrations)?;
    connection.pragma_update(None, "application_id", APPLICATION)?;
    connection.execute_batch(
        "CREATE TABLE IF NOT EXISTS migrations
             (number INTEGER PRIMARY KEY, checksum BLOB NOT NULL, applied_at INTEGER NOT NULL) STRICT",
    )?;
    for (number, sql) in (1_i64..).zip(migrations).skip(done) {
        connection.execute_batch(sql)?;
        if *sql == SORTED {
            fill_in_sort_keys(&connection)?;
        }
        let values = params![number, checksum(sql), Time::now()];
        connection
            .execute("INSERT INTO migrations (number, checksum, applied_at) VALUES (?1, ?2, ?3)", values)?;
    }
    add_first_family(&connection)?;
    drop(connection);
    // Recipes are read as they are after the last migration.
    if migrations.iter().skip(done).any(|sql| *sql == FOLDED) {
        at_once(index_again(&Sql::Sqlite(shared)))?;
    }
    Ok(())
}

async fn index_again(tx: &Sql<'_>) -> Result<(), Failure> {
    let sql = format!("{RECIPES}WHERE deleted_at IS NULL ORDER BY seq");
    for mut found in tx.all(&sql, &[], row::recipe).await? {
        recipes::details(tx, &mut found).await?;
        search::index(tx, &found).await?;
    }
    Ok(())
}

/// How many of these migrations were applied. Refuses a schema that is newer, or not what this program made.
fn applied(connection: &Connection, migrations: &[&str]) -> Result<usize, Error> {
    let exists = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'";
    if connection.query_row(exists, [], |_| Ok(())).optional()?.is_none() {
        return Ok(0);
    }
    let mut statement = connection.prepare("SELECT number, checksum FROM migrations ORDER BY number")?;
    let rows = statement.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?)))?;
    let mut count = 0;
    for row in rows {
        let (number, found) = row?;
        let Some(sql) = migrations.get(count) else {
            let known = migrations.len();
            let reason = format!(
                "the database has schema {number}, and this program knows {known}; install the newer version that \
                 wrote it"
            );
            return Err(Error::unavailable(reason));
        };
        if found != checksum(sql) {
            let reason =
                format!("schema {number} of the database is not the one of this program; restore a backup");
            return Err(Error::unavailable(reason));
        }
        count += 1;
    }
    Ok(count)
}

fn checksum(sql: &str) -> Vec<u8> {
    Sha256::digest(sql.as_bytes()).to_vec()
}

/// There is always a family for recipes to go to.
fn add_first_family(connection: &Connection) -> Result<(), Error> {
    let now = Time::now();
    connection.execute(
        "INSERT INTO families (id, name, revision, created_at)
         SELECT ?1, 'Home', ?2, ?2 WHERE NOT EXISTS (SELECT 1 FROM families)",
        params![FamilyId::new(), now],
    )?;
    Ok(())
}

/// Has recipes of an earlier schema sorted like new ones.
fn fill_in_sort_keys(connection: &Connection) -> Result<(), Error> {
    let mut statement = connection.prepare("SELECT seq, title FROM recipes")?;
    let unsorted = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let unsorted = unsorted.collect::<rusqlite::Result<Vec<(i64, String)>>>()?;
    let mut statement = connection.prepare("UPDATE recipes SET sort_key = ?2 WHERE seq = ?1")?;
    for (seq, title) in unsorted {
        statement.execute(params![seq, Key::of(&title).for_sorting()])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use rusqlite::Connection;

    use super::{MIGRATIONS, apply, locked, migrate};

    fn refusal(sql: &str) -> String {
        let connection = Mutex::new(Connection::open_in_memory().expect("a database"));
        migrate(&connection).expect("migrated");
        migrate(&connection).expect("nothing to do");
        locked(&connection).execute_batch(sql).expect("changed");
        migrate(&connection).expect_err("refused").to_string()
    }

    #[test]
    fn a_newer_schema_is_refused() {
        let newer = refusal("INSERT INTO migrations SELECT max(number) + 1, x'', 0 FROM migrations");
        assert!(newer.contains("has schema 7") && newer.contains("install the newer version"), "{newer}");
    }

    #[test]
    fn recipes_of_the_first_schema_are_listed_and_sorted() {
        let connection = Mutex::new(Connection::open_in_memory().expect("a database"));
        apply(&connection, &MIGRATIONS[..1]).expect("the first schema");
        let recipe = "INSERT INTO recipes (family_id, id, title, title_key, version, created_at, updated_at)
                      SELECT id, x'00112233445566778899aabbccddeeff', 'Röschti', 'röschti', 1, 0, 0 FROM families";
        locked(&connection).execute_batch(recipe).expect("a recipe");
        migrate(&connection).expect("migrated");
        let (listed, sorted): (String, String) = locked(&connection)
            .query_row("SELECT listed, sort_key FROM recipes", [], |row| Ok((row.get(0)?, row.get(1)?)))
            .expect("a row");
        let expected =
            r#"{"id":"00112233-4455-6677-8899-aabbccddeeff","title":"Röschti","description":null}"#;
        assert_eq!((listed.as_str(), sorted.as_str()), (expected, "roschti"));
    }

    #[test]
    fn the_one_photo_of_a_recipe_is_the_first_of_several() {
        let connection = Mutex::new(Connection::open_in_memory().expect("a database"));
        apply(&connection, &MIGRATIONS[..3]).expect("an earlier schema");
        let recipe =
            "INSERT INTO recipes (family_id, id, title, title_key, version, created_at, updated_at, photo_id)
                      SELECT id, x'00112233445566778899aabbccddeeff', 'Cake', 'cake', 1, 0, 0,
                          x'ffeeddccbbaa99887766554433221100' FROM families;
                      INSERT INTO photos (family_id, recipe_id, id, mime, bytes, created_at)
                      SELECT family_id, id, photo_id, 'image/png', x'01', 0 FROM recipes";
        locked(&connection).execute_batch(recipe).expect("a recipe");
        migrate(&connection).expect("migrated");
        let (photos, bytes): (String, Vec<u8>) = locked(&connection)
            .query_row(
                "SELECT r.photos, p.bytes FROM recipes r JOIN photos p ON p.id = r.photo_id",
                [],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .expect("a row");
        assert_eq!(photos, r#"[{"id":"ffeeddcc-bbaa-9988-7766-554433221100"}]"#);
        assert_eq!(bytes, [1]);
    }

    #[test]
    fn an_altered_schema_is_refused() {
        assert!(refusal("UPDATE migrations SET checksum = x'00'").contains("not the one of this program"));
    }

    #[test]
    fn a_database_of_another_program_is_left_alone() {
        let connection = Mutex::new(Connection::open_in_memory().expect("a database"));
        locked(&connection).execute_batch("CREATE TABLE notes (text)").expect("a table");
        assert!(migrate(&connection).expect_err("refused").to_string().contains("another program"));
    }
}
