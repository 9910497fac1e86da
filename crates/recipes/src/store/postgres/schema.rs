//! Migrations: numbered, embedded, checksummed; one process at a time.

use sha2::{Digest, Sha256};
use tokio_postgres::Client;

use crate::error::Error;
use crate::id::FamilyId;
use crate::time::Time;
use crate::title::Key;

use super::pool::Pool;

/// Every migration, in order; the number of the first is 1. A migration that was released is never edited.
const MIGRATIONS: &[&str] = &[
    include_str!("../../../migrations/postgres/0001_cookbook.sql"),
    include_str!("../../../migrations/postgres/0002_sorted.sql"),
    include_str!("../../../migrations/postgres/0003_family.sql"),
    include_str!("../../../migrations/postgres/0004_photos.sql"),
    include_str!("../../../migrations/postgres/0005_members.sql"),
];

/// The roles of the two kinds of scope.
const ROLES: &str = include_str!("../../../migrations/postgres/roles.sql");

/// What processes that migrate wait for: "RVLT".
const LOCK: i64 = 0x5256_4c54;

/// Brings a database to this schema, or says why not.
pub(super) async fn migrate(pool: &Pool) -> Result<(), Error> {
    let connection = pool.take().await?;
    let client = &connection.client;
    client.batch_execute("BEGIN").await?;
    match bring_up(client).await {
        Ok(()) => {
            client.batch_execute("COMMIT").await?;
            connection.give_back();
            Ok(())
        }
        // The connection is closed, and the transaction with it.
        Err(error) => Err(error),
    }
}

/// How many migrations a database has, and how many there are; or why this program cannot use it.
pub(super) async fn inspect(pool: &Pool) -> Result<(usize, usize), Error> {
    let connection = pool.take().await?;
    Ok((applied(&connection.client).await?, MIGRATIONS.len()))
}

async fn bring_up(client: &Client) -> Result<(), Error> {
    if applied(client).await? == MIGRATIONS.len() {
        return Ok(());
    }
    client.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK]).await?;
    // Another process may have been here in between.
    let done = applied(client).await?;
    client.batch_execute(ROLES).await?;
    client
        .batch_execute(
            "CREATE TABLE IF NOT EXISTS migrations
                 (number bigint PRIMARY KEY, checksum bytea NOT NULL, applied_at bigint NOT NULL)",
        )
        .await?;
    for (number, sql) in (1_i64..).zip(MIGRATIONS).skip(done) {
        client.batch_execute(sql).await?;
        let insert = "INSERT INTO migrations (number, checksum, applied_at) VALUES ($1, $2, $3)";
        client.execute(insert, &[&number, &checksum(sql), &Time::now()]).await?;
    }
    // The owner of the tables does not see what is in them; the role that does, does the rest.
    client.batch_execute("SET LOCAL ROLE recipe_vault_god").await?;
    add_first_family(client).await?;
    fill_in_sort_keys(client).await
}

/// How many migrations were applied. Refuses a schema that is newer, or not what this program made.
async fn applied(client: &Client) -> Result<usize, Error> {
    let there = client.query_one("SELECT to_regclass('migrations') IS NOT NULL", &[]).await?;
    if !there.try_get::<_, bool>(0)? {
        return Ok(0);
    }
    let rows = client.query("SELECT number, checksum FROM migrations ORDER BY number", &[]).await?;
    for (count, row) in rows.iter().enumerate() {
        let (number, found): (i64, Vec<u8>) = (row.try_get(0)?, row.try_get(1)?);
        let Some(sql) = MIGRATIONS.get(count) else {
            let known = MIGRATIONS.len();
            return Err(Error::unavailable(format!(
                "the database has schema {number}, and this program knows {known}; install the newer version that wrote it"
            )));
        };
        if found != checksum(sql) {
            return Err(Error::unavailable(format!(
                "schema {number} of the database is not the one of this program; restore a backup"
            )));
        }
    }
    Ok(rows.len())
}

fn checksum(sql: &str) -> Vec<u8> {
    Sha256::digest(sql.as_bytes()).to_vec()
}

/// There is always a family for recipes to go to.
async fn add_first_family(client: &Client) -> Result<(), Error> {
    let sql = "INSERT INTO families (id, name, revision, created_at)
               SELECT $1, 'Home', $2, $2 WHERE NOT EXISTS (SELECT 1 FROM families)";
    client.execute(sql, &[&FamilyId::new(), &Time::now()]).await?;
    Ok(())
}

/// Has recipes of an earlier schema sorted like new ones.
async fn fill_in_sort_keys(client: &Client) -> Result<(), Error> {
    let mut last = i64::MIN;
    loop {
        let sql = "SELECT seq, title FROM recipes WHERE sort_key = '' AND seq > $1 ORDER BY seq LIMIT 10000";
        let rows = client.query(sql, &[&last]).await?;
        let (mut places, mut keys) = (Vec::new(), Vec::new());
        for row in &rows {
            places.push(row.try_get::<_, i64>(0)?);
            keys.push(Key::of(row.try_get(1)?).for_sorting());
        }
        let Some(end) = places.last() else { break };
        last = *end;
        let sql = "UPDATE recipes SET sort_key = key
                   FROM unnest($1::bigint[], $2::text[]) AS sorted (place, key) WHERE seq = place";
        client.execute(sql, &[&places, &keys]).await?;
    }
    if last > i64::MIN {
        // Lists that clients keep have another order now.
        client.batch_execute("UPDATE families SET revision = revision + 1").await?;
    }
    Ok(())
}
