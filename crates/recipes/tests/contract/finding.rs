//! Lists, pages, search and tags.

use recipes::card::{CardQuery, Sort};
use recipes::draft::{Change, Changes};
use recipes::listing::{ListQuery, PageSize};
use recipes::number::Whole;
use recipes::search::SearchQuery;
use recipes::tag::Tag;
use recipes::text::Text;
use recipes::time::Time;
use recipes::title::Title;
use recipes::{Scope, Store};
use serde_json::{Value, json};

use crate::engines::{draft, each_engine, full, god, person, titled};

async fn list(store: &dyn Store, scope: &Scope, query: ListQuery) -> Vec<Value> {
    let listing = store.list_recipes(scope, query).await.expect("a list");
    serde_json::from_str(&listing.json).expect("an array")
}

async fn titles(store: &dyn Store, scope: &Scope) -> Vec<String> {
    let all = list(store, scope, ListQuery::default()).await;
    all.iter().map(|recipe| recipe["title"].as_str().expect("a title").to_owned()).collect()
}

#[test]
fn the_list_is_an_array_by_title_and_follows_every_change() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        assert_eq!(&*store.list_recipes(&ada, ListQuery::default()).await.expect("a list").json, "[]");
        let mut ids = Vec::new();
        for title in ["zucchini", "Äpfel \"im\" Schlafrock", "Bread"] {
            ids.push(store.create_recipe(&ada, titled(title), None).await.expect("made").id);
        }
        assert_eq!(titles(&*store, &ada).await, ["Äpfel \"im\" Schlafrock", "Bread", "zucchini"]);
        let changes =
            Changes { title: Some(Title::new("Aubergine").expect("a title")), ..Changes::default() };
        store.update_recipe(&ada, ids[0], changes).await.expect("changed");
        assert_eq!(titles(&*store, &ada).await, ["Äpfel \"im\" Schlafrock", "Aubergine", "Bread"]);
        store.delete_recipe(&ada, ids[2], None).await.expect("deleted");
        assert_eq!(titles(&*store, &ada).await, ["Äpfel \"im\" Schlafrock", "Aubergine"]);
        assert_eq!(titles(&*store, &god(&*store).await).await.len(), 2);
    });
}

/// The whole list, which may have been kept, beside a page, which is always read.
async fn lists_agree(store: &dyn Store, scopes: &[&Scope]) {
    for scope in scopes {
        let page = ListQuery { limit: PageSize::new(1_000).ok(), ..ListQuery::default() };
        let whole = store.list_recipes(scope, ListQuery::default()).await.expect("a list");
        assert_eq!(whole.json, store.list_recipes(scope, page).await.expect("a page").json);
        assert_eq!(whole.revision, store.revision(scope).await.expect("a revision"));
    }
}

#[test]
fn a_list_that_was_kept_is_the_list_that_is_read() {
    each_engine(|store| async move {
        let (ada, bob) = (person(&*store, "ada").await, person(&*store, "bob").await);
        let all = god(&*store).await;
        let scopes = [&ada, &bob, &all];
        let title = |number: usize| format!("Recipe {} of {number}", (number * 7) % 40);
        let mut made = Vec::new();
        for number in 0..40 {
            let scope = scopes[number % 2];
            made.push((
                scope,
                store.create_recipe(scope, titled(&title(number)), None).await.expect("made").id,
            ));
            lists_agree(&*store, &scopes).await;
        }
        for (number, (scope, id)) in made.into_iter().enumerate() {
            let changed = match number % 4 {
                0 => Changes { title: Title::new(format!("A new one, {number}")).ok(), ..Changes::default() },
                _ => Changes { notes: Change::Set(Text::new("kept").expect("notes")), ..Changes::default() },
            };
            store.update_recipe(scope, id, changed).await.expect("changed");
            if number % 3 == 0 {
                store.delete_recipe(scope, id, None).await.expect("deleted");
            }
            // Several changes between two looks, now and then more than are looked up one by one.
            if number % 5 == 0 || number > 35 {
                lists_agree(&*store, &scopes).await;
            }
            if number % 6 == 0 {
                store.undelete_recipe(scope, id).await.expect("back");
                store
                    .tag_recipe(scope, id, vec![Tag::new("soup").expect("a tag")], Vec::new(), None)
                    .await
                    .expect("tagged");
                lists_agree(&*store, &scopes).await;
            }
        }
        for number in 100..130 {
            store.create_recipe(&bob, titled(&title(number)), None).await.expect("made");
        }
        lists_agree(&*store, &scopes).await;
        person(&*store, "cleo").await;
        lists_agree(&*store, &scopes).await;
        store.delete_family(&all, bob.family().expect("a family")).await.expect("removed");
        lists_agree(&*store, &[&ada, &all]).await;
    });
}

#[test]
fn an_entry_has_what_is_known_and_short() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        let made = store.create_recipe(&ada, full("Cake"), None).await.expect("made");
        let bare = store.create_recipe(&ada, titled("Toast"), None).await.expect("made");
        assert_eq!(
            list(&*store, &ada, ListQuery::default()).await,
            [
                json!({
                    "id": made.id, "title": "Cake", "description": "Sweet & <rich>", "prep_time_minutes": 20,
                    "cook_time_minutes": 45, "servings": 8, "difficulty": 3, "tags": ["cake", "Dessert"]
                }),
                json!({ "id": bare.id, "title": "Toast", "description": null }),
            ]
        );
    });
}

#[test]
fn whatever_a_text_has_in_it_the_list_says_it() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        let awkward: String = ('\u{1}'..'\u{a1}').chain("é\u{2028}😀\u{fffe}".chars()).collect();
        let (title, description) = (format!("A{awkward}Z"), format!("a{awkward}z"));
        let tags = ["\"hot\" \\ cold"];
        let awkward = json!({ "title": title, "description": description, "tags": tags });
        let made = store.create_recipe(&ada, draft(awkward), None).await.expect("made");
        let listed = list(&*store, &ada, ListQuery::default()).await;
        assert_eq!(
            listed,
            [
                json!({ "id": made.id, "title": made.title, "description": made.description, "tags": made.tags })
            ]
        );
    });
}

#[test]
fn pages_join_to_the_whole_list() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        for number in 0..5 {
            // Two titles that are sorted alike.
            for title in [format!("Pate {number}"), format!("Pâté {number}")] {
                store.create_recipe(&ada, titled(&title), None).await.expect("made");
            }
        }
        for size in [1, 3, 5, 10, 11] {
            let (mut joined, mut after) = (Vec::new(), None);
            loop {
                let limit = Some(PageSize::new(size).expect("a size"));
                let query = ListQuery { limit, after: after.clone(), tags: Vec::new() };
                let listing = store.list_recipes(&ada, query).await.expect("a page");
                let page: Vec<Value> = serde_json::from_str(&listing.json).expect("an array");
                assert!(!page.is_empty() && page.len() <= usize::try_from(size).expect("small"));
                joined.extend(page);
                match listing.next {
                    Some(next) => after = Some(next),
                    None => break,
                }
            }
            assert_eq!(joined, list(&*store, &ada, ListQuery::default()).await, "pages of {size}");
        }
    });
}

async fn search(store: &dyn Store, scope: &Scope, words: &str) -> Vec<String> {
    let query = SearchQuery {
        words: Text::new(words).expect("words"),
        limit: Whole::new(10).expect("a limit"),
        skip: 0,
    };
    let hits = store.search_recipes(scope, query).await.expect("hits");
    hits.hits.into_iter().map(|hit| hit.title).collect()
}

#[test]
fn search_finds_words_everywhere_and_follows_every_change() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        let soup = json!({ "title": "Lentil soup", "description": "warm", "ingredients": [{ "name": "Crème fraîche" }] });
        let soup = store.create_recipe(&ada, draft(soup), None).await.expect("made");
        store.create_recipe(&ada, full("Cake"), None).await.expect("made");
        for words in ["lentil", "LENTIL soup", "len", "creme", "warm lentil", "soup fraiche"] {
            assert_eq!(search(&*store, &ada, words).await, ["Lentil soup"], "{words}");
        }
        for words in ["dessert", "flour", "rich"] {
            assert_eq!(search(&*store, &ada, words).await, ["Cake"], "{words}");
        }
        for words in ["lentil cake", "\"", "title:cake OR x", "*", "family"] {
            assert!(search(&*store, &ada, words).await.is_empty(), "{words}");
        }
        let bread = Changes { title: Some(Title::new("Bread").expect("a title")), ..Changes::default() };
        store.update_recipe(&ada, soup.id, bread).await.expect("changed");
        assert!(search(&*store, &ada, "lentil").await.is_empty());
        store.delete_recipe(&ada, soup.id, None).await.expect("deleted");
        assert!(search(&*store, &ada, "bread").await.is_empty());
        store.undelete_recipe(&ada, soup.id).await.expect("back");
        assert_eq!(search(&*store, &ada, "bread").await, ["Bread"]);
    });
}

#[test]
fn tags_are_put_on_taken_off_counted_and_listed_by() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        let tag = |text: &str| Tag::new(text).expect("a tag");
        let made = store.create_recipe(&ada, full("Cake"), None).await.expect("made");
        store.create_recipe(&ada, titled("Toast"), None).await.expect("made");
        let add = vec![tag("DESSERT"), tag("quick"), tag("Äpfel")];
        let tagged = store.tag_recipe(&ada, made.id, add, vec![tag("CAKE")], None).await.expect("tagged");
        assert_eq!(tagged.tags, ["Äpfel", "Dessert", "quick"]);
        let counts = store.tags(&ada).await.expect("tags");
        let counts: Vec<_> = counts.iter().map(|count| (count.tag.as_str(), count.recipes)).collect();
        assert_eq!(counts, [("Äpfel", 1), ("Dessert", 1), ("quick", 1)]);
        let by = |tags: Vec<Tag>| ListQuery { tags, ..ListQuery::default() };
        assert_eq!(list(&*store, &ada, by(vec![tag("Quick"), tag("dessert")])).await.len(), 1);
        assert_eq!(list(&*store, &ada, by(vec![tag("cake")])).await.len(), 0);
    });
}

#[test]
fn both_engines_find_the_same_words() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        for title in ["Weißwurst", "ﬁg jam", "Żurek", "Crème brûlée", "Σούπας"] {
            store.create_recipe(&ada, titled(title), None).await.expect("made");
        }
        for (words, expected) in [
            ("weisswurst", "Weißwurst"),
            ("WEIẞWURST", "Weißwurst"),
            ("fig", "ﬁg jam"),
            ("zurek", "Żurek"),
            ("CREME BRULEE", "Crème brûlée"),
            ("ΣΟΎΠΑΣ", "Σούπας"),
            // And with a slip of the finger.
            ("weisswrust", "Weißwurst"),
            ("creme brulle", "Crème brûlée"),
        ] {
            assert_eq!(search(&*store, &ada, words).await, [expected], "{words}");
        }
        let bob = person(&*store, "bob").await;
        assert!(search(&*store, &bob, "weisswrust").await.is_empty(), "another family's words");
    });
}

#[test]
fn words_of_others_do_not_stand_in_the_way_of_a_typing_error() {
    each_engine(|store| async move {
        let (ada, bob) = (person(&*store, "ada").await, person(&*store, "bob").await);
        store.create_recipe(&ada, titled("Lentil soup"), None).await.expect("made");
        // As near to `lentl` as `lentil` is, and before it in the alphabet.
        let crowd: Vec<String> = ('a'..='k').map(|letter| format!("{letter}entl")).collect();
        store.create_recipe(&bob, titled(&crowd.join(" ")), None).await.expect("made");
        assert_eq!(search(&*store, &ada, "lentl").await, ["Lentil soup"]);
    });
}

#[test]
fn cards_are_sorted_filtered_and_paged() {
    each_engine(|store| async move {
        let (ada, bob) = (person(&*store, "ada").await, person(&*store, "bob").await);
        // Recipes of one millisecond have no order.
        let make = async |json| {
            let made = store.create_recipe(&ada, draft(json), None).await.expect("made").id;
            let when = std::time::SystemTime::now();
            while when.elapsed().is_ok_and(|passed| passed < std::time::Duration::from_millis(2)) {
                tokio::task::yield_now().await;
            }
            made
        };
        let cake = make(
            json!({ "title": "Cake", "prep_time_minutes": 60, "rating": 5, "tags": ["sweet", "party"] }),
        )
        .await;
        let toast = make(json!({ "title": "Toast", "cook_time_minutes": 3, "tags": ["quick"] })).await;
        let apple = make(json!({ "title": "Äpfel", "rating": 3, "tags": ["sweet"] })).await;
        store.mark_cooked(&ada, toast, Time::from_millis(5_000), None).await.expect("noted");
        store.mark_cooked(&ada, apple, Time::from_millis(9_000), None).await.expect("noted");
        store.set_favourite(&ada, toast, true).await.expect("noted");
        let all = || CardQuery {
            words: None,
            tags: Vec::new(),
            favourites: false,
            sort: Sort::Title,
            after: None,
            skip: 0,
            limit: PageSize::new(50).expect("a size"),
        };
        let ids = async |query: CardQuery| {
            store
                .cards(&ada, query)
                .await
                .expect("cards")
                .cards
                .iter()
                .map(|card| card.id)
                .collect::<Vec<_>>()
        };
        assert_eq!(ids(all()).await, [apple, cake, toast]);
        for (sort, expected) in [
            (Sort::Newest, [apple, toast, cake]),
            (Sort::Time, [toast, cake, apple]),
            (Sort::Rating, [cake, apple, toast]),
            (Sort::Cooked, [apple, toast, cake]),
        ] {
            assert_eq!(ids(CardQuery { sort, ..all() }).await, expected, "{sort:?}");
        }
        assert_eq!(ids(CardQuery { favourites: true, ..all() }).await, [toast]);
        let tags = |tags: &[&str]| tags.iter().map(|tag| Tag::new(tag).expect("a tag")).collect();
        assert_eq!(ids(CardQuery { tags: tags(&["sweet"]), ..all() }).await, [apple, cake]);
        assert_eq!(ids(CardQuery { tags: tags(&["SWEET", "party"]), ..all() }).await, [cake]);
        let words = Text::new("toast").ok();
        assert_eq!(ids(CardQuery { words: words.clone(), ..all() }).await, [toast]);
        assert_eq!(ids(CardQuery { words, tags: tags(&["sweet"]), ..all() }).await, []);
        let one = PageSize::new(1).expect("a size");
        let first = store.cards(&ada, CardQuery { limit: one, ..all() }).await.expect("cards");
        assert_eq!((first.cards[0].id, first.total, first.tags.len()), (apple, 3, 3));
        let after = first.next.clone();
        assert!(after.is_some());
        assert_eq!(ids(CardQuery { limit: one, after, ..all() }).await, [cake]);
        let last = store.cards(&ada, CardQuery { limit: one, skip: 2, sort: Sort::Rating, ..all() }).await;
        let last = last.expect("cards");
        assert_eq!((last.cards[0].id, last.next), (toast, None));
        assert_eq!(store.cards(&bob, all()).await.expect("cards").cards, []);
        assert_eq!(store.cards(&recipes::auth::nobody(), all()).await.expect("cards").cards, []);
    });
}
