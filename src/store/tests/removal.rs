use super::*;

fn remove(place: &Place) {
    assert!(remove_index(&place.folder.path().join("data"), PROJECT).unwrap());
}

/// What is on disk, as another process finds it.
fn files_on_disk(place: &Place) -> u64 {
    place.open().reader().unwrap().totals().unwrap().files
}

#[test]
fn an_index_that_was_removed_is_read_no_more_and_made_anew_by_the_next_writer() {
    let place = place();
    let store = place.open();
    let mut writer = store.writer().unwrap().unwrap();
    put(&mut writer, "a", "one\n");
    put(&mut writer, "b", "two\n");
    writer.commit().unwrap();
    drop(writer);
    assert_eq!(store.reader().unwrap().totals().unwrap().files, 2);
    store.save_manifest("m", 1, "{}", &Cancel::default()).unwrap();

    remove(&place);
    let error = store.reader().err().unwrap();
    assert!(error.code == Code::StoreUnavailable && error.message.contains("was removed"), "{}", error.message);
    assert_eq!(store.save_manifest("n", 2, "{}", &Cancel::default()).unwrap_err().code, Code::StoreUnavailable);
    assert!(!place.file.exists(), "a reader and a manifest make no index");

    let mut writer = store.writer().unwrap().unwrap();
    put(&mut writer, "a", "one\n");
    writer.commit().unwrap();
    assert_eq!((store.reader().unwrap().totals().unwrap().files, files_on_disk(&place)), (1, 1));
    drop(writer);
    store.save_manifest("n", 2, "{}", &Cancel::default()).unwrap();
    assert_eq!(place.open().reader().unwrap().manifests(9).unwrap().into_iter().map(|manifest| manifest.id).collect::<Vec<_>>(), ["n"]);
}

#[test]
fn an_index_that_another_process_made_anew_is_the_one_that_is_used() {
    let place = place();
    let store = place.open();
    let mut writer = store.writer().unwrap().unwrap();
    put(&mut writer, "a", "one\n");
    writer.commit().unwrap();
    drop(writer);
    // One that is held meanwhile must not come back to use.
    let reader = store.reader().unwrap();
    assert_eq!(reader.totals().unwrap().files, 1);

    remove(&place);
    let other = place.open();
    let mut writer = other.writer().unwrap().unwrap();
    put(&mut writer, "b", "two\n");
    put(&mut writer, "c", "three\n");
    writer.commit().unwrap();
    drop(writer);
    drop(reader);
    assert_eq!(store.reader().unwrap().totals().unwrap().files, 2);
    let mut writer = store.writer().unwrap().unwrap();
    put(&mut writer, "d", "four\n");
    writer.commit().unwrap();
    drop(writer);
    assert_eq!((other.reader().unwrap().totals().unwrap().files, files_on_disk(&place)), (3, 3));
}

#[test]
fn what_was_set_aside_as_damaged_counts_and_only_the_newest_stays() {
    let place = place();
    let data = place.folder.path().join("data");
    let size = |file: &std::path::Path| fs::metadata(file).unwrap().len();
    let mut asides = Vec::new();
    for _ in 0..3 {
        drop(place.open());
        open::mark_damaged(&place.file);
        let (store, Opened::SetAside(aside)) = Store::open(&place.file, PROJECT).unwrap() else { panic!() };
        let aside = PathBuf::from(aside);
        assert_eq!(store.disk_bytes(), disk_bytes(&place.file) + size(&aside));
        drop(store);
        asides.push(aside);
    }
    assert_eq!(asides.iter().map(|aside| aside.exists()).collect::<Vec<_>>(), [false, false, true]);
    // While it is looked into, it has a side file more.
    assert!(indexes(&data).unwrap()[0].bytes >= disk_bytes(&place.file) + size(&asides[2]));
    // Where somebody removed the index itself by hand, the rest of it can still be removed.
    fs::remove_file(&place.file).unwrap();
    assert_eq!((remove_index(&data, PROJECT), asides[2].exists(), remove_index(&data, PROJECT)), (Ok(true), false, Ok(false)));
}
