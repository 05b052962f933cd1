//! What was read of cards, in files of a folder, so that a restart does not read every card again.
//!
//! The folder may be deleted at any time, and several gateways may share it: a file is written under another name and
//! then moved into place, and what is read is checked by its reader. The files that were used longest ago are removed
//! when all of them take too much room.

use std::{
    fs::{self, File},
    io::{self, Read as _},
    path::{Path, PathBuf},
    process,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::SystemTime,
};

use async_trait::async_trait;
use gateway_core::ports::MeaningStore;

/// What all files may take: some 40,000 cards.
const ROOM: u64 = 256 * 1024 * 1024;
/// The largest file that is read; a card of 200 texts takes a tenth.
const LARGEST: u64 = 4 * 1024 * 1024;

/// Files by name in a folder.
#[derive(Debug, Clone)]
pub(crate) struct MeaningFolder(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    folder: PathBuf,
    room: u64,
    /// Bytes written since files were removed last.
    written: AtomicU64,
    /// Counts files that are being written.
    number: AtomicU64,
    has_failed: AtomicBool,
}

impl MeaningFolder {
    /// Takes a folder, which is made when something is to be kept.
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self::with_room(folder, ROOM)
    }

    fn with_room(folder: PathBuf, room: u64) -> Self {
        Self(Arc::new(Shared {
            folder,
            room,
            // As if much had been written: the first file that is kept makes sure of the room.
            written: AtomicU64::new(room),
            number: AtomicU64::new(0),
            has_failed: AtomicBool::new(false),
        }))
    }
}

#[async_trait]
impl MeaningStore for MeaningFolder {
    async fn recall(&self, name: &str) -> Option<Vec<u8>> {
        let path = self.0.folder.join(name);
        let read = tokio::task::spawn_blocking(move || read(&path));
        read.await.ok()?.ok()
    }

    async fn keep(&self, name: &str, content: &[u8]) {
        let (shared, name, content) = (Arc::clone(&self.0), name.to_owned(), content.to_vec());
        let kept = tokio::task::spawn_blocking(move || {
            let kept = shared.keep(&name, &content);
            if let Err(error) = kept
                && !shared.has_failed.swap(true, Ordering::Relaxed)
            {
                let folder = shared.folder.display();
                tracing::warn!(%folder, %error, "what cards mean cannot be kept; a restart reads them again");
            }
        });
        if let Err(error) = kept.await {
            tracing::error!(%error, "keeping what a card means ended abnormally");
        }
    }
}

impl Shared {
    fn keep(&self, name: &str, content: &[u8]) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let unfinished = self
            .folder
            .join(format!("{name}.{}.{number}", process::id()));
        let moved = fs::write(&unfinished, content)
            .and_then(|()| fs::rename(&unfinished, self.folder.join(name)));
        if moved.is_err() {
            // It may not exist; the first error is the one to tell.
            let _removed = fs::remove_file(&unfinished);
        }
        moved?;
        let length = u64::try_from(content.len()).unwrap_or(u64::MAX);
        let written = self.written.fetch_add(length, Ordering::Relaxed);
        if written >= self.room / 8 {
            self.written.store(0, Ordering::Relaxed);
            make_room(&self.folder, self.room - self.room / 8)?;
        }
        Ok(())
    }
}

/// Reads a file and marks it as used.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let mut content = Vec::new();
    (&file).take(LARGEST).read_to_end(&mut content)?;
    // Where that is not allowed, the order of removal is merely that of writing.
    let _marked = file.set_modified(SystemTime::now());
    Ok(content)
}

/// Removes the files that were used longest ago until the others take no more than `room`.
fn make_room(folder: &Path, room: u64) -> io::Result<()> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // Another gateway may have removed it meanwhile.
        if let Ok(found) = entry.metadata()
            && found.is_file()
        {
            files.push((found.modified()?, found.len(), entry.path()));
        }
    }
    files.sort_unstable_by_key(|file| std::cmp::Reverse(file.0));
    let mut taken = 0_u64;
    for (_, length, path) in files {
        taken = taken.saturating_add(length);
        if taken > room {
            match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }

    #[tokio::test]
    async fn what_is_kept_is_recalled_also_by_another_gateway() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("meanings");
        let (first, second) = (
            MeaningFolder::new(folder.clone()),
            MeaningFolder::new(folder.clone()),
        );
        assert_eq!(first.recall("a").await, None);
        first.keep("a", b"1").await;
        second.keep("a", b"2").await;
        assert_eq!(first.recall("a").await.as_deref(), Some(&b"2"[..]));
        assert_eq!(names(&folder), ["a"]);
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(first.recall("a").await, None);
        first.keep("a", b"3").await;
        assert_eq!(second.recall("a").await.as_deref(), Some(&b"3"[..]));
    }

    #[tokio::test]
    async fn the_files_used_longest_ago_make_room() {
        let folder = tempfile::tempdir().unwrap();
        let kept = MeaningFolder::with_room(folder.path().to_owned(), 80);
        for (name, age) in [("old", 300), ("used", 200), ("new", 100)] {
            let path = folder.path().join(name);
            fs::write(&path, [0; 30]).unwrap();
            let then = SystemTime::now() - Duration::from_secs(age);
            File::open(&path).unwrap().set_modified(then).unwrap();
        }
        kept.recall("used").await.unwrap();
        kept.keep("next", &[0; 10]).await;
        assert_eq!(names(folder.path()), ["new", "next", "used"]);
    }

    #[tokio::test]
    async fn a_folder_that_cannot_be_written_is_no_failure() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "x").unwrap();
        let kept = MeaningFolder::new(file.join("meanings"));
        kept.keep("a", b"1").await;
        assert_eq!(kept.recall("a").await, None);
    }
}
