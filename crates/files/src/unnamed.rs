//! A file without a name: another program can be given it to read, and nobody else can find it.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;

use crate::replace::random_name;

/// A file in the system's folder for such things, with these bytes in it and without a name. It is gone when the last
/// process that has it open closes it, however that process ends.
pub fn unnamed(bytes: &[u8]) -> io::Result<File> {
    let folder = std::env::temp_dir();
    let (path, mut file) = loop {
        let path = folder.join(random_name());
        match OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path) {
            Ok(file) => break (path, file),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    };
    // Before there is anything in it that somebody could read.
    std::fs::remove_file(path)?;
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::os::unix::fs::MetadataExt as _;

    use super::unnamed;

    #[test]
    fn the_bytes_are_there_and_the_name_is_not() {
        let mut file = unnamed(b"a film").expect("a file");
        let about = file.metadata().expect("metadata");
        assert_eq!((about.nlink(), about.mode() & 0o777), (0, 0o600));
        let mut read = String::new();
        file.read_to_string(&mut read).expect("text");
        assert_eq!(read, "a film");
    }
}
