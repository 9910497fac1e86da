//! State that travels through the client and comes back unchanged, or not at all.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::code;
use crate::fail::Fail;
use crate::input::InputResponses;
use crate::lock::unpoisoned;

/// How long a person has to answer.
const LIFETIME: Duration = Duration::from_secs(15 * 60);

/// How many spent states are remembered; all of them expire within [`LIFETIME`].
const MAX_SPENT: usize = 10_000;

/// Seals and opens request states.
pub(crate) struct Seal {
    key: OnceLock<[u8; 32]>,
    spent: Mutex<HashMap<[u8; 16], u64>>,
}

/// The request a state belongs to.
pub(crate) struct Binding<'a> {
    pub(crate) method: &'a str,
    pub(crate) name: &'a str,
    pub(crate) arguments: Option<&'a str>,
    pub(crate) principal: &'a str,
}

#[derive(Serialize, Deserialize)]
struct Payload {
    /// Unix seconds.
    expires: u64,
    nonce: [u8; 16],
    bound_to: [u8; 32],
    #[serde(rename = "answers")]
    responses: InputResponses,
}

/// A state that came back whole. It is good for one finished call.
pub(crate) struct Opened {
    pub(crate) responses: InputResponses,
    pub(crate) ticket: Ticket,
}

/// A state that was spent.
#[derive(Clone, Copy)]
pub(crate) struct Ticket {
    nonce: [u8; 16],
    expires: u64,
}

impl Seal {
    /// With `key`, several processes can open each other's states; without, each process has its own.
    pub(crate) fn new(key: Option<[u8; 32]>) -> Seal {
        Seal { key: key.map_or_else(OnceLock::new, OnceLock::from), spent: Mutex::default() }
    }

    fn mac(&self) -> Result<Hmac<Sha256>, Fail> {
        let key = if let Some(key) = self.key.get() {
            key
        } else {
            let fresh = random::<32>()?;
            self.key.get_or_init(|| fresh)
        };
        Hmac::new_from_slice(key).map_err(|_| internal())
    }

    pub(crate) fn close(&self, binding: &Binding<'_>, responses: &InputResponses) -> Result<String, Fail> {
        let payload = Payload {
            expires: now() + LIFETIME.as_secs(),
            nonce: random()?,
            bound_to: binding.digest(),
            responses: responses.clone(),
        };
        let body = serde_json::to_vec(&payload).map_err(|_| internal())?;
        let mut mac = self.mac()?;
        mac.update(&body);
        let tag = mac.finalize().into_bytes();
        let coder = base64_simd::URL_SAFE_NO_PAD;
        Ok(format!("{}.{}", coder.encode_to_string(&body), coder.encode_to_string(tag)))
    }

    /// Opens a state and spends it: of two calls with the same state only one gets through.
    pub(crate) fn open(&self, binding: &Binding<'_>, state: &str) -> Result<Opened, Fail> {
        let refuse = |why: &str| {
            Fail::rpc(code::INVALID_PARAMS, format!("`requestState` {why}; make the call anew, without it"))
        };
        let coder = base64_simd::URL_SAFE_NO_PAD;
        let (body, tag) = state.split_once('.').ok_or_else(|| refuse("is not one of ours"))?;
        let body = coder.decode_to_vec(body).map_err(|_| refuse("is not one of ours"))?;
        let tag = coder.decode_to_vec(tag).map_err(|_| refuse("is not one of ours"))?;
        let mut mac = self.mac()?;
        mac.update(&body);
        mac.verify_slice(&tag).map_err(|_| refuse("was changed"))?;
        let payload: Payload = serde_json::from_slice(&body).map_err(|_| refuse("is not one of ours"))?;
        if payload.expires < now() {
            return Err(refuse("has expired"));
        }
        if payload.bound_to != binding.digest() {
            return Err(refuse("belongs to another request"));
        }
        let ticket = Ticket { nonce: payload.nonce, expires: payload.expires };
        if !self.spend(ticket) {
            return Err(refuse("was used already"));
        }
        Ok(Opened { responses: payload.responses, ticket })
    }

    /// Makes a state good again, for a call that came to nothing but another request for input.
    pub(crate) fn give_back(&self, ticket: Ticket) {
        unpoisoned(self.spent.lock()).remove(&ticket.nonce);
    }

    /// Marks a state as used. `false` when another call was faster.
    fn spend(&self, ticket: Ticket) -> bool {
        let mut spent = unpoisoned(self.spent.lock());
        if spent.len() >= MAX_SPENT {
            let now = now();
            spent.retain(|_, expires| *expires >= now);
        }
        if spent.len() >= MAX_SPENT
            && let Some(oldest) = spent.iter().min_by_key(|(_, expires)| **expires).map(|(nonce, _)| *nonce)
        {
            spent.remove(&oldest);
        }
        spent.insert(ticket.nonce, ticket.expires).is_none()
    }
}

impl Binding<'_> {
    fn digest(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        let arguments = self.arguments.unwrap_or("null");
        let mut canonical = String::new();
        match serde_json::from_str(arguments) {
            Ok(value) => canonicalise(&value, &mut canonical),
            // Such as half a character in a string: then it is bound to the very text.
            Err(_) => canonical.push_str(arguments),
        }
        for part in [self.method, self.name, self.principal, &canonical] {
            hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
            hash.update(part);
        }
        hash.finalize().into()
    }
}

/// The same value gives the same text, whatever order a client writes its members in.
fn canonicalise(value: &Value, out: &mut String) {
    match value {
        Value::Object(object) => {
            let mut members: Vec<_> = object.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            out.push('{');
            for (name, member) in members {
                out.push_str(&Value::from(name.as_str()).to_string());
                out.push(':');
                canonicalise(member, out);
                out.push(',');
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for item in items {
                canonicalise(item, out);
                out.push(',');
            }
            out.push(']');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

pub(crate) fn random<const N: usize>() -> Result<[u8; N], Fail> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|_| internal())?;
    Ok(bytes)
}

/// 128 bits that nobody can guess, as hexadecimal digits.
pub(crate) fn random_id() -> Result<String, Fail> {
    Ok(format!("{:032x}", u128::from_ne_bytes(random()?)))
}

fn internal() -> Fail {
    Fail::rpc(code::INTERNAL_ERROR, "Internal error: the system gives no random numbers")
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::{Binding, InputResponses, Seal};

    fn binding<'a>(arguments: &'a str, principal: &'a str) -> Binding<'a> {
        Binding { method: "tools/call", name: "erase", arguments: Some(arguments), principal }
    }

    fn sealed(seal: &Seal) -> String {
        let responses = InputResponses { state: Some("round 2".into()), ..InputResponses::default() };
        seal.close(&binding(r#"{"a":1,"b":2}"#, "me"), &responses).expect("sealed")
    }

    #[test]
    fn a_state_opens_for_its_own_request_in_any_member_order() {
        let seal = Seal::new(None);
        let opened = seal.open(&binding(r#"{"b":2, "a":1}"#, "me"), &sealed(&seal)).expect("opened");
        assert_eq!(opened.responses.state.as_deref(), Some("round 2"));
    }

    #[test]
    fn a_state_that_was_changed_is_refused() {
        let seal = Seal::new(None);
        let state = sealed(&seal);
        for at in 0..state.len() {
            let mut bytes = state.clone().into_bytes();
            bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
            let forged = String::from_utf8(bytes).expect("ASCII");
            assert!(
                forged == state || seal.open(&binding(r#"{"a":1,"b":2}"#, "me"), &forged).is_err(),
                "{at}"
            );
        }
    }

    #[test]
    fn a_state_of_another_request_principal_or_process_is_refused() {
        let seal = Seal::new(None);
        let state = sealed(&seal);
        assert!(seal.open(&binding(r#"{"a":1}"#, "me"), &state).is_err());
        assert!(seal.open(&binding(r#"{"a":1,"b":2}"#, "you"), &state).is_err());
        assert!(Seal::new(None).open(&binding(r#"{"a":1,"b":2}"#, "me"), &state).is_err());
    }

    /// A string with half a character, or a number beyond all bounds, may be passed on as it is.
    #[test]
    fn what_is_no_value_is_bound_as_it_is_written() {
        let seal = Seal::new(None);
        let closed =
            |arguments| seal.close(&binding(arguments, "me"), &InputResponses::default()).expect("sealed");
        for (one, other) in [(r#"{"a":"\ud800"}"#, r#"{"b":"\ud800"}"#), (r#"{"a":1e999}"#, "null")] {
            assert!(seal.open(&binding(other, "me"), &closed(one)).is_err(), "{one}");
            assert!(seal.open(&binding(one, "me"), &closed(one)).is_ok(), "{one}");
        }
    }

    #[test]
    fn a_state_is_good_once() {
        let seal = Seal::new(Some([7; 32]));
        let state = sealed(&seal);
        let request = binding(r#"{"a":1,"b":2}"#, "me");
        let opened = seal.open(&request, &state).expect("opened");
        assert!(seal.open(&request, &state).is_err());
        seal.give_back(opened.ticket);
        assert!(seal.open(&request, &state).is_ok());
    }
}
