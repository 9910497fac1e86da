//! The cookies: who is signed in, before that which browser a form was given to, and whether it is at this machine.

use web::axum::http::header::{COOKIE, SET_COOKIE};
use web::axum::http::{HeaderMap, HeaderValue};

use crate::auth::sign_in::SESSION_DAYS;
use crate::secret::Secret;
use crate::site::{Book, Transport};

/// Who is signed in.
pub(crate) const SESSION: &str = "rv_session";
/// Where the same person is signed in, too: sessions in other families.
pub(crate) const OTHERS: &str = "rv_others";
/// Which browser it is, before anybody signed in.
pub(crate) const VISIT: &str = "rv_visit";

/// That it is the browser of the person at this machine.
pub(crate) const HOME: &str = "rv_home";

/// In how many other families a browser stays signed in.
const MOST_OTHERS: usize = 8;

/// What a browser sent under this name.
pub(crate) fn read(headers: &HeaderMap, name: &str) -> Option<Secret> {
    given(value(headers, name)?)
}

/// The sessions in other families.
pub(crate) fn others(headers: &HeaderMap) -> Vec<Secret> {
    let value = value(headers, OTHERS).unwrap_or_default();
    value.split('.').filter_map(given).take(MOST_OTHERS).collect()
}

fn value<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let all = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(known, _)| *known == name).map(|(_, value)| value)
}

fn given(value: &str) -> Option<Secret> {
    // Ours are 64 hexadecimal digits; anything else was not given by us.
    (value.len() == 64 && value.bytes().all(|byte| byte.is_ascii_hexdigit())).then(|| Secret::given(value))
}

/// Gives a browser a cookie, or with `None` takes it away.
pub(crate) fn set(headers: &mut HeaderMap, book: &Book, name: &str, secret: Option<&Secret>) {
    give(headers, book, name, secret.map_or("", Secret::reveal));
}

/// Gives a browser its sessions in other families.
pub(crate) fn set_others(headers: &mut HeaderMap, book: &Book, others: &[Secret]) {
    let all: Vec<&str> = others.iter().take(MOST_OTHERS).map(Secret::reveal).collect();
    give(headers, book, OTHERS, &all.join("."));
}

fn give(headers: &mut HeaderMap, book: &Book, name: &str, value: &str) {
    let path = if book.settings.base.is_empty() { "/" } else { &book.settings.base };
    let secure = match book.settings.transport {
        Transport::Https => "; Secure",
        Transport::Http => "",
    };
    let age = if value.is_empty() { 0 } else { SESSION_DAYS * 86_400 };
    let cookie = format!("{name}={value}; Path={path}; Max-Age={age}; HttpOnly; SameSite=Lax{secure}");
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        headers.append(SET_COOKIE, cookie);
    }
}

/// What every form of this browser carries. Another site can make a browser send its cookie, and cannot read this.
pub(crate) fn form_token(cookie: &Secret) -> String {
    let hash = Secret::given(&format!("form {}", cookie.reveal())).hash();
    hex::encode(hash.as_bytes())
}

#[cfg(test)]
mod tests {
    use web::axum::http::{HeaderMap, HeaderValue};

    use super::{SESSION, form_token, read};
    use crate::secret::Secret;

    #[test]
    fn only_cookies_of_our_form_are_read() {
        let secret = Secret::new().expect("random");
        let with = |value: &str| {
            let mut headers = HeaderMap::new();
            let value = HeaderValue::from_str(&format!("a=b; rv_session={value}; c=d")).expect("a header");
            headers.insert("cookie", value);
            read(&headers, SESSION).map(|found| found.reveal().to_owned())
        };
        assert_eq!(with(secret.reveal()).as_deref(), Some(secret.reveal()));
        assert_eq!(with("x"), None);
        assert_eq!(with(&secret.reveal()[1..]), None);
        assert_ne!(form_token(&secret), secret.reveal());
    }
}
