//! Letting go of files that lost their name. When the last one closes such a file, the system gives its blocks back, which can
//! take longer than everything before it. The new file is safe by then, so nobody has to wait.

use std::fs::File;
use std::sync::OnceLock;
use std::sync::mpsc::{SyncSender, sync_channel};

/// How many files may wait to be closed. Each holds the blocks of a file that is not there any more.
const WAITING: usize = 16;

/// Closes a file, later if possible. The end of the process closes it, too.
pub(crate) fn close(file: File) {
    static CLOSER: OnceLock<Option<SyncSender<File>>> = OnceLock::new();
    if let Some(closer) = CLOSER.get_or_init(start) {
        // When too many wait, the file comes back and is closed here.
        drop(closer.try_send(file));
    }
}

fn start() -> Option<SyncSender<File>> {
    let (sender, files) = sync_channel(WAITING);
    let thread = std::thread::Builder::new().name("closing files".to_owned());
    thread.spawn(move || files.into_iter().for_each(drop)).ok().map(|_| sender)
}
