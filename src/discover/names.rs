//! What names say of a file: the one place that knows the rules on names together with what the user takes in.

use crate::exclude::{self, DIRECTORY_VCS, DirectoryVerdict, RuleId};
use crate::patterns::Includes;
use crate::rel_path::RelPath;
use crate::secrets;

/// The rule that keeps a file out by its own name or those of its folders; `None` if none does. Build output is left to a listing.
///
/// What the user takes in is not kept out by the name of a folder, other than that of version-control data; by its own name it is.
pub fn by_name(path: &RelPath, includes: &Includes) -> Option<RuleId> {
    let mut folders = path.components();
    folders.next_back();
    let barred = folders.fold(None, |above, name| match exclude::directory(name) {
        DirectoryVerdict::Exclude(rule) => stricter(above, Some(rule)),
        DirectoryVerdict::Enter | DirectoryVerdict::ExcludeUntracked(_) | DirectoryVerdict::ExcludeWithoutSource(_) => above,
    });
    of_file(path, barred, || includes.hold(path, false))
}

/// The rule that keeps a file out, where the folders on its way are `barred` by a rule on their names.
pub(super) fn of_file(path: &RelPath, barred: Option<RuleId>, is_included: impl FnOnce() -> bool) -> Option<RuleId> {
    let of_folders = || barred.filter(|rule| !may_be_taken_in(rule) || !is_included());
    exclude::file_name(path).or_else(|| secrets::in_path(path)).or_else(of_folders)
}

/// Whether the user's word counts against a rule on the name of a folder.
pub(super) fn may_be_taken_in(rule: RuleId) -> bool {
    rule != DIRECTORY_VCS
}

/// Of the rules on a folder and on those above it, the one that holds below it.
pub(super) fn stricter(above: Option<RuleId>, own: Option<RuleId>) -> Option<RuleId> {
    own.filter(|rule| above.is_none() || !may_be_taken_in(rule)).or(above)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn includes_lift_the_names_of_folders_and_nothing_else() {
        let includes = Includes::new(&["/node_modules/foo/", ".git/", ".pi/*.md"].map(str::to_owned)).unwrap();
        let cases = [
            ("src/a.ts", None, None),
            ("node_modules/foo/a.ts", Some("directory/dependencies"), None),
            ("node_modules/foo/node_modules/b/a.ts", Some("directory/dependencies"), None),
            ("node_modules/bar/a.ts", Some("directory/dependencies"), Some("directory/dependencies")),
            ("node_modules/foo/.git/config", Some("directory/vcs"), Some("directory/vcs")),
            ("node_modules/foo/.hg/a.ts", Some("directory/vcs"), Some("directory/vcs")),
            ("node_modules/foo/.env", Some("name/credentials"), Some("name/credentials")),
            ("node_modules/foo/.ssh/config", Some("name/credentials"), Some("name/credentials")),
            ("node_modules/foo/yarn.lock", Some("name/lock-file"), Some("name/lock-file")),
            (".pi/skill.md", Some("directory/host"), None),
            (".git/config", Some("directory/vcs"), Some("directory/vcs")),
            ("dist/a.ts", None, None),
        ];
        for (path, without, with) in cases {
            let path = RelPath::parse(path).unwrap();
            assert_eq!((by_name(&path, &Includes::default()), by_name(&path, &includes)), (without, with), "{path}");
        }
        let secret = RelPath::parse(&format!("node_modules/foo/ghp_{}.ts", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8")).unwrap();
        assert_eq!(by_name(&secret, &includes), Some("secret/github-token"));
    }
}
