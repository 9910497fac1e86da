//! The stores under random wishes and random damage. Everything is seeded: a failure comes back with its number.

mod generator;
mod mutations;
mod properties;
