//! Passphrases, stretched by Argon2id with parameters that are pinned in the slot and never calibrated.

use argon2::{Algorithm, Argon2, Params, Version};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::crypto::{Key, random};
use super::sealing::Secret;
use crate::error::{Error, Result};

/// How a passphrase becomes a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stretching {
    salt: [u8; 16],
    memory_kib: u32,
    passes: u32,
    lanes: u32,
}

impl Stretching {
    /// What a slot may ask for: at least what keeps guessing slow, at most what does not stop the machine.
    const MEMORY_KIB: std::ops::RangeInclusive<u32> = 19 * 1024..=256 * 1024;
    const PASSES: std::ops::RangeInclusive<u32> = 1..=8;
    const LANES: std::ops::RangeInclusive<u32> = 1..=4;

    /// The parameters of new slots, with a new salt: 64 MiB, three passes.
    pub(crate) fn new() -> Result<Stretching> {
        Ok(Stretching { salt: random()?, memory_kib: 64 * 1024, passes: 3, lanes: 1 })
    }

    /// The pair of keys that a passphrase stands for. Takes a good part of a second, and 64 MiB.
    pub(crate) fn pair(&self, passphrase: &str) -> Result<Secret> {
        let damaged = || Error::Damaged {
            what: "a passphrase slot".into(),
            reason: "its parameters are out of bounds",
        };
        if !Stretching::MEMORY_KIB.contains(&self.memory_kib)
            || !Stretching::PASSES.contains(&self.passes)
            || !Stretching::LANES.contains(&self.lanes)
        {
            return Err(damaged());
        }
        let params =
            Params::new(self.memory_kib, self.passes, self.lanes, Some(32)).map_err(|_| damaged())?;
        let mut key = Zeroizing::new([0; 32]);
        Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
            .hash_password_into(passphrase.as_bytes(), &self.salt, key.as_mut())
            .map_err(|_| damaged())?;
        Ok(Secret::from_key(&Key::new(*key)))
    }
}

#[cfg(test)]
mod tests {
    use super::Stretching;

    #[test]
    fn parameters_that_would_stop_the_machine_or_help_guessing_are_refused() {
        let good = Stretching::new().expect("random");
        for bad in [
            Stretching { memory_kib: 4 * 1024 * 1024, ..good.clone() },
            Stretching { memory_kib: 8, ..good.clone() },
            Stretching { passes: 1000, ..good.clone() },
            Stretching { lanes: 0, ..good.clone() },
        ] {
            assert!(bad.pair("x").is_err());
        }
    }
}
