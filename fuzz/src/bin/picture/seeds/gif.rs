//! GIF: a picture alone, one with a packet, and an animation of the older version.

use crate::mutate::Seeds;

const PICTURE: &[u8] = b"\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0";
const LOOP: &[u8] = b"\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0";
const CONTROL: &[u8] = b"\x21\xf9\x04\0\0\0\0\0";

pub(crate) fn seeds() -> Seeds {
    let head = b"\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff";
    let packet = super::xmp::seeds().whole.into_iter().next().unwrap_or_default();
    let trailer: Vec<u8> = [1].into_iter().chain((0..=255).rev()).chain([0]).collect();
    let extension = [b"\x21\xff\x0bXMP DataXMP", packet.as_slice(), &trailer].concat();
    let whole = vec![
        [b"GIF89a", &head[..], PICTURE, b"\x3b"].concat(),
        [b"GIF89a", &head[..], LOOP, &extension, CONTROL, PICTURE, b"\x3b"].concat(),
        [b"GIF87a", &head[..], LOOP, CONTROL, PICTURE, CONTROL, PICTURE, b"\x3b and more"].concat(),
    ];
    Seeds { whole, pieces: vec![PICTURE, LOOP, CONTROL, b"\x21\xff\x0bXMP DataXMP", b"\0", b"\x3b"] }
}
