//! What can go wrong with a picture, in the codes and words of the contract.

use std::path::{Path, PathBuf};

use files::{InPlaceError, OpenError, ReplaceError, ResolveError};

use crate::container::FormatError;
use crate::model::ApplyError;
use crate::undo::UndoError;
use crate::verify::VerifyError;
use crate::words;

/// Why the metadata of a picture was not written. The file is as it was.
#[derive(Debug)]
pub struct Error {
    /// The path as it was given.
    pub path: PathBuf,
    /// What is wrong.
    pub kind: Kind,
}

/// What is wrong.
#[derive(Debug, thiserror::Error)]
pub enum Kind {
    /// The path does not start at the root of the file system.
    #[error("`filePath` must be an absolute path, such as `/home/ada/photo.jpg`")]
    RelativePath,
    /// What was named cannot be searched for files.
    #[error("{0}")]
    BadSelection(String),
    /// There is nothing at the path.
    #[error("there is no such file; check the path")]
    NotFound,
    /// It may not be read: by the operating system's rules, or by ours.
    #[error("{0}")]
    NotReadable(String),
    /// It may not be written.
    #[error("{0}")]
    NotWritable(String),
    /// It is no picture of a format we know.
    #[error(
        "its content is none of the formats that can be written: JPEG, PNG, HEIC, AVIF, WebP, GIF, TIFF, DNG and XMP, and \
         beside them raw pictures and videos; convert it or choose another file"
    )]
    Unsupported,
    /// It cannot take the metadata.
    #[error("{0}")]
    WriteFailed(String),
    /// Another program changes it again and again.
    #[error("another program keeps changing the file; nothing was written: try again when that is done")]
    ChangedMeanwhile,
    /// What was to be written did not read back as it should.
    #[error(transparent)]
    ReadFailed(#[from] VerifyError),
    /// It cannot be read as a picture.
    #[error("{0}")]
    CannotRead(String),
    /// What was written cannot be taken back.
    #[error(transparent)]
    CannotUndo(#[from] UndoError),
    /// The metadata cannot be written to any picture.
    #[error("{0}")]
    InvalidMetadata(String),
}

impl Error {
    /// About this file.
    pub(crate) fn new(path: &Path, kind: impl Into<Kind>) -> Error {
        Error { path: path.to_owned(), kind: kind.into() }
    }

    /// About a list of files that cannot be used.
    pub fn of_list(reason: String) -> Error {
        Error::new(Path::new("-"), Kind::BadSelection(reason))
    }

    /// The JSON-RPC code; none where the arguments themselves are wrong.
    pub fn code(&self) -> Option<i32> {
        match self.kind {
            Kind::RelativePath | Kind::BadSelection(_) => None,
            Kind::NotFound => Some(-32001),
            Kind::NotReadable(_) => Some(-32002),
            Kind::NotWritable(_) => Some(-32003),
            Kind::Unsupported => Some(-32004),
            Kind::WriteFailed(_) | Kind::ChangedMeanwhile => Some(-32005),
            Kind::ReadFailed(_) | Kind::CannotRead(_) => Some(-32006),
            Kind::InvalidMetadata(_) => Some(-32007),
            Kind::CannotUndo(_) => Some(-32008),
        }
    }

    /// The message of the contract, and behind it what is wrong and what to do, since clients show nothing else. Where the
    /// contract has a place for the reason, it stands there.
    pub fn message(&self) -> String {
        let path = self.path.display();
        let kind = &self.kind;
        match kind {
            Kind::RelativePath | Kind::BadSelection(_) => self.kind.to_string(),
            Kind::NotFound => format!("文件未找到: {path} ({kind})"),
            Kind::NotReadable(_) => format!("文件不可读: {path} ({kind})"),
            Kind::NotWritable(_) => format!("文件不可写: {path} ({kind})"),
            Kind::Unsupported => {
                format!("不支持的文件格式: {path}。仅支持 JPG, PNG, HEIC。 ({kind})")
            }
            Kind::ChangedMeanwhile => format!("元数据写入失败: {path}。原因: {}", self.kind),
            Kind::WriteFailed(reason) => format!("元数据写入失败: {path}。原因: {reason}"),
            Kind::ReadFailed(reason) => format!("元数据读取失败 (验证步骤): {path}。原因: {reason}"),
            Kind::CannotRead(reason) => format!("元数据读取失败: {path}。原因: {reason}"),
            // A batch that nobody knows is no file.
            Kind::CannotUndo(reason) if self.path.as_os_str().is_empty() => {
                format!("无法撤销。原因: {reason}")
            }
            Kind::CannotUndo(reason) => format!("无法撤销: {path}。原因: {reason}"),
            Kind::InvalidMetadata(_) => format!("提供的元数据结构无效。 ({kind})"),
        }
    }

    /// The reason, where the message of the contract has no room for it.
    pub fn reason(&self) -> Option<String> {
        match &self.kind {
            Kind::NotReadable(reason) | Kind::NotWritable(reason) | Kind::InvalidMetadata(reason) => {
                Some(reason.clone())
            }
            Kind::RelativePath
            | Kind::BadSelection(_)
            | Kind::NotFound
            | Kind::Unsupported
            | Kind::WriteFailed(_)
            | Kind::ChangedMeanwhile
            | Kind::CannotRead(_)
            | Kind::CannotUndo(_)
            | Kind::ReadFailed(_) => None,
        }
    }
}

impl Kind {
    /// Where only reading was wanted, what cannot be read is no failure to write.
    pub(crate) fn not_read(error: OpenError) -> Kind {
        match error {
            OpenError::TooLarge { .. } => Kind::CannotRead(error.to_string()),
            OpenError::NotFound(_)
            | OpenError::Denied(_)
            | OpenError::NotRegular(_)
            | OpenError::Busy(_)
            | OpenError::Io { .. } => error.into(),
        }
    }

    /// Where only reading was wanted, a damaged picture is no failure to write.
    pub(crate) fn not_parsed(error: &FormatError) -> Kind {
        match error {
            FormatError::Unsupported => Kind::Unsupported,
            FormatError::Damaged { .. } | FormatError::Unsafe { .. } => Kind::CannotRead(error.to_string()),
        }
    }
}

impl From<ResolveError> for Kind {
    fn from(error: ResolveError) -> Kind {
        match error {
            ResolveError::Relative(_) => Kind::RelativePath,
            ResolveError::NotFound(_) => Kind::NotFound,
            ResolveError::Unreachable { .. } | ResolveError::Outside { .. } => {
                Kind::NotReadable(error.without_path())
            }
        }
    }
}

impl From<OpenError> for Kind {
    fn from(error: OpenError) -> Kind {
        match error {
            OpenError::NotFound(_) => Kind::NotFound,
            OpenError::Denied(_) | OpenError::NotRegular(_) | OpenError::Io { .. } => {
                Kind::NotReadable(error.to_string())
            }
            OpenError::Busy(_) => Kind::NotWritable(error.to_string()),
            OpenError::TooLarge { .. } => Kind::WriteFailed(error.to_string()),
        }
    }
}

impl From<FormatError> for Kind {
    fn from(error: FormatError) -> Kind {
        match error {
            FormatError::Unsupported => Kind::Unsupported,
            FormatError::Damaged { .. } | FormatError::Unsafe { .. } => Kind::WriteFailed(error.to_string()),
        }
    }
}

impl From<ApplyError> for Kind {
    fn from(error: ApplyError) -> Kind {
        match error {
            ApplyError::InvalidText { .. } => Kind::InvalidMetadata(error.to_string()),
            ApplyError::Xmp(_) | ApplyError::Exif(_) | ApplyError::Iim(_) => {
                Kind::WriteFailed(error.to_string())
            }
        }
    }
}

impl From<ReplaceError> for Kind {
    fn from(error: ReplaceError) -> Kind {
        match error {
            ReplaceError::Denied { .. }
            | ReplaceError::ReadOnly(_)
            | ReplaceError::InPlace(InPlaceError::Denied { .. }) => Kind::NotWritable(error.to_string()),
            ReplaceError::ChangedMeanwhile(_) | ReplaceError::InPlace(InPlaceError::Replaced(_)) => {
                Kind::ChangedMeanwhile
            }
            ReplaceError::Io { .. } | ReplaceError::InPlace(_) => Kind::WriteFailed(error.to_string()),
        }
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.path.as_os_str().is_empty() {
            write!(f, "`{}`: ", words::line(&self.path.display().to_string()))?;
        }
        f.write_str(&words::line(&self.kind.to_string()))
    }
}

impl std::error::Error for Error {}
