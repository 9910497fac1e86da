//! Tokens: what the holder of a grant keeps.

use std::fmt;
use std::path::Path;

use base64_simd::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use zeroize::{Zeroize, Zeroizing};

use super::crypto::{Key, extract, random};
use super::keyfile::read_private;
use super::sealing::Secret;
use crate::error::{Error, Result};
use crate::name::GrantId;

/// Prefix and checksum let a scan for leaked tokens be exact.
const PREFIX: &str = "authy_v2.";
const CHECKSUM: usize = 4;

/// `authy_v2.` and, in base64url, which grant, its secret, and a checksum.
#[derive(Clone)]
pub struct Token {
    id: GrantId,
    secret: Key,
}

impl Token {
    pub(crate) fn random() -> Result<Token> {
        Ok(Token { id: GrantId(random()?), secret: Key::random()? })
    }

    /// Reads a token. What is wrong with a text that is none can be told; what is in it is not.
    pub fn parse(text: &str) -> Result<Token> {
        let text = text.trim();
        if text.starts_with("authy_v1.") {
            return Err(Error::InvalidToken("it is of the first kind, which this program does not take"));
        }
        let body = text.strip_prefix(PREFIX).ok_or(Error::InvalidToken("it does not start as tokens do"))?;
        let bytes = URL_SAFE_NO_PAD
            .decode_to_vec(body.as_bytes())
            .map(Zeroizing::new)
            .map_err(|_| Error::InvalidToken("it is not base64url"))?;
        let (content, checksum) =
            bytes.split_last_chunk::<CHECKSUM>().ok_or(Error::InvalidToken("it is too short"))?;
        if *checksum != Token::checksum(content) {
            return Err(Error::InvalidToken("its checksum does not fit"));
        }
        let (id, secret) = content.split_first_chunk::<8>().ok_or(Error::InvalidToken("it is too short"))?;
        let secret = Key::read(secret).ok_or(Error::InvalidToken("it has the wrong length"))?;
        Ok(Token { id: GrantId(*id), secret })
    }

    /// Reads a token from a file that nobody else can read, as `authy setup-agent` writes it.
    pub fn read(path: &Path) -> Result<Token> {
        Token::parse(&read_private(path)?)
    }

    /// The token as text, to hand to whom it is for.
    pub fn reveal(&self) -> Zeroizing<String> {
        let mut bytes = Zeroizing::new(Vec::with_capacity(8 + 32 + CHECKSUM));
        bytes.extend_from_slice(&self.id.0);
        bytes.extend_from_slice(self.secret.bytes());
        let checksum = Token::checksum(&bytes);
        bytes.extend_from_slice(&checksum);
        let mut body = URL_SAFE_NO_PAD.encode_to_string(&*bytes);
        let text = Zeroizing::new([PREFIX, &body].concat());
        body.zeroize();
        text
    }

    /// Which grant it opens.
    pub fn id(&self) -> GrantId {
        self.id
    }

    /// The pair of keys that the secret stands for.
    pub(crate) fn pair(&self) -> Secret {
        Secret::from_key(&extract(&self.id.0, self.secret.bytes(), "authy token"))
    }

    fn checksum(content: &[u8]) -> [u8; CHECKSUM] {
        let digest = Sha256::new().chain_update(PREFIX).chain_update(content).finalize();
        std::array::from_fn(|at| digest.get(at).copied().unwrap_or_default())
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Token({})", self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::Token;

    #[test]
    fn a_token_reads_back_what_it_says_and_debug_says_no_secret() {
        let token = Token::random().expect("random");
        let text = token.reveal();
        let back = Token::parse(&format!(" {}\n", text.as_str())).expect("a token");
        assert_eq!((back.id(), back.secret.bytes()), (token.id(), token.secret.bytes()));
        assert_eq!(format!("{token:?}"), format!("Token({})", token.id()));
    }

    #[test]
    fn a_slip_in_a_token_is_noticed() {
        let text = Token::random().expect("random").reveal();
        let mut slipped = text.as_str().to_owned();
        let last = slipped.pop().expect("a character");
        slipped.push(if last == 'A' { 'Q' } else { 'A' });
        for bad in [slipped.as_str(), "authy_v1.abc", "authy_v2.", "authy_v2.!", "x", &text[..30]] {
            assert!(Token::parse(bad).is_err(), "{bad}");
        }
    }
}
