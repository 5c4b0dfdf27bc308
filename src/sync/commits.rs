//! Keeps the memory of past commits: those that HEAD builds on, the newest, each looked at once.

use std::collections::{HashMap, HashSet};

use crate::cancel::Cancel;
use crate::discover;
use crate::error::Result;
use crate::git::{Commit, History, Touched};
use crate::hash::Hash;
use crate::limits::{Bounds, COMMITS_PER_BATCH, MAX_COMMIT_CHANGES, MAX_COMMIT_FILES};
use crate::patterns::Includes;
use crate::root::Root;
use crate::secrets;
use crate::store::{CommitMemory, NewCommit, Store, Writer};

/// Brings the memory of commits up to date; how many were looked at. A deadline in `cancel` ends it early, and the next sync goes on.
pub(super) fn remember(root: &Root, store: &Store, writer: &mut Writer<'_>, bounds: &Bounds, cancel: &Cancel) -> Result<u64> {
    // A repository that can't be read was reported by the listing.
    let history = if bounds.max_commits == 0 { None } else { History::open(root).unwrap_or(None) };
    let Some(history) = history else {
        if store.reader()?.commits_head()?.0.is_some() {
            writer.forget_commits(None)?;
            writer.settle()?;
        }
        return Ok(0);
    };
    let remembered_for = mark(&history.head(), &bounds.include);
    if store.reader()?.commits_head()? == (Some(remembered_for.clone()), true) {
        return Ok(0);
    }
    let mut memory = store.reader()?.commit_memory()?;
    let known = memory.head.as_deref().map(parts_of);
    let (commits, descends) = history.commits(bounds.max_commits, known.map(|(head, _)| head), cancel)?;
    if cancel.is_late() {
        return Ok(0);
    }
    if known.is_some_and(|(_, includes)| !descends || includes != parts_of(&remembered_for).1) {
        // Another line of history, of which what is remembered may be no part, or other files that count.
        writer.forget_commits(None)?;
        memory = CommitMemory::default();
    }
    forget_oldest(writer, &mut memory, &commits, bounds)?;
    writer.put_commits_head(&remembered_for, false)?;
    let looked_at = look_at_new(&history, writer, memory, &commits, &bounds.include, cancel)?;
    if !cancel.should_stop() {
        writer.put_commits_head(&remembered_for, true)?;
    }
    writer.settle()?;
    cancel.check()?;
    Ok(looked_at)
}

/// Commits that are too old by now go in bulk, as each time costs a merge of the index.
fn forget_oldest(writer: &mut Writer<'_>, memory: &mut CommitMemory, commits: &[Commit], bounds: &Bounds) -> Result<()> {
    let wanted: HashSet<&str> = commits.iter().map(|commit| commit.id.as_str()).collect();
    let mut stale: Vec<i64> = memory.known.iter().filter(|(hash, _)| !wanted.contains(hash.as_str())).map(|(_, row)| *row).collect();
    if stale.len() <= bounds.max_commits / 10 {
        return Ok(());
    }
    stale.sort_unstable();
    memory.known.retain(|hash, _| wanted.contains(hash.as_str()));
    writer.forget_commits(Some(&stale))
}

/// What the memory is of: the commit at HEAD and, as they decide which files count, the user's includes.
fn mark(head: &str, includes: &Includes) -> String {
    let patterns: Vec<&str> = includes.patterns().iter().map(String::as_str).collect();
    if patterns.is_empty() { head.to_owned() } else { format!("{head} {}", Hash::of_joined(&patterns)) }
}

fn parts_of(mark: &str) -> (&str, &str) {
    mark.split_once(' ').unwrap_or((mark, ""))
}

fn look_at_new(history: &History, writer: &mut Writer<'_>, memory: CommitMemory, commits: &[Commit], includes: &Includes, cancel: &Cancel) -> Result<u64> {
    let CommitMemory { known, mut renames, .. } = memory;
    let oldest_known = commits.iter().rposition(|commit| known.contains_key(&commit.id)).unwrap_or(0);
    // What came since then is looked at in the order in which it came, as each move is one of what is known by then. What was before is looked at backwards, so
    // that a sync that is stopped knows the newest.
    let (later, earlier) = commits.split_at(oldest_known);
    let both = later.iter().rev().map(|commit| (commit, true)).chain(earlier.iter().map(|commit| (commit, false)));
    let present = HashMap::new();
    let mut looked_at = 0;
    for (commit, is_later) in both.filter(|(commit, _)| !known.contains_key(&commit.id)) {
        if cancel.should_stop() {
            break;
        }
        let touched = history.touched(commit, MAX_COMMIT_CHANGES).unwrap_or_default();
        for (old, new) in touched.renames.iter().filter(|(old, new)| [old, new].iter().all(|path| secrets::in_path(path).is_none())) {
            let (old, new) = (old.as_str(), new.as_str());
            if is_later {
                writer.move_commit_file(old, new)?;
                renames.values_mut().filter(|now| *now == old).for_each(|now| new.clone_into(now));
                renames.entry(old.to_owned()).or_insert_with(|| new.to_owned());
            } else {
                let now = renames.get(new).cloned().unwrap_or_else(|| new.to_owned());
                writer.put_commit_rename(old, &now)?;
                renames.insert(old.to_owned(), now);
            }
        }
        let files = files_to_remember(commit, &touched, if is_later { &present } else { &renames }, includes);
        writer.put_commit(&NewCommit { hash: &commit.id, subject: &commit.subject, body: &commit.body, files: &files, touched: touched.all })?;
        looked_at += 1;
        if looked_at % COMMITS_PER_BATCH as u64 == 0 {
            writer.commit()?;
        }
    }
    Ok(looked_at)
}

/// The present names of what a commit touched; none for one that says little, or what nobody may read.
fn files_to_remember<'a>(commit: &Commit, touched: &'a Touched, renames: &'a HashMap<String, String>, includes: &Includes) -> Vec<&'a str> {
    if touched.all > MAX_COMMIT_FILES || [&commit.subject, &commit.body].iter().any(|text| !secrets::scan(text).is_empty()) {
        return Vec::new();
    }
    let allowed = touched.files.iter().filter(|path| discover::by_name(path, includes).is_none());
    allowed.map(|path| renames.get(path.as_str()).map_or(path.as_str(), String::as_str)).collect()
}

#[cfg(all(test, unix))]
mod tests;
