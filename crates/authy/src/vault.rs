//! A vault: a folder with one database in it.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use files::{FolderError, Home, PrivateFolder};

use crate::audit::Operation;
use crate::capability::Capability;
use crate::credential::Credential;
use crate::error::{Error, Result, SlotError};
use crate::keyring::{Keyring, Owner, bundle_digest};
use crate::keys::crypto::random;
use crate::keys::{Key, Root, Token};
use crate::name::PolicyName;
use crate::session::{Session, know_slot, start_log, write_slots};
use crate::slot::{NewSlot, SlotInfo};
use crate::store::{HeaderRow, Store, delete_companions};
use crate::time::Timestamp;
use crate::trust::{Anchor, Head, Noted, Tree, Trust};

/// Where a vault is, or would be. Nothing is opened before something is asked of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vault {
    folder: PathBuf,
    /// Where its anchor is kept; `None` is beside it.
    anchors: Option<PathBuf>,
}

/// What a restore may do to a vault that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Restore {
    /// Only where there is none.
    IntoNothing,
    /// Instead of the one there is.
    Replacing,
}

impl Vault {
    /// The vault in this folder, with its anchor beside it: see [`Vault::anchored_in`].
    pub fn at(folder: impl Into<PathBuf>) -> Vault {
        Vault { folder: folder.into(), anchors: None }
    }

    /// The same vault, with its anchor in another folder: who can put back the one cannot always put back the other.
    #[must_use]
    pub fn anchored_in(self, folder: impl Into<PathBuf>) -> Vault {
        Vault { anchors: Some(folder.into()), ..self }
    }

    /// The vault of this user: in `AUTHY_HOME`, else in Deskmate's folder for authy. Its anchor is in `AUTHY_ANCHOR`, else in
    /// the user's folder for state.
    pub fn from_environment(variable: impl Fn(&str) -> Option<OsString>) -> Result<Vault> {
        let named = variable("AUTHY_ANCHOR").map(PathBuf::from).filter(|path| !path.as_os_str().is_empty());
        if let Some(path) = named.filter(|path| path.is_relative()) {
            let reason = "AUTHY_ANCHOR is not an absolute path, and would be another folder wherever you are; name one";
            return Err(Error::Io { path, source: std::io::Error::new(ErrorKind::InvalidInput, reason) });
        }
        let anchors = Anchor::usual_folder(&variable);
        let folder = match variable("AUTHY_HOME").filter(|path| !path.is_empty()) {
            Some(path) => path.into(),
            None => Home::from_environment(variable)?.path_of("authy"),
        };
        Ok(Vault { folder, anchors })
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Its database.
    pub fn file(&self) -> PathBuf {
        self.folder.join("vault.db")
    }

    /// Whether there is one.
    pub fn exists(&self) -> bool {
        self.file().exists()
    }

    /// Makes a new vault that these slots open, at least one.
    pub fn create(&self, slots: &[NewSlot]) -> Result<Session> {
        if slots.is_empty() {
            return Err(SlotError::None.into());
        }
        PrivateFolder::make(&self.folder)?;
        if self.exists() {
            return Err(Error::AlreadyInitialized(self.folder.clone()));
        }
        let vault: [u8; 16] = random()?;
        let mut owner = Owner { epoch: 1, vault_key: Key::random()?, root: Root::random()? };
        for slot in slots {
            know_slot(&mut owner, slot)?;
        }
        let root = owner.root.wrap(&owner.vault_key, &vault, owner.epoch)?;
        let head = Head {
            version: 1,
            epoch: owner.epoch,
            identity: owner.root.identity.public(),
            tree: Tree::empty_root(),
            records: 0,
            grants: 0,
            policies: 0,
            bundle: bundle_digest(&root),
            entry: 0,
            entry_code: [0; 32],
            time: Timestamp::now().millis(),
        };
        let signed = head.sign(&owner.root.identity, &vault, [0; 32]);
        let created = Timestamp::now().millis();
        let mut place = None;
        Store::create(&self.file(), |store| {
            store.insert_header(&HeaderRow { vault_id: vault, created, head: signed.clone(), root })?;
            write_slots(store, &vault, &owner)?;
            place = Some(start_log(store, &owner, &vault)?);
            Ok(())
        })?;
        let noted = Noted::new(&owner.root.identity, vault, head.version, signed.link(&vault));
        let noted = noted.with(place.into_iter().collect());
        let anchor = self.anchor();
        let begin = || {
            anchor.set(&noted)?;
            let keys = Keyring::new(vault, head.version, owner);
            let session = Session::with_keys(Store::open(&self.file())?, Trust::new(anchor.clone()), keys);
            session.note(Operation::Init, None)?;
            Ok(session)
        };
        // A vault that cannot be used, such as on a full disk, would only be in the way of the next attempt.
        begin().inspect_err(|_: &Error| {
            let _ = std::fs::remove_file(self.file());
            delete_companions(&self.file());
        })
    }

    /// Unlocks it. Refused if it is not the vault that this machine knows, or an older state of it.
    pub fn unlock(&self, credential: &Credential) -> Result<Session> {
        Session::open(self.open()?, Trust::new(self.anchor()), credential)
    }

    /// Unlocks it whatever the anchor says, and from now on trusts it: a version above what is there and above what was seen
    /// is made. Needs the owner's credential, which still has to recognise the vault.
    pub fn trust(&self, credential: &Credential) -> Result<Session> {
        if matches!(credential, Credential::Token(_)) {
            return Err(Error::Lacks(Capability::Admin));
        }
        let session = Session::open(self.open()?, Trust::accepting(self.anchor()), credential)?;
        session.settle()?;
        Ok(session)
    }

    /// Whether an anchor says that there is a vault of this program here.
    pub(crate) fn is_anchored(&self) -> bool {
        !matches!(self.anchor().read(), Ok(None))
    }

    /// Where its anchor is.
    pub fn anchor_file(&self) -> PathBuf {
        self.anchor().file().to_owned()
    }

    fn anchor(&self) -> Anchor {
        Anchor::of(&self.folder, self.anchors.as_deref().unwrap_or(&self.folder))
    }

    /// Keeps a token in a file of this vault's folder that only this user can read; one of that name is replaced. Gives the
    /// file, which [`Token::read`] and `AUTHY_TOKEN_FILE` take.
    pub fn keep_token(&self, name: &PolicyName, token: &Token) -> Result<PathBuf> {
        let folder = PrivateFolder::make(&self.folder.join("agents"))?;
        // A name may have `/` in it, and no `+`.
        let file = format!("{}.token", name.as_str().replace('/', "+"));
        folder.write(&file, token.reveal().as_bytes())?;
        Ok(folder.path().join(file))
    }

    /// The ways to unlock it; no key is needed to see them.
    pub fn slots(&self) -> Result<Vec<SlotInfo>> {
        // One that cannot be read was put there by somebody else, and is no way in.
        Ok(self.open()?.slots()?.iter().filter_map(|row| SlotInfo::read(row).ok()).collect())
    }

    /// The same for a vault of the earlier format, which can only be upgraded.
    pub fn old_slots(&self) -> Result<Vec<SlotInfo>> {
        Store::connect(&self.file())?.old_slots()?.iter().map(SlotInfo::read_old).collect()
    }

    /// Writes a consistent copy to a new file, mode 0600, encrypted as the vault is. No key is needed.
    pub fn backup(&self, to: &Path) -> Result<()> {
        self.open()?.copy_to(to)
    }

    /// Whether a credential of the owner opens a backup. Nothing is changed. One that does not open would only take the place
    /// of a vault that does.
    pub fn check_backup(&self, from: &Path, credential: &Credential) -> Result<()> {
        if matches!(credential, Credential::Token(_)) {
            return Err(Error::Lacks(Capability::Admin));
        }
        let store = Store::open(from)?;
        let mut trust = Trust::accepting(self.anchor());
        trust.look()?;
        let _snapshot = store.snapshot()?;
        Keyring::open(&store, &mut trust, credential).map(drop)
    }

    /// Puts a backup in the place of the vault, in one transaction. It is an older state, so that it is meant has to be said
    /// with [`Vault::trust`] before it can be used.
    pub fn restore(&self, from: &Path, mode: Restore) -> Result<()> {
        let backup = Store::open(from)?;
        backup.check()?;
        PrivateFolder::make(&self.folder)?;
        // A link that leads nowhere is there as well.
        match (self.file().symlink_metadata().is_ok(), mode) {
            (true, Restore::IntoNothing) => Err(Error::AlreadyInitialized(self.folder.clone())),
            (true, Restore::Replacing) => {
                match Store::connect(&self.file()).and_then(|mut there| there.take_over(&backup)) {
                    // There is no database any more that could take it over.
                    Err(Error::Damaged { .. } | Error::NotAVault(_)) => backup.replace(&self.file()),
                    done => done,
                }
            }
            (false, _) => {
                delete_companions(&self.file());
                backup.copy_to(&self.file())
            }
        }
    }

    /// Makes the database anew out of its rows, if its structure is not as this program makes it. No key is needed. Gives how
    /// many triggers, views and indexes somebody had added to it; nothing if it was as it should be.
    pub fn rebuild_if_needed(&self) -> Result<Option<usize>> {
        PrivateFolder::open(&self.folder)?;
        Store::rebuild_if_needed(&self.file())
    }

    /// Whether the file is whole, as far as that can be told without a key.
    pub fn check(&self) -> Result<()> {
        self.open()?.check()
    }

    fn open(&self) -> Result<Store> {
        match PrivateFolder::open(&self.folder) {
            Ok(_) => Store::open(&self.file()),
            Err(FolderError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {
                Err(Error::NotInitialized)
            }
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Vault, know_slot, start_log, write_slots};
    use crate::credential::Credential;
    use crate::error::{Error, Untrusted};
    use crate::keyring::{Keyring, Owner, bundle_digest};
    use crate::keys::signing::VaultIdentity;
    use crate::keys::{Identity, Key, Root};
    use crate::session::Session;
    use crate::slot::NewSlot;
    use crate::store::{HeaderRow, Store};
    use crate::trust::{Head, Noted, Tree, Trust};

    /// A vault as somebody makes it who knows the public half of the victim's key and wants to be trusted with secrets.
    fn counterfeit(folder: &std::path::Path, victim: &Identity) -> Vault {
        let vault = Vault::at(folder);
        files::PrivateFolder::make(folder).expect("a folder");
        let id = [9; 16];
        let mut owner = Owner {
            epoch: 1,
            vault_key: Key::random().expect("random"),
            root: Root::random().expect("random"),
        };
        know_slot(&mut owner, &NewSlot::Keyfile(Identity::random().expect("random"))).expect("a slot");
        // The public key is known; the secret, and so the authentication key, is not.
        for slot in &mut owner.root.slots {
            slot.public = victim.pair().public();
        }
        let root = owner.root.wrap(&owner.vault_key, &id, 1).expect("wrapped");
        let head = Head {
            version: 1,
            epoch: 1,
            identity: owner.root.identity.public(),
            tree: Tree::empty_root(),
            records: 0,
            grants: 0,
            policies: 0,
            bundle: bundle_digest(&root),
            entry: 0,
            entry_code: [0; 32],
            time: 0,
        };
        let signed = head.sign(&owner.root.identity, &id, [0; 32]);
        Store::create(&vault.file(), |store| {
            store.insert_header(&HeaderRow { vault_id: id, created: 0, head: signed.clone(), root })?;
            write_slots(store, &id, &owner)?;
            start_log(store, &owner, &id).map(drop)
        })
        .expect("a file");
        // Its maker opens it, and notes it in an anchor as well.
        vault.anchor().set(&Noted::new(&owner.root.identity, id, 1, signed.link(&id))).expect("noted");
        let store = Store::open(&vault.file()).expect("open");
        let session = Session::with_keys(store, Trust::new(vault.anchor()), Keyring::new(id, 1, owner));
        session.note(crate::audit::Operation::Init, None).expect("its maker uses it");
        vault
    }

    #[test]
    fn a_forged_vault_does_not_open_with_the_key_it_was_forged_for() {
        let folder = std::env::temp_dir().join(format!("authy-counterfeit-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        let victim = Identity::random().expect("random");
        let key = folder.join("key");
        victim.write(&key).expect("a keyfile");
        let forged = counterfeit(&folder.join("vault"), &victim);
        let credential = Credential::Keyfile(key);
        let refused = |result: crate::error::Result<Session>| {
            matches!(result, Err(Error::Untrusted(Untrusted::Counterfeit)))
        };
        assert!(refused(forged.unlock(&credential)));
        assert!(refused(forged.trust(&credential)), "nor on purpose");
        let _ = std::fs::remove_dir_all(&folder);
    }

    /// Anybody can make an anchor in the name of an identity of their own. What it says about versions is not believed.
    #[test]
    fn an_anchor_that_somebody_made_up_is_replaced_by_the_owner() {
        let folder = std::env::temp_dir().join(format!("authy-made-up-anchor-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        let (key, file) = (Identity::random().expect("random"), folder.join("key"));
        key.write(&file).expect("a keyfile");
        let (vault, credential) = (Vault::at(folder.join("vault")), Credential::Keyfile(file));
        drop(vault.create(&[NewSlot::Keyfile(key)]).expect("a vault"));
        let id = vault.anchor().read().expect("readable").expect("an anchor").vault;
        for version in [u64::MAX, i64::MAX.unsigned_abs(), 1 << 62] {
            let stranger = VaultIdentity::random().expect("random");
            vault.anchor().set(&Noted::new(&stranger, id, version, [0; 32])).expect("made up");
            let refused = vault.unlock(&credential).err();
            assert!(matches!(refused, Some(Error::Untrusted(Untrusted::Rival))), "{version}: {refused:?}");
            drop(vault.trust(&credential).expect("the owner says so"));
            drop(vault.unlock(&credential).expect("it opens again"));
            let noted = vault.anchor().read().expect("readable").expect("an anchor");
            assert!(noted.version < 100, "{}", noted.version);
        }
        let _ = std::fs::remove_dir_all(&folder);
    }
}
