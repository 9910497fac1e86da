//! A secret that is only ever compared.

use std::fmt;

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// The digest of a secret: compared in constant time, and never printed.
#[derive(Clone)]
pub(crate) struct Secret([u8; 32]);

impl Secret {
    pub(crate) fn new(secret: &str) -> Secret {
        Secret(Sha256::digest(secret).into())
    }

    pub(crate) fn is(&self, given: &str) -> bool {
        self.0.ct_eq(&Secret::new(given).0).into()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

#[cfg(test)]
mod tests {
    use super::Secret;

    #[test]
    fn it_is_compared_whole_and_not_printed() {
        let secret = Secret::new("swordfish");
        assert!(secret.is("swordfish"));
        for wrong in ["", "swordfis", "swordfishs", "Swordfish"] {
            assert!(!secret.is(wrong), "{wrong}");
        }
        assert_eq!(format!("{secret:?}"), "Secret");
    }
}
