//! How much of a server is offered.

use std::sync::Arc;

use mcp::{Selected, Service, ToolEntry};

/// What the tools that are offered may do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Access {
    /// Whatever they do.
    #[default]
    Full,
    /// Nothing but read.
    ReadOnly,
}

/// How many tools are offered: models choose badly from long lists.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Breadth {
    /// The core tools.
    #[default]
    Core,
    /// All of them.
    All,
}

/// The same service with only those tools.
pub fn reduce(service: Arc<dyn Service>, access: Access, breadth: Breadth) -> Arc<dyn Service> {
    if (access, breadth) == (Access::Full, Breadth::All) {
        return service;
    }
    Arc::new(Selected::new(service, move |tool: &ToolEntry| {
        (access == Access::Full || tool.hints.read_only) && (breadth == Breadth::All || tool.core)
    }))
}
