//! Ways into the pages: the person at this machine, a link that works once, and the family's password.

use super::{Actor, Reach, Refused, Scope, ourselves};
use crate::auth::password;
use crate::email::Email;
use crate::error::{Error, Thing};
use crate::family::Role;
use crate::id::FamilyId;
use crate::secret::{NoRandom, Secret, SecretHash};
use crate::session::Session;
use crate::store::Store;
use crate::time::Time;

/// For how many days a browser stays signed in.
pub(crate) const SESSION_DAYS: i64 = 90;
/// For how many days a sign-in link works.
const LINK_DAYS: i64 = 7;

/// What the person at this machine is offered instead of a password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Offer {
    /// Nobody has the cookbook yet: they can take it.
    Claim,
    /// One person has it: they can go on.
    Continue(Email, FamilyId),
    /// Several people share it: they say who they are.
    Nothing,
}

/// Why no secret could be made or kept.
#[derive(Debug, thiserror::Error)]
pub enum NoLink {
    /// No random bytes.
    #[error(transparent)]
    Random(#[from] NoRandom),
    /// The store failed, or does not know the person.
    #[error(transparent)]
    Store(#[from] Error),
}

/// What to offer to somebody who may open the database file just as well.
pub(crate) async fn offer(store: &dyn Store) -> Result<Offer, Error> {
    let us = ourselves();
    let first = store.default_family(&us).await?;
    if store.families(&us).await?.len() > 1 {
        return Ok(Offer::Nothing);
    }
    Ok(match store.members(&us, first.id).await?.as_slice() {
        [] => Offer::Claim,
        [only] => Offer::Continue(only.email.clone(), first.id),
        _ => Offer::Nothing,
    })
}

/// Makes somebody the owner of the cookbook that nobody has yet.
pub(crate) async fn claim(store: &dyn Store, email: &Email) -> Result<FamilyId, Error> {
    let us = ourselves();
    if offer(store).await? != Offer::Claim {
        return Err(Error::Exists { what: Thing::Member, name: "an owner of this cookbook".to_owned() });
    }
    let family = store.default_family(&us).await?;
    store.set_member(&us, family.id, email, Role::Owner).await?;
    Ok(family.id)
}

/// Signs a browser in; the secret is for its cookie.
pub(crate) async fn open(store: &dyn Store, email: Email, family: FamilyId) -> Result<Secret, NoLink> {
    let token = Secret::new()?;
    let expires_at = Time::now().plus_days(SESSION_DAYS);
    let session = Session { token: token.hash(), email, family, expires_at };
    store.create_session(&ourselves(), session).await?;
    Ok(token)
}

/// Signs a browser out.
pub(crate) async fn close(store: &dyn Store, token: &Secret) -> Result<(), Error> {
    store.end_session(&ourselves(), &token.hash()).await
}

/// A secret that signs a member in once. Only who may open the database file, or an owner of the member's family,
/// gets to call this.
pub async fn link(store: &dyn Store, email: &Email) -> Result<Secret, NoLink> {
    let us = ourselves();
    let families = store.memberships(&us, email).await?;
    let family = match families.into_iter().next() {
        Some((family, _)) => family.id,
        None if offer(store).await? == Offer::Claim => claim(store, email).await?,
        None => return Err(Error::not_found(Thing::Member, email).into()),
    };
    link_into(store, email, family).await
}

/// A secret that signs a member of this family in once.
pub(crate) async fn link_into(store: &dyn Store, email: &Email, family: FamilyId) -> Result<Secret, NoLink> {
    let secret = Secret::new()?;
    let expires_at = Time::now().plus_days(LINK_DAYS);
    let session = Session { token: link_hash(&secret), email: email.clone(), family, expires_at };
    store.create_session(&ourselves(), session).await?;
    Ok(secret)
}

/// A link is kept as a session of its own kind: its hash is that of a longer text, so a cookie cannot hold it.
fn link_hash(secret: &Secret) -> SecretHash {
    Secret::given(&format!("sign-in link {}", secret.reveal())).hash()
}

/// Signs in with a link, which does not work again.
pub(crate) async fn follow(store: &dyn Store, secret: &Secret) -> Result<Secret, Refused> {
    let us = ourselves();
    let link = store.take_session(&us, &link_hash(secret)).await?.ok_or(Refused::Session)?;
    if link.expires_at <= Time::now() {
        return Err(Refused::Session);
    }
    open(store, link.email, link.family).await.map_err(|error| match error {
        NoLink::Store(error) => Refused::Store(error),
        NoLink::Random(error) => Refused::Store(Error::unavailable(error)),
    })
}

/// Signs in with an address and the password of a family it belongs to. Whoever is not known takes as long.
pub(crate) async fn by_password(store: &dyn Store, email: &Email, given: &str) -> Result<Secret, Refused> {
    let us = ourselves();
    let mut tried = false;
    for (family, _) in store.memberships(&us, email).await? {
        let Some(kept) = store.password(&us, family.id).await? else { continue };
        tried = true;
        if password::fits(given.to_owned(), kept).await {
            return open(store, email.clone(), family.id).await.map_err(|error| match error {
                NoLink::Store(error) => Refused::Store(error),
                NoLink::Random(error) => Refused::Store(Error::unavailable(error)),
            });
        }
    }
    if !tried {
        password::fits(given.to_owned(), password::Hash::of_nobody()).await;
    }
    Err(Refused::Session)
}

/// Every family a signed-in person belongs to, to change between them.
pub(crate) async fn switch(store: &dyn Store, scope: &Scope, family: FamilyId) -> Result<Secret, NoLink> {
    let Actor::Person(email) = scope.actor() else {
        return Err(Error::not_found(Thing::Family, family).into());
    };
    let families = store.memberships(&ourselves(), email).await?;
    if !families.iter().any(|(known, _)| known.id == family) {
        return Err(Error::not_found(Thing::Family, family).into());
    }
    open(store, email.clone(), family).await
}

/// The families of a signed-in person, with the one they look at first named by the scope.
pub(crate) async fn families(store: &dyn Store, scope: &Scope) -> Result<Vec<(FamilyId, String)>, Error> {
    let Actor::Person(email) = scope.actor() else { return Ok(Vec::new()) };
    debug_assert!(matches!(scope.reach(), Reach::Family(..)));
    let families = store.memberships(&ourselves(), email).await?;
    Ok(families.into_iter().map(|(family, _)| (family.id, family.name.into_string())).collect())
}
