//! Two families side by side: what belongs to the other is as if it were not there.

use recipes::auth;
use recipes::draft::{Change, Changes};
use recipes::family::Role;
use recipes::id::{PhotoId, RecipeId};
use recipes::listing::ListQuery;
use recipes::number::Whole;
use recipes::photo::{Picture, Place, Which};
use recipes::plan::{Days, NewMeal, Slot};
use recipes::search::SearchQuery;
use recipes::secret::Secret;
use recipes::share::NewShare;
use recipes::shopping::{DEFAULT_LIST, ListChange, ListName, NewItem};
use recipes::text::Text;
use recipes::time::Time;
use recipes::{Error, Scope, Store};

use crate::engines::{each_engine, full, god, person, titled};

/// One pixel.
pub(crate) const PNG: &[u8] =
    b"\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x01\x00\x00\x00\x01\
    \x08\x02\x00\x00\x00\x90\x77\x53\xde\x00\x00\x00\x0c\x49\x44\x41\x54\x78\x9c\x63\x38\xe0\xa0\x00\
    \x00\x02\xe4\x01\x21\x81\x25\xc8\xc8\x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82";

fn message<T>(result: Result<T, Error>) -> String {
    result.map_or_else(|error| error.to_string(), |_| "done".to_owned())
}

/// What every method that takes the id of a recipe says.
async fn all_answers(store: &dyn Store, scope: &Scope, id: RecipeId) -> Vec<String> {
    let picture = Picture::new(PNG.into()).expect("a picture");
    let meal = NewMeal {
        day: Time::now().day(),
        slot: Slot::Lunch,
        recipe_id: Some(id),
        text: None,
        servings: None,
    };
    let token = Secret::new().expect("random").hash();
    let share = NewShare { recipe_id: id, token, expires_at: Time::now().plus_days(1) };
    let answers = [
        message(store.recipe(scope, id).await),
        message(store.update_recipe(scope, id, Changes::default()).await),
        message(store.delete_recipe(scope, id, None).await),
        message(store.undelete_recipe(scope, id).await),
        message(store.tag_recipe(scope, id, Vec::new(), Vec::new(), None).await),
        message(store.mark_cooked(scope, id, Time::now(), None).await),
        message(store.add_photo(scope, id, picture, Place::Cover).await),
        message(store.photo(scope, id, Which::Cover).await),
        message(store.photo(scope, id, Which::One(PhotoId::new())).await),
        message(store.move_photo(scope, id, PhotoId::new(), Place::Last).await),
        message(store.remove_photo(scope, id, Which::One(PhotoId::new())).await),
        message(store.remove_photo(scope, id, Which::Cover).await),
        message(store.plan_meals(scope, vec![meal]).await),
        message(store.create_share(scope, share).await),
        message(store.shares(scope, id).await),
        message(store.set_favourite(scope, id, true).await),
        message(store.small_photo(scope, id, Which::Cover).await),
    ];
    answers.into_iter().map(|answer| answer.replace(&id.to_string(), "<id>")).collect()
}

#[test]
fn anothers_recipe_is_like_one_that_is_not_there() {
    each_engine(|store| async move {
        let (ada, bob) = (person(&*store, "ada").await, person(&*store, "bob").await);
        assert_ne!(ada.family(), bob.family());
        let made = store.create_recipe(&ada, full("Cake"), None).await.expect("made");
        let foreign = all_answers(&*store, &bob, made.id).await;
        assert_eq!(foreign, all_answers(&*store, &bob, RecipeId::new()).await);
        assert!(foreign.iter().all(|answer| answer == "Recipe not found: <id>"), "{foreign:?}");
        let nothing = all_answers(&*store, &auth::nobody(), made.id).await;
        assert!(!nothing.iter().any(|answer| answer == "done"), "{nothing:?}");
        assert_eq!(store.recipe(&ada, made.id).await.expect("untouched"), made);
    });
}

#[test]
fn titles_lists_search_tags_plans_and_shopping_do_not_cross() {
    each_engine(|store| async move {
        let (ada, bob) = (person(&*store, "ada").await, person(&*store, "bob").await);
        store.create_recipe(&ada, full("Cake"), None).await.expect("made");
        let name = || ListName::new(DEFAULT_LIST).expect("a name");
        let item =
            NewItem { name: Text::new("eggs").expect("a name"), quantity: None, unit: None, recipe_id: None };
        store.change_shopping_list(&ada, name(), ListChange::Add(vec![item])).await.expect("added");
        let today = Time::now().day();
        let text = Some(Text::new("leftovers").expect("a text"));
        let meal = NewMeal { day: today, slot: Slot::Lunch, recipe_id: None, text, servings: None };
        store.plan_meals(&ada, vec![meal]).await.expect("planned");
        let words = Text::new("cake").expect("words");
        let query = SearchQuery { words, limit: Whole::new(5).expect("a limit"), skip: 0 };
        let days = Days::new(today, today).expect("a day");
        for stranger in [&bob, &auth::nobody()] {
            assert_eq!(
                &*store.list_recipes(stranger, ListQuery::default()).await.expect("a list").json,
                "[]"
            );
            assert!(store.search_recipes(stranger, query.clone()).await.expect("hits").hits.is_empty());
            assert!(store.tags(stranger).await.expect("tags").is_empty());
            assert!(store.plan(stranger, days).await.expect("a plan").is_empty());
            assert!(store.shopping_list(stranger, name()).await.expect("a list").items.is_empty());
            assert!(store.shopping_lists(stranger).await.expect("lists").is_empty());
        }
        store.create_recipe(&bob, titled("Cake"), None).await.expect("the title is free in another family");
        assert_eq!(store.search_recipes(&god(&*store).await, query).await.expect("hits").hits.len(), 2);
    });
}

#[test]
fn a_viewer_reads_and_does_not_write() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        let made = store.create_recipe(&ada, full("Cake"), None).await.expect("made");
        let family = ada.family().expect("a family");
        let email = "eve@example.org".parse().expect("an address");
        store.set_member(&ada, family, &email, Role::Viewer).await.expect("a member");
        let eve = auth::local(&*store, Some(&email)).await.expect("a scope");
        assert_eq!(store.recipe(&eve, made.id).await.expect("readable"), made);
        let refused = [
            message(store.create_recipe(&eve, titled("Toast"), None).await),
            message(store.delete_recipe(&eve, made.id, None).await),
            message(store.mark_cooked(&eve, made.id, Time::now(), None).await),
            message(store.set_member(&eve, family, &email, Role::Owner).await),
        ];
        assert!(refused.iter().all(|answer| answer.starts_with("this takes the role")), "{refused:?}");
    });
}

#[test]
fn a_god_reaches_every_family() {
    each_engine(|store| async move {
        let (ada, bob) = (person(&*store, "ada").await, person(&*store, "bob").await);
        let god = god(&*store).await;
        for scope in [&ada, &bob] {
            let made = store.create_recipe(scope, titled("Cake"), None).await.expect("made");
            let changes =
                Changes { notes: Change::Set(Text::new("good").expect("a note")), ..Changes::default() };
            store.update_recipe(&god, made.id, changes).await.expect("changed");
            assert_eq!(store.recipe(scope, made.id).await.expect("there").version.0, 2);
        }
        let own = store.create_recipe(&god, titled("Toast"), None).await.expect("in the first family");
        assert!(store.recipe(&ada, own.id).await.is_ok());
    });
}
