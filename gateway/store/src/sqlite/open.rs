//! Opens the file: creates it for its owner only, refuses what is not ours, brings the tables up to date,
//! and says what to do when any of that fails.

use std::{
    fmt::Display,
    fs, io,
    os::unix::fs::OpenOptionsExt,
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use gateway_core::ports::StoreError;
use sqlx::{
    ConnectOptions, SqliteConnection, SqlitePool,
    migrate::{MigrateError, Migrator},
    sqlite::{SqliteConnectOptions, SqlitePoolOptions, SqliteSynchronous},
};

use super::{batch::APPLY, lock::Lock, push};

static MIGRATIONS: Migrator = sqlx::migrate!("migrations/sqlite");

/// What `PRAGMA application_id` says in our files.
const APPLICATION_ID: i64 = 0x6132_6167;

/// How long a write waits for another process that holds the file.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Memory for pages of the file, in KiB, so that writing looks up old ids without reading the file.
const WRITER_CACHE: u32 = 16 * 1024;

/// The pages of the write-ahead log after which they are copied into the file. Most pages are written again
/// by the next transactions, so waiting longer copies less.
const LOG_PAGES: u32 = 4000;

/// How many reads may run at the same time.
const READERS: u32 = 4;

/// An open store: the one connection that writes, and those that read.
pub(super) struct Opened {
    /// None of a store in memory.
    pub(super) lock: Option<Lock>,
    pub(super) connection: SqliteConnection,
    pub(super) readers: SqlitePool,
}

pub(super) async fn open(path: &Path) -> Result<Opened, StoreError> {
    let in_memory = path == Path::new(super::IN_MEMORY);
    let lock = if in_memory {
        None
    } else {
        create_private(path).map_err(|error| file_error(path, &error))?;
        Some(Lock::take(path).await?)
    };
    let options = options(path, in_memory);
    let mut connection = options
        .clone()
        .pragma("cache_size", format!("-{WRITER_CACHE}"))
        .pragma("wal_autocheckpoint", LOG_PAGES.to_string())
        .connect()
        .await
        .map_err(|error| database_error(path, &error))?;
    prepare(&mut connection, path, in_memory).await?;
    push::release_claims(&mut connection)
        .await
        .map_err(|error| database_error(path, &error))?;
    let readers = SqlitePoolOptions::new()
        .max_connections(READERS)
        .connect_lazy_with(options.read_only(true));
    Ok(Opened {
        lock,
        connection,
        readers,
    })
}

fn options(path: &Path, in_memory: bool) -> SqliteConnectOptions {
    static MEMORY_STORES: AtomicU64 = AtomicU64::new(0);
    let options = SqliteConnectOptions::new()
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(BUSY_TIMEOUT)
        .foreign_keys(true)
        .pragma("temp_store", "MEMORY")
        .disable_statement_logging();
    if in_memory {
        // The one kind of memory database that several connections of a process share without
        // disabling each other's locks.
        let name = format!(
            "/gateway-store-{}",
            MEMORY_STORES.fetch_add(1, Ordering::Relaxed)
        );
        options.filename(name).vfs("memdb").create_if_missing(true)
    } else {
        options.filename(path)
    }
}

/// Creates the file if there is none. SQLite gives its side files the same mode.
fn create_private(path: &Path) -> io::Result<()> {
    let created = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path);
    match created {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            fs::OpenOptions::new().write(true).open(path).map(drop)
        }
        other => other.map(drop),
    }
}

async fn prepare(
    connection: &mut SqliteConnection,
    path: &Path,
    in_memory: bool,
) -> Result<(), StoreError> {
    let failed = |error: sqlx::Error| database_error(path, &error);
    // Before anything is written to the file.
    let tables: i64 = sqlx::query_scalar("SELECT count(*) FROM sqlite_schema")
        .fetch_one(&mut *connection)
        .await
        .map_err(failed)?;
    let application: i64 = sqlx::query_scalar("PRAGMA application_id")
        .fetch_one(&mut *connection)
        .await
        .map_err(failed)?;
    if tables > 0 && application != APPLICATION_ID {
        return Err(cannot_open(
            path,
            "it is a database of another program",
            "choose another path",
        ));
    }
    let journal: String = sqlx::query_scalar("PRAGMA journal_mode = WAL")
        .fetch_one(&mut *connection)
        .await
        .map_err(failed)?;
    if !in_memory && journal != "wal" {
        let reason = "its file system has no shared memory for a write-ahead log";
        return Err(cannot_open(path, reason, "choose a path on a local disk"));
    }
    MIGRATIONS
        .run(&mut *connection)
        .await
        .map_err(|error| migration_error(path, error))?;
    sqlx::raw_sql(APPLY)
        .execute(connection)
        .await
        .map(drop)
        .map_err(failed)
}

pub(super) fn cannot_open(path: &Path, reason: impl Display, next_step: &str) -> StoreError {
    StoreError(format!(
        "cannot open the store `{}`: {reason}; {next_step}",
        path.display()
    ))
}

pub(super) fn file_error(path: &Path, error: &io::Error) -> StoreError {
    match error.kind() {
        io::ErrorKind::NotFound => {
            let folder = path.parent().unwrap_or(path).display();
            cannot_open(
                path,
                format!("there is no folder `{folder}`"),
                "create it or choose another path",
            )
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => cannot_open(
            path,
            "it is not writable",
            "change its permissions or choose another path",
        ),
        io::ErrorKind::IsADirectory => cannot_open(path, "it is a folder", "name a file inside it"),
        _ => cannot_open(path, error, "choose another path"),
    }
}

fn database_error(path: &Path, error: &sqlx::Error) -> StoreError {
    // https://www.sqlite.org/rescode.html, without the extended part
    let code = match error {
        sqlx::Error::Database(error) => error.code().and_then(|code| code.parse::<u32>().ok()),
        _ => None,
    };
    match code.map(|code| code & 0xff) {
        Some(5 | 6) => cannot_open(
            path,
            "another process holds it",
            "stop that process or choose another path",
        ),
        Some(8 | 14) => cannot_open(
            path,
            "its folder is not writable",
            "change its permissions or choose another path",
        ),
        Some(11) => cannot_open(
            path,
            "it is damaged",
            "restore it from a backup or choose another path",
        ),
        Some(13) => cannot_open(path, "the disk is full", "make room or choose another path"),
        Some(26) => cannot_open(path, "it is not an SQLite database", "choose another path"),
        _ => cannot_open(path, error, "choose another path"),
    }
}

fn migration_error(path: &Path, error: MigrateError) -> StoreError {
    match error {
        MigrateError::VersionMissing(version) => {
            let known = MIGRATIONS
                .iter()
                .map(|migration| migration.version)
                .max()
                .unwrap_or_default();
            let reason =
                format!("it has schema {version} and this version knows schemas up to {known}");
            cannot_open(path, reason, "start a newer version or choose another path")
        }
        MigrateError::VersionMismatch(version) => {
            let reason = format!("its schema {version} is not the one of this version");
            cannot_open(
                path,
                reason,
                "start the version that made it or choose another path",
            )
        }
        MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => {
            database_error(path, &error)
        }
        other => cannot_open(path, other, "choose another path"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_path_and_the_next_step() {
        let path = Path::new("/srv/a2a/store.db");
        let message = |kind: io::ErrorKind| file_error(path, &kind.into()).to_string();
        assert_eq!(
            message(io::ErrorKind::NotFound),
            "cannot open the store `/srv/a2a/store.db`: there is no folder `/srv/a2a`; \
             create it or choose another path"
        );
        assert_eq!(
            message(io::ErrorKind::PermissionDenied),
            "cannot open the store `/srv/a2a/store.db`: it is not writable; \
             change its permissions or choose another path"
        );
    }

    #[tokio::test]
    async fn a_store_opens_durable_and_checked() {
        let folder = tempfile::tempdir().unwrap();
        let mut opened = open(&folder.path().join("store.db")).await.unwrap();
        let pragmas = [
            (
                "SELECT journal_mode = 'wal' FROM pragma_journal_mode",
                "wal",
            ),
            ("SELECT synchronous = 2 FROM pragma_synchronous", "full"),
            (
                "SELECT foreign_keys = 1 FROM pragma_foreign_keys",
                "foreign keys",
            ),
        ];
        for (query, name) in pragmas {
            let holds: bool = sqlx::query_scalar(query)
                .fetch_one(&mut opened.connection)
                .await
                .unwrap();
            assert!(holds, "{name}");
        }
    }

    #[tokio::test]
    async fn readers_cannot_write() {
        let folder = tempfile::tempdir().unwrap();
        let opened = open(&folder.path().join("store.db")).await.unwrap();
        let error = sqlx::query("DELETE FROM decisions")
            .execute(&opened.readers)
            .await
            .unwrap_err();
        assert!(error.to_string().contains("readonly"), "{error}");
    }
}
