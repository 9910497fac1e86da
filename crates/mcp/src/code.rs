//! The JSON-RPC error codes the protocol itself uses.

/// The line is not JSON.
pub const PARSE_ERROR: i32 = -32700;
/// JSON, but not a request object.
pub const INVALID_REQUEST: i32 = -32600;
/// No such method, or one whose capability is not declared.
pub const METHOD_NOT_FOUND: i32 = -32601;
/// The method exists; its parameters do not fit.
pub const INVALID_PARAMS: i32 = -32602;
/// Our fault.
pub const INTERNAL_ERROR: i32 = -32603;
/// Too many calls in flight; ours, from the range left to implementations.
pub const BUSY: i32 = -32000;
/// The server that a relay passes calls on to does not answer; ours, from the same range.
pub const UNAVAILABLE: i32 = -32000;
/// Resource not found, as the handshake revisions say it.
pub const RESOURCE_NOT_FOUND: i32 = -32002;
/// Headers and body disagree (2026-07-28, HTTP only).
pub const HEADER_MISMATCH: i32 = -32020;
/// The client did not declare a capability that the request needs (2026-07-28).
pub const MISSING_CAPABILITY: i32 = -32021;
/// The request names a revision we do not speak (2026-07-28).
pub const UNSUPPORTED_VERSION: i32 = -32022;
