//! The inverted index: for each term the files that hold it, in rows of up to [`BLOCK`] files.
//!
//! New files are written in segments, one after the other in the order of the terms, as a row put between others costs several times one put at the end.
//! A segment is named after its first file, and holds the files from there to the next segment's first: so each file stands in one segment alone, where its
//! later changes are made as well. At the end of a sync, many segments are merged into one.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use rusqlite::{Connection, OptionalExtension as _, params};

use super::FileId;
use super::reader::{self, Reader};
use crate::error::Result;
use crate::limits::{MAX_TERM_SEGMENTS, MIN_SEGMENT_FILES};
use crate::places::{Damaged, Held, HeldTerm, TermNumber, Weight, get, put, sum_of, term_number};

/// Files of one row.
const BLOCK: i64 = 1_024;
/// The largest id that is believed to be one of a file: far beyond the bound on files.
const MAX_FILE_ID: FileId = 1 << 26;
/// Stands for a weight where a file no longer holds a term: no weight has this bit.
const GONE: u8 = 8;
/// Rows read ahead of each segment that is merged.
const MERGED_AT_ONCE: usize = 1_000;

/// A file that holds a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Posting {
    pub file: FileId,
    pub weight: Weight,
}

/// What an open batch changes.
#[derive(Debug, Default)]
pub(super) struct Pending {
    changes: Vec<(TermNumber, FileId, u8)>,
    files: HashSet<FileId>,
    /// The first file that is new to the index, and how many there are.
    new_from: Option<FileId>,
    new: usize,
}

impl Pending {
    /// Notes a file that the index had no row of; its id is above all others.
    pub(super) fn file_is_new(&mut self, file: FileId) {
        self.new_from.get_or_insert(file);
        self.new += 1;
    }

    /// Whether something of the file is to be written yet.
    pub(super) fn holds(&self, file: FileId) -> bool {
        self.files.contains(&file)
    }

    /// Notes what a file holds in place of `old`; both by number.
    pub(super) fn change(&mut self, file: FileId, old: &[(TermNumber, Weight)], new: &[(TermNumber, Weight)]) {
        self.files.insert(file);
        let mut old = old.iter().peekable();
        for (number, weight) in new {
            while let Some((gone, _)) = old.next_if(|(before, _)| before < number) {
                self.changes.push((*gone, file, GONE));
            }
            if old.next_if(|(before, _)| before == number).is_none_or(|(_, before)| before != weight) {
                self.changes.push((*number, file, weight.byte()));
            }
        }
        self.changes.extend(old.map(|(gone, _)| (*gone, file, GONE)));
    }

    /// Writes the changes.
    pub(super) fn flush(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let Pending { mut changes, new_from, new, .. } = std::mem::take(self);
        if changes.is_empty() {
            return Ok(());
        }
        // Of several changes of one posting, the last one counts.
        changes.reverse();
        changes.sort_by_key(|(number, file, _)| (*number, *file));
        changes.dedup_by_key(|(number, file, _)| (*number, *file));
        let segment_from = new_from.filter(|_| new >= MIN_SEGMENT_FILES).unwrap_or(FileId::MAX);
        let (fresh, mut others): (Vec<_>, Vec<_>) = changes.into_iter().partition(|(_, file, _)| *file >= segment_from);
        let mut insert = connection.prepare_cached(INSERT)?;
        let mut row = Vec::new();
        for same in fresh.chunk_by(|a, b| (a.0, a.1 / BLOCK) == (b.0, b.1 / BLOCK)) {
            let postings: Vec<_> = same.iter().filter(|(_, _, byte)| *byte != GONE).map(|&(_, file, byte)| (file, byte)).collect();
            if !postings.is_empty() {
                encode(&postings, &mut row);
                insert.execute(params![segment_from, same[0].0 as i64, same[0].1 / BLOCK, row])?;
            }
        }
        if others.is_empty() {
            return Ok(());
        }
        let segments = segments(connection)?;
        let segment_of = |file: FileId| segment_of(&segments, file);
        others.sort_by_cached_key(|(number, file, _)| (segment_of(*file), *number, *file));
        for same in others.chunk_by(|a, b| (segment_of(a.1), a.0, a.1 / BLOCK) == (segment_of(b.1), b.0, b.1 / BLOCK)) {
            change_row(connection, segment_of(same[0].1), same)?;
        }
        Ok(())
    }
}

const INSERT: &str = "INSERT OR REPLACE INTO project_terms (segment, term, block, postings) VALUES (?1, ?2, ?3, ?4)";

/// Makes changes of one row, which are in order of the files.
fn change_row(connection: &Connection, segment: FileId, changes: &[(TermNumber, FileId, u8)]) -> rusqlite::Result<()> {
    let (term, block) = (changes[0].0 as i64, changes[0].1 / BLOCK);
    let sql = "SELECT postings FROM project_terms WHERE segment = ?1 AND term = ?2 AND block = ?3";
    let stored: Option<Vec<u8>> = connection.prepare_cached(sql)?.query_row(params![segment, term, block], |row| row.get(0)).optional()?;
    let mut known = Vec::new();
    decode(stored.as_deref().unwrap_or_default(), block, &mut |file, byte| known.push((file, byte))).map_err(|_| reader::damage("a term's files"))?;
    let mut postings = Vec::with_capacity(known.len() + changes.len());
    let mut known = known.into_iter().peekable();
    for &(_, file, byte) in changes {
        while let Some(before) = known.next_if(|(before, _)| *before < file) {
            postings.push(before);
        }
        known.next_if(|(before, _)| *before == file);
        if byte != GONE {
            postings.push((file, byte));
        }
    }
    postings.extend(known);
    if postings.is_empty() {
        let sql = "DELETE FROM project_terms WHERE segment = ?1 AND term = ?2 AND block = ?3";
        connection.prepare_cached(sql)?.execute(params![segment, term, block])?;
    } else {
        let mut row = Vec::new();
        encode(&postings, &mut row);
        connection.prepare_cached(INSERT)?.execute(params![segment, term, block, row])?;
    }
    Ok(())
}

/// Merges the segments into one if they are many.
pub(super) fn merge_if_many(connection: &Connection) -> rusqlite::Result<()> {
    let segments = segments(connection)?;
    if segments.len() <= MAX_TERM_SEGMENTS {
        return Ok(());
    }
    // Both stand before the first file.
    let merged = if segments.contains(&0) { -1 } else { 0 };
    let mut insert = connection.prepare_cached(INSERT)?;
    let mut sources = segments.iter().map(|&segment| Source { segment, rows: Vec::new().into_iter(), last: None }).collect::<Vec<_>>();
    let mut heads = BinaryHeap::new();
    for (at, source) in sources.iter_mut().enumerate() {
        heads.extend(source.next(connection)?.map(|(term, block, row)| Reverse((term, block, at, row))));
    }
    let (mut postings, mut row) = (Vec::new(), Vec::new());
    while let Some(Reverse((term, block, at, first))) = heads.pop() {
        heads.extend(sources[at].next(connection)?.map(|(term, block, row)| Reverse((term, block, at, row))));
        if heads.peek().is_none_or(|Reverse(next)| (next.0, next.1) != (term, block)) {
            insert.execute(params![merged, term as i64, block, first])?;
            continue;
        }
        postings.clear();
        let mut add = |row: &[u8]| decode(row, block, &mut |file, byte| postings.push((file, byte))).map_err(|_| reader::damage("a term's files"));
        add(&first)?;
        while let Some(Reverse((_, _, at, more))) = heads.peek().filter(|Reverse(next)| (next.0, next.1) == (term, block)).cloned() {
            heads.pop();
            heads.extend(sources[at].next(connection)?.map(|(term, block, row)| Reverse((term, block, at, row))));
            add(&more)?;
        }
        encode(&postings, &mut row);
        insert.execute(params![merged, term as i64, block, row])?;
    }
    connection.execute("DELETE FROM project_terms WHERE segment <> ?1", [merged]).map(|_| ())
}

type Row = (TermNumber, i64, Vec<u8>);

/// A segment that is merged, some rows read ahead: a cursor that stays open would be put back to its place after each row written.
struct Source {
    segment: FileId,
    rows: std::vec::IntoIter<Row>,
    last: Option<(TermNumber, i64)>,
}

impl Source {
    fn next(&mut self, connection: &Connection) -> rusqlite::Result<Option<Row>> {
        if self.rows.len() == 0 {
            let sql = "SELECT term, block, postings FROM project_terms WHERE segment = ?1 AND (term, block) > (?2, ?3) ORDER BY term, block LIMIT ?4";
            let (term, block) = self.last.map_or((-1, 0), |(term, block)| (term as i64, block));
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement
                .query_map(params![self.segment, term, block, MERGED_AT_ONCE as i64], |row| Ok((row.get::<_, i64>(0)? as u64, row.get(1)?, row.get(2)?)))?;
            self.rows = rows.collect::<rusqlite::Result<Vec<_>>>()?.into_iter();
        }
        let row = self.rows.next();
        self.last = row.as_ref().map(|(term, block, _)| (*term, *block)).or(self.last);
        Ok(row)
    }
}

/// The segments, in order of their files.
fn segments(connection: &Connection) -> rusqlite::Result<Vec<FileId>> {
    let mut next = connection.prepare_cached("SELECT min(segment) FROM project_terms WHERE segment > ?1")?;
    let mut segments = Vec::new();
    let mut last = -2;
    while let Some(segment) = next.query_row([last], |row| row.get::<_, Option<FileId>>(0))? {
        segments.push(segment);
        last = segment;
    }
    Ok(segments)
}

/// The one that a file stands in.
fn segment_of(segments: &[FileId], file: FileId) -> FileId {
    segments[..segments.partition_point(|&first| first <= file)].last().copied().unwrap_or(0)
}

/// The terms that a file has, by number: those that its places tell of, and those of its path and names. `likely` are terms, by number, of which many are
/// those that it has: they need not be looked for, and if they are not what was taken for them, the sum of all tells it.
pub(super) fn of_file(
    connection: &Connection,
    file: FileId,
    held: &Held,
    of_names: &[(TermNumber, Weight)],
    likely: &[(TermNumber, Weight)],
) -> rusqlite::Result<Vec<(TermNumber, Weight)>> {
    for likely in [likely, &[]] {
        let found = look_up(connection, file, held, of_names, likely)?;
        if sum_of(found.iter().map(|(number, _)| *number)) == held.sum {
            return Ok(found);
        }
    }
    // Whatever is left of the file in the table would be taken for the next file of its id.
    Err(reader::damage("a file's terms"))
}

fn look_up(
    connection: &Connection,
    file: FileId,
    held: &Held,
    of_names: &[(TermNumber, Weight)],
    likely: &[(TermNumber, Weight)],
) -> rusqlite::Result<Vec<(TermNumber, Weight)>> {
    let (segment, block) = (segment_of(&segments(connection)?, file), file / BLOCK);
    let sql = "SELECT term, postings FROM project_terms WHERE segment = ?1 AND term BETWEEN ?2 AND ?3 AND block = ?4";
    let mut statement = connection.prepare_cached(sql)?;
    let mut found = of_names.to_vec();
    for HeldTerm { range, weight } in &held.terms {
        let guess = likely.get(likely.partition_point(|(number, _)| number < range.start())).map(|(number, _)| *number);
        if let Some(guess) = guess.filter(|guess| range.contains(guess)) {
            found.push((guess, *weight));
            continue;
        }
        let mut rows = statement.query(params![segment, *range.start() as i64, *range.end() as i64, block])?;
        while let Some(row) = rows.next()? {
            let weight = weight_of(row.get_ref(1)?.as_blob()?, block, file).map_err(|_| reader::damage("a term's files"))?;
            if let Some(weight) = weight {
                found.push((row.get::<_, i64>(0)? as TermNumber, weight));
            }
        }
    }
    found.sort_unstable_by_key(|(number, _)| *number);
    found.dedup_by(|(number, weight), (before, all)| {
        let same = number == before;
        if same {
            *all = all.with(*weight);
        }
        same
    });
    Ok(found)
}

/// What a row says of a file.
fn weight_of(row: &[u8], block: i64, wanted: FileId) -> std::result::Result<Option<Weight>, Damaged> {
    let mut weight = None;
    decode(row, block, &mut |file, byte| weight = weight.or((file == wanted).then(|| Weight::from_byte(byte))))?;
    Ok(weight)
}

/// A row of files in order, each as its distance from the one before and its weight.
fn encode(postings: &[(FileId, u8)], row: &mut Vec<u8>) {
    row.clear();
    let mut before = postings[0].0 / BLOCK * BLOCK;
    for &(file, byte) in postings {
        put(row, (file - before) as u64);
        row.push(byte);
        before = file;
    }
}

pub(super) fn decode(mut row: &[u8], block: i64, each: &mut impl FnMut(FileId, u8)) -> std::result::Result<(), Damaged> {
    let mut file = block.checked_mul(BLOCK).filter(|first| (0..MAX_FILE_ID).contains(first)).ok_or(Damaged)?;
    let end = file + BLOCK;
    while !row.is_empty() {
        file = i64::try_from(get(&mut row)?).ok().and_then(|distance| file.checked_add(distance)).filter(|file| *file < end).ok_or(Damaged)?;
        let (&byte, rest) = row.split_first().ok_or(Damaged)?;
        row = rest;
        each(file, byte);
    }
    Ok(())
}

impl Reader<'_> {
    /// For each term the files that hold it, in order of their ids.
    pub fn postings(&self, terms: &[String]) -> Result<Vec<Vec<Posting>>> {
        self.read("looking terms up", |connection| {
            let segments = segments(connection)?;
            let mut statement = connection.prepare_cached("SELECT block, postings FROM project_terms WHERE segment = ?1 AND term = ?2 ORDER BY block")?;
            terms
                .iter()
                .map(|term| {
                    let mut postings = Vec::new();
                    for segment in &segments {
                        let mut rows = statement.query(params![segment, term_number(term) as i64])?;
                        while let Some(row) = rows.next()? {
                            let mut each = |file, byte| postings.push(Posting { file, weight: Weight::from_byte(byte) });
                            decode(row.get_ref(1)?.as_blob()?, row.get(0)?, &mut each).map_err(|_| reader::damage("a term's files"))?;
                        }
                    }
                    Ok(postings)
                })
                .collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Terms of one range, which the terms of real files rarely share.
    #[test]
    fn a_file_has_the_terms_that_stand_in_the_table_for_it_and_no_others() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE project_terms (segment, term, block, postings, PRIMARY KEY (segment, term, block)) WITHOUT ROWID").unwrap();
        let first = 5 << 31;
        let (in_text, in_name, of_other, elsewhere) = (first + 1, first + 2, first + 3, 7 << 31);
        let weights = |numbers: &[TermNumber]| numbers.iter().map(|&number| (number, Weight::from_byte(0x80))).collect::<Vec<_>>();
        let mut pending = Pending::default();
        pending.change(1, &[], &weights(&[in_text, in_name, elsewhere]));
        pending.change(2, &[], &weights(&[of_other, elsewhere]));
        pending.flush(&connection).unwrap();
        let weight = Weight::from_byte(0x80);
        let terms = [first..=first + (1 << 31) - 1, elsewhere..=elsewhere].map(|range| HeldTerm { range, weight }).to_vec();
        let held = Held { terms, sum: sum_of([in_text, in_name, elsewhere].into_iter()) };
        let in_name = [(in_name, Weight::from_byte(0x82))];
        let all = [(in_text, weight), in_name[0], (elsewhere, weight)];
        for likely in [vec![], vec![in_text], vec![in_name[0].0], vec![of_other], vec![of_other, elsewhere], vec![in_text, elsewhere]] {
            assert_eq!(of_file(&connection, 1, &held, &in_name, &weights(&likely)).unwrap(), all, "{likely:?}");
        }
        // What the table does not hold of a file can't be taken out of it.
        for (file, names) in [(3, [].as_slice()), (1, &in_name[..0])] {
            let error = of_file(&connection, file, &Held { sum: held.sum ^ 1, ..held.clone() }, names, &[]).unwrap_err();
            assert_eq!(error.sqlite_error_code(), Some(rusqlite::ErrorCode::DatabaseCorrupt));
        }
        assert_eq!(of_file(&connection, 3, &Held { terms: vec![], sum: sum_of([].into_iter()) }, &[], &[]).unwrap(), []);
    }
}
