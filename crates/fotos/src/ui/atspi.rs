//! AT-SPI: the bus on which programs of Linux desktops tell what their windows consist of.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use geometry::Rect;
use tokio::task::JoinSet;
use zbus::connection::Builder;
use zbus::zvariant::OwnedObjectPath;
use zbus::{Connection, Proxy};

use super::{Element, MOST_ELEMENTS, PASSWORD, Source, TEXT_BOX, Wanted};

/// A program that does not answer within this time tells nothing.
const PATIENCE: Duration = Duration::from_millis(300);

/// How long all of it may take.
const LONGEST: Duration = Duration::from_secs(5);

/// Elements that are asked at once.
const AT_ONCE: usize = 32;

/// How deep a window is nested, at most.
const DEEPEST: usize = 40;

/// Programs that are looked at, at most.
const MOST_PROGRAMS: usize = 256;

/// How much of a text is told, in characters.
const MOST_TEXT: i32 = 1_000;

/// The interfaces that are asked.
const ACCESSIBLE: &str = "org.a11y.atspi.Accessible";
const COMPONENT: &str = "org.a11y.atspi.Component";
const TEXT: &str = "org.a11y.atspi.Text";
const VALUE: &str = "org.a11y.atspi.Value";

/// The states that are told, by their number.
const STATES: [(u32, &str); 12] = [
    (1, "active"),
    (4, "checked"),
    (8, "enabled"),
    (9, "expandable"),
    (10, "expanded"),
    (11, "focusable"),
    (12, "focused"),
    (7, "editable"),
    (20, "pressed"),
    (23, "selected"),
    (25, "showing"),
    (30, "visible"),
];

const SHOWING: u32 = 25;

/// An object on the bus: whose it is, and where.
type Object = (String, OwnedObjectPath);

/// The elements of a window, the outermost first; none where its program tells nothing.
pub(crate) async fn elements(wanted: &Wanted) -> Vec<Element> {
    // What takes too long is what a program does not tell.
    tokio::time::timeout(LONGEST, told(wanted)).await.ok().and_then(Result::ok).unwrap_or_default()
}

async fn told(wanted: &Wanted) -> zbus::Result<Vec<Element>> {
    let session = Connection::session().await?;
    let reply = session
        .call_method(Some("org.a11y.Bus"), "/org/a11y/bus", Some("org.a11y.Bus"), "GetAddress", &())
        .await?;
    let address: String = reply.body().deserialize()?;
    let bus = Builder::address(address.as_str())?.method_timeout(PATIENCE).build().await?;
    let Some(frame) = frame(&bus, wanted).await? else { return Ok(Vec::new()) };
    walk(&bus, frame, wanted.place).await
}

/// The object of the window. One that does not say whose it is has none: a window of another program that is called the same may be
/// excluded.
async fn frame(bus: &Connection, wanted: &Wanted) -> zbus::Result<Option<Object>> {
    if wanted.pid.is_none() {
        return Ok(None);
    }
    let root = ("org.a11y.atspi.Registry".to_owned(), path("/org/a11y/atspi/accessible/root")?);
    for program in children(bus, &root).await?.into_iter().take(MOST_PROGRAMS) {
        if process(bus, &program.0).await.ok() != wanted.pid {
            continue;
        }
        let Ok(windows) = children(bus, &program).await else { continue };
        if let Some(window) = best(bus, windows, wanted).await {
            return Ok(Some(window));
        }
    }
    Ok(None)
}

/// The window of a program that is the wanted one: by its title, and of several with that title the one in its place. Another
/// window is never taken for it: that one may be excluded.
async fn best(bus: &Connection, windows: Vec<Object>, wanted: &Wanted) -> Option<Object> {
    let is_single = windows.len() == 1;
    let mut best: Option<(u64, Object)> = None;
    for window in windows.into_iter().take(MOST_PROGRAMS) {
        let is_named = name(bus, &window).await.is_ok_and(|name| name == wanted.title);
        // The only window of its process may be called anything.
        if !(is_named || is_single) {
            continue;
        }
        let away = extents(bus, &window).await.map_or(u64::MAX, |place| distance(place, wanted.place));
        if best.as_ref().is_none_or(|(least, _)| away < *least) {
            best = Some((away, window));
        }
    }
    best.map(|(_, window)| window)
}

/// How far two boxes are from being the same.
fn distance(one: Rect, other: Rect) -> u64 {
    let apart = |one: i64, other: i64| one.abs_diff(other);
    apart(one.x.into(), other.x.into())
        + apart(one.y.into(), other.y.into())
        + apart(one.right(), other.right())
        + apart(one.bottom(), other.bottom())
}

/// All elements below a window that can be seen, level by level.
async fn walk(bus: &Connection, frame: Object, place: Rect) -> zbus::Result<Vec<Element>> {
    let started = Instant::now();
    let origin = extents(bus, &frame).await.unwrap_or(place);
    // Some programs count from the corner of their window.
    let is_relative = (origin.x, origin.y) == (0, 0) && (place.x, place.y) != (0, 0);
    let offset = if is_relative { (place.x, place.y) } else { (0, 0) };
    let mut waiting: VecDeque<(Object, usize)> = VecDeque::from([(frame, 0)]);
    let mut elements = Vec::new();
    while !waiting.is_empty() && elements.len() < MOST_ELEMENTS && started.elapsed() < LONGEST {
        let mut asked = JoinSet::new();
        for (number, (object, depth)) in waiting.drain(..waiting.len().min(AT_ONCE)).enumerate() {
            let bus = bus.clone();
            asked.spawn(async move { (number, describe(&bus, &object, depth).await) });
        }
        let mut answers = asked.join_all().await;
        answers.sort_by_key(|(number, _)| *number);
        for (_, answer) in answers {
            let Ok((element, below)) = answer else { continue };
            let depth = element.as_ref().map_or(0, |element| element.depth);
            if depth < DEEPEST {
                waiting.extend(below.into_iter().take(MOST_ELEMENTS).map(|object| (object, depth + 1)));
            }
            elements.extend(
                element.map(|element| Element { place: element.place.moved(offset.0, offset.1), ..element }),
            );
        }
    }
    elements.retain(|element| element.place.area() > 0);
    elements.truncate(MOST_ELEMENTS);
    Ok(elements)
}

/// One element and what lies in it. What is not shown is left out with everything in it.
async fn describe(
    bus: &Connection,
    object: &Object,
    depth: usize,
) -> zbus::Result<(Option<Element>, Vec<Object>)> {
    let accessible = proxy(bus, object, ACCESSIBLE).await?;
    let states: Vec<u32> = accessible.call("GetState", &()).await.unwrap_or_default();
    let holds = |number: u32| {
        let word = states.get(number as usize / 32).copied().unwrap_or_default();
        word & (1 << (number % 32)) != 0
    };
    // A window is always shown; some programs say of nothing else that it is.
    if depth > 0 && !states.is_empty() && !holds(SHOWING) && !holds(30) {
        return Ok((None, Vec::new()));
    }
    let role: String = accessible.call("GetRoleName", &()).await?;
    let name = name(bus, object).await.unwrap_or_default();
    let place = extents(bus, object).await.unwrap_or(Rect { x: 0, y: 0, width: 0, height: 0 });
    // GTK 4 tells the text of a password field as it tells any other: what is seen of those is read instead.
    let is_told = !role.contains(PASSWORD) && role != TEXT_BOX;
    let value = if is_told { value(bus, object).await } else { None };
    let value = value.filter(|value| !value.is_empty() && *value != name);
    let states = STATES.iter().filter(|(number, _)| holds(*number)).map(|(_, state)| *state).collect();
    let below = children(bus, object).await.unwrap_or_default();
    let element = Element { role, name, value, states, place, depth, source: Source::Accessibility };
    Ok((Some(element), below))
}

/// What is in an element: its text, or its number.
async fn value(bus: &Connection, object: &Object) -> Option<String> {
    let accessible = proxy(bus, object, ACCESSIBLE).await.ok()?;
    let interfaces: Vec<String> = accessible.call("GetInterfaces", &()).await.ok()?;
    if interfaces.iter().any(|interface| interface == TEXT) {
        return proxy(bus, object, TEXT).await.ok()?.call("GetText", &(0_i32, MOST_TEXT)).await.ok();
    }
    if interfaces.iter().any(|interface| interface == VALUE) {
        let number: f64 = proxy(bus, object, VALUE).await.ok()?.get_property("CurrentValue").await.ok()?;
        return Some(number.to_string());
    }
    None
}

async fn name(bus: &Connection, object: &Object) -> zbus::Result<String> {
    proxy(bus, object, ACCESSIBLE).await?.get_property("Name").await
}

/// Where an element is, in pixels of the screen. What is hidden is nowhere.
async fn extents(bus: &Connection, object: &Object) -> zbus::Result<Rect> {
    let screen = 0_u32;
    let ((x, y, width, height),): ((i32, i32, i32, i32),) = proxy(bus, object, COMPONENT)
        .await?
        .call_method("GetExtents", &screen)
        .await?
        .body()
        .deserialize()?;
    let (width, height) = (u32::try_from(width).unwrap_or(0), u32::try_from(height).unwrap_or(0));
    let is_nowhere = x == i32::MIN || y == i32::MIN;
    Ok(if is_nowhere { Rect { x: 0, y: 0, width: 0, height: 0 } } else { Rect { x, y, width, height } })
}

async fn children(bus: &Connection, object: &Object) -> zbus::Result<Vec<Object>> {
    proxy(bus, object, ACCESSIBLE).await?.call("GetChildren", &()).await
}

/// The process of a program on the bus.
async fn process(bus: &Connection, name: &str) -> zbus::Result<u32> {
    let dbus = "org.freedesktop.DBus";
    let reply = bus
        .call_method(Some(dbus), "/org/freedesktop/DBus", Some(dbus), "GetConnectionUnixProcessID", &name)
        .await?;
    reply.body().deserialize()
}

async fn proxy<'a>(bus: &Connection, object: &'a Object, interface: &'static str) -> zbus::Result<Proxy<'a>> {
    zbus::proxy::Builder::new(bus)
        .destination(object.0.as_str())?
        .path(&object.1)?
        .interface(interface)?
        // Nothing is kept: each is asked once.
        .cache_properties(zbus::proxy::CacheProperties::No)
        .build()
        .await
}

fn path(text: &str) -> zbus::Result<OwnedObjectPath> {
    Ok(OwnedObjectPath::try_from(text)?)
}
