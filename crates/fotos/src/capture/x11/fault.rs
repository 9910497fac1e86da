//! What can go wrong between us and an X server.

use x11rb::errors::{ConnectionError, ReplyError, ReplyOrIdError};
use x11rb::protocol::ErrorKind;

use crate::capture::Error;

/// A request that failed.
#[derive(Debug)]
pub(super) enum Fault {
    /// The server refused it.
    Refused(ErrorKind),
    /// There is no server any more.
    Lost(String),
    /// It is about the picture, and says so itself.
    Picture(Error),
}

impl Fault {
    /// A window that closed while it was asked about is nothing; anything else is still a fault.
    pub(super) fn or_gone<T>(self) -> Result<Option<T>, Fault> {
        match self {
            Fault::Refused(ErrorKind::Window | ErrorKind::Drawable) => Ok(None),
            other => Err(other),
        }
    }
}

impl From<ConnectionError> for Fault {
    fn from(error: ConnectionError) -> Fault {
        match error {
            ConnectionError::UnsupportedExtension => Fault::Refused(ErrorKind::Implementation),
            other => Fault::Lost(other.to_string()),
        }
    }
}

impl From<ReplyError> for Fault {
    fn from(error: ReplyError) -> Fault {
        match error {
            ReplyError::ConnectionError(error) => error.into(),
            ReplyError::X11Error(error) => Fault::Refused(error.error_kind),
        }
    }
}

impl From<ReplyOrIdError> for Fault {
    fn from(error: ReplyOrIdError) -> Fault {
        match error {
            ReplyOrIdError::ConnectionError(error) => error.into(),
            ReplyOrIdError::X11Error(error) => Fault::Refused(error.error_kind),
            ReplyOrIdError::IdsExhausted => Fault::Lost("it has no more numbers for us".to_owned()),
        }
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        Fault::Picture(error)
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Error {
        match fault {
            Fault::Refused(kind) => Error::Refused { reason: format!("{kind:?}") },
            Fault::Lost(reason) => Error::Lost { reason },
            Fault::Picture(error) => error,
        }
    }
}
