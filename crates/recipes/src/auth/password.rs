//! Passwords for signing in to the pages: Argon2id as PHC strings, and never kept as they are.

use std::fmt;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{Algorithm, Argon2, Block, Params, Version};
use tokio::sync::Semaphore;

use crate::secret::NoRandom;
use crate::text::{Misfit, Text};

/// A password, as somebody chose it. White space around it does not count, here or when it is typed again.
pub(crate) type Password = Text<10, 200>;

/// 19 MiB and two passes: what OWASP recommends for Argon2id. A hash carries the parameters it was made with, so these can
/// be raised: who signs in with an older hash gets a new one.
const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;

/// Hashing takes memory by design, so few are hashed at once, and nobody waits in a line without end.
const AT_ONCE: usize = 2;
const MOST_WAITING: usize = 32;

static HASHING: Turns = Turns::new();

/// Who may hash now, and who may wait for it.
struct Turns {
    now: Semaphore,
    line: Semaphore,
}

impl Turns {
    const fn new() -> Turns {
        Turns { now: Semaphore::const_new(AT_ONCE), line: Semaphore::const_new(AT_ONCE + MOST_WAITING) }
    }

    /// Runs work that takes 19 MiB, when it is its turn.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<Option<T>, Busy> {
        let _in_line = self.line.try_acquire().map_err(|_| Busy)?;
        let _turn = self.now.acquire().await.map_err(|_| Busy)?;
        Ok(tokio::task::spawn_blocking(work).await.ok())
    }
}

/// What is kept of a password.
#[derive(Clone, PartialEq, Eq)]
pub struct Hash(PasswordHash);

/// Text that is no hash of ours.
#[derive(Debug, thiserror::Error)]
#[error("not a password hash of this version")]
pub struct NoHash;

/// Too many passwords wait to be hashed.
#[derive(Debug, thiserror::Error)]
#[error("too many people are signing in at this moment; try again in a minute")]
pub(crate) struct Busy;

/// Why a password cannot be kept.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoPassword {
    #[error(transparent)]
    Length(#[from] Misfit),
    #[error(transparent)]
    Random(#[from] NoRandom),
    #[error(transparent)]
    Busy(#[from] Busy),
    #[error("the password could not be hashed: {0}; try again")]
    Hashing(String),
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hash(…)")
    }
}

/// As stores keep it: a PHC string.
impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Hash {
    type Err = NoHash;

    fn from_str(text: &str) -> Result<Hash, NoHash> {
        if text.starts_with('$') {
            return PasswordHash::new(text).map(Hash).map_err(|_| NoHash);
        }
        before_phc(text).ok_or(NoHash)
    }
}

/// The first versions wrote `argon2id$19456$2$<salt>$<digest>`, with hexadecimal digits.
fn before_phc(text: &str) -> Option<Hash> {
    let mut parts = text.strip_prefix("argon2id$")?.split('$');
    let (memory, passes) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let (salt, digest) = (hex::decode(parts.next()?).ok()?, hex::decode(parts.next()?).ok()?);
    Hash::made(&Params::new(memory, passes, 1, None).ok()?, &salt, &digest)
}

fn argon2() -> Result<Argon2<'static>, argon2::Error> {
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, Params::new(MEMORY_KIB, PASSES, 1, None)?))
}

impl Hash {
    /// Whether it was made with other parameters than those of today.
    pub(crate) fn is_outdated(&self) -> bool {
        let today = Params::new(MEMORY_KIB, PASSES, 1, None)
            .and_then(|params| ParamsString::try_from(&params).map_err(|_| argon2::Error::OutOfMemory));
        today.is_ok_and(|today| self.0.params != today)
    }

    fn made(params: &Params, salt: &[u8], digest: &[u8]) -> Option<Hash> {
        Some(Hash(PasswordHash {
            algorithm: Algorithm::Argon2id.ident(),
            version: Some(Version::V0x13.into()),
            params: ParamsString::try_from(params).ok()?,
            salt: Some(Salt::new(salt).ok()?),
            hash: Some(Output::new(digest).ok()?),
        }))
    }

    fn of(password: &str, salt: [u8; 16]) -> Result<Hash, String> {
        let argon2 = argon2().map_err(|error| error.to_string())?;
        let digest = digest(&argon2, password, &salt).map_err(|error| error.to_string())?;
        Hash::made(argon2.params(), &salt, &digest).ok_or_else(|| "the hash cannot be written".to_owned())
    }

    /// Whether this is the password, with the parameters it was hashed with.
    fn fits(&self, password: &str) -> Option<bool> {
        let PasswordHash { algorithm, version, params: _, salt, hash } = &self.0;
        let algorithm = Algorithm::new(algorithm).ok()?;
        let version = Version::try_from((*version)?).ok()?;
        let argon2 = Argon2::new(algorithm, version, Params::try_from(&self.0).ok()?);
        let digest = digest(&argon2, password, salt.as_ref()?).ok()?;
        // Takes as long wherever they differ.
        Some(Output::new(&digest).ok()? == *hash.as_ref()?)
    }
}

/// The memory that was hashed in. It is used again: what is given back in pieces of this size stays with the process, and the
/// next one would be taken beside it.
static MEMORY: Mutex<Vec<Vec<Block>>> = Mutex::new(Vec::new());

/// What Argon2 makes of a password.
fn digest(argon2: &Argon2<'_>, password: &str, salt: &[u8]) -> Result<Vec<u8>, argon2::Error> {
    let taken = MEMORY.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let mut memory = taken.unwrap_or_default();
    memory.resize(argon2.params().block_count(), Block::new());
    let mut digest = vec![0; argon2.params().output_len().unwrap_or(Params::DEFAULT_OUTPUT_LEN)];
    let done = argon2.hash_password_into_with_memory(password.as_bytes(), salt, &mut digest, &mut memory[..]);
    MEMORY.lock().unwrap_or_else(PoisonError::into_inner).push(memory);
    done.map(|()| digest)
}

/// What to keep of a password.
pub(crate) async fn hash(password: &str) -> Result<Hash, NoPassword> {
    let password = Password::new(password)?;
    let mut salt = [0; 16];
    getrandom::fill(&mut salt).map_err(|_| NoRandom)?;
    match HASHING.run(move || Hash::of(password.as_str(), salt)).await? {
        Some(hash) => hash.map_err(NoPassword::Hashing),
        None => Err(NoPassword::Hashing("the thread ended".to_owned())),
    }
}

/// Whether this is the password. Without a hash to compare with it takes as long, and never is.
pub(crate) async fn fits(given: String, kept: Option<Hash>) -> Result<bool, Busy> {
    let compared = HASHING.run(move || {
        let Some(kept) = kept else {
            drop(Hash::of(given.trim(), [0; 16]));
            return false;
        };
        kept.fits(given.trim()).unwrap_or(false)
    });
    Ok(compared.await?.unwrap_or(false))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex};

    use super::{AT_ONCE, Hash, MOST_WAITING, NoPassword, Turns, fits, hash};

    async fn fit(given: &str, kept: Option<&Hash>) -> bool {
        fits(given.to_owned(), kept.cloned()).await.expect("not busy")
    }

    #[tokio::test]
    async fn a_password_fits_its_hash_and_no_other_does() {
        let kept = hash("correct horse battery").await.expect("a hash");
        assert!(kept.to_string().starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{kept}");
        let kept: Hash = kept.to_string().parse().expect("as it was kept");
        assert!(fit("correct horse battery ", Some(&kept)).await && !kept.is_outdated());
        assert!(!fit("correct horse batterx", Some(&kept)).await);
        assert!(!fit("", None).await);
        assert!(!format!("{kept:?}").contains('$'));
        assert!(matches!(hash("short").await, Err(NoPassword::Length(_))));
    }

    #[tokio::test]
    async fn hashes_of_earlier_versions_and_other_parameters_still_fit() {
        let now = Hash::of("correct horse battery", [7; 16]).expect("a hash");
        let digest = now.0.hash.as_ref().map(|hash| hex::encode(hash.as_bytes())).expect("a digest");
        let early: Hash =
            format!("argon2id$19456$2${}${digest}", hex::encode([7; 16])).parse().expect("read");
        assert!(fit("correct horse battery", Some(&early)).await && !early.is_outdated());
        // What a cheaper version of this program would have kept.
        let cheap = argon2::Argon2::new(
            argon2::Algorithm::Argon2id,
            argon2::Version::V0x13,
            argon2::Params::new(1_024, 1, 1, None).expect("parameters"),
        );
        let cheap = argon2::password_hash::PasswordHasher::hash_password_with_salt(
            &cheap,
            b"correct horse battery",
            &[7; 16],
        );
        let cheap: Hash = cheap.expect("a hash").to_string().parse().expect("read");
        assert!(cheap.is_outdated() && fit("correct horse battery", Some(&cheap)).await);
        assert!("argon2id$x$y".parse::<Hash>().is_err() && "$argon2id$".parse::<Hash>().is_err());
    }

    #[tokio::test]
    async fn few_are_hashed_at_once_and_the_line_has_an_end() {
        let turns = Arc::new(Turns::new());
        let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (open, gate) = std::sync::mpsc::channel::<()>();
        let gate = Arc::new(Mutex::new(gate));
        let tries: Vec<_> = (0..100)
            .map(|_| {
                let (turns, running, most) = (Arc::clone(&turns), Arc::clone(&running), Arc::clone(&most));
                let gate = Arc::clone(&gate);
                let work = move || {
                    most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    // Nobody ends before the line is full.
                    let _ = gate.lock().expect("the gate").recv();
                    running.fetch_sub(1, Ordering::SeqCst);
                };
                tokio::spawn(async move { turns.run(work).await.is_ok() })
            })
            .collect();
        while turns.line.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        drop(open);
        let mut done = 0;
        for one in tries {
            done += usize::from(one.await.expect("no panic"));
        }
        assert!((AT_ONCE + MOST_WAITING..100).contains(&done), "{done}");
        assert!(most.load(Ordering::SeqCst) <= AT_ONCE);
    }
}
