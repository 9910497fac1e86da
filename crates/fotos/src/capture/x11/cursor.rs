//! The mouse pointer, which no X server paints into its pictures.

use geometry::Rect;
use picture::Pixels;
use x11rb::connection::RequestConnection;
use x11rb::protocol::xfixes::{self, ConnectionExt, GetCursorImageReply};
use x11rb::rust_connection::RustConnection;

use super::fault::Fault;

/// Draws the pointer into a picture of this part of the root. A server without `XFixes` tells nobody what it looks like.
pub(super) fn draw(connection: &RustConnection, pixels: &mut Pixels, part: Rect) -> Result<(), Fault> {
    if connection.extension_information(xfixes::X11_EXTENSION_NAME)?.is_none() {
        return Ok(());
    }
    connection.xfixes_query_version(4, 0)?.reply()?;
    let cursor = connection.xfixes_get_cursor_image()?.reply()?;
    blend(&cursor, pixels, part);
    Ok(())
}

fn blend(cursor: &GetCursorImageReply, pixels: &mut Pixels, part: Rect) {
    let place = Rect {
        x: i32::from(cursor.x) - i32::from(cursor.xhot),
        y: i32::from(cursor.y) - i32::from(cursor.yhot),
        width: cursor.width.into(),
        height: cursor.height.into(),
    }
    .seen_from(part.x, part.y);
    let Some(seen) = pixels.frame().common(place) else { return };
    let left = usize::try_from(seen.x - place.x).unwrap_or_default();
    let top = usize::try_from(seen.y - place.y).unwrap_or_default();
    let rows = cursor.cursor_image.chunks_exact(usize::from(cursor.width).max(1)).skip(top);
    for (row, image) in pixels.rows_mut(seen).zip(rows) {
        for (pixel, over) in row.chunks_exact_mut(3).zip(image.iter().skip(left)) {
            // The colours are multiplied with the opacity already.
            let [alpha, colours @ ..] = over.to_be_bytes();
            for (below, colour) in pixel.iter_mut().zip(colours) {
                let rest = u16::from(*below) * u16::from(u8::MAX - alpha) / u16::from(u8::MAX);
                *below = colour.saturating_add(u8::try_from(rest).unwrap_or(u8::MAX));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use geometry::Rect;
    use picture::Pixels;
    use x11rb::protocol::xfixes::GetCursorImageReply;

    use super::blend;

    #[test]
    fn a_pointer_at_the_edge_is_cut_and_its_opacity_counts() {
        let cursor = GetCursorImageReply {
            x: 10,
            y: 20,
            width: 2,
            height: 2,
            xhot: 1,
            yhot: 0,
            cursor_image: vec![0xff00_00ff, 0xffff_0000, 0, 0x8040_0000],
            sequence: 0,
            length: 0,
            cursor_serial: 1,
        };
        let mut pixels = Pixels::plain(2, 2, [100, 100, 100]);
        blend(&cursor, &mut pixels, Rect { x: 10, y: 20, width: 2, height: 2 });
        assert_eq!(pixels.at(0, 0), [255, 0, 0]);
        assert_eq!(pixels.at(0, 1), [0x40 + 49, 49, 49]);
        assert_eq!((pixels.at(1, 0), pixels.at(1, 1)), ([100; 3], [100; 3]));
    }
}
