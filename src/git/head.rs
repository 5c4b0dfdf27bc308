//! HEAD: the branch and commit that the work tree stands on.

use gix::bstr::ByteSlice as _;
use gix::hash::ObjectId;

use super::control::{self, MAX_PACKED_REFS, MAX_SMALL, trimmed};
use super::locate::Location;
use crate::error::Result;

/// Symbolic references that point to symbolic references, followed at most this far, as git does.
const MAX_DEPTH: usize = 5;

/// The branch's short name and the commit in hexadecimal, as far as they are known.
pub(super) fn read(location: &Location) -> Result<(Option<String>, Option<String>)> {
    let is_reftable = location.config.string("extensions.refStorage").is_some_and(|value| value != b"files");
    if is_reftable {
        return Ok((None, None));
    }
    let Some(head) = control::read(&location.git_dir.join("HEAD"), MAX_SMALL)? else { return Ok((None, None)) };
    let Some(target) = symbolic(&head) else { return Ok((None, commit(&head))) };
    let branch = target.strip_prefix("refs/heads/").map(str::to_owned);
    let mut name = target;
    for _ in 0..MAX_DEPTH {
        // A name with `..` in it would leave the directory.
        if gix::validate::reference::name(name.as_str().into()).is_err() {
            break;
        }
        // A bisect's references and the like belong to one work tree, all others are shared.
        let own = ["refs/bisect/", "refs/worktree/", "refs/rewritten/"].iter().any(|start| name.starts_with(start));
        let folder = if own { &location.git_dir } else { &location.common_dir };
        let Some(loose) = loose(&folder.join(&name))? else { return Ok((branch, packed(location, &name)?)) };
        match symbolic(&loose) {
            Some(next) => name = next,
            None => return Ok((branch, commit(&loose))),
        }
    }
    Ok((branch, None))
}

/// A loose reference; a directory of that name holds others.
fn loose(path: &std::path::Path) -> Result<Option<Vec<u8>>> {
    if path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) { Ok(None) } else { control::read(path, MAX_SMALL) }
}

fn symbolic(bytes: &[u8]) -> Option<String> {
    Some(trimmed(bytes.strip_prefix(b"ref:")?).to_str().ok()?.to_owned())
}

fn commit(bytes: &[u8]) -> Option<String> {
    ObjectId::from_hex(trimmed(bytes)).ok().map(|id| id.to_string())
}

fn packed(location: &Location, name: &str) -> Result<Option<String>> {
    let Some(bytes) = control::read(&location.common_dir.join("packed-refs"), MAX_PACKED_REFS)? else { return Ok(None) };
    let line = bytes.lines().find(|line| line.strip_suffix(name.as_bytes()).is_some_and(|rest| rest.ends_with(b" ")));
    Ok(line.and_then(|line| commit(&line[..line.len() - name.len()])))
}
