//! The list of recipes: search, tags, favourites, orders, letters, fifty a page. The store is asked once.

use askama::Template;
use web::axum::extract::State;
use web::axum::http::StatusCode;
use web::axum::response::Response;

use crate::api::input::Pairs;
use crate::api::problem::Problem;
use crate::card::{self, CardQuery, Sort};
use crate::id::RecipeId;
use crate::listing::{Cursor, PageSize};
use crate::pages::amount::duration;
use crate::pages::failure::{Failure, encoded};
use crate::pages::frame::{self, Frame, Here};
use crate::pages::placeholder::Placeholder;
use crate::pages::recipe::Stars;
use crate::pages::visitor::SignedIn;
use crate::search::Words;
use crate::site::Book;
use crate::tag::{Tag, TagCount};
use crate::title::Key;

/// How many recipes a page has.
const PAGE: i64 = 50;
/// Tags that are shown; a family with more finds the rest by searching.
const MOST_TAGS: usize = 40;
/// Letters help from this many recipes on.
const LETTERS_FROM: u64 = 100;

#[derive(Template)]
#[template(path = "list.html")]
struct Page {
    frame: Frame,
    asked: Asked,
    tags: Vec<TagLink>,
    sorts: Vec<SortLink>,
    favourites: String,
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

struct SortLink {
    label: &'static str,
    link: String,
    is_chosen: bool,
}

struct Card {
    id: RecipeId,
    title: String,
    description: String,
    time: Option<String>,
    rating: Option<Stars>,
    photo: Option<String>,
    placeholder: Placeholder,
    is_favourite: bool,
}

impl Card {
    fn of(card: card::Card) -> Card {
        Card {
            id: card.id,
            placeholder: Placeholder::of(&card.title),
            title: card.title,
            description: card.description.unwrap_or_default(),
            time: (card.minutes > 0).then(|| duration(card.minutes)),
            rating: card.rating.map(Stars::of),
            photo: card.photo_id.map(|photo| photo.to_string()),
            is_favourite: card.is_favourite,
        }
    }
}

/// What the address of the page asks for, and how the addresses of others like it are written.
#[derive(Clone, Default)]
struct Asked {
    base: String,
    query: String,
    tags: Vec<String>,
    sort: Sort,
    favourites: bool,
}

impl Asked {
    fn of(book: &Book, pairs: &Pairs) -> Asked {
        let sort = Sort::ALL.into_iter().find(|sort| Some(sort.as_str()) == pairs.text("sort"));
        Asked {
            base: book.settings.base.clone(),
            query: pairs.text("q").unwrap_or_default().trim().chars().take(200).collect(),
            tags: pairs.all("tag").filter(|tag| !tag.trim().is_empty()).take(20).map(str::to_owned).collect(),
            sort: sort.unwrap_or_default(),
            favourites: pairs.has("favourites"),
        }
    }

    /// The address of this page, and `more`.
    fn link(&self, more: &str) -> String {
        let mut parts = Vec::new();
        if !self.query.is_empty() {
            parts.push(format!("q={}", encoded(&self.query)));
        }
        parts.extend(self.tags.iter().map(|tag| format!("tag={}", encoded(tag))));
        if self.sort != Sort::Title {
            parts.push(format!("sort={}", self.sort.as_str()));
        }
        if self.favourites {
            parts.push("favourites=1".to_owned());
        }
        if !more.is_empty() {
            parts.push(more.to_owned());
        }
        let query = parts.join("&");
        if query.is_empty() { format!("{}/", self.base) } else { format!("{}/?{query}", self.base) }
    }

    fn is_everything(&self) -> bool {
        self.query.is_empty() && self.tags.is_empty() && !self.favourites
    }

    fn card_query(&self, pairs: &Pairs) -> Result<CardQuery, Problem> {
        let words = (!self.query.is_empty()).then(|| Words::new(&self.query)).transpose();
        let tags = self.tags.iter().map(|tag| Tag::new(tag).map_err(|reason| Problem::field("tag", reason)));
        let skip = pairs.whole::<0, 10_000>("skip")?.map_or(0, |skip| u32::try_from(skip.get()).unwrap_or(0));
        let after = match (pairs.read::<Cursor>("after")?, pairs.text("letter")) {
            (Some(cursor), _) => Some(cursor),
            (None, letter) => letter.map(Cursor::before),
        };
        Ok(CardQuery {
            words: words.map_err(|reason| Problem::field("q", reason))?,
            tags: tags.collect::<Result<_, _>>()?,
            favourites: self.favourites,
            sort: self.sort,
            after,
            skip,
            limit: PageSize::new(PAGE).map_err(|reason| Problem::field("limit", reason))?,
        })
    }

    /// Where the page after this one is: by the place of the last title, or by how many there were.
    fn next(&self, query: &CardQuery, last: &Cursor) -> String {
        if query.words.is_none() && self.sort == Sort::Title {
            return self.link(&format!("after={}", last.to_text()));
        }
        self.link(&format!("skip={}", i64::from(query.skip) + PAGE))
    }
}

/// `GET /`
pub(super) async fn show(
    State(book): State<Book>,
    visitor: SignedIn,
    pairs: Pairs,
) -> Result<Response, Failure> {
    let asked = Asked::of(&book, &pairs);
    let query = asked.card_query(&pairs)?;
    let found = book.store.cards(&visitor.scope, query.clone()).await?;
    let is_first = query.after.is_none() && query.skip == 0;
    let language = visitor.language;
    let sorts = [
        (Sort::Title, "By title"),
        (Sort::Newest, "Newest first"),
        (Sort::Time, "Quickest first"),
        (Sort::Rating, "Best liked first"),
        (Sort::Cooked, "Last cooked first"),
    ];
    let sorts = sorts.map(|(sort, label)| SortLink {
        label: language.t(label),
        link: Asked { sort, ..asked.clone() }.link(""),
        is_chosen: sort == asked.sort,
    });
    let page = Page {
        frame: Frame::new(&book, &visitor, Here::Recipes, language.t("Recipes")),
        letters: if found.total > LETTERS_FROM && asked.sort == Sort::Title {
            letters(&asked)
        } else {
            Vec::new()
        },
        tags: tag_links(&asked, found.tags),
        sorts: sorts.into(),
        favourites: Asked { favourites: !asked.favourites, ..asked.clone() }.link(""),
        next: found.next.as_ref().map(|last| asked.next(&query, last)),
        is_empty_book: found.total == 0 && asked.is_everything(),
        cards: found.cards.into_iter().map(Card::of).collect(),
        is_first,
        undelete: pairs.read("deleted")?,
        asked,
    };
    Ok(frame::page(StatusCode::OK, &page))
}

fn letters(asked: &Asked) -> Vec<(char, String)> {
    ('A'..='Z').map(|letter| (letter, asked.link(&format!("letter={letter}")))).collect()
}

/// Those that are chosen first; each link adds its tag, or takes it away.
fn tag_links(asked: &Asked, tags: Vec<TagCount>) -> Vec<TagLink> {
    let chosen: Vec<Key> = asked.tags.iter().map(|tag| Key::of(tag)).collect();
    let link = |TagCount { tag, recipes }: TagCount| {
        let key = Key::of(&tag);
        let is_chosen = chosen.contains(&key);
        let mut other = asked.clone();
        if is_chosen {
            other.tags.retain(|chosen| Key::of(chosen) != key);
        } else {
            other.tags.push(tag.clone());
        }
        TagLink { link: other.link(""), tag, recipes, is_chosen }
    };
    let mut links: Vec<TagLink> = tags.into_iter().map(link).collect();
    links.sort_by_key(|link| !link.is_chosen);
    links.truncate(MOST_TAGS);
    links
}
