//! The cookies: who is signed in, before that which browser a form was given to, and whether it is at this machine.

use web::axum::http::header::{COOKIE, SET_COOKIE};
use web::axum::http::{HeaderMap, HeaderValue};

use crate::auth::sign_in::SESSION_DAYS;
use crate::secret::Secret;
use crate::site::{Book, Transport};

/// Who is signed in.
pub(crate) const SESSION: &str = "rv_session";
/// Which browser it is, before anybody signed in.
pub(crate) const VISIT: &str = "rv_visit";

/// That it is the browser of the person at this machine.
pub(crate) const HOME: &str = "rv_home";

/// What a browser sent under this name.
pub(crate) fn read(headers: &HeaderMap, name: &str) -> Option<Secret> {
    let all = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let (_, value) = pairs.find(|(known, _)| *known == name)?;
    // Ours are 64 hexadecimal digits; anything else was not given by us.
    (value.len() == 64 && value.bytes().all(|byte| byte.is_ascii_hexdigit())).then(|| Secret::given(value))
}

/// Gives a browser a cookie, or with `None` takes it away.
pub(crate) fn set(headers: &mut HeaderMap, book: &Book, name: &str, secret: Option<&Secret>) {
    let path = if book.settings.base.is_empty() { "/" } else { &book.settings.base };
    let secure = match book.settings.transport {
        Transport::Https => "; Secure",
        Transport::Http => "",
    };
    let (value, age) = match secret {
        Some(secret) => (secret.reveal(), SESSION_DAYS * 86_400),
        None => ("", 0),
    };
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
