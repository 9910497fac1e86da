//! The bridge between the application, which has everything, and the programs that agents start: MCP of 2026-07-28, one JSON line
//! each way, over a socket that only this user can reach.

mod adopt;
mod claim;
mod guard;
mod handover;
mod place;
mod relaying;
mod restrictions;
mod sys;

use std::sync::{Arc, OnceLock};

use mcp::{Parts, Service, Surface};

pub use claim::{Claim, ClaimError};
pub use guard::Guard;
pub use place::{Place, PlaceError};
pub use relaying::{Mode, Relaying, UnknownMode, service, service_of};
pub use restrictions::Restrictions;

/// A method of the application: takes over a screenshot that was taken without it.
const ADOPT: &str = "fotos/adopt";

/// Where restrictions are in the `_meta` of a call.
const RESTRICTIONS: &str = "io.github.charly.fotos/restrictions";

/// What the application offers over the bridge: what its server does, and what only relays ask for.
fn with_methods(server: &dyn Service) -> Surface {
    let parts = server.surface().parts();
    Surface::new(Parts { methods: vec![ADOPT.to_owned()], ..parts })
}

/// The same, for those who have no application at hand.
fn application_surface() -> Arc<Surface> {
    static SURFACE: OnceLock<Arc<Surface>> = OnceLock::new();
    Arc::clone(SURFACE.get_or_init(|| Arc::new(with_methods(&crate::shape_of_application()))))
}
