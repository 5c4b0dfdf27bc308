use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::limits::MAX_LINES;
use crate::rel_path::RelPath;
use crate::syntax::{Span, Symbol, SymbolKind};
use crate::terms;

fn path(text: &str) -> RelPath {
    RelPath::parse(text).unwrap()
}

/// All terms of a text with the number to report: their place in the order of the numbers.
fn all_terms(text: &str) -> Vec<(TermNumber, u16)> {
    let mut numbers: Vec<_> = terms::query_terms(text).iter().map(|term| term_number(term)).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers.into_iter().zip(0..).collect()
}

fn symbol(name: &str, qualified_name: &str) -> Symbol {
    let span = Span { start_byte: 0, end_byte: 0, start_line: 1, end_line: 1 };
    let kind = SymbolKind::Function;
    let (name, qualified_name) = (name.into(), qualified_name.into());
    Symbol { kind, name, qualified_name, parent: None, span, doc: None, signature: String::new(), exported: true, references: vec![] }
}

#[test]
fn a_weight_says_where_and_how_much() {
    let text = format!("def load_invoice(x):\n    return invoice\n{}", "# filling\n".repeat(790));
    let found = file_terms(&path("src/billing.py"), &[symbol("load_invoice", "jobs.load_invoice")], &text);
    let weight = |term: &str| found.weights.iter().find(|(number, _)| *number == term_number(&terms::stem(term))).map(|(_, weight)| *weight);
    let shown = |term: &str| weight(term).map(|weight| (weight.in_path(), weight.in_name(), weight.is_declared(), weight.density()));
    assert_eq!(shown("billing"), Some((true, false, false, 0.0)));
    assert_eq!(shown("loadinvoice"), Some((false, true, true, 1.0)));
    assert_eq!(shown("invoice"), Some((false, true, false, 2.0)));
    assert_eq!(shown("jobs"), Some((false, true, false, 0.0)));
    assert_eq!(shown("filling"), Some((false, false, false, Weight::new(1e9, 0).density())));
    assert_eq!(shown("absent"), None);
    assert!(found.weights.windows(2).all(|pair| pair[0].0 < pair[1].0));
}

#[test]
fn payloads_give_no_terms_and_the_words_around_them_do() {
    let payload = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAxMjM0NTY3ODkrLw".repeat(20);
    let text = format!("const icon = \"data:image/png;base64,{payload}\"; // zebra\n");
    let found = file_terms(&path("src/user-icon.ts"), &[], &text);
    let holds = |term: &str| found.weights.iter().any(|(number, _)| *number == term_number(term));
    assert!(holds("icon") && holds("zebra") && holds("src"));
    assert!(found.weights.len() < 20, "{}", found.weights.len());
}

#[test]
fn lines_that_declare_are_known_with_what_they_declare() {
    let text = "class Worker:\n    def run_all(self):\n        return Worker\n\nrun = 5\n";
    let found = file_terms(&path("a.py"), &[], text);
    let mut wanted = vec![(term_number("worker"), 0), (term_number("runal"), 1), (term_number("run"), 2)];
    wanted.sort_unstable();
    let places = find(&found.places, &wanted).unwrap();
    let hits: Vec<_> = places.hits.iter().map(|hit| (hit.line, hit.term, hit.declaring)).collect();
    let whole = terms::index_text("run_all").split(' ').next().unwrap().to_owned();
    assert_eq!(whole, "runal");
    assert_eq!(hits, [(1, 0, true), (2, 1, true), (2, 2, true), (3, 0, false), (5, 2, true)]);
    let declared: Vec<_> = places.declared.iter().map(|declared| (declared.line, declared.term, declared.outer, declared.form)).collect();
    assert_eq!(declared, [(1, 0, true, Form::Definition), (2, 1, false, Form::Definition), (5, 2, true, Form::Variable)]);
    assert_eq!((places.lines, places.bytes), (5, text.len() as u32));
}

proptest! {
    /// Each term is found on the lines that hold it, as often as they do, and on no other.
    #[test]
    fn terms_are_found_where_they_stand(lines in proptest::collection::vec("(fn |class |)[a-cA-C_ .-]{0,12}|[\\PC]{0,8}", 0..20)) {
        let text = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        let found = file_terms(&path("a"), &[], &text);
        let wanted = all_terms(&text);
        let mut expected: BTreeMap<(u32, u16), usize> = BTreeMap::new();
        let index = crate::lines::LineIndex::new(&text);
        for line in 1..=index.count() {
            for term in terms::index_text(index.slice(&text, line, line)).split(' ').filter(|term| !term.is_empty()) {
                let at = wanted.iter().find(|(number, _)| *number == term_number(term)).unwrap().1;
                *expected.entry((line, at)).or_default() += 1;
            }
        }
        let mut hits: BTreeMap<(u32, u16), usize> = BTreeMap::new();
        let places = find(&found.places, &wanted).unwrap();
        for hit in &places.hits {
            *hits.entry((hit.line, hit.term)).or_default() += 1;
        }
        prop_assert_eq!(hits, expected);
        // Each alone gives what all together give.
        for (number, at) in wanted {
            let alone = find(&found.places, &[(number, at)]).unwrap();
            let of_all: Vec<_> = places.hits.iter().filter(|hit| hit.term == at).copied().collect();
            prop_assert_eq!(alone.hits, of_all);
        }
    }

    /// Each term of the text is alone in its range, which is not wide.
    #[test]
    fn a_range_holds_one_term(lines in proptest::collection::vec("(fn |class |)[a-cA-C_ .-]{0,12}|[\\PC]{0,8}", 0..20)) {
        let text = lines.join("\n");
        let numbers: Vec<_> = all_terms(&text).into_iter().map(|(number, _)| number).collect();
        let (at, symbols) = (path("path/of.it"), [symbol("ab", "ab")]);
        let whole = file_terms(&at, &symbols, &text);
        let Held { terms: found, sum } = held(&whole.places).unwrap();
        prop_assert_eq!(found.len(), numbers.len());
        let mut weights: BTreeMap<TermNumber, Weight> = file_terms(&at, &symbols, "").weights.into_iter().collect();
        for (term, number) in found.iter().zip(&numbers) {
            prop_assert_eq!(numbers.iter().filter(|number| term.range.contains(number)).collect::<Vec<_>>(), [number]);
            prop_assert!(term.range.end() - term.range.start() < 1 << 35);
            weights.entry(*number).and_modify(|weight| *weight = weight.with(term.weight)).or_insert(term.weight);
        }
        // With those of path and names, all is known of the terms but their numbers.
        prop_assert_eq!(sum, sum_of(weights.keys().copied()));
        prop_assert_eq!(weights.into_iter().collect::<Vec<_>>(), whole.weights);
    }

    /// Bytes that the disk changed are noticed; and no bytes at all make a panic, even with the checksum right.
    #[test]
    fn damage_is_an_error(text in "[a-z \n]{0,60}", at in any::<prop::sample::Index>(), to in any::<u8>(), junk in proptest::collection::vec(any::<u8>(), 0..60)) {
        let stored = file_terms(&path("a"), &[], &text).places;
        let wanted = all_terms(&text);
        let at = at.index(stored.len());
        let mut damaged = stored.clone();
        damaged[at] = to;
        prop_assert_eq!(find(&damaged, &wanted).is_ok(), damaged == stored);
        prop_assert_eq!(find(&stored[..at], &wanted), Err(Damaged));
        damaged.extend(&junk);
        for mut bytes in [damaged, [&[3, 0, 0, 0, 0], &junk[..]].concat()] {
            codec::seal(&mut bytes);
            let _ = (find(&bytes, &wanted), held(&bytes));
        }
    }
}

#[test]
fn more_lines_than_any_file_has_are_damage() {
    let of_lines = |lines| codec::encode(0, 10, lines, &[(5, &[lines])], &[]);
    assert_eq!(find(&of_lines(MAX_LINES), &[(5, 0)]).unwrap().hits.len(), 1);
    assert_eq!(find(&of_lines(MAX_LINES + 1), &[(5, 0)]), Err(Damaged));
    assert_eq!(held(&of_lines(MAX_LINES + 1)), Err(Damaged));
}
