//! The XMP packets after a wish: all of them say the same, whichever a reader looks at.

use crate::stores::{Container, Stores};
use crate::view::{Fault, View};
use crate::xmp::extended::{self, Spilled};
use crate::xmp::{self, Changes, Item, Properties, Property, XmpError};

/// What is to become of the packets.
pub(super) struct Changed<'s> {
    /// The stores before the wish.
    pub(super) stores: &'s Stores,
    pub(super) wanted: Changes,
    pub(super) now: &'s str,
}

/// Changes the packets, if they are not as wanted or anything else has changed.
pub(super) fn change(
    container: Container,
    view: &View,
    new: &mut Stores,
    changed: &Changed<'_>,
) -> Result<(), XmpError> {
    let Changed { stores, wanted, now } = changed;
    if let Some(error) = view.faults.iter().find_map(xmp_fault) {
        return Err(error.clone());
    }
    let mut main = missing(view.packets.main.as_ref(), wanted);
    let further: Vec<Changes> =
        view.packets.further.iter().map(|packet| missing(Some(packet), wanted)).collect();
    let moved = said_elsewhere(view.packets.extended.as_ref(), wanted);
    let is_as_wanted = main.is_empty() && moved.is_empty() && further.iter().all(Changes::is_empty);
    // The date is that of any change, but alone it is no reason for a packet.
    if is_as_wanted && (*new == **stores || stores.xmp.is_none()) {
        return Ok(());
    }
    let date = vec![Item::plain(*now)];
    main.insert(Property::MetadataDate, date.clone());
    if let Some(old) = stores.extended_xmp.as_deref().filter(|_| !moved.is_empty()) {
        let left =
            Some(xmp::edit(Some(old), &moved, usize::MAX)?).filter(|left| extended::says_anything(left));
        let name = left.as_deref().map(extended::name).map(Item::plain);
        main.insert(Property::HasExtendedXmp, name.into_iter().collect());
        new.extended_xmp = left;
    }
    let most = container.capacity().padded_xmp;
    let packet = xmp::edit(stores.xmp.as_deref(), &main, most)?;
    // What was cleared should leave nothing behind. A sidecar stays, since others may look for it.
    let is_alone = stores.further_xmp.is_empty() && new.extended_xmp.is_none();
    let is_cleared = wanted.values().all(Vec::is_empty) && is_alone && container != Container::Sidecar;
    new.xmp = Some(packet).filter(|packet| !is_cleared || !xmp::is_hollow(packet));
    for ((packet, mut changes), new) in stores.further_xmp.iter().zip(further).zip(&mut new.further_xmp) {
        if !changes.is_empty() {
            changes.insert(Property::MetadataDate, date.clone());
            *new = xmp::edit(Some(packet), &changes, most)?;
        }
    }
    make_room(new, container.capacity().xmp)
}

fn xmp_fault(fault: &Fault) -> Option<&XmpError> {
    match fault {
        Fault::Xmp(error) => Some(error),
        Fault::Exif(_) | Fault::Iim(_) => None,
    }
}

/// The changes that a packet needs.
fn missing(packet: Option<&Properties>, wanted: &Changes) -> Changes {
    let none = Properties::default();
    let packet = packet.unwrap_or(&none);
    let missing = wanted.iter().filter(|(property, items)| !packet.are(**property, items));
    missing.map(|(property, items)| (*property, items.clone())).collect()
}

/// What the continuation says although the main packet is to say it: that goes.
fn said_elsewhere(extended: Option<&Properties>, wanted: &Changes) -> Changes {
    let said = |property: &Property| extended.is_some_and(|packet| packet.has(*property));
    let properties = wanted.keys().chain([&Property::MetadataDate]).filter(|property| said(property));
    let moved: Changes = properties.map(|property| (*property, Vec::new())).collect();
    if moved.keys().all(|property| *property == Property::MetadataDate) { Changes::new() } else { moved }
}

/// Moves properties of others to the continuation where the main packet has become too long. Where that does not help,
/// the container refuses it.
fn make_room(new: &mut Stores, capacity: usize) -> Result<(), XmpError> {
    let Some(packet) = new.xmp.as_deref().filter(|packet| packet.len() > capacity) else { return Ok(()) };
    let continues = Properties::read(packet)?.has(Property::HasExtendedXmp);
    if continues && new.extended_xmp.is_none() {
        // A continuation that is not whole cannot be added to.
        return Ok(());
    }
    if let Some(Spilled { main, extended }) = extended::spill(packet, new.extended_xmp.as_deref(), capacity)?
    {
        (new.xmp, new.extended_xmp) = (Some(main), Some(extended));
    }
    Ok(())
}
