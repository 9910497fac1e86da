//! The command lines of servers that have more to say than "serve on stdin and stdout".

pub mod recipe_vault;
