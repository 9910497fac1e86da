//! Commands of their own, beside `deskmate`.

pub mod authy;
