//! Secrets are put together at run time, so that no scanner takes this file for a leak.

use super::*;
use proptest::prelude::*;

/// Characters as of a random token, from the given alphabet.
fn random(alphabet: &str, length: usize) -> String {
    let alphabet: Vec<char> = alphabet.chars().collect();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        alphabet[(state % alphabet.len() as u64) as usize]
    };
    (0..length).map(|_| next()).collect()
}

fn base62(length: usize) -> String {
    random("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", length)
}

fn hex(length: usize) -> String {
    random("0123456789abcdef", length)
}

fn upper(length: usize) -> String {
    random("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", length)
}

fn rules(text: &str) -> Vec<RuleId> {
    scan(text).into_iter().map(|finding| finding.rule).collect()
}

#[test]
fn each_kind_of_token_is_found_with_its_exact_range() {
    let cases = [
        ("secret/aws-access-key", format!("AKIA{}", upper(16))),
        ("secret/aws-access-key", format!("ASIA{}", upper(16))),
        ("secret/github-token", format!("ghp_{}", base62(36))),
        ("secret/github-token", format!("ghs_{}", base62(36))),
        ("secret/github-token", format!("github_pat_{}_{}", base62(22), base62(59))),
        ("secret/gitlab-token", format!("glpat-{}", base62(20))),
        ("secret/slack-token", format!("xoxb-{}-{}", "123456789012", base62(24))),
        ("secret/stripe-key", format!("sk_live_{}", base62(24))),
        ("secret/google-api-key", format!("AIza{}", base62(35))),
        ("secret/model-provider-key", format!("sk-ant-api03-{}", base62(93))),
        ("secret/model-provider-key", format!("sk-proj-{}", base62(60))),
        ("secret/model-provider-key", format!("sk-{}T3BlbkFJ{}", base62(20), base62(20))),
        ("secret/npm-token", format!("npm_{}", base62(36))),
        ("secret/pypi-token", format!("pypi-AgEIcHlwaS5vcmc{}", base62(70))),
        ("secret/sendgrid-key", format!("SG.{}.{}", base62(22), base62(43))),
        ("secret/twilio-key", format!("SK{}", hex(32))),
        ("secret/cloud-token", format!("dop_v1_{}", hex(64))),
    ];
    for (rule, token) in cases {
        for text in [format!("const key = \"{token}\";\n"), format!("# see {token}\n"), format!("url?k={token}&x=1"), token.clone()] {
            let findings = scan(&text);
            assert!(findings.iter().any(|finding| finding.rule == rule || finding.rule == "secret/assignment"), "{rule}: {text}");
            let found = &text[findings[0].range.clone()];
            assert!(found.starts_with(&token[..token.len().min(found.len())]) && found.len() >= token.len(), "{rule}: {found}");
        }
        assert_eq!(rules(&format!("word{token}")).iter().filter(|id| **id == rule).count(), 0, "{rule} inside a word");
    }
}

#[test]
fn private_keys_are_found_in_any_quoting() {
    let material = base62(64);
    for kind in ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "] {
        let (begin, end) = (format!("-----BEGIN {kind}PRIVATE KEY-----"), format!("-----END {kind}PRIVATE KEY-----"));
        let texts = [
            format!("{begin}\n{material}\n{material}\n{end}\n"),
            format!("{begin}\r\n{material}\r\n{end}"),
            format!("key: \"{begin}\\n{material}\\n{end}\\n\""),
            format!("key = '{begin}\\\\n{material}\\\\n{end}'"),
            format!("const key = \"{begin}\\n\" +\n    \"{material}\\n\" +\n    \"{end}\";"),
            format!("  [\n  '{begin}',\n  '{material}',\n  '{end}'\n]"),
            format!("  // {begin}\n  // {material}\n  // {end}"),
            format!("{begin}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,{}\n\n{material}\n{end}", hex(32)),
            format!("{begin} {material} {end}"),
        ];
        for text in texts {
            let findings = scan(&text);
            assert_eq!(findings.iter().map(|finding| finding.rule).collect::<Vec<_>>(), ["secret/private-key"], "{text}");
            assert!(text[findings[0].range.clone()].ends_with(&end), "{text}");
        }
        assert_eq!(rules(&format!("if (text.startsWith(\"{begin}\")) {{ return parse(text, \"{end}\"); }}")), [""; 0]);
        assert_eq!(rules(&format!("{begin}\n...\n{end}\n")), [""; 0]);
    }
    assert_eq!(rules(&format!("-----BEGIN CERTIFICATE-----\n{material}\n-----END CERTIFICATE-----")), [""; 0]);
}

#[test]
fn assignments_of_random_values_are_found() {
    let value = base62(24);
    for text in [
        format!("const apiKey = \"{value}\";"),
        format!("API_KEY='{value}'"),
        format!("API_KEY={value}\n"),
        format!("  client_secret: {value}\n"),
        format!("\"password\": \"{value}\","),
        format!("{{\\\"token\\\":\\\"{value}\\\"}}"),
        format!("private authToken: string = `{value}`;"),
        format!("config['secret'] = '{value}'"),
        format!("headers: {{ Authorization: 'Bearer {value}' }}"),
        format!("<password>{value}</password>"),
        format!("secret_access_key = \"{value}\""),
        format!("dbPassword := \"{value}\""),
    ] {
        let findings = scan(&text);
        assert_eq!(
            findings.iter().map(|finding| (finding.rule, &text[finding.range.clone()])).collect::<Vec<_>>(),
            [("secret/assignment", value.as_str())],
            "{text}"
        );
    }
}

#[test]
fn a_value_on_the_line_behind_its_name_is_found() {
    let value = ["k9X2m4", "Qp7vR3sT"].concat();
    for text in ["const password =\n  'V';\n", "let apiToken: string =\r\n\t\"V\";\n", "{\"secret\":\n  \"V\"}\n", "api_key: |\n  V\n"] {
        let text = text.replace('V', &value);
        let found: Vec<_> = scan(&text).into_iter().map(|finding| (finding.rule, text[finding.range].to_owned())).collect();
        assert_eq!(found, [("secret/assignment", value.clone())], "{text}");
    }
    assert_eq!(scan("password:\n  required: true\n  'min': 8\n"), vec![]);
}

#[test]
fn connection_strings_with_a_password_are_found() {
    let password = base62(12);
    for text in [
        format!("postgres://app:{password}@db.prod.acme.io:5432/app"),
        format!("redis://:{password}@cache.acme.io"),
        format!("Server=tcp:acme.database.windows.net;User ID=app;Password={password};Encrypt=true"),
        format!("DefaultEndpointsProtocol=https;AccountName=acme;AccountKey={}==;", base62(86)),
    ] {
        assert_eq!(rules(&text).len(), 1, "{text}");
    }
}

#[test]
fn what_only_looks_like_a_secret_is_left_alone() {
    for text in [
        "AKIAIOSFODNN7EXAMPLE",
        "const key = \"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\"; // secret",
        "secretAccessKey: \"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\"",
        "const token = process.env.GITHUB_TOKEN;",
        "token: ${{ secrets.GITHUB_TOKEN }}",
        "password = os.environ[\"DB_PASSWORD\"]",
        "password: \"Please enter your password 2 times\"",
        "api_key = \"your-api-key-goes-here-1\"",
        "API_KEY=xxxxxxxxxxxxxxxxxxxxxxxx1",
        "const token = nextToken2(stream3, lookahead4);",
        "tokenizer = \"bert-base-uncased-v2-2019\"",
        "\"token\": \"auth.token.expired2\"",
        "secretName: my-app-database-credentials-v12",
        "passwordFieldSelector: '#login-form-42 .password3'",
        "tokenUrl: 'https://auth.acme.io/oauth2/token1'",
        "\"integrity\": \"sha512-9mUzrCnPsPzmmxyGwrPTUQIQkQ2eqPBvnnyMXXlFrkLxqYTnrEn1VQi5ZbkBXQVkM4dCL0rB7+JmMPBEMYV5Zw==\"",
        "commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        "sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "id = \"550e8400-e29b-41d4-a716-446655440000\"",
        "postgres://postgres:postgres@localhost:5432/app",
        "postgres://user:password@db:5432/app",
        "postgres://user:password@example.com/app",
        "mongodb://${USER}:${PASSWORD}@cluster.acme.io",
        "https://github.com/a/b:c/d@v1.2.3",
        "git clone ssh://git@github.com:22/x.git",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "const GITHUB_PREFIX = 'ghp_';",
        "task-SKELETON SK_PREFIX",
        "type Password = string; let passwordLength = 12;",
        "AIzaXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
        "expect(token).toBe('abc123');",
        "Password: <input type=\"password\" id=\"password-field-1\">",
    ] {
        assert_eq!(rules(text), [""; 0], "{text}");
    }
}

#[test]
fn every_rule_of_the_table_is_known_by_its_id() {
    for rule in RULES {
        assert!(crate::exclude::RULES.iter().any(|known| known.id == rule.id));
        assert!(rule.pattern.starts_with('^') || rule.pattern.starts_with("(?s)^") || rule.pattern.ends_with('$'), "{}", rule.pattern);
        assert!(regex::Regex::new(rule.pattern).is_ok(), "{}", rule.pattern);
    }
}

proptest! {
    #[test]
    fn any_text_is_scanned_without_harm(text in any::<String>(), tail in "(password|token|://a:b@|-----BEGIN PRIVATE KEY-----|é|[A-Za-z0-9'\"=: \n]{1,8}){0,40}") {
        let text = text + &tail;
        let findings = scan(&text);
        prop_assert!(findings.iter().all(|finding| text.get(finding.range.clone()).is_some_and(|found| !found.is_empty())));
        prop_assert!(findings.is_sorted_by_key(|finding| finding.range.start));
    }
}
