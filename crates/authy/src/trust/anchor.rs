//! The anchor: what this machine has last seen of a vault, in a file outside it.

use std::ffi::OsString;
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result, Untrusted};
use crate::keys::crypto::{hash, hex};
use crate::keys::pack::{Pack, Unpack};
use crate::keys::signing::{IdentityPublic, Signed, VaultIdentity, verifies};
use crate::sys;

use super::tree::Digest;

/// Larger than any anchor is.
const LARGEST: u64 = 1 << 20;
const MAGIC: &[u8; 16] = b"authy anchor 1\r\n";

/// Where an anchor is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Anchor {
    file: PathBuf,
}

/// What an anchor says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Noted {
    pub(crate) vault: [u8; 16],
    pub(crate) identity: IdentityPublic,
    pub(crate) version: u64,
    pub(crate) link: Digest,
    /// By the identity, for this purpose: a copy of the vault has no such signature in it.
    signature: Signed,
    /// How far writers of the log have come, as far as that was noted.
    pub(crate) writers: Vec<Place>,
}

/// How far a writer of the log has come. Its code is made with the writer's own key, so it cannot be made up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) writer: Vec<u8>,
    pub(crate) position: u64,
    pub(crate) code: [u8; 32],
}

impl Noted {
    pub(crate) fn new(identity: &VaultIdentity, vault: [u8; 16], version: u64, link: Digest) -> Noted {
        let signature = identity.sign("authy anchor", &[&vault, &version.to_be_bytes(), &link]);
        Noted { vault, identity: identity.public(), version, link, signature, writers: Vec::new() }
    }

    /// The same with places of writers.
    pub(crate) fn with(self, writers: Vec<Place>) -> Noted {
        Noted { writers, ..self }
    }

    /// How far a writer has come.
    pub(crate) fn place(&self, writer: &[u8]) -> Option<&Place> {
        self.writers.iter().find(|place| place.writer == writer)
    }

    fn advance_writer(&mut self, place: Place) {
        match self.writers.iter_mut().find(|known| known.writer == place.writer) {
            Some(known) if known.position <= place.position => *known = place,
            Some(_) => {}
            None => self.writers.push(place),
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut pack = Pack::with_room(512)
            .fixed(MAGIC)
            .fixed(&self.vault)
            .fixed(&self.identity)
            .number(self.version)
            .fixed(&self.link)
            .fixed(&self.signature)
            .number(self.writers.len() as u64);
        for place in &self.writers {
            pack = pack.text(&place.writer).number(place.position).fixed(&place.code);
        }
        let sum = hash("authy anchor file", &[pack.bytes()]);
        pack.fixed(&sum).bytes().to_vec()
    }

    fn read(bytes: &[u8]) -> Option<Noted> {
        let (content, sum) = bytes.split_last_chunk::<32>()?;
        if *sum != hash("authy anchor file", &[content]) {
            return None;
        }
        let mut fields = Unpack::new(content);
        if fields.fixed::<16>()? != *MAGIC {
            return None;
        }
        let mut noted = Noted {
            vault: fields.fixed()?,
            identity: fields.fixed()?,
            version: fields.number()?,
            link: fields.fixed()?,
            signature: fields.fixed()?,
            writers: Vec::new(),
        };
        for _ in 0..fields.number()? {
            let writer = fields.text()?.to_vec();
            noted.writers.push(Place { writer, position: fields.number()?, code: fields.fixed()? });
        }
        let signed = verifies(
            &noted.identity,
            "authy anchor",
            &[&noted.vault, &noted.version.to_be_bytes(), &noted.link],
            &noted.signature,
        );
        (fields.is_empty() && signed).then_some(noted)
    }
}

impl Anchor {
    /// The anchor of a vault in this folder, kept in that one.
    pub(crate) fn of(vault: &Path, kept_in: &Path) -> Anchor {
        // The folder itself may not be there yet; the one above it is where links would be.
        let real = match (vault.parent().map(files::real_path), vault.file_name()) {
            (Some(Ok(above)), Some(name)) => above.join(name),
            _ => vault.to_owned(),
        };
        let digest = hash("authy vault", &[&*files::encode_path(&real)]);
        let name = hex(digest.first_chunk::<8>().map_or(&[], |start| start.as_slice()));
        Anchor { file: kept_in.join(format!("{name}.anchor")) }
    }

    /// Where anchors are kept unless somebody says otherwise.
    pub(crate) fn usual_folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
        let path = |name: &str| {
            variable(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        path("AUTHY_ANCHOR").or_else(|| {
            let state = path("XDG_STATE_HOME").map(|state| state.join("deskmate"));
            Some(state.or_else(|| sys::state_folder(path))?.join("authy"))
        })
    }

    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// What it says; `None` if there is none.
    pub(crate) fn read(&self) -> Result<Option<Noted>> {
        self.bytes()?.map(|bytes| self.understand(&bytes)).transpose()
    }

    /// Its bytes, which need not be understood again while they are the same.
    pub(super) fn bytes(&self) -> Result<Option<Vec<u8>>> {
        self.check_owner()?;
        let mut bytes = Vec::with_capacity(512);
        let read = sys::open_waiting_for_nobody(&self.file).and_then(|file| {
            if !file.metadata()?.is_file() {
                return Err(std::io::Error::new(ErrorKind::InvalidInput, "it is not a file; move it away"));
            }
            file.take(LARGEST).read_to_end(&mut bytes)
        });
        match read {
            Ok(_) => Ok(Some(bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(source) => Err(self.io(source)),
        }
    }

    /// Refuses what others than this user could have put there, or can take away.
    fn check_owner(&self) -> Result<()> {
        for place in [self.file.parent(), Some(self.file.as_path())].into_iter().flatten() {
            match sys::others_can_replace(place) {
                Ok(true) => return Err(Untrusted::OpenAnchor(place.to_owned()).into()),
                Ok(false) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(source) => return Err(self.io(source)),
            }
        }
        Ok(())
    }

    pub(super) fn understand(&self, bytes: &[u8]) -> Result<Noted> {
        Noted::read(bytes).ok_or_else(|| Untrusted::BadAnchor(self.file.clone()).into())
    }

    /// Notes a newer head; an older one changes nothing. How far writers have come stays, and only grows: of two changes the
    /// later may be noted first, and where the earlier has put a writer is news all the same.
    pub(crate) fn advance(&self, mut to: Noted) -> Result<()> {
        self.under_lock(|before| {
            let Some(mut before) = before.filter(|before| before.vault == to.vault) else { return Some(to) };
            if before.version > to.version {
                if to.writers.is_empty() {
                    return None;
                }
                std::mem::swap(&mut before, &mut to);
            }
            let new = std::mem::replace(&mut to.writers, before.writers);
            for place in new {
                to.advance_writer(place);
            }
            Some(to)
        })
    }

    /// Notes how far a writer has come, beside the head that is noted.
    pub(crate) fn advance_writer(&self, place: Place) -> Result<()> {
        self.under_lock(|before| {
            let mut noted = before?;
            noted.advance_writer(place);
            Some(noted)
        })
    }

    /// Notes this and nothing of what was noted before.
    pub(crate) fn set(&self, to: &Noted) -> Result<()> {
        self.under_lock(|_| Some(to.clone()))
    }

    fn under_lock(&self, change: impl FnOnce(Option<Noted>) -> Option<Noted>) -> Result<()> {
        if let Some(folder) = self.file.parent() {
            files::make_private_folder(folder).map_err(|source| self.io(source))?;
        }
        self.check_owner()?;
        let path = self.file.with_extension("lock");
        let lock = sys::open_lock(&path).map_err(|source| Error::Io { path, source })?;
        lock.lock().map_err(|source| self.io(source))?;
        // One that cannot be read is replaced: whoever gets here was let in by somebody who may say so.
        let Some(new) = change(self.read().unwrap_or_default()) else { return Ok(()) };
        let draft = self.file.with_extension("new");
        // One that somebody left there, of whatever kind, goes.
        let _ = fs::remove_file(&draft);
        let written = files::create_private(&draft).and_then(|mut file| {
            file.write_all(&new.bytes())?;
            file.sync_data()?;
            drop(file);
            fs::rename(&draft, &self.file)
        });
        written.map_err(|source| self.io(source))
    }

    fn io(&self, source: std::io::Error) -> Error {
        Error::Io { path: self.file.clone(), source }
    }
}

#[cfg(test)]
mod tests {
    use super::{Anchor, Noted, Place};
    use crate::keys::signing::VaultIdentity;

    #[test]
    fn an_anchor_never_goes_back_and_one_that_was_changed_is_none() {
        let folder = std::env::temp_dir().join(format!("authy-anchor-{}", std::process::id()));
        let anchor = Anchor::of(&folder.join("vault"), &folder.join("anchors"));
        assert_eq!(anchor.read().expect("none yet"), None);
        let identity = VaultIdentity::random().expect("random");
        let noted = |version| Noted::new(&identity, [1; 16], version, [9; 32]);
        for version in [2, 5, 3] {
            anchor.advance(noted(version)).expect("noted");
        }
        for position in [7, 6] {
            let place = Place { writer: b"grant".to_vec(), position, code: [0; 32] };
            anchor.advance_writer(place).expect("noted");
        }
        anchor.advance(noted(6)).expect("noted");
        let late = Place { writer: b"late".to_vec(), position: 1, code: [0; 32] };
        anchor.advance(noted(4).with(vec![late.clone()])).expect("noted");
        let read = anchor.read().expect("readable").expect("there");
        assert_eq!((read.version, read.place(b"grant").map(|place| place.position)), (6, Some(7)));
        assert_eq!(read.place(b"late"), Some(&late), "the earlier of two changes is noted later");
        assert_eq!(read.place(b""), None);
        let mut bytes = std::fs::read(anchor.file()).expect("there");
        bytes[60] ^= 1;
        std::fs::write(anchor.file(), bytes).expect("written");
        assert!(anchor.read().is_err());
        let _ = std::fs::remove_dir_all(&folder);
    }
}
