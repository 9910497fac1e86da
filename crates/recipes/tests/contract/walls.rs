//! What is particular to PostgreSQL: the second wall, roles, replicas, and losing a server.

use postgres_testkit::Server;
use recipes::auth;
use recipes::card::{CardQuery, Sort};
use recipes::listing::{ListQuery, PageSize};
use recipes::photo::{Picture, Place, Which};
use recipes::secret::Secret;
use recipes::session::Session;
use recipes::store::{Families, Photos, Postgres, Recipes, Sessions};
use recipes::text::Text;
use recipes::time::Time;
use recipes::{Scope, Store};

use crate::engines::{full, god, person, server, titled};
use crate::isolation::PNG;

fn run<F: Future<Output = ()>>(test: F) {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().expect("a runtime").block_on(test);
}

fn name_of(address: &str) -> &str {
    address.rsplit('/').next().expect("a name")
}

async fn titles(store: &dyn Store, scope: &Scope) -> Vec<String> {
    let listing = store.list_recipes(scope, ListQuery::default()).await.expect("a list");
    let list: Vec<serde_json::Value> = serde_json::from_str(&listing.json).expect("an array");
    list.iter().map(|recipe| recipe["title"].as_str().expect("a title").to_owned()).collect()
}

#[test]
fn the_database_itself_keeps_families_apart() {
    run(async {
        let address = server().database();
        let store = Postgres::new(&address, &[]).expect("an address");
        let (ada, bob) = (person(&store, "ada").await, person(&store, "bob").await);
        store.create_recipe(&ada, full("Cake"), None).await.expect("made");
        store.create_recipe(&bob, full("Toast"), None).await.expect("made");
        let database = name_of(&address);
        let count = |before: &str, table: &str| {
            server().sql(database, &format!("BEGIN; {before}; SELECT count(*) FROM {table}; COMMIT"))
        };
        let family = ada.family().expect("a family");
        let as_ada = format!("SET LOCAL ROLE recipe_vault_family; SET LOCAL rv.family = '{family}'");
        for (table, own, all) in [("recipes", "1", "2"), ("ingredients", "3", "6"), ("families", "1", "2")] {
            assert_eq!(count(&as_ada, table), own, "{table}");
            assert_eq!(count("SET LOCAL ROLE recipe_vault_family", table), "0", "{table}");
            assert_eq!(count("SET LOCAL ROLE recipe_vault_god", table), all, "{table}");
        }
        let search = "matching_recipes(to_tsquery('simple', 'flour'))";
        assert_eq!(count(&as_ada, search), "1");
        assert_eq!(count("SET LOCAL ROLE recipe_vault_family", search), "0");
        // Rows of another family cannot be written either, whatever a query says.
        let other = bob.family().expect("a family");
        let foreign = format!("INSERT INTO members VALUES ('{other}', 'eve@example.org', 'owner')");
        let refused = std::panic::catch_unwind(|| count(&format!("{as_ada}; {foreign}"), "members"));
        assert!(refused.is_err());
        // And nothing of a scope stays on a connection.
        assert!(titles(&store, &auth::nobody()).await.is_empty());
    });
}

#[test]
fn an_owner_of_the_database_without_other_rights_is_enough() {
    run(async {
        let address = server().database();
        let database = name_of(&address);
        let user = format!("app_{database}");
        server().sql(
            database,
            &format!("CREATE ROLE {user} LOGIN CREATEROLE; ALTER DATABASE {database} OWNER TO {user}"),
        );
        for role in ["recipe_vault_family", "recipe_vault_god"] {
            server().sql(database, &format!("DO $$ BEGIN CREATE ROLE {role} NOLOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$; GRANT {role} TO {user}"));
        }
        let store = Postgres::new(&server().address_for(&user, database), &[]).expect("an address");
        let ada = person(&store, "ada").await;
        store.create_recipe(&ada, full("Cake"), None).await.expect("made");
        assert_eq!(titles(&store, &ada).await, ["Cake"]);
        assert_eq!(titles(&store, &god(&store).await).await, ["Cake"]);
    });
}

#[test]
fn recipes_of_the_first_schema_are_sorted() {
    run(async {
        let address = server().database();
        let store = Postgres::new(&address, &[]).expect("an address");
        let (ada, bob) = (person(&store, "ada").await, person(&store, "bob").await);
        for title in ["Lentil soup", "Älplermagronen"] {
            store.create_recipe(&ada, titled(title), None).await.expect("made");
        }
        let cake = store.create_recipe(&bob, titled("Öpfelchüechli"), None).await.expect("made").id;
        let picture = Picture::new(PNG.into()).expect("a picture");
        let photo = store.add_photo(&bob, cake, picture.clone(), Place::Cover).await.expect("kept").photo_id;
        let back = "ALTER TABLE recipes DROP COLUMN sort_key; DROP TABLE favourites, member_passwords;
                    ALTER TABLE members DROP COLUMN joined_at;
                    ALTER TABLE families DROP COLUMN time_zone; ALTER TABLE meals DROP COLUMN shopped;
                    ALTER TABLE recipes DROP COLUMN photos;
                    ALTER TABLE photos DROP CONSTRAINT photos_pkey, ADD PRIMARY KEY (family_id, recipe_id);
                    ALTER TABLE photos DROP COLUMN small; ALTER TABLE once_keys DROP COLUMN request;
                    DROP INDEX sessions_by_email; DELETE FROM migrations WHERE number > 1";
        server().sql(name_of(&address), back);
        let store = Postgres::new(&address, &[]).expect("an address");
        assert_eq!(titles(&store, &ada).await, ["Älplermagronen", "Lentil soup"]);
        assert_eq!(
            titles(&store, &god(&store).await).await,
            ["Älplermagronen", "Lentil soup", "Öpfelchüechli"]
        );
        // The one photo that a recipe could have is the first of several.
        let recipe = store.recipe(&bob, cake).await.expect("a recipe");
        assert_eq!(
            recipe.photos.iter().map(|photo| (Some(photo.id), photo.step)).collect::<Vec<_>>(),
            [(photo, None)]
        );
        assert_eq!(store.photo(&bob, cake, Which::Cover).await.expect("a photo").picture, picture);
        let both = store.add_photo(&bob, cake, picture, Place::Last).await.expect("kept");
        assert_eq!((both.photos.len(), both.photo_id), (2, photo));
    });
}

#[test]
fn a_schema_of_another_program_or_version_is_refused() {
    run(async {
        let address = server().database();
        let first = Postgres::new(&address, &[]).expect("an address");
        god(&first).await;
        let message = |sql: &'static str| {
            let address = address.clone();
            async move {
                server().sql(name_of(&address), sql);
                let store = Postgres::new(&address, &[]).expect("an address");
                auth::local(&store, None).await.expect_err("refused").to_string()
            }
        };
        let newer = "INSERT INTO migrations SELECT max(number) + 1, '', 0 FROM migrations";
        assert!(message(newer).await.contains("install the newer version"));
        let altered = "DELETE FROM migrations WHERE number > 1; UPDATE migrations SET checksum = ''";
        assert!(message(altered).await.contains("not the one of this program"));
    });
}

#[test]
fn many_processes_that_start_at_once_make_one_schema() {
    run(async {
        let address = server().database();
        let tasks: Vec<_> = (0..6)
            .map(|_| {
                let store = Postgres::new(&address, &[]).expect("an address");
                tokio::spawn(async move {
                    let scope = auth::local(&store, None).await.expect("a scope");
                    store.families(&scope).await.expect("families").len()
                })
            })
            .collect();
        for task in tasks {
            assert_eq!(task.await.expect("no panic"), 1);
        }
    });
}

#[test]
fn reads_come_from_a_replica_that_has_what_was_written_and_else_from_the_primary() {
    run(async {
        let address = server().database();
        let database = name_of(&address).to_owned();
        let writer = Postgres::new(&address, &[]).expect("an address");
        let ada = person(&writer, "ada").await;
        writer.create_recipe(&ada, titled("Cake"), None).await.expect("made");
        let replica = server().replica();
        replica.sql(&database, "SELECT pg_wal_replay_pause()");
        writer.create_recipe(&ada, titled("Toast"), None).await.expect("made");
        let replicas = [replica.address(&database)];
        let reader = Postgres::new(&address, &replicas).expect("an address");
        // A process that has seen nothing reads what the replica has, which shows that it is read from.
        assert_eq!(titles(&reader, &ada).await, ["Cake"]);
        // Who wrote something finds it, though the replica does not have it.
        reader.create_recipe(&ada, titled("Soup"), None).await.expect("made");
        assert_eq!(titles(&reader, &ada).await, ["Cake", "Soup", "Toast"]);
        // A replica that is gone does not matter.
        drop(replica);
        assert_eq!(titles(&reader, &ada).await, ["Cake", "Soup", "Toast"]);
    });
}

#[test]
fn connections_that_the_server_closed_are_replaced() {
    run(async {
        let address = server().database();
        let store = Postgres::new(&address, &[]).expect("an address");
        let ada = person(&store, "ada").await;
        let end = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'recipe-vault'";
        // A server that was told to hang up may do so before the next call, or in the middle of it.
        let made: Vec<String> = (10..40).map(|number| format!("Cake {number}")).collect();
        for title in &made {
            server().sql(name_of(&address), end);
            store.create_recipe(&ada, titled(title), None).await.expect("made");
        }
        assert_eq!(titles(&store, &ada).await, made);
    });
}

#[test]
fn an_address_that_cannot_be_used_is_told_without_its_password() {
    let refused = Postgres::new("postgres://ada:secret@db:port/x", &[]).expect_err("no port").to_string();
    assert!(refused.contains("DATABASE_URL") && !refused.contains("secret"), "{refused}");
    run(async {
        let store = Postgres::new("postgres://ada:secret@%2Fnowhere/x", &[]).expect("an address");
        let refused = auth::local(&store, None).await.expect_err("nobody there").to_string();
        assert!(refused.starts_with("database unavailable") && !refused.contains("secret"), "{refused}");
    });
}

#[test]
fn with_tls_the_certificate_is_always_checked() {
    let server = Server::start_with_tls();
    run(async {
        let address = server.tcp_address(name_of(&server.database()));
        let trusted = format!("{address}?sslmode=require&sslrootcert={}", server.certificate().display());
        let store = Postgres::new(&trusted, &[]).expect("an address");
        let ada = person(&store, "ada").await;
        store.create_recipe(&ada, titled("Cake"), None).await.expect("made");
        assert_eq!(titles(&store, &ada).await, ["Cake"]);
        let secure = "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
                      WHERE ssl AND application_name = 'recipe-vault'";
        assert_ne!(server.sql("postgres", secure), "0");
        // Nobody we know signed it.
        let strange = Postgres::new(&format!("{address}?sslmode=require"), &[]).expect("an address");
        let refused = auth::local(&strange, None).await.expect_err("not trusted").to_string();
        assert!(refused.contains("sslrootcert"), "{refused}");
    });
}

#[test]
fn only_families_may_look_for_words_past_row_level_security() {
    run(async {
        let address = server().database();
        let store = Postgres::new(&address, &[]).expect("an address");
        god(&store).await;
        let database = name_of(&address);
        server().sql(database, "CREATE ROLE stranger_to_recipes NOLOGIN");
        let may = |role: &str| {
            server().sql(
                database,
                &format!("SELECT has_function_privilege('{role}', 'matching_recipes(tsquery)', 'EXECUTE')"),
            )
        };
        assert_eq!(
            (may("stranger_to_recipes"), may("recipe_vault_family")),
            ("f".to_owned(), "t".to_owned())
        );
        server().sql(database, "DROP ROLE stranger_to_recipes");
    });
}

#[test]
fn reads_do_not_go_back_in_time_between_replicas() {
    run(async {
        let address = server().database();
        let database = name_of(&address).to_owned();
        let writer = Postgres::new(&address, &[]).expect("an address");
        let ada = person(&writer, "ada").await;
        writer.create_recipe(&ada, titled("Cake"), None).await.expect("made");
        let (fresh, behind) = (server().replica(), server().replica());
        behind.sql(&database, "SELECT pg_wal_replay_pause()");
        writer.create_recipe(&ada, titled("Toast"), None).await.expect("made");
        let written = server().sql(&database, "SELECT pg_current_wal_lsn()");
        let caught_up = format!("SELECT pg_last_wal_replay_lsn() >= '{written}'");
        while fresh.sql(&database, &caught_up) != "t" {
            tokio::task::yield_now().await;
        }
        let replicas = [fresh.address(&database), behind.address(&database)];
        // Somebody else wrote, so that this process knows no more than what it reads.
        let reader = Postgres::new(&address, &replicas).expect("an address");
        for _ in 0..4 {
            assert_eq!(titles(&reader, &ada).await, ["Cake", "Toast"]);
        }
    });
}

#[test]
fn the_list_page_takes_four_statements() {
    run(async {
        let address = server().database();
        let store = Postgres::new(&address, &[]).expect("an address");
        let (ada, god) = (person(&store, "ada").await, god(&store).await);
        for number in 0..60 {
            store.create_recipe(&ada, full(&format!("Cake {number}")), None).await.expect("made");
        }
        let token = Secret::new().expect("random");
        let email = "ada@example.org".parse().expect("an address");
        let family = ada.family().expect("a family");
        let session = Session { token: token.hash(), email, family, expires_at: Time::now().plus_days(1) };
        store.create_session(&god, session).await.expect("kept");
        let limit = PageSize::new(50).expect("a size");
        // All, by words, by words with a mistake, and by words that nothing has.
        for (words, found) in [(None, 50), (Some("cake"), 50), (Some("caek"), 50), (Some("quince"), 0)] {
            let before = store.statements();
            let scope = auth::by_session(&store, &token).await.expect("signed in");
            let query = CardQuery {
                words: words.map(|words| Text::new(words).expect("words")),
                tags: Vec::new(),
                favourites: false,
                sort: Sort::Title,
                after: None,
                skip: 0,
                limit,
            };
            assert_eq!(store.cards(&scope, query).await.expect("cards").cards.len(), found, "{words:?}");
            assert!(store.statements() - before <= 4, "{words:?}: {}", store.statements() - before);
        }
    });
}
