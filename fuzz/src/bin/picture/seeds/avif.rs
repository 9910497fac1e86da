//! AVIF files: those of HEIC with another coding, and a sequence whose frames are found by their places in the file.

use crate::mutate::Seeds;
use crate::seeds::heic::{self, make};
use crate::seeds::length32;

/// The brands of the file, and how its picture is coded.
const CODING: heic::Coding = heic::Coding { brands: b"avif\0\0\0\0mif1miaf", picture: b"av01\0" };

/// A still with a track of frames, in both widths of places.
fn sequence(table: [u8; 4]) -> Vec<u8> {
    let still = heic::plain(&CODING);
    // The frame is the last of the still's data.
    let place = still.len().saturating_sub(4);
    let place: Vec<u8> = match &table {
        b"co64" => [[0; 4], length32(&still[..place])].concat(),
        _ => length32(&still[..place]).to_vec(),
    };
    let mut tracks = make(table, &[&[0, 0, 0, 0, 0, 0, 0, 1], &place]);
    for folder in [b"stbl", b"minf", b"mdia", b"trak", b"moov"] {
        tracks = make(*folder, &[&tracks]);
    }
    [still, tracks].concat()
}

pub(crate) fn seeds() -> Seeds {
    let mut seeds = heic::seeds_of(&CODING);
    seeds.whole.extend([sequence(*b"stco"), sequence(*b"co64")]);
    seeds.pieces.extend([b"avif".as_slice(), b"avis", b"av01", b"trak", b"stbl"]);
    seeds
}
