//! Age files, opened with an identity or a passphrase: version 1 of the format, binary, as the first authy wrote its vault.

use chacha20poly1305::aead::AeadInOut;
use chacha20poly1305::{ChaCha20Poly1305, KeyInit, Nonce, Tag};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use x25519_dalek::{PublicKey, StaticSecret};
use zeroize::Zeroizing;

use crate::keys::Identity;
use crate::keys::crypto::{Key, extract};

const FIRST_LINE: &[u8] = b"age-encryption.org/v1\n";
const TAG: usize = 16;
const CHUNK: usize = 64 * 1024;
/// A header has a line or two per recipient.
const LONGEST_HEADER: usize = 64 * 1024;
/// Two to this power blocks of a kilobyte: a gigabyte of memory.
const MOST_WORK: u8 = 20;

/// Why an age file cannot be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AgeError {
    /// It is something else.
    #[error(
        "this is not an age file (it does not start with `age-encryption.org/v1`); use the file `vault.age`"
    )]
    NotAge,
    /// It is not as age writes it.
    #[error("the age file is damaged: {0}; use a copy that is whole")]
    Damaged(&'static str),
    /// It is not for this key.
    #[error("the age file is not for this key; give the keyfile or passphrase of the old vault")]
    WrongKey,
    /// It was closed with a passphrase, and a keyfile was given, or the other way round.
    #[error("the age file opens with {0}")]
    OtherKind(&'static str),
    /// Stretching the passphrase takes too much.
    #[error("the age file wants 2^{0} blocks of work for its passphrase, and at most 2^{MOST_WORK} are done")]
    TooMuchWork(u8),
}

/// What opens an age file.
pub(super) enum Opener<'a> {
    Identity(&'a Identity),
    Passphrase(&'a str),
}

/// What is in an age file.
pub(super) fn open(file: &[u8], opener: &Opener) -> Result<Zeroizing<Vec<u8>>, AgeError> {
    let (header, payload) = Header::read(file)?;
    let file_key = header.unwrap(opener)?;
    header.check(&file_key)?;
    let (nonce, chunks) =
        payload.split_first_chunk::<16>().ok_or(AgeError::Damaged("it ends after its header"))?;
    decrypt(&extract(nonce, file_key.as_slice(), "payload"), chunks)
}

/// One way to open the file: its kind and arguments, and the file's key wrapped by it.
struct Stanza<'a> {
    arguments: Vec<&'a str>,
    body: Vec<u8>,
}

struct Header<'a> {
    stanzas: Vec<Stanza<'a>>,
    /// What the checksum is over, and the checksum.
    covered: &'a [u8],
    mac: Vec<u8>,
}

impl<'a> Header<'a> {
    fn read(file: &'a [u8]) -> Result<(Header<'a>, &'a [u8]), AgeError> {
        let damaged = AgeError::Damaged("its header is not complete");
        if !file.starts_with(FIRST_LINE) {
            return Err(AgeError::NotAge);
        }
        let (mut at, mut stanzas) = (FIRST_LINE.len(), Vec::new());
        let line = |at: usize| -> Result<&'a str, AgeError> {
            let rest = file.get(at..).unwrap_or_default();
            let rest = rest.get(..rest.len().min(LONGEST_HEADER)).unwrap_or_default();
            let end = memchr_newline(rest).ok_or(damaged)?;
            rest.get(..end).and_then(|line| std::str::from_utf8(line).ok()).ok_or(damaged)
        };
        loop {
            let first = line(at)?;
            if let Some(mac) = first.strip_prefix("--- ") {
                let covered = file.get(..at + 3).unwrap_or_default();
                let payload = file.get(at + first.len() + 1..).unwrap_or_default();
                return Ok((Header { stanzas, covered, mac: base64(mac)? }, payload));
            }
            let arguments = first.strip_prefix("-> ").ok_or(damaged)?.split(' ').collect();
            at += first.len() + 1;
            let mut body = String::new();
            loop {
                let part = line(at)?;
                at += part.len() + 1;
                body.push_str(part);
                if part.len() < 64 {
                    break;
                }
            }
            stanzas.push(Stanza { arguments, body: base64(&body)? });
            if at > LONGEST_HEADER {
                return Err(AgeError::Damaged("its header is too long"));
            }
        }
    }

    /// The file's own key, from the first stanza that the opener opens.
    fn unwrap(&self, opener: &Opener) -> Result<Zeroizing<[u8; 16]>, AgeError> {
        let has = |kind: &str| self.stanzas.iter().any(|stanza| stanza.arguments.first() == Some(&kind));
        match opener {
            Opener::Identity(_) if has("scrypt") => return Err(AgeError::OtherKind("a passphrase")),
            Opener::Passphrase(_) if !has("scrypt") => return Err(AgeError::OtherKind("a keyfile")),
            Opener::Identity(_) | Opener::Passphrase(_) => {}
        }
        for stanza in &self.stanzas {
            let key = match (opener, stanza.arguments.as_slice()) {
                (Opener::Identity(identity), ["X25519", share]) => shared(identity, share)?,
                (Opener::Passphrase(passphrase), ["scrypt", salt, work]) => {
                    stretched(passphrase, salt, work)?
                }
                _ => continue,
            };
            if let Some(file_key) = decrypt_chunk(&key, [0; 12], &stanza.body) {
                let file_key = file_key.as_slice().try_into();
                return file_key.map(Zeroizing::new).map_err(|_| AgeError::Damaged("its key is too long"));
            }
        }
        Err(AgeError::WrongKey)
    }

    fn check(&self, file_key: &[u8; 16]) -> Result<(), AgeError> {
        let key = extract(b"", file_key, "header");
        let mac = <Hmac<Sha256> as KeyInit>::new_from_slice(key.bytes());
        let mac = mac.map_err(|_| AgeError::Damaged("its header has no key"))?.chain_update(self.covered);
        mac.verify_slice(&self.mac).map_err(|_| AgeError::Damaged("its header was changed"))
    }
}

fn memchr_newline(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| *byte == b'\n')
}

fn base64(text: &str) -> Result<Vec<u8>, AgeError> {
    base64_simd::STANDARD_NO_PAD
        .decode_to_vec(text.as_bytes())
        .map_err(|_| AgeError::Damaged("its header is not base64"))
}

/// The key that wraps the file's key for the holder of an identity.
fn shared(identity: &Identity, share: &str) -> Result<Key, AgeError> {
    let share: [u8; 32] =
        base64(share)?.try_into().map_err(|_| AgeError::Damaged("a public key has the wrong length"))?;
    let secret = StaticSecret::from(*identity.pair().key().bytes());
    let both = secret.diffie_hellman(&PublicKey::from(share));
    if !both.was_contributory() {
        return Err(AgeError::Damaged("a public key is of low order"));
    }
    let salt = [share, PublicKey::from(&secret).to_bytes()].concat();
    Ok(extract(&salt, both.as_bytes(), "age-encryption.org/v1/X25519"))
}

/// The key that wraps the file's key for those who know the passphrase.
fn stretched(passphrase: &str, salt: &str, work: &str) -> Result<Key, AgeError> {
    let damaged = AgeError::Damaged("its passphrase parameters make no sense");
    let work: u8 = work.parse().map_err(|_| damaged)?;
    if work > MOST_WORK {
        return Err(AgeError::TooMuchWork(work));
    }
    let salt = [b"age-encryption.org/v1/scrypt".as_slice(), &base64(salt)?].concat();
    let params = scrypt::Params::new(work, 8, 1).map_err(|_| damaged)?;
    let mut key = Zeroizing::new([0; 32]);
    scrypt::scrypt(passphrase.as_bytes(), &salt, &params, key.as_mut_slice()).map_err(|_| damaged)?;
    Ok(Key::new(*key))
}

/// The payload: chunks of 64 KiB, numbered, the last one marked, so that none can be cut off or moved.
fn decrypt(key: &Key, chunks: &[u8]) -> Result<Zeroizing<Vec<u8>>, AgeError> {
    let mut plain = Zeroizing::new(Vec::with_capacity(chunks.len()));
    let mut parts = chunks.chunks(CHUNK + TAG).enumerate().peekable();
    while let Some((number, part)) = parts.next() {
        let mut nonce = [0; 12];
        nonce[3..11].copy_from_slice(&(number as u64).to_be_bytes());
        nonce[11] = u8::from(parts.peek().is_none());
        let part = decrypt_chunk(key, nonce, part);
        plain.extend_from_slice(&part.ok_or(AgeError::Damaged("its content was changed or cut"))?);
    }
    if chunks.is_empty() { Err(AgeError::Damaged("it has no content")) } else { Ok(plain) }
}

fn decrypt_chunk(key: &Key, nonce: [u8; 12], sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let (body, tag) = sealed.split_last_chunk::<TAG>()?;
    let mut plain = Zeroizing::new(body.to_vec());
    let cipher = ChaCha20Poly1305::new_from_slice(key.bytes()).ok()?;
    let opened = cipher.decrypt_inout_detached(
        &Nonce::from(nonce),
        b"",
        plain.as_mut_slice().into(),
        &Tag::from(*tag),
    );
    opened.ok().map(|()| plain)
}
