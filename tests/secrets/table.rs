//! Counts how the rules do on labelled cases.

use std::collections::BTreeMap;
use std::fmt::Write;

use pi_context_engine::secrets::scan;

use crate::set::Case;

/// What became of the cases of one rule.
#[derive(Default)]
struct Row {
    secrets: usize,
    /// Secrets of which every part was found, by whatever rule.
    found: usize,
    /// Findings of this rule that touch a secret.
    right: usize,
    /// Findings of this rule that touch none.
    wrong: usize,
}

#[derive(Default)]
pub(crate) struct Score {
    rows: BTreeMap<String, Row>,
    pub(crate) secrets: usize,
    pub(crate) found: usize,
    pub(crate) look_alikes: usize,
    /// Look-alikes in which nothing was found.
    pub(crate) left_alone: usize,
    /// Each miss and each false alarm, in words.
    pub(crate) wrong: Vec<String>,
}

impl Score {
    pub(crate) fn of(cases: &[Case]) -> Score {
        let mut score = Score::default();
        score.add(cases);
        score
    }

    pub(crate) fn add(&mut self, cases: &[Case]) {
        for case in cases {
            self.judge(case);
        }
    }

    fn judge(&mut self, case: &Case) {
        let findings = scan(&case.text);
        let head: String = case.text.chars().take(100).collect();
        for finding in &findings {
            let touches = case.secrets.iter().any(|secret| secret.start < finding.range.end && finding.range.start < secret.end);
            let row = self.rows.entry(finding.rule.to_owned()).or_default();
            row.right += usize::from(touches);
            row.wrong += usize::from(!touches);
            if !touches {
                self.wrong.push(format!("line {}: no secret, but {} finds {:?} in {head:?}", case.line, finding.rule, &case.text[finding.range.clone()]));
            }
        }
        if case.secrets.is_empty() {
            self.look_alikes += 1;
            self.left_alone += usize::from(findings.is_empty());
            return;
        }
        let covered = |at: usize| findings.iter().any(|finding| finding.range.contains(&at));
        let found = case.secrets.iter().all(|secret| secret.clone().all(covered));
        let row = self.rows.entry(case.rule.to_owned()).or_default();
        row.secrets += 1;
        row.found += usize::from(found);
        self.secrets += 1;
        self.found += usize::from(found);
        if !found {
            self.wrong.push(format!("line {}: {} misses {head:?}, finds {findings:?} of {:?}", case.line, case.rule, case.secrets));
        }
    }

    /// The share of secrets that were found whole.
    pub(crate) fn recall(&self) -> f64 {
        share(self.found, self.secrets)
    }

    /// The share of findings that touch a secret.
    pub(crate) fn precision(&self) -> f64 {
        let (right, wrong) = self.rows.values().fold((0, 0), |(right, wrong), row| (right + row.right, wrong + row.wrong));
        share(right, right + wrong)
    }

    /// The counts as a table in Markdown.
    pub(crate) fn table(&self) -> String {
        let mut text =
            "| Rule | Secrets | Found | Recall | Right findings | False alarms | Precision |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n".to_owned();
        for (rule, row) in &self.rows {
            let Row { secrets, found, right, wrong } = *row;
            let _ = writeln!(text, "| `{rule}` | {secrets} | {found} | {} | {right} | {wrong} | {} |", shown(found, secrets), shown(right, right + wrong));
        }
        let (right, wrong) = self.rows.values().fold((0, 0), |(right, wrong), row| (right + row.right, wrong + row.wrong));
        let _ = writeln!(
            text,
            "| all | {} | {} | {} | {right} | {wrong} | {} |",
            self.secrets,
            self.found,
            shown(self.found, self.secrets),
            shown(right, right + wrong)
        );
        let _ = writeln!(text, "\n{} look-alikes, {} of them left alone.", self.look_alikes, self.left_alone);
        text
    }
}

fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

fn shown(part: usize, whole: usize) -> String {
    if whole == 0 { "–".to_owned() } else { format!("{:.3}", share(part, whole)) }
}
