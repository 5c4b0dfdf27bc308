//! Random trees and ignore rules, read by us and by git.

use proptest::prelude::*;

use super::*;

/// Few names, so that rules often meet them.
const NAMES: [&str; 14] = ["a", "b", "ab", "A", "c.x", "a.x", "a b", "a ", " a", "#a", "!a", "[a]", "é", "\\a"];

fn rule() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec!["a", "b", "ab", "c.x", "A", "é"]),
        5 => prop::sample::select(vec!["*", "**", "?", "/", "*.x", "**/", "/**"]),
        2 => prop::sample::select(vec!["[ab]", "[!a]", "[^b]", "[a-c]", "[]a]", "[[:alpha:]]", "[a", "]", "[\\]a]"]),
        2 => prop::sample::select(vec!["\\a", "\\#", "\\!", "\\ ", " ", "#", "!", "\\\\", "\\*", "\\", "\t"]),
    ];
    let body = prop::collection::vec(piece, 1..5).prop_map(|pieces| pieces.concat());
    let start = prop::sample::select(vec!["", "", "", "!", "!", "/", "**/", "!/"]);
    let end = prop::sample::select(vec!["\n", "\n", "\n", "/\n", "/*\n", " \n", "\r\n", "  \n\n"]);
    (start, body, end).prop_map(|(start, body, end)| format!("{start}{body}{end}"))
}

fn rules() -> impl Strategy<Value = String> {
    prop::collection::vec(rule(), 1..6).prop_map(|lines| lines.concat())
}

fn path() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(NAMES.to_vec()), 1..4).prop_map(|parts| parts.join("/"))
}

/// Writes what fits: a name may already be a folder, or a folder's name a file.
fn try_write(bed: &Bed, path: &str, content: &str) {
    let at = bed.at(path);
    if fs::create_dir_all(at.parent().unwrap()).is_ok() {
        let _ = fs::write(at, content);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn random_rules_hide_what_git_hides(
        files in prop::collection::vec(path(), 1..16),
        tracked in prop::collection::vec(any::<prop::sample::Index>(), 0..3),
        nested in prop::collection::vec((path(), rules()), 0..3),
        top in rules(),
        exclude in prop_oneof![Just(String::new()), rules()],
        global in prop_oneof![Just(String::new()), rules()],
        fold in prop::bool::weighted(0.2),
    ) {
        // Git, told to fold case, never matches an escaped capital. We do: a quirk not worth having.
        let everything = [top.as_str(), &exclude, &global].into_iter().chain(nested.iter().map(|(_, rules)| rules.as_str())).collect::<Vec<_>>().concat();
        prop_assume!(!fold || !everything.contains("\\A"));
        // Nor is a setting for a disk without case sane where two names differ in case alone: git takes one for the other.
        let names: std::collections::HashSet<&str> = files.iter().flat_map(|file| file.match_indices('/').map(|(at, _)| &file[..at]).chain([file.as_str()])).collect();
        let folded: std::collections::HashSet<String> = names.iter().map(|name| name.to_lowercase()).collect();
        prop_assume!(!fold || folded.len() == names.len());
        let bed = Bed::new();
        // By hand, as a new process for each step would take most of the time.
        bed.write("p/.git/HEAD", "ref: refs/heads/main\n");
        bed.write("p/.git/config", &format!("[core]\n repositoryFormatVersion = 0\n bare = false\n ignoreCase = {fold}\n"));
        fs::create_dir_all(bed.at("p/.git/objects")).unwrap();
        fs::create_dir_all(bed.at("p/.git/refs/heads")).unwrap();
        for file in &files {
            try_write(&bed, &format!("p/{file}"), "x");
        }
        let tracked: Vec<&str> = tracked.iter().map(|index| index.get(&files).as_str()).filter(|file| bed.at(&format!("p/{file}")).is_file()).collect();
        if !tracked.is_empty() {
            bed.git("p", &[&["--literal-pathspecs", "add", "-f", "--"], tracked.as_slice()].concat());
        }
        for (folder, rules) in &nested {
            if bed.at(&format!("p/{folder}")).is_dir() {
                try_write(&bed, &format!("p/{folder}/.gitignore"), rules);
            }
        }
        bed.write("p/.gitignore", &top);
        bed.write("p/.git/info/exclude", &exclude);
        bed.write("home/.config/git/ignore", &global);
        let listing = bed.same_as_git("p");
        // Each path alone is judged as in the listing.
        let root = bed.root("p");
        let bounds = Bounds::default();
        let judge = Judge::new_for(&root, &bounds, &bed.user()).unwrap();
        let listed = paths(&listing);
        for file in files.iter().filter(|file| bed.at(&format!("p/{file}")).is_file()) {
            let path = RelPath::from_bytes(file.as_bytes()).unwrap();
            let expected = if listed.contains(path.as_str()) { Standing::Listed } else { Standing::Excluded("path/ignored") };
            prop_assert_eq!(judge.standing(&path, &Cancel::default()).unwrap(), expected, "{}", file);
        }
    }
}
