//! The list of recipes: search, tags, letters, fifty a page.

use askama::Template;
use serde::Deserialize;
use web::axum::extract::State;
use web::axum::http::StatusCode;
use web::axum::response::Response;

use crate::api::input::Pairs;
use crate::api::problem::Problem;
use crate::error::Error;
use crate::id::RecipeId;
use crate::listing::{Cursor, ListQuery, PageSize};
use crate::number::Whole;
use crate::pages::amount::duration;
use crate::pages::failure::{Failure, encoded};
use crate::pages::frame::{self, Frame, Here};
use crate::pages::placeholder::Placeholder;
use crate::pages::recipe::Stars;
use crate::pages::visitor::SignedIn;
use crate::recipe::Recipe;
use crate::search::{HitLimit, SearchQuery, Words};
use crate::site::Book;
use crate::tag::TagCount;
use crate::text::Text;

/// How many recipes a page has.
const PAGE: i64 = 50;
/// Tags that are shown; a family with more finds the rest by searching.
const MOST_TAGS: usize = 40;

#[derive(Template)]
#[template(path = "list.html")]
struct Page {
    frame: Frame,
    query: String,
    tag: Option<String>,
    tags: Vec<TagLink>,
    letters: Vec<(char, String)>,
    cards: Vec<Card>,
    next: Option<String>,
    is_first: bool,
    is_empty_book: bool,
    undelete: Option<RecipeId>,
}

struct TagLink {
    tag: String,
    recipes: u64,
    link: String,
    is_chosen: bool,
}

pub(crate) struct Card {
    pub(crate) id: RecipeId,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) time: Option<String>,
    pub(crate) rating: Option<Stars>,
    pub(crate) photo: Option<String>,
    pub(crate) placeholder: Placeholder,
}

impl Card {
    fn of(recipe: Recipe) -> Card {
        let minutes =
            [recipe.prep_time_minutes, recipe.cook_time_minutes].into_iter().flatten().map(Whole::get).sum();
        Card {
            id: recipe.id,
            placeholder: Placeholder::of(recipe.title.as_str()),
            title: recipe.title.into_string(),
            description: recipe.description.map(Text::into_string).unwrap_or_default(),
            time: (minutes > 0).then(|| duration(minutes)),
            rating: recipe.rating.map(Stars::of),
            photo: recipe.photo_id.map(|photo| photo.to_string()),
        }
    }
}

/// All that is needed of a list's entries.
#[derive(Deserialize)]
struct Entry {
    id: RecipeId,
}

/// `GET /`
pub(super) async fn show(
    State(book): State<Book>,
    visitor: SignedIn,
    pairs: Pairs,
) -> Result<Response, Failure> {
    let query = pairs.text("q").unwrap_or_default().trim().to_owned();
    let tag = pairs.text("tag").map(str::to_owned);
    let is_first = !pairs.has("after") && !pairs.has("letter");
    let (ids, next) = if query.is_empty() {
        listed(&book, &visitor, &pairs).await?
    } else {
        found(&book, &visitor, &query, &pairs).await?
    };
    let is_empty_book = ids.is_empty() && query.is_empty() && tag.is_none() && is_first;
    let cards = cards(&book, &visitor, ids).await?;
    let tags = book.store.tags(&visitor.scope).await?;
    let page = Page {
        frame: Frame::new(&book, &visitor, Here::Recipes, "Recipes"),
        letters: letters(&book),
        tags: tag_links(&book, tags, tag.as_deref()),
        query,
        tag,
        cards,
        next,
        is_first,
        is_empty_book,
        undelete: pairs.read("deleted")?,
    };
    Ok(frame::page(StatusCode::OK, &page))
}

async fn listed(
    book: &Book,
    visitor: &SignedIn,
    pairs: &Pairs,
) -> Result<(Vec<RecipeId>, Option<String>), Failure> {
    let tag = pairs
        .text("tag")
        .map(|tag| Text::new(tag).map_err(|reason| Problem::field("tag", reason)))
        .transpose()?;
    let after = match (pairs.read::<Cursor>("after")?, pairs.text("letter")) {
        (Some(cursor), _) => Some(cursor),
        (None, letter) => letter.map(Cursor::before),
    };
    let limit = PageSize::new(PAGE).map_err(|reason| Problem::field("limit", reason))?;
    let query = ListQuery { tags: tag.into_iter().collect(), limit: Some(limit), after };
    let listing = book.store.list_recipes(&visitor.scope, query).await?;
    let entries: Vec<Entry> = serde_json::from_str(&listing.json).map_err(Error::unavailable)?;
    let tag = pairs.text("tag").map(|tag| format!("&tag={}", encoded(tag))).unwrap_or_default();
    let next = listing.next.map(|next| format!("{}/?after={}{tag}", book.settings.base, next.to_text()));
    Ok((entries.into_iter().map(|entry| entry.id).collect(), next))
}

async fn found(
    book: &Book,
    visitor: &SignedIn,
    query: &str,
    pairs: &Pairs,
) -> Result<(Vec<RecipeId>, Option<String>), Failure> {
    let words: String = query.chars().take(200).collect();
    let words = Words::new(words).map_err(|reason| Problem::field("q", reason))?;
    let limit = HitLimit::new(PAGE).map_err(|reason| Problem::field("limit", reason))?;
    let skip = pairs.whole::<0, 10_000>("skip")?.map_or(0, |skip| u32::try_from(skip.get()).unwrap_or(0));
    let found = book.store.search_recipes(&visitor.scope, SearchQuery { words, limit, skip }).await?;
    let more = skip + u32::try_from(found.hits.len()).unwrap_or(0);
    let next = found.more.then(|| format!("{}/?q={}&skip={more}", book.settings.base, encoded(query)));
    Ok((found.hits.into_iter().map(|hit| hit.id).collect(), next))
}

/// The recipes themselves. One that was deleted in between is left out.
async fn cards(book: &Book, visitor: &SignedIn, ids: Vec<RecipeId>) -> Result<Vec<Card>, Failure> {
    let mut cards = Vec::with_capacity(ids.len());
    for id in ids {
        match book.store.recipe(&visitor.scope, id).await {
            Ok(recipe) => cards.push(Card::of(recipe)),
            Err(Error::NotFound { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(cards)
}

fn letters(book: &Book) -> Vec<(char, String)> {
    ('A'..='Z').map(|letter| (letter, format!("{}/?letter={letter}", book.settings.base))).collect()
}

fn tag_links(book: &Book, tags: Vec<TagCount>, chosen: Option<&str>) -> Vec<TagLink> {
    let base = &book.settings.base;
    let link = |TagCount { tag, recipes }: TagCount| {
        let is_chosen = chosen.is_some_and(|chosen| chosen.eq_ignore_ascii_case(&tag));
        let link = if is_chosen { format!("{base}/") } else { format!("{base}/?tag={}", encoded(&tag)) };
        TagLink { tag, recipes, link, is_chosen }
    };
    tags.into_iter().take(MOST_TAGS).map(link).collect()
}
