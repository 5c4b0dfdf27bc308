//! Whether a value is a secret, or stands for one: placeholders, words, look-ups and documented examples are none.

/// Whether a value only shows where a secret would stand, or where it is looked up.
pub(super) fn is_placeholder(value: &str) -> bool {
    const PARTS: &[&str] = &[
        "example",
        "placeholder",
        "redacted",
        "dummy",
        "changeme",
        "change-me",
        "change_me",
        "change_this",
        "changethis",
        "your-",
        "your_",
        "yourapi",
        "yoursecret",
        "yourtoken",
        "yourpass",
        "xxxx",
        "****",
        "....",
        "----",
        "____",
        "process.env",
        "environ",
        "getenv",
        "import.meta",
        "env.",
        "${",
        "$(",
        "{{",
        "}}",
        "<%",
        "%(",
        "%s",
        "{}",
        "[[",
        "sample",
        "notasecret",
        "not-a-secret",
        "not_a_secret",
        "foobar",
        "insert",
        "replace",
        "todo",
        "lorem",
        "0123456789",
        "1234567890",
        "abcdefgh",
        "deadbeef",
        "secretsmanager",
        "00000000",
        "mysecret",
        "my-secret",
        "my_secret",
        "supersecret",
        "testtest",
    ];
    const STARTS: &[&str] = &[
        "$", "@", "%", "#", "{", "<", "(", "arn:", "http:", "https:", "/", "./", "../", "data:", "file:", "vault:", "op://", "env:", "ref:", "test-", "test_",
        "fake", "mock", "sha256-", "sha384-", "sha512-",
    ];
    // The token that its inventors' site shows to everybody.
    const DOCUMENTED: &[&str] = &["eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwi"];
    let lower = value.to_lowercase();
    STARTS.iter().any(|start| lower.starts_with(start))
        || PARTS.iter().any(|part| lower.contains(part))
        || DOCUMENTED.iter().any(|known| value.starts_with(known))
}

/// Whether a token of a well-known shape is only shown, not given away.
pub(super) fn is_shown_token(value: &str) -> bool {
    let lower = value.to_lowercase();
    distinct(value) < 8
        || ["example", "xxxx", "your", "placeholder", "redacted", "dummy", "****", "....", "changeme", "fake"].iter().any(|part| lower.contains(part))
}

/// Passwords of development set-ups that protect nothing.
pub(super) fn is_weak(value: &str) -> bool {
    const WEAK: &[&str] = &[
        "password",
        "passwd",
        "pass",
        "pwd",
        "postgres",
        "root",
        "secret",
        "admin",
        "test",
        "user",
        "guest",
        "mysql",
        "redis",
        "mongo",
        "rabbitmq",
        "minio",
        "minioadmin",
        "dev",
        "development",
        "local",
        "docker",
        "hunter2",
        "letmein",
        "qwerty",
        "1234",
        "12345",
        "123456",
        "12345678",
        "password1",
        "password123",
        "passw0rd",
        "token",
        "string",
        "null",
        "none",
        "true",
        "false",
    ];
    let lower = value.to_lowercase();
    WEAK.contains(&lower.as_str()) || distinct(value) <= 2
}

/// Whether a URL's password is one: hosts of examples and of the own machine don't count.
pub(super) fn is_password_of_url(password: &str, host: &str) -> bool {
    let host = host.to_lowercase();
    let is_public = host.contains('.') && !host.starts_with("127.") && !host.starts_with("0.") && !host.ends_with(".local") && !host.ends_with(".localhost");
    let is_documented = ["example.com", "example.org", "example.net", "domain.com", "host.com", "server.com"].iter().any(|name| host.ends_with(name))
        || [".test", ".invalid", ".example"].iter().any(|end| host.ends_with(end));
    // A short word in a URL is an example's far more often than a secret.
    let has_digit = digits(password) > 0;
    let is_strong = if password.bytes().all(|byte| byte.is_ascii_lowercase()) { password.len() >= 12 } else { password.len() >= if has_digit { 6 } else { 8 } };
    is_public && is_strong && !is_documented && !is_placeholder(password) && !is_weak(password) && !password.contains(['{', '}', '$', '*', '(', ')'])
}

/// Whether a value looks like random characters: enough bits in each, letters and digits, and no words.
pub(super) fn is_random(value: &str, bits: f64) -> bool {
    let has = |test: fn(char) -> bool| value.chars().any(test);
    has(|character| character.is_ascii_digit())
        && has(|character| character.is_ascii_alphabetic())
        && value.is_ascii()
        && entropy(value) >= bits
        && !is_placeholder(value)
        && !is_wordy(value)
        && !is_expression(value)
}

/// Whether each part of a value is a word or a number, as in `auth-token-v2` or `user.password.reset`.
fn is_wordy(value: &str) -> bool {
    value.split(|character: char| !character.is_ascii_alphanumeric()).flat_map(split_humps).all(|part| {
        let letters = part.trim_end_matches(|character: char| character.is_ascii_digit());
        let is_number = letters.is_empty() && part.len() <= 8;
        is_number || (letters.bytes().all(|byte| byte.is_ascii_alphabetic()) && part.len() - letters.len() <= 2 && has_vowels(letters))
    })
}

/// The words of a camel-case name.
fn split_humps(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let mut parts = Vec::new();
    let mut start = 0;
    for at in 1..bytes.len() {
        let starts_word = bytes[at].is_ascii_uppercase() && bytes.get(at + 1..at + 3).is_some_and(|next| next.iter().all(u8::is_ascii_lowercase));
        if (bytes[at].is_ascii_uppercase() && bytes[at - 1].is_ascii_lowercase()) || (starts_word && bytes[at - 1].is_ascii_digit()) {
            parts.push(&text[start..at]);
            start = at;
        }
    }
    parts.push(&text[start..]);
    parts
}

/// Whether letters can be spoken: short, or with a vowel for every five of them.
fn has_vowels(letters: &str) -> bool {
    let vowels = letters.bytes().filter(|byte| matches!(byte.to_ascii_lowercase(), b'a' | b'e' | b'i' | b'o' | b'u' | b'y')).count();
    letters.len() <= 3 || vowels * 5 >= letters.len()
}

/// Whether it is a piece of code: a call, a member, a path, or a version.
fn is_expression(value: &str) -> bool {
    value.contains(['(', ')', '[', ']', '{', '}', '<', '>', ';', '|']) || value.contains("->") || value.contains("::") || value.contains("=>")
}

/// Whether the name in an assignment is that of something about a secret, such as its length or its field.
pub(super) fn is_harmless_name(assignment: &str) -> bool {
    const ENDS: &[&str] = &[
        "name",
        "id",
        "ids",
        "url",
        "uri",
        "path",
        "type",
        "label",
        "field",
        "file",
        "regex",
        "pattern",
        "length",
        "placeholder",
        "hint",
        "error",
        "message",
        "param",
        "header",
        "prefix",
        "suffix",
        "selector",
        "input",
        "endpoint",
        "format",
        "version",
        "expiry",
        "expires",
        "ttl",
        "address",
        "count",
        "limit",
        "usage",
        "arn",
        "ref",
        "testid",
        "class",
        "icon",
        "title",
        "description",
    ];
    let name_end = assignment.find(|character: char| !character.is_ascii_alphanumeric() && !matches!(character, '_' | '-')).unwrap_or(assignment.len());
    let name = assignment[..name_end].to_lowercase();
    ENDS.iter().any(|end| name.ends_with(end))
}

/// Bits in each character by Shannon's formula, from how often each occurs in the value.
pub(super) fn entropy(value: &str) -> f64 {
    let mut counts = [0u32; 256];
    value.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let length = value.len().max(1) as f64;
    counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / length).map(|share| -share * share.log2()).sum()
}

/// How many different bytes there are.
pub(super) fn distinct(value: &str) -> usize {
    let mut seen = [false; 256];
    value.bytes().for_each(|byte| seen[usize::from(byte)] = true);
    seen.iter().filter(|seen| **seen).count()
}

/// How many decimal digits there are.
pub(super) fn digits(value: &str) -> usize {
    value.bytes().filter(u8::is_ascii_digit).count()
}
