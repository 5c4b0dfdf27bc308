//! The secret rules against the labelled set.

#[path = "secrets/set.rs"]
#[allow(dead_code, reason = "the line is for people")]
mod set;

#[path = "secrets/table.rs"]
mod table;

use pi_context_engine::hash::Hash;
use pi_context_engine::secrets::scan;
use proptest::prelude::*;

#[test]
fn the_labelled_set_is_frozen() {
    let cases = set::cases();
    let secrets = cases.iter().filter(|case| !case.secrets.is_empty()).count();
    let parts: Vec<String> = cases.iter().map(|case| format!("{}\n{:?}\n{}", case.rule, case.secrets, case.text)).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    assert_eq!(
        (secrets, cases.len() - secrets, Hash::of_joined(&parts).to_hex().as_str()),
        (319, 340, "ac225f895286cdc914b78e2e706e155586b0defff2eb795facabebc96dc26ef8")
    );
}

#[test]
fn the_rules_reach_their_goals_and_the_documentation_says_how_far() {
    let score = table::Score::of(&set::cases());
    assert_eq!((score.found, score.secrets, score.left_alone, score.look_alikes), (313, 319, 340, 340), "{:#?}", score.wrong);
    assert!(score.recall() >= 0.97 && score.precision() >= 0.95);
    // A formatter aligns the columns.
    let words = |text: &str| text.replace("--:", "").replace(['-', ' '], "");
    let documentation = std::fs::read_to_string("docs/secrets.md").unwrap().replace("\r\n", "\n");
    let table = score.table();
    assert!(words(&documentation).contains(&words(&table)), "docs/secrets.md lacks this table:\n{table}");
}

/// The rules may know the shapes, and must not know the values.
#[test]
fn other_values_of_the_same_shapes_are_told_as_well() {
    let mut score = table::Score::default();
    for salt in 1..=20 {
        score.add(&set::cases_with(salt));
    }
    assert!(score.recall() >= 0.97 && score.precision() >= 0.95, "{} {}\n{:#?}", score.recall(), score.precision(), score.wrong);
}

#[test]
fn the_set_itself_holds_no_secret() {
    for file in ["tests/secrets/labelled.txt", "tests/secrets/set.rs", "tests/secret_leaks.rs", "docs/secrets.md"] {
        let text = std::fs::read_to_string(file).unwrap();
        assert_eq!(scan(&text).iter().map(|finding| (finding.rule, text[..finding.range.start].lines().count())).collect::<Vec<_>>(), [], "{file}");
    }
}

proptest! {
    /// Where a secret stands in a file decides nothing.
    #[test]
    fn a_secret_is_found_wherever_it_stands(index in 0..659_usize, before in "([a-z ]{0,30}\n){0,40}") {
        let case = &set::cases()[index];
        let alone = scan(&case.text);
        let text = format!("{before}\n{}", case.text);
        let moved = scan(&text);
        let offset = before.len() + 1;
        prop_assume!(!case.text.contains("kind:"));
        prop_assert!(alone.iter().all(|finding| moved.iter().any(|other| other.range == (finding.range.start + offset..finding.range.end + offset))), "{}", case.line);
    }
}
