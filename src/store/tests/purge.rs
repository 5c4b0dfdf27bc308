//! What is deleted is nowhere in the files after the last close.

use super::*;

const PREFIX: &[u8] = b"qxcanary";

/// The numbers of all canaries that stand in the files in clear text.
fn canaries(place: &Place) -> BTreeSet<u64> {
    let bytes = place.bytes();
    let starts = bytes.windows(PREFIX.len()).enumerate().filter(|(_, window)| *window == PREFIX).map(|(at, _)| at + PREFIX.len());
    let digits = |at: usize| bytes[at..].iter().take(8).take_while(|byte| byte.is_ascii_digit()).map(|byte| char::from(*byte)).collect::<String>();
    // Compressed texts hold pieces of names.
    starts.map(digits).filter(|number| number.len() == 8).map(|number| number.parse().unwrap()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn names_of_deleted_symbols_are_nowhere_in_the_files(
        edits in proptest::collection::vec(proptest::collection::vec((0usize..400, proptest::option::of(0usize..20)), 1..150), 2..5)
    ) {
        let place = place();
        let mut next = 10_000_000_u64;
        let mut live: std::collections::BTreeMap<usize, Vec<u64>> = std::collections::BTreeMap::new();
        let mut fill = |writer: &mut Writer<'_>, file: usize, symbols: usize| -> Vec<u64> {
            let numbers: Vec<u64> = (next..).take(symbols).collect();
            next += symbols as u64;
            let text: String = numbers.iter().map(|number| format!("fn qxcanary{number}{} of it\n", "z".repeat((number % 40) as usize))).collect();
            put(writer, &format!("dir/f{file}.ts"), &text);
            numbers
        };
        let store = place.open();
        let mut writer = store.writer().unwrap().unwrap();
        for file in 0..400 {
            live.insert(file, fill(&mut writer, file, file % 13));
        }
        writer.settle().unwrap();
        drop(writer);
        for sync in edits {
            let mut writer = store.writer().unwrap().unwrap();
            for (file, symbols) in sync {
                match symbols {
                    Some(symbols) => drop(live.insert(file, fill(&mut writer, file, symbols))),
                    None => {
                        writer.commit().unwrap();
                        let known = store.reader().unwrap().file_at(&path(&format!("dir/f{file}.ts"))).unwrap();
                        known.map_or(Ok(()), |known| writer.remove(known.id)).unwrap();
                        live.remove(&file);
                    }
                }
            }
            writer.settle().unwrap();
        }
        drop(store);
        let live: BTreeSet<u64> = live.into_values().flatten().collect();
        let found = canaries(&place);
        prop_assert_eq!(found.difference(&live).collect::<Vec<_>>(), Vec::<&u64>::new());
        prop_assert_eq!(found.len(), live.len());
    }
}

#[test]
fn who_closes_while_another_process_writes_leaves_the_purge_to_it() {
    let place = place();
    let (store, other) = (filled(&place, &[("a", "fn one of\n")]), place.open());
    let mut writer = store.writer().unwrap().unwrap();
    put(&mut writer, "a", "fn two of\n");
    writer.settle().unwrap();
    drop(writer);
    let holds_deleted = || -> bool { open::connect(&place.file).unwrap().query_row("SELECT holds_deleted FROM project_states", [], |row| row.get(0)).unwrap() };
    assert!(holds_deleted());
    let writer = other.writer().unwrap().unwrap();
    drop(store);
    assert!(holds_deleted());
    drop(writer);
    drop(other);
    assert!(!holds_deleted());
}

#[test]
fn what_an_earlier_process_left_is_purged_by_the_first_sync_even_if_nothing_changed() {
    let place = place();
    let store = filled(&place, &[("a", "fn one of\n")]);
    let mark = || -> bool { open::connect(&place.file).unwrap().query_row("SELECT holds_deleted FROM project_states", [], |row| row.get(0)).unwrap() };
    assert!(!mark());
    let mut writer = store.writer().unwrap().unwrap();
    put(&mut writer, "a", "fn two of\n");
    writer.settle().unwrap();
    writer.settle().unwrap();
    drop(writer);
    assert!(mark(), "a sync does not pay for what it dropped itself");
    store.purge(0).unwrap();
    assert!(mark(), "the file is above the bound");
    let next = place.open();
    next.writer().unwrap().unwrap().settle().unwrap();
    assert!(!mark());
    assert_eq!(counts(&next, &["one", "two"]), [0, 1]);
}
