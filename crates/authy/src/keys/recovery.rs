//! Recovery codes: 160 random bits a person can write on paper.

use std::fmt;

use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use super::crypto::{extract, random};
use super::sealing::Secret;
use crate::error::{Error, Result, WrongCredential};

/// Without letters that look like digits or like each other.
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const BYTES: usize = 20;
const CHECKSUM: usize = 5;

/// A code in eight groups of five characters, the last a checksum of the others.
#[derive(Clone)]
pub struct RecoveryCode(Zeroizing<[u8; BYTES]>);

impl RecoveryCode {
    /// A new code.
    pub fn random() -> Result<RecoveryCode> {
        random().map(Zeroizing::new).map(RecoveryCode)
    }

    /// Reads a code as a person types it: case, spaces and dashes do not matter, nor `O` for `0`, `I` or `L` for `1`.
    pub fn parse(text: &str) -> Result<RecoveryCode> {
        let wrong = || Error::WrongCredential(WrongCredential::Recovery);
        let mut digits = Zeroizing::new(Vec::with_capacity(40));
        for c in text.bytes().filter(|c| !c.is_ascii_whitespace() && *c != b'-') {
            let c = match c.to_ascii_uppercase() {
                b'O' => b'0',
                b'I' | b'L' => b'1',
                other => other,
            };
            let digit = ALPHABET.iter().position(|known| *known == c).ok_or_else(wrong)?;
            digits.push(u8::try_from(digit).map_err(|_| wrong())?);
        }
        let bytes = Zeroizing::new(regroup(&digits, 5, 8));
        let (code, checksum) = bytes.split_first_chunk::<BYTES>().ok_or_else(wrong)?;
        let code = RecoveryCode(Zeroizing::new(*code));
        if digits.len() == 40 && checksum == code.checksum() { Ok(code) } else { Err(wrong()) }
    }

    /// The code as text, to print once.
    pub fn reveal(&self) -> Zeroizing<String> {
        let all = Zeroizing::new([self.0.as_slice(), &self.checksum()].concat());
        let digits = Zeroizing::new(regroup(&all, 8, 5));
        let mut text = Zeroizing::new(String::with_capacity(48));
        for (at, digit) in digits.iter().enumerate() {
            if at > 0 && at % 5 == 0 {
                text.push('-');
            }
            text.push(char::from(*ALPHABET.get(usize::from(*digit)).unwrap_or(&b'0')));
        }
        text
    }

    pub(crate) fn pair(&self) -> Secret {
        Secret::from_key(&extract(b"", self.0.as_slice(), "authy recovery code"))
    }

    fn checksum(&self) -> [u8; CHECKSUM] {
        let digest = Sha256::new().chain_update("authy recovery").chain_update(self.0.as_slice()).finalize();
        std::array::from_fn(|at| digest.get(at).copied().unwrap_or_default())
    }
}

/// The same bits in groups of another size. What does not fill a group is left out.
fn regroup(groups: &[u8], from: u32, to: u32) -> Vec<u8> {
    let mut out = Vec::with_capacity(groups.len() * from as usize / to as usize);
    let (mut bits, mut count) = (0_u32, 0);
    for group in groups {
        bits = (bits << from) | u32::from(*group);
        count += from;
        while count >= to {
            count -= to;
            // Truncation is meant: the group is the lowest `to` bits.
            #[allow(clippy::cast_possible_truncation)]
            out.push(((bits >> count) & ((1 << to) - 1)) as u8);
        }
    }
    out
}

impl fmt::Debug for RecoveryCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RecoveryCode(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::RecoveryCode;

    #[test]
    fn a_code_reads_back_however_it_is_typed() {
        let code = RecoveryCode::random().expect("random");
        let text = code.reveal();
        assert_eq!(text.split('-').map(str::len).collect::<Vec<_>>(), [5; 8]);
        for typed in [text.to_string(), text.to_lowercase(), text.replace('-', " "), text.replace('0', "o")] {
            assert_eq!(RecoveryCode::parse(&typed).expect("a code").0, code.0);
        }
    }

    #[test]
    fn a_slip_is_noticed() {
        let text = RecoveryCode::random().expect("random").reveal();
        for at in text.char_indices().filter(|(_, c)| *c != '-').map(|(at, _)| at) {
            let mut slipped = text.to_string();
            let other = if &slipped[at..=at] == "7" { "8" } else { "7" };
            slipped.replace_range(at..=at, other);
            assert!(RecoveryCode::parse(&slipped).is_err());
        }
        for bad in ["", "7", &text[1..], &format!("{}7", text.as_str()), "é"] {
            assert!(RecoveryCode::parse(bad).is_err());
        }
    }
}
