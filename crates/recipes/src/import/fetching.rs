//! Pages and pictures from the web. The one client of `fetch` refuses private addresses, whatever a name says.

use std::time::Duration;

use bytes::Bytes;
use fetch::header::{ACCEPT, CONTENT_TYPE};
use fetch::{Access, Client, FetchError, HeaderValue, Limits, Request};

use super::MOST_TEXT;
use crate::photo::{MOST_UPLOAD, Picture};

/// The client for imports: public addresses only, and not for long.
pub fn fetcher() -> Result<Client, FetchError> {
    let limits = Limits { total: Duration::from_secs(30), body: MOST_TEXT as u64, ..Limits::default() };
    Client::builder(Access::public()).limits(limits).user_agent("recipe-vault").build()
}

/// The text of a page, and where it came from in the end.
pub async fn fetch_page(client: &Client, url: &str) -> Result<(String, String), FetchError> {
    let accept =
        HeaderValue::from_static("text/html, application/ld+json, application/json, text/plain;q=0.5");
    let response = client.fetch(Request::get(url)?.header(ACCEPT, accept)).await?.success()?;
    let kind = response.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let western =
        ["iso-8859-1", "windows-1252", "latin1"].iter().any(|set| kind.to_lowercase().contains(set));
    let text = match std::str::from_utf8(&response.body) {
        Ok(text) => text.to_owned(),
        Err(_) if western => response.body.iter().map(|byte| western_character(*byte)).collect(),
        Err(_) => String::from_utf8_lossy(&response.body).into_owned(),
    };
    Ok((text, response.url.to_string()))
}

/// The characters of the old western set between 0x80 and 0x9f, where quotation marks and dashes are; `iso-8859-1` is read so,
/// too, as browsers do. Every other byte is the character of the same number.
const WESTERN: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

fn western_character(byte: u8) -> char {
    let special = byte.checked_sub(0x80).and_then(|at| WESTERN.get(usize::from(at)));
    special.copied().unwrap_or_else(|| char::from(byte))
}

/// A picture, if there is one at this address.
pub async fn fetch_picture(client: &Client, url: &str) -> Result<Picture, String> {
    let request = Request::get(url).map_err(|error| error.to_string())?.limit(MOST_UPLOAD as u64);
    let response = client.fetch(request).await.and_then(fetch::Response::success);
    let body: Bytes = response.map_err(|error| error.to_string())?.body;
    Picture::prepared(body).await.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::western_character;

    #[test]
    fn old_pages_have_dashes_and_quotation_marks() {
        let page = b"1\xbd\x9611/2 cups cr\xe8me \x93fra\xeeche\x94";
        let text: String = page.iter().map(|byte| western_character(*byte)).collect();
        assert_eq!(text, "1½–11/2 cups crème “fraîche”");
    }
}
