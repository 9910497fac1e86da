//! Outbound HTTP, once for all servers: one client that connects only to addresses it has checked, follows redirects by
//! itself, and reads no more than it was told to.
//!
//! What a request may reach is the client's [`Access`]; how long it may take and how much it may bring are its
//! [`Limits`]. A host name is looked up once for a connection: the addresses that were checked are the addresses that
//! are connected to, so a name that changes its mind in between gains nothing. There is no proxy, whatever the
//! environment says, because a proxy would look names up where nobody checks them; a client for hosts that a person chose may be
//! given one ([`Builder::proxy`]).
//!
//! Certificates are checked against the Mozilla roots compiled into the program, which needs no library and no file of
//! the system and is the same on every machine; [`Builder::system_roots`] adds those this machine trusts, and
//! [`Builder::trust`] any other.

mod access;
mod address;
mod body;
mod client;
mod error;
mod redirect;
mod request;
mod resolver;
mod retry;
mod tls;

pub use access::{Access, Ports, Schemes};
pub use address::Reserved;
pub use body::{Response, Streaming};
pub use client::{Builder, Client, Limits, Proxy};
pub use error::{FetchError, Site};
pub use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
pub use redirect::Redirects;
pub use request::Request;
pub use resolver::{Resolver, Resolving, SystemResolver};
pub use retry::{pause, retry_after};
pub use url::Url;
