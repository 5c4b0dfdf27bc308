//! The secret rules against the labelled set.

#[path = "secrets/set.rs"]
#[allow(dead_code, reason = "the line is for people")]
mod set;

use pi_context_engine::hash::Hash;

#[test]
fn the_labelled_set_is_frozen() {
    let cases = set::cases();
    let secrets = cases.iter().filter(|case| !case.secrets.is_empty()).count();
    let parts: Vec<String> = cases.iter().map(|case| format!("{}\n{:?}\n{}", case.rule, case.secrets, case.text)).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    assert_eq!((secrets, cases.len() - secrets, Hash::of_joined(&parts).to_hex().as_str()), (319, 340, "ac225f895286cdc914b78e2e706e155586b0defff2eb795facabebc96dc26ef8"));
}
