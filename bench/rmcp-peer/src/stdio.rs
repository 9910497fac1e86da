//! Serving on stdio with rmcp's non-blocking pipes, which it advises over `stdio()` and which halve its cost.

use std::error::Error;

use rmcp::{ServiceExt, transport::stdio_pipes};

use crate::tools::Tools;

pub(crate) async fn serve() -> Result<(), Box<dyn Error>> {
    let running = Tools::new()?.serve(stdio_pipes()).await?;
    running.waiting().await?;
    Ok(())
}
