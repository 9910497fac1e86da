//! Picture metadata that every photo program reads, and nothing else touched.
//!
//! [`model::apply`] is the pure half: it takes the metadata blocks of a picture as bytes ([`stores::Stores`]) and what
//! somebody wants to have written ([`model::Wish`]), and gives the blocks back. It opens no file and knows no container
//! format.

mod clock;
pub mod exif;
pub mod iim;
pub mod model;
pub mod resources;
pub mod stores;
mod text;
pub mod view;
pub mod xmp;
