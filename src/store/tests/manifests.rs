use super::*;
use crate::limits::{MANIFEST_BYTES_PRUNED_PER_SAVE, MAX_MANIFEST_BYTES, MAX_MANIFESTS};

#[test]
fn manifests_are_saved_while_somebody_writes_completed_once_and_pruned() {
    let place = place();
    let store = place.open();
    let mut writer = store.writer().unwrap().unwrap();
    put(&mut writer, "a", "one\n");
    writer.commit().unwrap();
    for number in 0..MAX + 3 {
        store.save_manifest(&format!("m{number}"), number, &format!("{{\"number\":{number}}}"), &Cancel::default()).unwrap();
    }
    const MAX: i64 = crate::limits::MAX_MANIFESTS as i64;
    let usage = ActualUsage { completed_at: 7, input_tokens: 1, output_tokens: 2, cache_read_tokens: 3, cache_write_tokens: 4 };
    assert_eq!(store.complete_manifest(&format!("m{}", MAX + 2), &usage, &Cancel::default()), Ok(true));
    assert_eq!(store.complete_manifest(&format!("m{}", MAX + 2), &ActualUsage { input_tokens: 9, ..usage }, &Cancel::default()), Ok(false));
    assert_eq!(store.complete_manifest("m0", &usage, &Cancel::default()), Ok(false));
    assert_eq!(
        (store.replace_manifest("m9", "{\"number\":-9}", &Cancel::default()), store.replace_manifest("m0", "{}", &Cancel::default())),
        (Ok(true), Ok(false))
    );
    let manifests = store.reader().unwrap().manifests(1_000).unwrap();
    assert_eq!(manifests.len() as i64, MAX);
    let newest = StoredManifest { id: format!("m{}", MAX + 2), created_at: MAX + 2, json: format!("{{\"number\":{}}}", MAX + 2), usage: Some(usage) };
    assert_eq!(manifests[0], newest);
    assert_eq!((manifests.last().unwrap().id.as_str(), manifests.last().unwrap().usage), ("m3", None));
    assert_eq!(store.save_manifest("m9", 9, "{}", &Cancel::default()).unwrap_err().code, Code::InvalidArgument);
    assert_eq!(store.save_manifest("long", 9, &" ".repeat(crate::limits::MAX_MANIFEST_BYTES + 1), &Cancel::default()).unwrap_err().code, Code::InvalidArgument);
}

#[test]
fn a_save_prunes_no_more_bytes_than_its_bound() {
    let place = place();
    let store = place.open();
    let long = " ".repeat(MAX_MANIFEST_BYTES);
    let per_save = MANIFEST_BYTES_PRUNED_PER_SAVE / MAX_MANIFEST_BYTES;
    let save = |id: i64, json: &str| store.save_manifest(&id.to_string(), id, json, &Cancel::default()).unwrap();
    let count = || -> i64 { open::connect(&place.file).unwrap().query_row("SELECT count(*) FROM context_manifests", [], |row| row.get(0)).unwrap() };
    // As an earlier version with a wider bound would have left them.
    let surplus = per_save + 3;
    let insert = "INSERT INTO context_manifests (id, created_at, manifest) VALUES (?1, ?2, ?3)";
    let connection = open::connect(&place.file).unwrap();
    let put = |at: i64, json: &str| assert_eq!(connection.execute(insert, rusqlite::params![at.to_string(), at, json]), Ok(1));
    (0..surplus as i64).for_each(|at| put(at, &long));
    (0..MAX_MANIFESTS as i64).for_each(|at| put(at + 100, "{}"));
    save(1_000, "{}");
    // One of the short ones is beyond the bound, too, and waits for its turn.
    assert_eq!(count(), (MAX_MANIFESTS + 1 + surplus - per_save) as i64);
    save(1_001, "{}");
    assert_eq!(count(), MAX_MANIFESTS as i64);
    assert_eq!(store.reader().unwrap().manifests(1_000).unwrap().last().unwrap().id, "102");
}

#[test]
fn a_manifest_waits_for_a_writer_until_somebody_cancels() {
    let place = place();
    let store = place.open();
    let other = open::connect(&place.file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let cancel = Cancel::default();
    assert_eq!(store.save_manifest("m", 1, "{}", &cancel.within(std::time::Duration::ZERO)).unwrap_err().code, Code::StoreUnavailable);
    cancel.cancel();
    let usage = ActualUsage { completed_at: 7, input_tokens: 1, output_tokens: 2, cache_read_tokens: 3, cache_write_tokens: 4 };
    assert_eq!(store.save_manifest("m", 1, "{}", &cancel).unwrap_err().code, Code::Cancelled);
    assert_eq!(store.complete_manifest("m", &usage, &cancel).unwrap_err().code, Code::Cancelled);
    assert_eq!(store.replace_manifest("m", "{}", &cancel).unwrap_err().code, Code::Cancelled);
    other.execute_batch("COMMIT").unwrap();
    assert_eq!(store.save_manifest("m", 1, "{}", &Cancel::default()), Ok(()));
}
