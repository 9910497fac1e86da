//! The password of a family, for signing in to the pages: Argon2id, and never kept as it is.

use std::fmt;
use std::str::FromStr;

use argon2::{Algorithm, Argon2, Params, Version};

use crate::secret::{NoRandom, hex};
use crate::text::{Misfit, Text};

/// A password, as somebody chose it. It is not trimmed by whoever types it: spaces around it do not count anywhere.
pub(crate) type Password = Text<10, 200>;

/// 19 MiB and two passes: what OWASP recommends for Argon2id.
const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;

/// What is kept of a password.
#[derive(Clone, PartialEq, Eq)]
pub struct Hash {
    salt: [u8; 16],
    digest: [u8; 32],
}

/// Text that is no hash of ours.
#[derive(Debug, thiserror::Error)]
#[error("not a password hash of this version")]
pub struct NoHash;

/// Why a password cannot be kept.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoPassword {
    #[error(transparent)]
    Length(#[from] Misfit),
    #[error(transparent)]
    Random(#[from] NoRandom),
    #[error("the password could not be hashed: {0}; try again")]
    Hashing(String),
}

impl Hash {
    /// One that no password fits, to spend the same time on somebody who has none.
    pub(crate) fn of_nobody() -> Hash {
        Hash { salt: [0; 16], digest: [0; 32] }
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hash(…)")
    }
}

/// As stores keep it, with the parameters, so that they can change one day.
impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "argon2id${MEMORY_KIB}${PASSES}${}${}", hex(&self.salt), hex(&self.digest))
    }
}

impl FromStr for Hash {
    type Err = NoHash;

    fn from_str(text: &str) -> Result<Hash, NoHash> {
        let rest = text.strip_prefix(&format!("argon2id${MEMORY_KIB}${PASSES}$")).ok_or(NoHash)?;
        let (salt, digest) = rest.split_once('$').ok_or(NoHash)?;
        Ok(Hash { salt: unhex(salt).ok_or(NoHash)?, digest: unhex(digest).ok_or(NoHash)? })
    }
}

fn unhex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    if text.len() != N * 2 {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(at * 2..at * 2 + 2)?, 16).ok()?;
    }
    Some(bytes)
}

fn digest(password: &str, salt: [u8; 16]) -> Result<[u8; 32], argon2::Error> {
    let mut digest = [0; 32];
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, Params::new(MEMORY_KIB, PASSES, 1, None)?);
    argon2.hash_password_into(password.as_bytes(), &salt, &mut digest)?;
    Ok(digest)
}

/// What to keep of a password.
pub(crate) async fn hash(password: &str) -> Result<Hash, NoPassword> {
    let password = Password::new(password)?;
    let mut salt = [0; 16];
    getrandom::fill(&mut salt).map_err(|_| NoRandom)?;
    let digest = tokio::task::spawn_blocking(move || digest(password.as_str(), salt)).await;
    match digest {
        Ok(Ok(digest)) => Ok(Hash { salt, digest }),
        Ok(Err(error)) => Err(NoPassword::Hashing(error.to_string())),
        Err(error) => Err(NoPassword::Hashing(error.to_string())),
    }
}

/// Whether this is the password.
pub(crate) async fn fits(given: String, kept: Hash) -> bool {
    let compared = tokio::task::spawn_blocking(move || {
        let given = digest(given.trim(), kept.salt)?;
        let difference = given.iter().zip(kept.digest).fold(0, |sum, (one, other)| sum | (one ^ other));
        Ok::<bool, argon2::Error>(std::hint::black_box(difference) == 0)
    });
    matches!(compared.await, Ok(Ok(true)))
}

#[cfg(test)]
mod tests {
    use super::{Hash, NoPassword, fits, hash};

    #[tokio::test]
    async fn a_password_fits_its_hash_and_no_other_does() {
        let kept = hash("correct horse battery").await.expect("a hash");
        let kept: Hash = kept.to_string().parse().expect("as it was kept");
        assert!(fits("correct horse battery ".to_owned(), kept.clone()).await);
        assert!(!fits("correct horse batterx".to_owned(), kept.clone()).await);
        assert!(!fits(String::new(), Hash::of_nobody()).await);
        assert!(!format!("{kept:?}").contains('$'));
        assert!(matches!(hash("short").await, Err(NoPassword::Length(_))));
    }
}
