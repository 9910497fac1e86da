//! Taking over a screenshot that was taken without the application.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use mcp::{Fail, Handled, Outcome, Request, code};
use picture::{Limits, inspect};
use serde::Deserialize;

use crate::capture::MOST_PIXELS;
use crate::host::Host;
use crate::screenshot::{By, Image, Record, Screenshot};

#[derive(Deserialize)]
struct Adopted<'a> {
    record: Record,
    /// In base64.
    #[serde(borrow)]
    png: Cow<'a, str>,
}

pub(super) fn handle(host: &Arc<Host>, request: &Request<'_>) -> Handled {
    let refused = |reason: String| {
        Handled::Now(Outcome::Fail(Fail::rpc(
            code::INVALID_PARAMS,
            format!("The screenshot cannot be taken over: {reason}"),
        )))
    };
    let params = request.params().map_or("{}", |params| params.get());
    let Adopted { record, png } = match serde_json::from_str(params) {
        Ok(adopted) => adopted,
        Err(error) => return refused(error.to_string()),
    };
    let Ok(png) = base64_simd::STANDARD.decode_to_vec(png.as_bytes()) else {
        return refused("its picture is not base64".to_owned());
    };
    let limits = Limits { pixels: MOST_PIXELS, ..Limits::default() };
    match inspect(&png, &limits) {
        Err(error) => return refused(error.to_string()),
        Ok(facts) if (facts.width, facts.height) != (record.place.width, record.place.height) => {
            return refused("its picture has another size".to_owned());
        }
        Ok(_) => {}
    }
    if host.store.get(&record.id.to_string()).is_err() {
        if let Err(error) = host.store.check_room() {
            return refused(error.to_string());
        }
        host.keep(Screenshot::from_record(record, Image::Png(Bytes::from(png)), By::Agent));
    }
    Handled::Now(Outcome::Raw(Bytes::from_static(b"{}")))
}
