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
        // Each byte of the old western set is the character of the same number.
        Err(_) if western => response.body.iter().map(|byte| char::from(*byte)).collect(),
        Err(_) => String::from_utf8_lossy(&response.body).into_owned(),
    };
    Ok((text, response.url.to_string()))
}

/// A picture, if there is one at this address.
pub async fn fetch_picture(client: &Client, url: &str) -> Result<Picture, String> {
    let request = Request::get(url).map_err(|error| error.to_string())?.limit(MOST_UPLOAD as u64);
    let response = client.fetch(request).await.and_then(fetch::Response::success);
    let body: Bytes = response.map_err(|error| error.to_string())?.body;
    Picture::prepared(body).await.map_err(|error| error.to_string())
}
