//! Who is asking: the only place that makes a [`Scope`].

pub(crate) mod attempts;
pub(crate) mod password;
mod scope;
pub(crate) mod sign_in;

pub use password::Hash as PasswordHash;
pub use scope::{Actor, Reach, Scope};
pub use sign_in::{NoLink, link as sign_in_link};

use crate::email::Email;
use crate::error::Error;
use crate::family::{FamilyName, Role};
use crate::id::{FamilyId, RecipeId};
use crate::key::{KeyText, Opens};
use crate::secret::Secret;
use crate::store::Store;
use crate::time::{Day, Time};
use crate::zone;

/// Why somebody is not let in.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// No key, or one that does not work.
    #[error("the API key is missing, wrong, revoked or expired; make a new one and send it as `X-API-Key`")]
    Key,
    /// The key works, and not for this person.
    #[error("`{0}` is not a member of a family this key opens; ask an owner to add the address")]
    Person(Email),
    /// Nobody is signed in.
    #[error("nobody is signed in; sign in again")]
    Session,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] Error),
}

/// The scope in which we look up who somebody is.
fn ourselves() -> Scope {
    Scope::new(Reach::God { home: FamilyId::from_bytes([0; 16]) }, Actor::Local)
}

/// A scope that reaches nothing.
pub fn nobody() -> Scope {
    Scope::new(Reach::Nothing, Actor::Anonymous)
}

/// Whoever may open the database file themselves: without an address every family, with one the person's family. Somebody
/// who has none gets the first family as long as nobody else is in it, else one of their own.
pub async fn local(store: &dyn Store, person: Option<&Email>) -> Result<Scope, Error> {
    let us = ourselves();
    let Some(email) = person else {
        let home = store.default_family(&us).await?;
        return Ok(Scope::new(Reach::God { home: home.id }, Actor::Local));
    };
    let actor = Actor::Person(email.clone());
    if let Some((family, role)) = store.memberships(&us, email).await?.into_iter().next() {
        return Ok(Scope::new(Reach::Family(family.id, role), actor));
    }
    let first = store.default_family(&us).await?;
    let family = if store.members(&us, first.id).await?.is_empty() {
        first
    } else {
        let name = email.as_str().chars().take(100).collect::<String>();
        let name = FamilyName::new(name).map_err(|misfit| Error::invalid("USER_EMAIL", misfit))?;
        store.create_family(&us, &name).await?
    };
    store.set_member(&us, family.id, email, Role::Owner).await?;
    Ok(Scope::new(Reach::Family(family.id, Role::Owner), actor))
}

/// Whoever may open the database file themselves, to read every family: no family is looked up to put things into.
pub fn local_to_read() -> Scope {
    Scope::new(Reach::Everything, Actor::Local)
}

/// What somebody with a key came for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aim {
    /// To read: where new things would go is not looked up.
    Read,
    /// To read and to change.
    Change,
}

/// Somebody with an API key, and perhaps the address of the person it is used for, which only narrows.
pub async fn by_key(
    store: &dyn Store,
    key: &str,
    person: Option<&Email>,
    aim: Aim,
) -> Result<Scope, Refused> {
    let us = ourselves();
    let text = KeyText::parse(key).ok_or(Refused::Key)?;
    let Some((known, hash)) = store.key(&us, text.id).await? else { return Err(Refused::Key) };
    if !text.secret.hash().matches(&hash) || !known.is_valid_at(Time::now()) {
        return Err(Refused::Key);
    }
    store.key_used(&us, known.id).await?;
    match known.opens {
        Opens::God => god(store, person, Actor::Key(known.id), aim).await,
        Opens::Family { family_id, role } => match person {
            None => Ok(Scope::new(Reach::Family(family_id, role), Actor::Key(known.id))),
            Some(email) => {
                let families = store.memberships(&us, email).await?;
                let own = families.iter().find(|(family, _)| family.id == family_id);
                let (_, member) = own.ok_or_else(|| Refused::Person(email.clone()))?;
                let reach = Reach::Family(family_id, role.min(*member));
                Ok(Scope::new(reach, Actor::Person(email.clone())))
            }
        },
    }
}

/// Somebody whose key was checked to be the one of the configuration, which opens every family.
pub async fn by_configured_key(
    store: &dyn Store,
    key: &Secret,
    configured: &Secret,
    person: Option<&Email>,
    aim: Aim,
) -> Result<Scope, Refused> {
    if !key.hash().matches(&configured.hash()) {
        return Err(Refused::Key);
    }
    god(store, person, Actor::Local, aim).await
}

/// Every family, or, for a person, theirs.
async fn god(store: &dyn Store, person: Option<&Email>, actor: Actor, aim: Aim) -> Result<Scope, Refused> {
    let us = ourselves();
    let Some(email) = person else {
        if aim == Aim::Read {
            return Ok(Scope::new(Reach::Everything, actor));
        }
        let home = store.default_family(&us).await?;
        return Ok(Scope::new(Reach::God { home: home.id }, actor));
    };
    let families = store.memberships(&us, email).await?;
    let (family, role) = families.into_iter().next().ok_or_else(|| Refused::Person(email.clone()))?;
    Ok(Scope::new(Reach::Family(family.id, role), Actor::Person(email.clone())))
}

/// Somebody with the cookie of a session.
pub async fn by_session(store: &dyn Store, token: &Secret) -> Result<Scope, Refused> {
    let us = ourselves();
    let (session, role) = store.session(&us, &token.hash()).await?.ok_or(Refused::Session)?;
    if session.expires_at <= Time::now() {
        return Err(Refused::Session);
    }
    Ok(Scope::new(Reach::Family(session.family, role), Actor::Person(session.email)))
}

/// The day it is for the family of this scope.
pub async fn today(store: &dyn Store, scope: &Scope) -> Result<Day, Error> {
    Ok(zone::today(store.default_family(scope).await?.time_zone.as_ref()))
}

/// Somebody with a share link: one recipe, to read. A link that does not work reaches nothing.
pub async fn by_share(store: &dyn Store, token: &Secret) -> Result<Option<(Scope, RecipeId)>, Error> {
    let opened = store.opened_by(&ourselves(), &token.hash()).await?;
    Ok(opened.filter(|opened| Time::now() < opened.expires_at).map(|opened| {
        let reach = Reach::Recipe(opened.family, opened.recipe);
        (Scope::new(reach, Actor::Anonymous), opened.recipe)
    }))
}

/// The same scope, narrowed to one family, for those who reach several: what a god names as the family to work in.
pub async fn within(store: &dyn Store, scope: &Scope, family: FamilyId) -> Result<Scope, Error> {
    let known = store.families(scope).await?.into_iter().any(|known| known.id == family);
    if !known {
        return Err(Error::not_found(crate::error::Thing::Family, family));
    }
    match scope.reach() {
        Reach::God { .. } => Ok(Scope::new(Reach::Family(family, Role::Owner), scope.actor().clone())),
        Reach::Everything => Ok(Scope::new(Reach::Family(family, Role::Viewer), scope.actor().clone())),
        Reach::Family(..) | Reach::Recipe(..) | Reach::Nothing => Ok(scope.clone()),
    }
}
