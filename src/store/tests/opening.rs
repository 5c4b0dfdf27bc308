//! What stands at the index's path when it is opened.

use super::super::lock::Lock;
use super::*;

#[cfg(unix)]
#[test]
fn files_and_folders_are_the_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = place();
    let store = filled(&place, &[("a", "one\n")]);
    let _reader = store.reader().unwrap();
    let mode = |path: &Path| fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(place.file.parent().unwrap()), mode(&place.folder.path().join("data"))), (0o700, 0o700));
    let mut names = Vec::new();
    for entry in fs::read_dir(place.file.parent().unwrap()).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
        names.push(path);
    }
    assert_eq!(names.len(), 4, "the database, its log, its shared memory and the lock: {names:?}");
}

#[test]
fn a_newer_schema_a_foreign_file_and_no_file_are_left_alone() {
    let place = place();
    drop(filled(&place, &[("a", "one\n")]));
    let pristine = fs::read(&place.file).unwrap();
    let refused = |bytes: &[u8], code: Code| {
        fs::write(&place.file, bytes).unwrap();
        assert_eq!(Store::open(&place.file, PROJECT).unwrap_err().code, code);
        assert_eq!(fs::read(&place.file).unwrap(), bytes);
    };
    let mut newer = pristine.clone();
    newer[60..64].copy_from_slice(&(schema::VERSION + 1).to_be_bytes());
    refused(&newer, Code::StoreNewer);
    fs::write(&place.file, &pristine).unwrap();
    let copy = place.folder.path().join("copy.db");
    fs::copy(&place.file, &copy).unwrap();
    assert_eq!(Store::open(&copy, "/another").unwrap_err().code, Code::StoreUnavailable);
    assert_eq!(fs::read(&copy).unwrap(), pristine);

    // Foreign files come with an inode of their own.
    let foreign = |bytes: &[u8]| {
        fs::rename(&place.file, place.folder.path().join("old")).unwrap();
        refused(bytes, Code::StoreUnavailable);
    };
    let mut other_application = pristine.clone();
    other_application[68..72].copy_from_slice(&7u32.to_be_bytes());
    foreign(&other_application);
    foreign(b"a letter to my aunt");

    fs::remove_file(&place.file).unwrap();
    fs::create_dir(&place.file).unwrap();
    assert_eq!(Store::open(&place.file, PROJECT).unwrap_err().code, Code::StoreUnavailable);
    #[cfg(unix)]
    {
        fs::remove_dir(&place.file).unwrap();
        let target = place.folder.path().join("target");
        fs::write(&target, b"").unwrap();
        std::os::unix::fs::symlink(&target, &place.file).unwrap();
        assert_eq!(Store::open(&place.file, PROJECT).unwrap_err().code, Code::StoreUnavailable);
        assert_eq!(fs::read(&target).unwrap(), b"");
    }
}

#[test]
fn a_damaged_index_is_set_aside_and_a_new_one_made() {
    let damages: [fn(&mut Vec<u8>); 4] =
        [|bytes| bytes.truncate(bytes.len() / 2), |bytes| bytes.truncate(50), |bytes| bytes[..100].fill(0xAA), |bytes| bytes[100..4096].fill(0xAA)];
    for (number, damage) in damages.into_iter().enumerate() {
        let place = place();
        drop(filled(&place, &[("a", "one\n")]));
        let mut bytes = fs::read(&place.file).unwrap();
        damage(&mut bytes);
        fs::write(&place.file, &bytes).unwrap();
        let (store, opened) = Store::open(&place.file, PROJECT).unwrap();
        let Opened::SetAside(aside) = opened else { panic!("damage {number}: {opened:?}") };
        assert_eq!(fs::read(aside).unwrap(), bytes, "damage {number}");
        assert_eq!(store.reader().unwrap().totals().unwrap(), Totals::default());
        drop(store);
        assert_eq!(Store::open(&place.file, PROJECT).unwrap().1, Opened::Existing);
    }
}

#[test]
fn damage_met_later_is_an_error_now_and_set_aside_at_the_next_opening() {
    let place = place();
    let text: String = (0..20_000).map(|number| format!("x{number:05}of {}\n", number * 7)).collect();
    let store = filled(&place, &[("a", &text)]);
    let id = store.reader().unwrap().file_at(&path("a")).unwrap().unwrap().id;
    drop(store);
    // In a page that continues the places.
    let places: Vec<u8> = open::connect(&place.file).unwrap().query_row("SELECT places FROM project_places", [], |row| row.get(0)).unwrap();
    let middle = &places[places.len() / 2..][..64];
    let mut bytes = fs::read(&place.file).unwrap();
    let at = bytes.windows(64).position(|window| window == middle).unwrap();
    bytes[at..at + 64].fill(0xAA);
    fs::write(&place.file, &bytes).unwrap();
    let (store, opened) = Store::open(&place.file, PROJECT).unwrap();
    assert_eq!(opened, Opened::Existing);
    assert_eq!(store.reader().unwrap().places(id, &[]).unwrap_err().code, Code::StoreUnavailable);
    drop(store);
    let (_, opened) = Store::open(&place.file, PROJECT).unwrap();
    assert!(matches!(opened, Opened::SetAside(_)), "{opened:?}");
    assert_eq!(Store::open(&place.file, PROJECT).unwrap().1, Opened::Existing);
}

#[test]
fn numbers_that_contradict_each_other_are_damage() {
    let met = |sql: &str| {
        let place = place();
        drop(filled(&place, &[("a", "fn one two\nfn three four\n")]));
        let connection = rusqlite::Connection::open(&place.file).unwrap();
        connection.execute_batch(sql).unwrap();
        drop(connection);
        let store = place.open();
        let read = || -> Result<()> {
            let reader = store.reader()?;
            let id = reader.file_at(&path("a"))?.map_or(1, |row| row.id);
            reader.symbols_of(id)?;
            reader.chunks_of(id)?;
            reader.symbols_named("one", 9)?;
            drop(reader);
            let mut writer = store.writer()?.unwrap();
            try_to_put(&mut writer, &path("b"), "fn five six\n", &parse("fn five six\n"))?;
            writer.remove(id)?;
            writer.commit()
        };
        let met = read().map_err(|error| error.code);
        drop(store);
        (met, matches!(Store::open(&place.file, PROJECT).unwrap().1, Opened::SetAside(_)))
    };
    assert_eq!(met("SELECT 1"), (Ok(()), false));
    for sql in [
        // A circle of parents.
        "UPDATE project_symbols SET parent = id",
        "UPDATE project_symbols SET parent = 3 - id",
        "UPDATE project_symbols SET end_line = 0",
        "UPDATE project_symbols SET start_byte = end_byte + 1",
        "UPDATE project_symbols SET start_line = 4294967295, end_line = 4294967295",
        "UPDATE project_snippets SET start_line = end_line + 1",
        "UPDATE project_files SET lines = 4294967295",
        // Ids that no row can follow, or that are no ids.
        "UPDATE project_symbols SET id = 9223372036854775800 + id WHERE id = 1",
        "UPDATE project_snippets SET id = -5 WHERE id = (SELECT max(id) FROM project_snippets); DELETE FROM project_snippets WHERE id > 0",
        // Where the file's symbols are not.
        "UPDATE project_files SET first_symbol = 2",
        "UPDATE project_files SET first_symbol = -9223372036854775807, symbols = 1",
        "UPDATE project_files SET first_snippet = 9; UPDATE project_files SET state = 2",
        "UPDATE project_files SET symbols = 3",
        "DELETE FROM project_terms",
    ] {
        assert_eq!(met(sql), (Err(Code::StoreUnavailable), true), "{sql}");
    }
}

#[test]
fn values_that_this_package_never_writes_are_damage_unless_a_newer_version_is_at_work() {
    let spoil = |place: &Place, sql: &str| {
        let connection = rusqlite::Connection::open(&place.file).unwrap();
        connection.execute_batch(&format!("PRAGMA ignore_check_constraints = ON; PRAGMA writable_schema = ON; {sql}")).unwrap();
    };
    let hidden_column = "UPDATE sqlite_schema SET sql = replace(sql, 'text_bytes', 'text_bytfs')";
    for sql in
        ["UPDATE project_files SET lines = -1", "UPDATE project_files SET path = CAST(x'ff' AS TEXT)", "UPDATE project_states SET project = 'x'", hidden_column]
    {
        let place = place();
        drop(filled(&place, &[("a", "one\n")]));
        spoil(&place, sql);
        // Either at once, or after it was met.
        let (store, mut opened) = Store::open(&place.file, PROJECT).unwrap();
        if opened == Opened::Existing {
            let reader = store.reader().unwrap();
            let met = reader.files_named("a", 1).map(|_| ()).and_then(|()| reader.totals().map(|_| ()));
            let met = met.unwrap_err();
            assert_eq!(met.code, Code::StoreUnavailable, "{sql}: {met}");
            drop(reader);
            drop(store);
            opened = Store::open(&place.file, PROJECT).unwrap().1;
        }
        assert!(matches!(opened, Opened::SetAside(_)), "{sql}: {opened:?}");
        assert_eq!(Store::open(&place.file, PROJECT).unwrap().1, Opened::Existing);
    }

    let place = place();
    let store = filled(&place, &[("a", "one\n")]);
    spoil(&place, &format!("DROP TABLE project_states; PRAGMA user_version = {}; PRAGMA wal_checkpoint (TRUNCATE)", schema::VERSION + 1));
    assert_eq!(store.reader().map(|_| ()).unwrap_err().code, Code::StoreUnavailable);
    assert!(!place.file.with_extension("db.damaged").exists());
}

#[test]
fn an_empty_file_becomes_an_index() {
    let place = place();
    fs::create_dir_all(place.file.parent().unwrap()).unwrap();
    fs::write(&place.file, b"").unwrap();
    assert_eq!(Store::open(&place.file, PROJECT).unwrap().1, Opened::Created);
    assert_eq!(Store::open(&place.file, PROJECT).unwrap().1, Opened::Existing);
}

/// An empty index of an older version of the schema.
fn as_of_version(version: u32, place: &Place) -> rusqlite::Connection {
    drop(place.open());
    for side in open::side_files(&place.file) {
        let _ = fs::remove_file(side);
    }
    fs::write(&place.file, b"").unwrap();
    let mut connection = rusqlite::Connection::open(&place.file).unwrap();
    schema::migrate_to(version, &mut connection, PROJECT, crate::places::INDEX_VERSION, 1).unwrap();
    connection
}

#[test]
fn an_index_that_holds_text_is_emptied_and_its_text_leaves_the_file() {
    let place = place();
    let connection = as_of_version(4, &place);
    let line = |file: i64| format!("const qxsecretline{file} = 1;").repeat(200);
    for file in 1..=90 {
        let row = "INSERT INTO project_files (id, path, state, hash, size, mtime_ns, ctime_ns, inode, device, tracked, modified, indexed_at, read_at, rules)
                   VALUES (?1, ?1, 0, zeroblob(32), 1, 1, 1, 1, 1, 1, 0, 1, 1, x'00')";
        connection.execute(row, [file]).unwrap();
        connection.execute("INSERT INTO project_texts VALUES (?1, x'00', CAST(?2 AS BLOB))", rusqlite::params![file, line(file)]).unwrap();
        connection.execute("INSERT INTO project_parses VALUES (?1, CAST(?1 AS BLOB), 'p', CAST(?2 AS BLOB), 1)", rusqlite::params![file, line(file)]).unwrap();
    }
    connection.execute("INSERT INTO context_manifests (id, created_at, manifest) VALUES ('m', 1, '{}')", []).unwrap();
    drop(connection);
    assert!(place.holds("qxsecretline7"));
    let (store, opened) = Store::open(&place.file, PROJECT).unwrap();
    assert_eq!((opened, store.reader().unwrap().totals().unwrap()), (Opened::Existing, Totals::default()));
    assert_eq!(store.reader().unwrap().manifests(9).unwrap().len(), 1);
    let mark = || -> bool { open::connect(&place.file).unwrap().query_row("SELECT holds_deleted FROM project_states", [], |row| row.get(0)).unwrap() };
    assert!(mark());
    let mut writer = store.writer().unwrap().unwrap();
    put(&mut writer, "a", "fn one of\n");
    writer.settle().unwrap();
    assert!(!mark());
    drop(writer);
    drop(store);
    assert!(!place.holds("qxsecret"));
}

#[test]
fn messages_that_an_older_index_cut_in_the_midst_of_a_word_leave_the_file() {
    let place = place();
    let connection = as_of_version(5, &place);
    connection
        .execute_batch(
            "INSERT INTO project_commits VALUES (1, 'c', 1); INSERT INTO project_commit_files VALUES (1, 'a');
             INSERT INTO project_commits_fts (rowid, subject, body) VALUES (1, 'qxsecretpart', '');
             UPDATE project_states SET commits_head = 'c', commits_complete = 1;",
        )
        .unwrap();
    drop(connection);
    assert!(place.holds("qxsecretpart"));
    let store = place.open();
    assert_eq!(store.reader().unwrap().commit_memory().unwrap(), CommitMemory::default());
    let mut writer = store.writer().unwrap().unwrap();
    put(&mut writer, "a", "fn one of\n");
    writer.settle().unwrap();
    drop(writer);
    drop(store);
    assert!(!place.holds("qxsecret"));
}

#[test]
fn many_openings_at_once_make_one_index() {
    let place = place();
    let opened: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..6).map(|_| scope.spawn(|| Store::open(&place.file, PROJECT).unwrap().1)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(opened.iter().filter(|&opened| *opened == Opened::Created).count(), 1);
    assert_eq!(opened.iter().filter(|&opened| *opened == Opened::Existing).count(), 5);
}

#[test]
fn an_index_that_another_process_makes_is_used_although_that_process_keeps_the_lock() {
    let (place, other) = (place(), place());
    drop(other.open());
    fs::create_dir_all(place.file.parent().unwrap()).unwrap();
    let lock = Lock::take(&place.file).unwrap().unwrap();
    std::thread::scope(|scope| {
        let opening = scope.spawn(|| Store::open(&place.file, PROJECT).map(|(_, opened)| opened));
        std::thread::sleep(std::time::Duration::from_millis(50));
        fs::rename(&other.file, &place.file).unwrap();
        assert_eq!(opening.join().unwrap().unwrap(), Opened::Existing);
    });
    drop(lock);
}
