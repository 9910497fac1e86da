//! Taking over a screenshot that was taken without the application.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use mcp::{Fail, Handled, Outcome, Request, code};
use picture::{Kind, Pixels};
use serde::Deserialize;

use crate::capture::MOST_PIXELS;
use crate::error::Error;
use crate::host::Host;
use crate::screenshot::{By, Image, Left, Record, Screenshot};

/// No title or warning is longer.
const LONGEST_TEXT: usize = 4_096;

/// No screen shows more windows.
const MOST_WINDOWS: usize = 4_096;

#[derive(Deserialize)]
struct Adopted<'a> {
    record: Record,
    /// In base64.
    #[serde(borrow)]
    png: Cow<'a, str>,
}

/// Takes it over; an agent had it already, through this program.
pub(super) fn handle(host: &Arc<Host>, request: &Request<'_>, client: &str) -> Handled {
    let params = request.params().map_or("{}", |params| params.get());
    let Adopted { record, png } = match serde_json::from_str(params) {
        Ok(adopted) => adopted,
        Err(error) => return Handled::Now(refused(&error.to_string())),
    };
    let Ok(png) = base64_simd::STANDARD.decode_to_vec(png.as_bytes()) else {
        return Handled::Now(refused("its picture is not base64"));
    };
    let (host, record, to) = (Arc::clone(host), bounded(record), Left::Agent { client: client.to_owned() });
    Handled::Later(Box::pin(async move {
        let taken = host.work(move |host| take_over(host, record, Bytes::from(png), to)).await;
        match taken {
            Ok(()) => Outcome::Raw(Bytes::from_static(b"{}")),
            Err(error) => refused(&error.to_string()),
        }
    }))
}

fn take_over(host: &Host, record: Record, png: Bytes, to: Left) -> Result<(), Error> {
    // All of it is read: one that cannot be would be a screenshot nobody can see.
    let frame = Pixels::from_png(&png, MOST_PIXELS)?.frame();
    let is_as_said = (frame.width, frame.height) == (record.place.width, record.place.height);
    if Kind::of(&png) != Some(Kind::Png) || !is_as_said {
        return Err(Error::NotAsSaid);
    }
    let screenshot = Screenshot::from_record(record, Image::Png(png), By::Agent);
    screenshot.note_left(to);
    host.adopt(screenshot)
}

/// With nothing in it that is longer than it can be.
fn bounded(record: Record) -> Record {
    let short = |text: String| text.chars().take(LONGEST_TEXT).collect();
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_millis();
    Record {
        taken: record.taken.min(u64::try_from(now).unwrap_or(u64::MAX)),
        subject: record.subject.map(short),
        warning: record.warning.map(short),
        windows: record.windows.into_iter().take(MOST_WINDOWS).collect(),
        ..record
    }
}

fn refused(reason: &str) -> Outcome {
    let message = format!("The screenshot cannot be taken over: {reason}");
    Outcome::Fail(Fail::rpc(code::INVALID_PARAMS, message))
}
