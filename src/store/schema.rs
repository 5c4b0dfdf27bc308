//! The schema's versions: forward only, each applied once and remembered with its checksum.

use rusqlite::{Connection, TransactionBehavior, params};

use crate::hash::Hash;

/// Marks a SQLite file as an index of this package (`PRAGMA application_id`): "PiCE".
pub(super) const APPLICATION_ID: u32 = 0x5069_4345;

/// The statements of each version, the first being version 1. Published ones never change: their checksums are compared.
const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_projection.sql"),
    include_str!("migrations/0002_commits.sql"),
    include_str!("migrations/0003_terms.sql"),
    include_str!("migrations/0004_vectors.sql"),
    include_str!("migrations/0005_no_text.sql"),
    include_str!("migrations/0006_whole_words.sql"),
];

/// The version that this package writes.
pub(super) const VERSION: u32 = MIGRATIONS.len() as u32;

/// Brings a file of an older version, or an empty one, to [`VERSION`], each version in a transaction of its own: one that is stopped between them goes on from
/// where it was.
pub(super) fn migrate(connection: &mut Connection, project: &str, index_version: u32, now: i64) -> rusqlite::Result<()> {
    migrate_to(VERSION, connection, project, index_version, now)
}

/// The same to an older version, which is how one is made for a test.
pub(super) fn migrate_to(last: u32, connection: &mut Connection, project: &str, index_version: u32, now: i64) -> rusqlite::Result<()> {
    for (version, statements) in (1..=last).zip(MIGRATIONS) {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if transaction.pragma_query_value(None, "user_version", |row| row.get::<_, u32>(0))? >= version {
            continue;
        }
        if version == 1 {
            transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
            transaction
                .execute_batch("CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, checksum BLOB NOT NULL, applied_at INTEGER NOT NULL) STRICT")?;
        }
        transaction.execute_batch(statements)?;
        transaction.execute("INSERT INTO schema_migrations VALUES (?1, ?2, ?3)", params![version, Hash::of(statements.as_bytes()).as_bytes(), now])?;
        if version == 1 {
            transaction.execute("INSERT INTO project_states (id, project, index_version) VALUES (1, ?1, ?2)", params![project, index_version])?;
        }
        transaction.pragma_update(None, "user_version", version)?;
        transaction.commit()?;
    }
    Ok(())
}

/// Whether the file's history is the one of this package, as far as it goes.
pub(super) fn history_is_ours(connection: &Connection, version: u32) -> rusqlite::Result<bool> {
    let mut statement = connection.prepare("SELECT version, checksum FROM schema_migrations ORDER BY version")?;
    let applied = statement.query_map([], |row| Ok((row.get::<_, u32>(0)?, row.get::<_, Vec<u8>>(1)?)))?.collect::<rusqlite::Result<Vec<_>>>()?;
    let expected = (1..=version).zip(MIGRATIONS).map(|(version, statements)| (version, Hash::of(statements.as_bytes()).as_bytes().to_vec()));
    Ok(applied.into_iter().eq(expected))
}
