//! The three tools of the comparison on our own core, as any server of ours would write them.

mod image;
mod tools;

use std::error::Error;
use std::sync::Arc;

use mcp::stdio::Limits;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["stdio"] => Ok(mcp::stdio::serve(Arc::new(tools::server()), Limits::default())?),
        _ => Err("usage: ours stdio".into()),
    }
}
