//! Ways into the pages: the person at this machine, a link that works once, and the family's password.

use super::{Actor, Refused, Scope, ourselves};
use crate::auth::password::{self, Busy, Hash};
use crate::email::Email;
use crate::error::{Error, Thing};
use crate::family::{FamilyChanges, Role};
use crate::id::FamilyId;
use crate::secret::{NoRandom, Secret, SecretHash};
use crate::session::{Ending, Session};
use crate::store::Store;
use crate::time::Time;
use crate::zone::Zone;

/// For how many days a browser stays signed in.
pub(crate) const SESSION_DAYS: i64 = 90;
/// For how many days a sign-in link works.
const LINK_DAYS: i64 = 7;

/// What the person at this machine is offered instead of a password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Offer {
    /// Nobody has the cookbook yet: they can take it.
    Claim,
    /// They can go on as one of its owners. They may open the database just as well, so there is always a way back.
    Continue(Vec<Owner>),
}

/// An owner of a family.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) email: Email,
    pub(crate) family: FamilyId,
    pub(crate) family_name: String,
}

/// How many owners are offered; whoever has more families knows the command line.
const MOST_OWNERS: usize = 20;

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
    let families = store.families(&us).await?;
    let mut owners = Vec::new();
    let mut members = 0;
    for family in families.iter().take(MOST_OWNERS) {
        for member in store.members(&us, family.id).await? {
            members += 1;
            if member.role == Role::Owner {
                let family_name = family.name.to_string();
                owners.push(Owner { email: member.email, family: family.id, family_name });
            }
        }
    }
    owners.truncate(MOST_OWNERS);
    Ok(if members == 0 && families.len() <= 1 { Offer::Claim } else { Offer::Continue(owners) })
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

/// Notes where a family lives, for the person who takes it.
pub(crate) async fn set_zone(store: &dyn Store, family: FamilyId, zone: Zone) -> Result<(), Error> {
    let changes = FamilyChanges { time_zone: Some(zone), ..FamilyChanges::default() };
    store.update_family(&ourselves(), family, changes).await.map(drop)
}

/// Signs a browser in; the secret is for its cookie.
pub(crate) async fn open(store: &dyn Store, email: Email, family: FamilyId) -> Result<Secret, NoLink> {
    let token = Secret::new()?;
    let expires_at = Time::now().plus_days(SESSION_DAYS);
    let session = Session { token: token.hash(), email, family, expires_at };
    store.create_session(&ourselves(), session).await?;
    Ok(token)
}

/// Signs every browser of a member out, and takes back the links that would sign one in.
pub(crate) async fn close_all(store: &dyn Store, family: FamilyId, email: &Email) -> Result<(), Error> {
    store.end_sessions(&ourselves(), Ending::Member { family, email: email.clone(), but: None }).await
}

/// Takes somebody out of a family. Should they come back, nothing of before lets them in.
pub(crate) async fn remove_member(
    store: &dyn Store,
    scope: &Scope,
    family: FamilyId,
    email: &Email,
) -> Result<(), Error> {
    store.remove_member(scope, family, email).await?;
    close_all(store, family, email).await
}

/// Gives a family a password. Whoever is signed in with the old one, or with a link, signs in again; `this` browser stays.
pub(crate) async fn set_family_password(
    store: &dyn Store,
    scope: &Scope,
    family: FamilyId,
    hash: Hash,
    this: Option<&Secret>,
) -> Result<(), Error> {
    store.set_password(scope, family, Some(hash)).await?;
    let but = this.map(Secret::hash);
    store.end_sessions(&ourselves(), Ending::Family { family, but }).await
}

/// Gives the person of a scope a password of their own, or takes it away; their other browsers sign in again. It opens this
/// family alone: an owner of another one can sign in as anybody they call a member there.
pub(crate) async fn set_own_password(
    store: &dyn Store,
    scope: &Scope,
    hash: Option<Hash>,
    this: Option<&Secret>,
) -> Result<(), Error> {
    let (Actor::Person(email), Some(family)) = (scope.actor(), scope.family()) else {
        return Err(Error::Forbidden { needed: Role::Viewer });
    };
    store.set_own_password(&ourselves(), family, email, hash).await?;
    let but = this.map(Secret::hash);
    store.end_sessions(&ourselves(), Ending::Member { family, email: email.clone(), but }).await
}

/// Whether the person of a scope has a password of their own.
pub(crate) async fn has_own_password(store: &dyn Store, scope: &Scope) -> Result<bool, Error> {
    let (Actor::Person(email), Some(family)) = (scope.actor(), scope.family()) else { return Ok(false) };
    Ok(store.own_password(&ourselves(), family, email).await?.is_some())
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

/// Why somebody with a password is not signed in.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoSignIn {
    /// Address and password do not belong together.
    #[error("the address and the password do not belong together")]
    Wrong,
    /// It was not looked at.
    #[error(transparent)]
    Busy(#[from] Busy),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] Error),
}

impl From<NoLink> for NoSignIn {
    fn from(error: NoLink) -> NoSignIn {
        match error {
            NoLink::Store(error) => NoSignIn::Store(error),
            NoLink::Random(error) => NoSignIn::Store(Error::unavailable(error)),
        }
    }
}

/// In how many families a password is tried, those that were joined first.
const MOST_FAMILIES: usize = 5;

/// Signs in with an address and a password: in each family the person's own if they have one there, else that of the family.
/// A session for every family that it opens. Whoever is not known takes as long.
pub(crate) async fn by_password(
    store: &dyn Store,
    email: &Email,
    given: &str,
) -> Result<Vec<Secret>, NoSignIn> {
    let us = ourselves();
    let (mut tried, mut sessions) = (false, Vec::new());
    for (family, _) in store.memberships(&us, email).await?.into_iter().take(MOST_FAMILIES) {
        let own = store.own_password(&us, family.id, email).await?;
        let is_own = own.is_some();
        let kept = if is_own { own } else { store.password(&us, family.id).await? };
        let Some(kept) = kept else { continue };
        tried = true;
        let Some(renewed) = checked(given, kept).await? else { continue };
        if let Some(hash) = renewed {
            if is_own {
                store.set_own_password(&us, family.id, email, Some(hash)).await?;
            } else {
                store.set_password(&us, family.id, Some(hash)).await?;
            }
        }
        sessions.push(open(store, email.clone(), family.id).await?);
    }
    if !tried {
        password::fits(given.to_owned(), None).await?;
    }
    if sessions.is_empty() { Err(NoSignIn::Wrong) } else { Ok(sessions) }
}

/// Nothing if the password is wrong; else, if its hash is of an earlier time, one of today.
#[allow(clippy::option_option, reason = "that nothing has to be renewed is an answer")]
async fn checked(given: &str, kept: Hash) -> Result<Option<Option<Hash>>, Busy> {
    let is_outdated = kept.is_outdated();
    if !password::fits(given.to_owned(), Some(kept)).await? {
        return Ok(None);
    }
    Ok(Some(if is_outdated { password::hash(given).await.ok() } else { None }))
}

/// A session in another family of a person who is at this machine, and may open the database just as well. Anybody else
/// signs in there: one family's word for who somebody is does not count in another.
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

/// The families of a signed-in person.
pub(crate) async fn families(store: &dyn Store, scope: &Scope) -> Result<Vec<(FamilyId, String)>, Error> {
    let Actor::Person(email) = scope.actor() else { return Ok(Vec::new()) };
    let families = store.memberships(&ourselves(), email).await?;
    Ok(families.into_iter().map(|(family, _)| (family.id, family.name.into_string())).collect())
}
