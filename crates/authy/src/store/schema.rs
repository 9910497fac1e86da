//! The tables, and how an older vault gets them.

use super::{Durability, Store};
use crate::error::{Error, Result};

/// `auth` in ASCII: tells a vault from any other SQLite file.
pub(super) const APPLICATION: i64 = 0x6175_7468;

/// The format the first of the steps makes. A vault of an earlier one is read by `authy upgrade` and nothing else.
const FIRST: i64 = 2;

/// What brings a database from each version to the next; the first makes it. Never changed, only added to. Each makes or changes a
/// table: by its tables a file is known to be of a later program, whatever number it has.
const STEPS: &[&str] = &["
    CREATE TABLE vault (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        vault_id BLOB NOT NULL,
        created INTEGER NOT NULL,
        head BLOB NOT NULL,
        previous BLOB NOT NULL,
        signature BLOB NOT NULL,
        root BLOB NOT NULL
    ) STRICT;
    CREATE TABLE lineage (version INTEGER PRIMARY KEY, digest BLOB NOT NULL) STRICT;
    CREATE TABLE succession (
        number INTEGER PRIMARY KEY,
        old BLOB NOT NULL,
        new BLOB NOT NULL,
        certificate BLOB NOT NULL
    ) STRICT;
    CREATE TABLE node (number INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT;
    CREATE TABLE slot (
        id INTEGER PRIMARY KEY,
        kind TEXT NOT NULL,
        stretching BLOB,
        public BLOB NOT NULL,
        sealed BLOB NOT NULL,
        created INTEGER NOT NULL,
        code BLOB NOT NULL
    ) STRICT;
    CREATE TABLE record (
        id INTEGER PRIMARY KEY,
        lookup BLOB NOT NULL UNIQUE,
        version INTEGER NOT NULL,
        revision INTEGER NOT NULL,
        key BLOB NOT NULL,
        meta BLOB NOT NULL,
        value BLOB NOT NULL,
        value_digest BLOB NOT NULL,
        old BLOB NOT NULL
    ) STRICT;
    CREATE TABLE history (
        id INTEGER PRIMARY KEY,
        record INTEGER NOT NULL,
        version INTEGER NOT NULL,
        value BLOB NOT NULL,
        UNIQUE (record, version)
    ) STRICT;
    CREATE TABLE policy (
        lookup BLOB PRIMARY KEY,
        revision INTEGER NOT NULL,
        body BLOB NOT NULL
    ) STRICT;
    CREATE TABLE holder (
        id BLOB PRIMARY KEY,
        revision INTEGER NOT NULL,
        public BLOB NOT NULL,
        key_for_holder BLOB NOT NULL,
        key_for_owner BLOB NOT NULL,
        bundle BLOB NOT NULL,
        code BLOB NOT NULL,
        revoked INTEGER NOT NULL,
        shares INTEGER NOT NULL,
        folded INTEGER NOT NULL,
        entries INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE share (
        holder BLOB NOT NULL,
        lookup BLOB NOT NULL,
        record INTEGER NOT NULL,
        key BLOB NOT NULL,
        PRIMARY KEY (holder, lookup)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX share_record ON share (record);
    CREATE TABLE pending (
        written INTEGER PRIMARY KEY AUTOINCREMENT,
        holder BLOB NOT NULL,
        number INTEGER NOT NULL,
        lookup BLOB NOT NULL,
        sealed BLOB NOT NULL,
        own BLOB NOT NULL,
        code BLOB NOT NULL,
        UNIQUE (holder, number)
    ) STRICT;
    CREATE INDEX pending_lookup ON pending (holder, lookup, number);
    CREATE TABLE chain (
        writer BLOB PRIMARY KEY,
        position INTEGER NOT NULL,
        state BLOB NOT NULL
    ) STRICT;
    CREATE TABLE audit (
        seq INTEGER PRIMARY KEY,
        writer BLOB NOT NULL,
        entry BLOB NOT NULL,
        mac BLOB NOT NULL
    ) STRICT;
    CREATE TABLE approval (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        writer BLOB NOT NULL,
        subject BLOB NOT NULL,
        entry BLOB NOT NULL,
        expires INTEGER NOT NULL,
        decision INTEGER,
        signature BLOB
    ) STRICT;
"];

/// The version this program writes.
#[allow(clippy::cast_possible_wrap)] // a handful
pub(crate) const FORMAT: i64 = FIRST + STEPS.len() as i64 - 1;

/// Makes all tables in an empty database.
pub(super) fn make(store: &Store) -> Result<()> {
    let unit = store.begin(Durability::Power)?;
    store.connection.execute_batch(&everything()).map_err(|error| store.error(error))?;
    unit.commit()
}

/// What makes all tables, and says that they are ours.
pub(super) fn everything() -> String {
    STEPS.concat() + &format!("PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {FORMAT};")
}

/// Does the steps an older vault has not seen. A newer one is refused.
pub(super) fn bring_up_to_date(store: &Store) -> Result<()> {
    match bring_to(store, STEPS) {
        // No key protects the two numbers, and the tables of another format are others.
        Err(Error::NotAVault(_) | Error::OldFormat | Error::NewerFormat { .. }) if has_our_tables(store)? => {
            Err(store.damaged("the number of its format was changed"))
        }
        other => other,
    }
}

/// Whether the tables are those of this format and no others.
fn has_our_tables(store: &Store) -> Result<bool> {
    let schema = schema(store)?;
    let tables = schema.iter().filter(|(kind, table, _)| kind == "table" && !table.starts_with("sqlite_"));
    let mut found: Vec<&str> = tables.filter_map(|(_, _, sql)| sql.as_deref()).collect();
    let mut made: Vec<&str> = self::tables().map(|(_, sql)| sql).collect();
    found.sort_unstable();
    made.sort_unstable();
    Ok(found == made)
}

fn bring_to(store: &Store, steps: &[&str]) -> Result<()> {
    let number = |pragma: &str| -> Result<i64> {
        store
            .connection
            .pragma_query_value(None, pragma, |row| row.get(0))
            .map_err(|error| store.error(error))
    };
    if number("application_id")? != APPLICATION {
        return Err(Error::NotAVault(store.path.clone()));
    }
    let last = i64::try_from(steps.len()).map_or(i64::MAX, |steps| FIRST + steps - 1);
    if is_up_to_date(number("user_version")?, last)? {
        return Ok(());
    }
    let unit = store.begin(Durability::Power)?;
    // Another process may have been first.
    let found = number("user_version")?;
    if !is_up_to_date(found, last)? {
        let done = usize::try_from(found - FIRST + 1).unwrap_or_default();
        let missing = steps.get(done..).unwrap_or_default();
        let sql = missing.concat() + &format!("PRAGMA user_version = {last};");
        store.connection.execute_batch(&sql).map_err(|error| store.error(error))?;
    }
    unit.commit()
}

/// Counts changes of the schema.
pub(super) fn version(store: &Store) -> Result<i64> {
    let version = store
        .connection
        .prepare_cached("PRAGMA schema_version")
        .and_then(|mut statement| statement.query_row([], |row| row.get(0)));
    version.map_err(|error| store.error(error))
}

/// Checks that the tables are those that the steps make, and that nothing works beside them: a trigger could keep entries
/// out of the log, and a view in the place of a table need not come to an end. Gives the version of the schema.
pub(super) fn check(store: &Store) -> Result<i64> {
    let (mut found, odd) = objects(store)?;
    let mut made: Vec<&str> = statements().collect();
    found.sort_unstable();
    made.sort_unstable();
    if odd > 0 || found != made {
        return Err(store.damaged("it has triggers, views or tables that no program of ours makes"));
    }
    version(store)
}

/// The statements of all steps, as SQLite keeps them.
fn statements() -> impl Iterator<Item = &'static str> {
    STEPS.iter().flat_map(|step| step.split(';')).map(str::trim).filter(|sql| !sql.is_empty())
}

/// How the tables and indexes of ours were made, and how many other things there are that do something. A table of another
/// name does nothing.
fn objects(store: &Store) -> Result<(Vec<String>, usize)> {
    let (mut found, mut odd) = (Vec::new(), 0);
    for (kind, table, sql) in schema(store)? {
        match (kind.as_str(), sql) {
            // SQLite makes these itself, for what is unique.
            ("index", None) => {}
            ("table" | "index", Some(sql)) if is_ours(&table) => found.push(sql),
            ("table", Some(sql)) if !sql.starts_with("CREATE VIRTUAL") => {}
            _ => odd += 1,
        }
    }
    Ok((found, odd))
}

fn schema(store: &Store) -> Result<Vec<(String, String, Option<String>)>> {
    store.all("SELECT type, tbl_name, sql FROM sqlite_schema", [], |row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?))
    })
}

fn is_ours(table: &str) -> bool {
    tables().any(|(name, _)| name.eq_ignore_ascii_case(table))
}

/// The names of our tables, and how they are made.
pub(super) fn tables() -> impl Iterator<Item = (&'static str, &'static str)> {
    statements().filter_map(|sql| Some((sql.strip_prefix("CREATE TABLE ")?.split_whitespace().next()?, sql)))
}

/// How many things there are that do something and are not ours.
pub(super) fn count_added(store: &Store) -> Result<usize> {
    let added = |(kind, _, sql): &(String, String, Option<String>)| match (kind.as_str(), sql.as_deref()) {
        ("table", Some(sql)) => sql.starts_with("CREATE VIRTUAL"),
        (_, Some(sql)) => statements().all(|ours| ours != sql),
        (_, None) => false,
    };
    Ok(schema(store)?.iter().filter(|entry| added(entry)).count())
}

/// Whether nothing needs to be done.
fn is_up_to_date(found: i64, last: i64) -> Result<bool> {
    match found {
        _ if found == last => Ok(true),
        1.. if found < FIRST => Err(Error::OldFormat),
        1.. if found < last => Ok(false),
        _ => Err(Error::NewerFormat { found, known: last }),
    }
}

#[cfg(test)]
mod tests {
    use super::{STEPS, Store, bring_to};
    use crate::error::Error;
    use crate::keys::Identity;
    use crate::slot::NewSlot;
    use crate::vault::Vault;

    fn count(store: &Store, sql: &str) -> i64 {
        store.connection.query_row(sql, [], |row| row.get(0)).expect("a number")
    }

    #[test]
    fn an_older_vault_gets_the_steps_it_has_not_seen_and_a_step_that_fails_leaves_it_as_it_was() {
        let folder = std::env::temp_dir().join(format!("authy-schema-{}", std::process::id()));
        let vault = Vault::at(&folder);
        vault.create(&[NewSlot::Keyfile(Identity::random().expect("random"))]).expect("a vault");
        let store = Store::connect(&vault.file()).expect("it opens");
        let version = || count(&store, "SELECT user_version FROM pragma_user_version");
        let (now, next) = (version(), "CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT;");
        let entries = count(&store, "SELECT count(*) FROM audit");

        let broken = [STEPS, &[next, "CREATE TABLE later (id INTEGER) STRICT;"]].concat();
        bring_to(&store, &broken).expect_err("the table is there already");
        assert_eq!((version(), count(&store, "SELECT count(*) FROM pragma_table_list('later')")), (now, 0));

        let newer = [STEPS, &[next, "INSERT INTO later VALUES (7);"]].concat();
        for _ in 0..2 {
            bring_to(&store, &newer).expect("brought up to date, once");
            assert_eq!((version(), count(&store, "SELECT sum(id) FROM later")), (now + 2, 7));
        }
        assert_eq!(count(&store, "SELECT count(*) FROM audit"), entries, "the rest is as it was");
        assert!(
            matches!(Vault::at(&folder).slots(), Err(Error::NewerFormat { .. })),
            "older programs refuse it"
        );
        let _ = std::fs::remove_dir_all(&folder);
    }
}
