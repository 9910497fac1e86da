//! Plans, shopping lists and photos.

use recipes::number::{Amount, Servings};
use recipes::photo::{Form, Format, Photo, Picture, Place, Which};
use recipes::plan::{Days, NewMeal, Shopped, Slot, ToShop};
use recipes::shopping::{ListChange, ListName, NewItem};
use recipes::text::Text;
use recipes::time::Day;
use serde_json::json;

use crate::engines::{draft, each_engine, full, person, titled};
use crate::isolation::PNG;

#[test]
fn meals_are_planned_in_order_all_or_none() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        let cake = store.create_recipe(&ada, titled("Cake"), None).await.expect("made");
        let day: Day = "2026-11-15".parse().expect("a day");
        let meal = |slot, recipe_id, text: Option<&str>| NewMeal {
            day,
            slot,
            recipe_id,
            text: text.map(|text| Text::new(text).expect("a text")),
            servings: None,
        };
        let meals = vec![meal(Slot::Snack, Some(cake.id), None), meal(Slot::Lunch, None, Some("leftovers"))];
        store.plan_meals(&ada, meals).await.expect("planned");
        let bad = vec![meal(Slot::Lunch, None, Some("more")), meal(Slot::Dinner, None, None)];
        assert!(store.plan_meals(&ada, bad).await.is_err());
        let days = Days::new(day, day).expect("a day");
        let plan = store.plan(&ada, days).await.expect("a plan");
        let words: Vec<_> = plan.iter().map(|meal| meal.title.as_deref().or(meal.text.as_deref())).collect();
        assert_eq!(words, [Some("leftovers"), Some("Cake")]);
        let ids = plan.iter().map(|meal| meal.id).collect();
        store.unplan_meals(&ada, ids).await.expect("taken off");
        assert!(store.plan(&ada, days).await.expect("a plan").is_empty());
    });
}

#[test]
fn a_shopping_list_adds_up_is_checked_off_and_cleared() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        let name = || ListName::new("Market").expect("a name");
        let eggs = || NewItem {
            name: Text::new("eggs").expect("a name"),
            quantity: None,
            unit: None,
            recipe_id: None,
        };
        let add = || ListChange::Add(vec![eggs(), eggs()]);
        let list = store.change_shopping_list(&ada, name(), add()).await.expect("added");
        assert_eq!(list.items.len(), 1);
        assert_eq!(store.shopping_lists(&ada).await.expect("lists"), ["Market"]);
        let check = ListChange::Check { items: vec![list.items[0].id], checked: true };
        store.change_shopping_list(&ada, name(), check).await.expect("checked");
        assert!(store.shopping_list(&ada, name()).await.expect("a list").items[0].checked);
        store.change_shopping_list(&ada, name(), ListChange::ClearChecked).await.expect("cleared");
        assert!(store.shopping_lists(&ada).await.expect("lists").is_empty());
        assert!(store.remove_shopping_list(&ada, name()).await.is_err());
    });
}

#[test]
fn a_photo_is_kept_replaced_and_removed() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        let cake = store.create_recipe(&ada, titled("Cake"), None).await.expect("made");
        let picture = Picture::new(PNG.into()).expect("a picture");
        assert!(store.photo(&ada, cake.id, Which::Cover).await.is_err());
        let first = store.add_photo(&ada, cake.id, picture.clone(), Place::Cover).await.expect("kept");
        let second = store.add_photo(&ada, cake.id, picture.clone(), Place::Cover).await.expect("replaced");
        assert_ne!(first.photo_id, second.photo_id);
        let photo = store.photo(&ada, cake.id, Which::Cover).await.expect("there");
        assert_eq!((Some(photo.id), photo.picture), (second.photo_id, picture));
        assert_eq!(store.remove_photo(&ada, cake.id, Which::Cover).await.expect("removed").photo_id, None);
        assert!(store.photo(&ada, cake.id, Which::Cover).await.is_err());
    });
}

/// A picture of another size for each number, so that each has bytes of its own.
fn shot(number: u32) -> Picture {
    let pixels = picture::Picture::new(picture::Layout::Rgb, number, 1, vec![9; number as usize * 3]);
    let file = picture::encode_jpeg(&pixels.expect("pixels"), 90).expect("a JPEG");
    Picture::new(file.bytes.into()).expect("a picture")
}

#[test]
fn a_recipe_has_several_photos_and_each_step_has_one() {
    each_engine(|store| async move {
        let (ada, bob) = (person(&*store, "ada").await, person(&*store, "bob").await);
        let cake = store.create_recipe(&ada, full("Cake"), None).await.expect("made");
        let add = async |number, place| store.add_photo(&ada, cake.id, shot(number), place).await;
        let bytes = async |which| store.photo(&ada, cake.id, which).await.expect("a photo").picture;
        add(1, Place::Last).await.expect("added");
        add(2, Place::Last).await.expect("added");
        let with_step = add(3, Place::Step(0)).await.expect("added");
        let [first, second, step] = with_step.photos[..] else { panic!("{:?}", with_step.photos) };
        assert_eq!((with_step.photo_id, first.step, step.step), (Some(first.id), None, Some(0)));
        assert_eq!(bytes(Which::Cover).await, shot(1));
        assert_eq!(bytes(Which::One(step.id)).await, shot(3));
        assert!(add(4, Place::Step(299)).await.is_err(), "there is no such step");
        let replaced = add(4, Place::Step(0)).await.expect("replaced");
        assert_eq!(replaced.photos.len(), 3);
        assert!(store.photo(&ada, cake.id, Which::One(step.id)).await.is_err());
        let moved = store.move_photo(&ada, cake.id, second.id, Place::Cover).await.expect("moved");
        assert_eq!((moved.photo_id, moved.version.0), (Some(second.id), replaced.version.0 + 1));
        assert_eq!(store.recipe(&ada, cake.id).await.expect("read"), moved);
        let steps = serde_json::from_value(json!({ "steps": [{ "instruction": "Heat the oven." }] }));
        let rewritten = store.update_recipe(&ada, cake.id, steps.expect("changes")).await.expect("changed");
        assert_eq!(
            rewritten.photos.last().map(|photo| photo.step),
            Some(Some(0)),
            "new words at the old place"
        );
        let gone = store.remove_photo(&ada, cake.id, Which::One(first.id)).await.expect("removed");
        assert_eq!(gone.photos.len(), 2);
        assert!(store.remove_photo(&ada, cake.id, Which::One(first.id)).await.is_err());
        // The id of a photo opens nothing by itself.
        let other = store.create_recipe(&bob, titled("Toast"), None).await.expect("made");
        assert!(store.photo(&bob, other.id, Which::One(second.id)).await.is_err());
        assert!(store.move_photo(&bob, other.id, second.id, Place::Cover).await.is_err());
        for number in 2..100 {
            add(number, Place::Last).await.expect("there is room");
        }
        assert!(add(100, Place::Last).await.is_err(), "there are 100");
    });
}

#[test]
fn shopping_for_the_week_is_done_once_for_each_meal() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        let eggs = draft(
            json!({ "title": "Omelette", "servings": 2, "ingredients": [{ "name": "eggs", "quantity": 4 }] }),
        );
        let omelette = store.create_recipe(&ada, eggs, None).await.expect("made").id;
        let gone = store.create_recipe(&ada, full("Cake"), None).await.expect("made").id;
        let day: Day = "2026-11-16".parse().expect("a day");
        let meal = |recipe, servings| NewMeal {
            day,
            slot: Slot::Dinner,
            recipe_id: Some(recipe),
            text: None,
            servings: Servings::new(servings).ok(),
        };
        store.plan_meals(&ada, vec![meal(omelette, 2), meal(gone, 8)]).await.expect("planned");
        store.delete_recipe(&ada, gone, None).await.expect("deleted");
        let days = Days::new(day, day.plus(6)).expect("a week");
        let list = || ListName::new("Shopping").expect("a name");
        let shop = async |which| store.shop_for_meals(&ada, days, list(), which).await.expect("shopped");
        let eggs = async || {
            let items = store.shopping_list(&ada, list()).await.expect("a list").items;
            items.iter().map(|item| (item.name.clone(), item.quantity.map(Amount::get))).collect::<Vec<_>>()
        };
        assert_eq!(shop(ToShop::New).await, Shopped { added: 1, before: 0, without_recipe: 1 });
        assert_eq!(eggs().await, [("eggs".to_owned(), Some(4.0))]);
        assert_eq!(shop(ToShop::New).await, Shopped { added: 0, before: 1, without_recipe: 1 });
        assert_eq!(eggs().await, [("eggs".to_owned(), Some(4.0))]);
        store.plan_meals(&ada, vec![meal(omelette, 1)]).await.expect("planned");
        shop(ToShop::New).await;
        assert_eq!(eggs().await, [("eggs".to_owned(), Some(6.0))]);
        shop(ToShop::All).await;
        assert_eq!(eggs().await, [("eggs".to_owned(), Some(12.0))]);
        let eve = recipes::auth::nobody();
        assert!(store.shop_for_meals(&eve, days, list(), ToShop::New).await.is_err());
    });
}

#[test]
fn the_small_form_of_a_photo_goes_with_the_photo() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        let cake = store.create_recipe(&ada, titled("Cake"), None).await.expect("made").id;
        let picture = Picture::new(PNG.into()).expect("a picture");
        let first = store
            .add_photo(&ada, cake, picture.clone(), Place::Cover)
            .await
            .expect("kept")
            .photo_id
            .expect("a photo");
        assert_eq!(store.small_photo(&ada, cake, Which::Cover).await.expect("looked"), None);
        let small = Photo { id: first, picture: picture.clone() };
        store.keep_form(&ada, cake, small.clone(), Form::Small).await.expect("kept");
        assert_eq!(store.small_photo(&ada, cake, Which::Cover).await.expect("looked"), Some(small.clone()));
        store.add_photo(&ada, cake, picture, Place::Cover).await.expect("replaced");
        assert_eq!(store.small_photo(&ada, cake, Which::Cover).await.expect("looked"), None);
        store.keep_form(&ada, cake, small.clone(), Form::Small).await.expect("too late");
        assert_eq!(store.small_photo(&ada, cake, Which::Cover).await.expect("looked"), None);
        let second = store.photo(&ada, cake, Which::Cover).await.expect("a photo").id;
        let small = Photo { id: second, ..small };
        store.keep_form(&ada, cake, small, Form::Small).await.expect("kept");
        let bytes = b"\x89PNG\r\n\x1a\n of another time".as_slice();
        let other = Photo { id: second, picture: Picture { format: Format::Png, bytes: bytes.into() } };
        let version = store.recipe(&ada, cake).await.expect("a recipe").version;
        store.keep_form(&ada, cake, other.clone(), Form::Whole).await.expect("kept");
        assert_eq!(store.photo(&ada, cake, Which::Cover).await.expect("a photo"), other);
        assert_eq!(store.small_photo(&ada, cake, Which::Cover).await.expect("looked"), None);
        assert_eq!(store.recipe(&ada, cake).await.expect("a recipe").version, version);
    });
}
