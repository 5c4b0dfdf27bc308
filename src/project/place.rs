//! Where indexes are kept: the user's data directory, never inside the project.

use std::path::{Path, PathBuf};

use super::network;
use crate::error::{Code, Error, Result};

/// The directory for indexes: the one asked for, else `pi-context-engine` in the platform's data directory; on a network file system the part of it that is
/// this machine's own.
///
/// # Errors
/// `InvalidArgument` where none is asked for and the account has no home directory.
pub fn data_directory(asked: Option<PathBuf>) -> Result<PathBuf> {
    let directory = match asked {
        Some(directory) => std::path::absolute(&directory).map_err(|error| Error::io(format!("the data directory {}", directory.display()), &error)),
        None => dirs::data_local_dir()
            .map(|directory| directory.join("pi-context-engine"))
            .ok_or_else(|| Error::new(Code::InvalidArgument, "this account has no home directory: name a data directory with `dataDirectory`")),
    }?;
    Ok(network::own_part(directory))
}

/// The directory for indexes, which must not lie inside the project.
pub(super) fn place_outside(asked: Option<PathBuf>, project: &Path) -> Result<PathBuf> {
    let directory = data_directory(asked)?;
    if canonical_prefix(&directory).starts_with(project) {
        let message = format!("the data directory {} lies inside the project: choose one outside of it", directory.display());
        return Err(Error::new(Code::InvalidArgument, message));
    }
    Ok(directory)
}

/// The canonical form of the longest part of a path that exists, with the rest as it is.
fn canonical_prefix(path: &Path) -> PathBuf {
    for ancestor in path.ancestors() {
        if let Ok(canonical) = ancestor.canonicalize() {
            return match path.strip_prefix(ancestor) {
                Ok(rest) => canonical.join(rest),
                Err(_) => canonical,
            };
        }
    }
    path.to_path_buf()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_inside_the_project_is_refused_also_through_a_link() {
        let scratch = tempfile::tempdir().unwrap();
        let base = scratch.path().canonicalize().unwrap();
        let project = base.join("project");
        std::fs::create_dir(&project).unwrap();
        for inside in [project.clone(), project.join("new/index")] {
            assert_eq!(place_outside(Some(inside), &project).unwrap_err().code, Code::InvalidArgument);
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&project, base.join("link")).unwrap();
            assert_eq!(place_outside(Some(base.join("link/index")), &project).unwrap_err().code, Code::InvalidArgument);
        }
        assert_eq!(place_outside(Some(base.join("data")), &project).unwrap(), base.join("data"));
    }
}
