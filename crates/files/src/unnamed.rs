//! A file without a name: another program can be given it to read, and nobody else can find it.

use std::fs::File;
use std::io::{self, Seek as _, Write as _};

use crate::sys;

/// A file in the system's folder for such things, with these bytes in it. It is gone when the last process that has it open
/// closes it, however that process ends. On Unix it has no name.
pub fn unnamed(bytes: &[u8]) -> io::Result<File> {
    let mut file = sys::unnamed(&std::env::temp_dir())?;
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::unnamed;

    #[test]
    fn the_bytes_are_there() {
        let mut file = unnamed(b"a film").expect("a file");
        let mut read = String::new();
        file.read_to_string(&mut read).expect("text");
        assert_eq!(read, "a film");
    }
}
