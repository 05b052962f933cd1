//! Keeps a second gateway away from the file that one uses: each would miss what the other writes.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    time::Duration,
};

use gateway_core::ports::StoreError;
use tokio::time::{Instant, sleep};

use super::open::{BUSY_TIMEOUT, cannot_open, file_error};

/// How long to wait between two tries.
const PAUSE: Duration = Duration::from_millis(50);

/// Held as long as the store is open. It is the operating system's, which takes it back from a process that is gone.
#[derive(Debug)]
pub(super) struct Lock(#[expect(dead_code, reason = "locked until it is closed")] File);

impl Lock {
    /// Takes the lock of a store, and waits for a process that is about to end. It is on a file beside the store, since
    /// SQLite would lose its own locks with the first handle of the store's that anybody in the process closes.
    pub(super) async fn take(store: &Path) -> Result<Self, StoreError> {
        let file = open(&beside(store)).map_err(|error| file_error(store, &error))?;
        let end = Instant::now() + BUSY_TIMEOUT;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self(file)),
                Err(TryLockError::WouldBlock) if Instant::now() < end => sleep(PAUSE).await,
                Err(TryLockError::WouldBlock) => {
                    return Err(cannot_open(
                        store,
                        "another gateway uses it",
                        "stop that one or choose another path",
                    ));
                }
                Err(TryLockError::Error(error)) => return Err(file_error(store, &error)),
            }
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true).mode(0o600);
    options.open(path)
}

fn beside(store: &Path) -> PathBuf {
    let mut path = store.as_os_str().to_owned();
    path.push("-lock");
    path.into()
}
