//! One-time codes by time: RFC 6238, from a base32 secret or an `otpauth://` URL.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;
use sha2::{Sha256, Sha512};
use zeroize::Zeroizing;

/// How codes are made from a secret.
pub struct Totp {
    key: Zeroizing<Vec<u8>>,
    algorithm: Algorithm,
    digits: u32,
    period: u64,
}

/// The hash a code is made with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// What nearly everybody uses.
    Sha1,
    /// SHA-256.
    Sha256,
    /// SHA-512.
    Sha512,
}

/// The fewest characters of a secret that stands by itself: services give 80 bits at least.
const SHORTEST: usize = 16;

/// A code, and how long it is good for.
#[derive(Clone, PartialEq, Eq)]
pub struct Code {
    /// Its digits.
    pub digits: Zeroizing<String>,
    /// How many more seconds it is good for.
    pub seconds_left: u64,
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Code").field("seconds_left", &self.seconds_left).finish_non_exhaustive()
    }
}

/// Why a value makes no codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TotpError {
    /// It is not text.
    #[error(
        "the value is not text; store the base32 secret or the `otpauth://totp/…` address of the account"
    )]
    NotText,
    /// It is not base32.
    #[error(
        "the value is not base32 (letters A to Z, digits 2 to 7); store the secret as the service shows it"
    )]
    NotBase32,
    /// It is a password, or something else that could be guessed.
    #[error(
        "the value is shorter than the {SHORTEST} characters that the secret of an account has; store that secret, or its \
         `otpauth://totp/…` address"
    )]
    TooShort,
    /// It is an address of another kind.
    #[error(
        "the address is not of the form `otpauth://totp/…?secret=…`; counters (`hotp`) are not supported"
    )]
    NotTotp,
    /// A parameter that cannot be.
    #[error(
        "the address asks for a {0} that is not supported; SHA1, SHA256 or SHA512, 6 to 10 digits, 1 to 3600 seconds are"
    )]
    Parameter(&'static str),
}

impl Totp {
    /// Reads a stored value: base32, or an `otpauth://` URL.
    pub fn parse(value: &[u8]) -> Result<Totp, TotpError> {
        let text = std::str::from_utf8(value).map_err(|_| TotpError::NotText)?.trim();
        match text.get(..10) {
            Some(start) if start.eq_ignore_ascii_case("otpauth://") => Totp::from_url(text),
            _ => {
                let key = base32(text)?;
                // Many passwords are base32, and whoever has a code can try passwords until one makes it.
                if text.bytes().filter(u8::is_ascii_alphanumeric).count() < SHORTEST {
                    return Err(TotpError::TooShort);
                }
                Ok(Totp { key, algorithm: Algorithm::Sha1, digits: 6, period: 30 })
            }
        }
    }

    fn from_url(text: &str) -> Result<Totp, TotpError> {
        let url = fetch::Url::parse(text).map_err(|_| TotpError::NotTotp)?;
        if url.host_str().is_none_or(|kind| !kind.eq_ignore_ascii_case("totp")) {
            return Err(TotpError::NotTotp);
        }
        let mut totp = Totp { key: Zeroizing::default(), algorithm: Algorithm::Sha1, digits: 6, period: 30 };
        for (name, value) in url.query_pairs() {
            match name.as_ref() {
                "secret" => totp.key = base32(&value)?,
                "algorithm" => {
                    totp.algorithm = Algorithm::parse(&value).ok_or(TotpError::Parameter("algorithm"))?;
                }
                "digits" => {
                    totp.digits = within(&value, 6, 10).ok_or(TotpError::Parameter("number of digits"))?;
                }
                "period" => {
                    totp.period = within(&value, 1, 3600).ok_or(TotpError::Parameter("period"))?.into();
                }
                _ => {}
            }
        }
        if totp.key.is_empty() { Err(TotpError::NotTotp) } else { Ok(totp) }
    }

    /// The code at a time, in seconds since 1970.
    pub fn at(&self, seconds: u64) -> Code {
        let counter = (seconds / self.period).to_be_bytes();
        let number = match self.algorithm {
            Algorithm::Sha1 => truncated(&mac::<Hmac<Sha1>>(&self.key, counter)),
            Algorithm::Sha256 => truncated(&mac::<Hmac<Sha256>>(&self.key, counter)),
            Algorithm::Sha512 => truncated(&mac::<Hmac<Sha512>>(&self.key, counter)),
        };
        let code = u64::from(number) % 10_u64.pow(self.digits);
        let width = self.digits as usize;
        Code {
            digits: Zeroizing::new(format!("{code:0width$}")),
            seconds_left: self.period - seconds % self.period,
        }
    }
}

impl Algorithm {
    fn parse(text: &str) -> Option<Algorithm> {
        let known = [("SHA1", Algorithm::Sha1), ("SHA256", Algorithm::Sha256), ("SHA512", Algorithm::Sha512)];
        let text = text.replace('-', "");
        known.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(&text)).map(|(_, algorithm)| algorithm)
    }
}

fn within(text: &str, least: u32, most: u32) -> Option<u32> {
    text.parse().ok().filter(|number| (least..=most).contains(number))
}

fn mac<M: Mac + KeyInit>(key: &[u8], counter: [u8; 8]) -> Zeroizing<Vec<u8>> {
    // A key of any length is a key to HMAC; there is no other error.
    let bytes = <M as KeyInit>::new_from_slice(key)
        .map(|mac| mac.chain_update(counter).finalize().into_bytes().to_vec())
        .unwrap_or_default();
    Zeroizing::new(bytes)
}

/// RFC 4226, 5.3: four bytes from where the last one points to, without the sign.
fn truncated(mac: &[u8]) -> u32 {
    let offset = usize::from(mac.last().copied().unwrap_or_default() & 15);
    let four = mac.get(offset..).and_then(<[u8]>::first_chunk::<4>).copied().unwrap_or_default();
    u32::from_be_bytes(four) & 0x7fff_ffff
}

/// Base32 as services show it: in any case, with spaces or dashes between, with or without padding.
fn base32(text: &str) -> Result<Zeroizing<Vec<u8>>, TotpError> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(text.len()));
    let (mut bits, mut count) = (0_u32, 0_u32);
    for byte in text.trim_end_matches('=').bytes().filter(|byte| !matches!(byte, b' ' | b'-')) {
        let digit = match byte.to_ascii_uppercase() {
            letter @ b'A'..=b'Z' => letter - b'A',
            digit @ b'2'..=b'7' => digit - b'2' + 26,
            _ => return Err(TotpError::NotBase32),
        };
        bits = (bits << 5 | u32::from(digit)) & 0xfff;
        count += 5;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).unwrap_or_default());
        }
    }
    if bytes.is_empty() { Err(TotpError::NotBase32) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::{Totp, TotpError};

    const SHA1: &str = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
    const SHA256: &str = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA";
    const SHA512: &str = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNA";

    /// RFC 6238, appendix B.
    const VECTORS: [(u64, &str, &str, &str); 6] = [
        (59, "94287082", "46119246", "90693936"),
        (1_111_111_109, "07081804", "68084774", "25091201"),
        (1_111_111_111, "14050471", "67062674", "99943326"),
        (1_234_567_890, "89005924", "91819424", "93441116"),
        (2_000_000_000, "69279037", "90698825", "38618901"),
        (20_000_000_000, "65353130", "77737706", "47863826"),
    ];

    #[test]
    fn the_examples_of_the_standard() {
        for (seconds, sha1, sha256, sha512) in VECTORS {
            for (secret, algorithm, expected) in
                [(SHA1, "SHA1", sha1), (SHA256, "sha256", sha256), (SHA512, "SHA-512", sha512)]
            {
                let url = format!(
                    "otpauth://totp/ACME:ada?secret={secret}&algorithm={algorithm}&digits=8&issuer=ACME"
                );
                let code = Totp::parse(url.as_bytes()).expect("an address").at(seconds);
                assert_eq!(code.digits.as_str(), expected, "{algorithm} at {seconds}");
            }
        }
    }

    #[test]
    fn a_bare_secret_makes_six_digits_every_thirty_seconds() {
        for spelling in
            [SHA1.to_owned(), SHA1.to_lowercase(), "GEZD GNBV GY3T QOJQ GEZD-GNBV-GY3T-QOJQ\n".to_owned()]
        {
            let code = Totp::parse(spelling.as_bytes()).expect("a secret").at(59);
            assert_eq!((code.digits.as_str(), code.seconds_left), ("287082", 1));
        }
    }

    #[test]
    fn what_is_no_secret_is_refused() {
        let refused = |value: &[u8]| Totp::parse(value).err();
        assert_eq!(refused(b"\xff"), Some(TotpError::NotText));
        assert_eq!(refused(b"hunter18"), Some(TotpError::NotBase32));
        assert_eq!(refused(b"==="), Some(TotpError::NotBase32));
        for password in ["sunshine", "correct-horse", "GEZDGNBVGY3TQOJ"] {
            assert_eq!(
                refused(password.as_bytes()),
                Some(TotpError::TooShort),
                "a code would confirm a guess"
            );
        }
        assert_eq!(refused(b"otpauth://hotp/x?secret=GEZA"), Some(TotpError::NotTotp));
        assert_eq!(refused(b"otpauth://totp/x"), Some(TotpError::NotTotp));
        assert_eq!(
            refused(b"otpauth://totp/x?secret=GEZA&digits=99"),
            Some(TotpError::Parameter("number of digits"))
        );
        assert_eq!(refused(b"otpauth://totp/x?secret=GEZA&period=0"), Some(TotpError::Parameter("period")));
        assert_eq!(
            refused(b"otpauth://totp/x?secret=GEZA&algorithm=MD5"),
            Some(TotpError::Parameter("algorithm"))
        );
    }
}
