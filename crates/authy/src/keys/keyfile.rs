//! Keyfiles: an age identity in a file that nobody else can read.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use bech32::{Bech32, Hrp};
use zeroize::{Zeroize, Zeroizing};

use super::crypto::Key;
use super::sealing::Secret;
use crate::error::{Error, KeyfileError, Result};
use crate::sys::{self, NotPrivate};

const SECRET_PREFIX: &str = "age-secret-key-";
const PUBLIC_PREFIX: &str = "age";
/// A file of identities is a few lines; a larger one is something else.
const LARGEST: u64 = 64 * 1024;

/// An age identity: an X25519 pair.
#[derive(Clone)]
pub struct Identity(Secret);

impl Identity {
    /// A new identity.
    pub fn random() -> Result<Identity> {
        Secret::random().map(Identity)
    }

    /// Reads the first identity of a keyfile, if the file is as private as ssh wants its keys: a regular file of this user,
    /// with no rights for others. A link is followed; what it leads to is what counts.
    pub fn read(path: &Path) -> Result<Identity> {
        read_private(path)?
            .lines()
            .find_map(|line| Identity::parse(line.trim()))
            .ok_or_else(|| KeyfileError::NoIdentity(path.to_owned()).into())
    }

    /// Writes a new keyfile, mode 0600, durably. One that is there is not overwritten.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut file = files::create_private(path).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Error::Keyfile(KeyfileError::Exists(path.to_owned())),
            _ => Error::Io { path: path.to_owned(), source: error },
        })?;
        let text =
            Zeroizing::new(format!("# public key: {}\n{}\n", self.recipient(), self.reveal().as_str()));
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).and_then(|()| {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            files::sync_folder(folder.unwrap_or(Path::new(".")))
        });
        written.map_err(|source| Error::Io { path: path.to_owned(), source })
    }

    /// Reads `AGE-SECRET-KEY-1…`.
    pub fn parse(text: &str) -> Option<Identity> {
        let (prefix, mut bytes) = bech32::decode(text).ok()?;
        let key = (prefix.to_lowercase() == SECRET_PREFIX).then(|| Key::read(&bytes)).flatten();
        bytes.zeroize();
        key.map(|key| Identity(Secret::from_key(&key)))
    }

    /// The identity as text: `AGE-SECRET-KEY-1…`.
    pub fn reveal(&self) -> Zeroizing<String> {
        Zeroizing::new(encode(SECRET_PREFIX, self.0.key().bytes()).to_ascii_uppercase())
    }

    /// Its public half as text: `age1…`.
    pub fn recipient(&self) -> String {
        recipient(&self.0.public())
    }

    pub(crate) fn pair(&self) -> &Secret {
        &self.0
    }
}

/// A public key as age writes it.
pub(crate) fn recipient(public: &[u8; 32]) -> String {
    encode(PUBLIC_PREFIX, public)
}

fn encode(prefix: &str, bytes: &[u8; 32]) -> String {
    // Both prefixes are good ones, and 32 bytes fit.
    Hrp::parse(prefix)
        .ok()
        .and_then(|prefix| bech32::encode::<Bech32>(prefix, bytes).ok())
        .unwrap_or_default()
}

/// The text of a small file with something secret in it, if the file is as private as ssh wants its keys.
pub(super) fn read_private(path: &Path) -> Result<Zeroizing<String>> {
    let unreadable = |source| KeyfileError::Unreadable { path: path.to_owned(), source };
    let mut file = sys::open_waiting_for_nobody(path).map_err(unreadable)?;
    private(&file, path)?;
    let mut text = Zeroizing::new(String::with_capacity(1024));
    (&mut file).take(LARGEST).read_to_string(&mut text).map_err(unreadable)?;
    Ok(text)
}

fn private(file: &File, path: &Path) -> Result<()> {
    let unreadable = |source| KeyfileError::Unreadable { path: path.to_owned(), source };
    if !file.metadata().map_err(unreadable)?.is_file() {
        return Err(KeyfileError::NoIdentity(path.to_owned()).into());
    }
    match sys::check_private(file).map_err(unreadable)? {
        None => Ok(()),
        Some(NotPrivate::Foreign(owner)) => {
            Err(KeyfileError::ForeignOwner { path: path.to_owned(), owner }.into())
        }
        Some(NotPrivate::Loose { found, remedy }) => {
            Err(KeyfileError::Loose { path: path.to_owned(), found, remedy }.into())
        }
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Identity({})", self.recipient())
    }
}

#[cfg(test)]
mod tests {
    use super::Identity;

    #[test]
    fn an_identity_reads_back_and_is_of_the_form_age_knows() {
        let identity = Identity::random().expect("random");
        let text = identity.reveal();
        assert!(text.starts_with("AGE-SECRET-KEY-1") && text.len() == 74, "{}", text.len());
        assert!(identity.recipient().starts_with("age1") && identity.recipient().len() == 62);
        assert_eq!(Identity::parse(&text).expect("an identity").recipient(), identity.recipient());
        assert!(Identity::parse(&identity.recipient()).is_none());
        assert!(!format!("{identity:?}").contains("SECRET"));
    }
}
