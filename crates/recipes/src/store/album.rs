//! The photos of a recipe and what they show, on every engine.

use crate::error::{Error, Thing};
use crate::id::PhotoId;
use crate::photo::Place;
use crate::recipe::{Placed, Recipe, RecipePhoto};
use crate::step::Step;

/// The most photos a recipe may have.
pub(super) const MOST: usize = 100;

/// Adds a photo, and gives the one whose place it takes.
pub(super) fn add(recipe: &mut Recipe, id: PhotoId, place: Place) -> Result<Option<PhotoId>, Error> {
    let before = match place {
        Place::Cover => recipe.photo_id,
        Place::Last => None,
        Place::Step(step) => of_step(recipe, step),
    };
    if let Some(before) = before {
        recipe.photos.retain(|photo| photo.id != before);
    }
    if recipe.photos.len() >= MOST {
        let reason = format!("a recipe has at most {MOST} photos; remove some first");
        return Err(Error::invalid("photo", reason));
    }
    put(recipe, id, place)?;
    Ok(before)
}

/// Moves a photo. The one that has its place moves on.
pub(super) fn shift(recipe: &mut Recipe, id: PhotoId, place: Place) -> Result<(), Error> {
    take(recipe, id)?;
    if let Place::Step(step) = place
        && let Some(other) = of_step(recipe, step)
    {
        recipe.photos.retain(|photo| photo.id != other);
        put(recipe, other, Place::Last)?;
    }
    put(recipe, id, place)
}

/// Takes a photo away.
pub(super) fn take(recipe: &mut Recipe, id: PhotoId) -> Result<(), Error> {
    let before = recipe.photos.len();
    recipe.photos.retain(|photo| photo.id != id);
    if recipe.photos.len() == before {
        return Err(Error::not_found(Thing::Photo, recipe.id));
    }
    choose_cover(recipe);
    Ok(())
}

fn put(recipe: &mut Recipe, id: PhotoId, place: Place) -> Result<(), Error> {
    match place {
        Place::Cover => recipe.photos.insert(0, RecipePhoto { id, step: None }),
        Place::Last => recipe.photos.push(RecipePhoto { id, step: None }),
        Place::Step(step) => {
            let count = recipe.steps.len();
            if !recipe.steps.iter().any(|placed| placed.position == step) {
                return Err(Error::invalid("step", format!("the recipe has {count} steps")));
            }
            recipe.photos.push(RecipePhoto { id, step: Some(step) });
        }
    }
    choose_cover(recipe);
    Ok(())
}

/// The first photo of the dish is what cards show.
pub(super) fn cover(photos: &[RecipePhoto]) -> Option<PhotoId> {
    photos.iter().find(|photo| photo.step.is_none()).map(|photo| photo.id)
}

fn choose_cover(recipe: &mut Recipe) {
    recipe.photo_id = cover(&recipe.photos);
}

fn of_step(recipe: &Recipe, step: u32) -> Option<PhotoId> {
    recipe.photos.iter().find(|photo| photo.step == Some(step)).map(|photo| photo.id)
}

/// Lets photos follow their steps when these are written anew: to the step that says the same, or else to the new words at
/// the old place. What has no step any more shows the dish.
pub(super) fn follow(before: &[Placed<Step>], recipe: &mut Recipe) {
    let text = |steps: &[Placed<Step>], at: usize| steps.get(at).map(|step| step.what.instruction.clone());
    let mut taken = Vec::new();
    let mut photos = std::mem::take(&mut recipe.photos);
    for photo in &mut photos {
        let Some(was) = photo.step.and_then(|step| usize::try_from(step).ok()) else { continue };
        let said = text(before, was);
        let same = (0..recipe.steps.len()).find(|at| text(&recipe.steps, *at) == said && !taken.contains(at));
        let is_new = |at: &usize| {
            let says = text(&recipe.steps, *at);
            says.is_some() && !before.iter().any(|step| Some(&step.what.instruction) == says.as_ref())
        };
        let now = same.or(Some(was).filter(is_new).filter(|at| !taken.contains(at)));
        taken.extend(now);
        photo.step = now.and_then(|at| u32::try_from(at).ok());
    }
    recipe.photos = photos;
    choose_cover(recipe);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{add, follow, shift, take};
    use crate::id::PhotoId;
    use crate::photo::Place;
    use crate::recipe::Recipe;

    fn recipe(steps: &[&str]) -> Recipe {
        let steps: Vec<_> = (0..)
            .zip(steps)
            .map(|(position, text)| json!({ "position": position, "instruction": text }))
            .collect();
        let recipe = json!({
            "id": "018f3c1e-7a2b-7c3d-8e4f-5a6b7c8d9e0f", "title": "Cake", "version": 1, "ingredients": [], "steps": steps,
            "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z",
        });
        serde_json::from_value(recipe).expect("a recipe")
    }

    #[test]
    fn a_place_has_one_photo_and_the_dish_has_several() {
        let mut cake = recipe(&["Mix", "Bake"]);
        let [one, two, three, four] = [(); 4].map(|()| PhotoId::new());
        assert_eq!(add(&mut cake, one, Place::Last).expect("added"), None);
        assert_eq!(add(&mut cake, two, Place::Last).expect("added"), None);
        assert_eq!(add(&mut cake, three, Place::Step(1)).expect("added"), None);
        assert_eq!(cake.photo_id, Some(one));
        assert_eq!(add(&mut cake, four, Place::Step(1)).expect("added"), Some(three));
        assert!(add(&mut cake, three, Place::Step(2)).is_err());
        shift(&mut cake, two, Place::Cover).expect("moved");
        assert_eq!(cake.photo_id, Some(two));
        shift(&mut cake, one, Place::Step(1)).expect("moved");
        let order: Vec<_> = cake.photos.iter().map(|photo| (photo.id, photo.step)).collect();
        assert_eq!(order, [(two, None), (four, None), (one, Some(1))]);
        take(&mut cake, two).expect("taken");
        assert_eq!(cake.photo_id, Some(four));
        assert!(take(&mut cake, two).is_err());
    }

    #[test]
    fn photos_follow_their_steps() {
        for (after, expected) in [
            (["Mix", "Bake"].as_slice(), [Some(0), Some(1)]),
            (&["Heat the oven", "Mix", "Bake"], [Some(1), Some(2)]),
            (&["Mix well", "Bake"], [Some(0), Some(1)]),
            (&["Bake", "Mix"], [Some(1), Some(0)]),
            (&["Bake"], [None, Some(0)]),
            (&[], [None, None]),
        ] {
            let before = recipe(&["Mix", "Bake"]);
            let mut cake = recipe(after);
            cake.photos = before.photos.clone();
            let mut old = before.clone();
            add(&mut old, PhotoId::new(), Place::Step(0)).expect("added");
            add(&mut old, PhotoId::new(), Place::Step(1)).expect("added");
            cake.photos = old.photos;
            follow(&before.steps, &mut cake);
            let steps: Vec<_> = cake.photos.iter().map(|photo| photo.step).collect();
            assert_eq!(steps, expected, "{after:?}");
        }
    }
}
