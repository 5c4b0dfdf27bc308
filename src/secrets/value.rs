//! Whether a value is a secret, or stands for one: placeholders, words, look-ups and documented examples are none.

use super::assignment::Kind;
use super::words::is_wordy;

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
        "...",
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
        "asdf",
        "goes-here",
        "goes_here",
    ];
    const STARTS: &[&str] = &[
        "$", "@", "%", "#", "{", "<", "(", "arn:", "http:", "https:", "/", "./", "../", "data:", "file:", "vault:", "op://", "env:", "ref:", "test-", "test_",
        "fake", "mock", "sha256-", "sha384-", "sha512-",
    ];
    let lower = value.to_lowercase();
    STARTS.iter().any(|start| lower.starts_with(start)) || PARTS.iter().any(|part| lower.contains(part)) || is_documented(value)
}

/// Whether a token of a well-known shape is only shown, not given away.
pub(super) fn is_shown_token(value: &str) -> bool {
    const PARTS: &[&str] =
        &["example", "xxxx", "your", "placeholder", "redacted", "dummy", "****", "....", "changeme", "fake", "abcdefgh", "goes-here", "goes_here"];
    let lower = value.to_lowercase();
    distinct(value) < 8 || (value.len() >= 20 && entropy(value) < 3.0) || PARTS.iter().any(|part| lower.contains(part)) || is_documented(value)
}

fn is_documented(value: &str) -> bool {
    // Tokens that everybody is shown: by the standards of OAuth 2 and its bearer tokens, and by a storage emulator.
    const DOCUMENTED: &[&str] = &[
        "mF_9.B5f-4.1JqM",
        "czZCaGRSa3F0Mzpn",
        "2YotnFZFEjr1zCsicMWpAA",
        "tGzv3JOkF0XG5Qx2TlKWIA",
        "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq",
    ];
    DOCUMENTED.iter().any(|known| value.starts_with(known))
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

/// Whether a URL's password is one: hosts of examples don't count, and those of the own machine or network only with a random password.
pub(super) fn is_password_of_url(password: &str, host: &str) -> bool {
    let host = host.to_lowercase();
    let is_own = !host.contains('.') || host.starts_with("127.") || host.starts_with("0.") || host.ends_with(".local") || host.ends_with(".localhost");
    let is_documented = ["example.com", "example.org", "example.net", "domain.com", "host.com", "server.com"].iter().any(|name| host.ends_with(name))
        || [".test", ".invalid", ".example"].iter().any(|end| host.ends_with(end));
    if is_documented || password.contains(['{', '}', '$', '*', '(', ')', '[', ']']) || is_placeholder(password) || is_weak(password) {
        return false;
    }
    if is_own {
        return is_assigned(Kind::Password, password, true);
    }
    // A short word in a URL is an example's far more often than a secret.
    let enough = if password.bytes().all(|byte| byte.is_ascii_lowercase()) { 12 } else { 8 };
    password.len() >= if digits(password) > 0 { 6 } else { enough } && !is_dummy(password)
}

/// Whether the password of a command or a connection is one.
pub(super) fn is_password(value: &str) -> bool {
    !is_placeholder(value) && !is_weak(value) && !is_dummy(value) && distinct(value) > 3
}

/// Whether a value assigned to a secret's name is the secret.
pub(super) fn is_assigned(kind: Kind, value: &str, quoted: bool) -> bool {
    let has = |test: fn(&u8) -> bool| value.bytes().any(|byte| test(&byte));
    if !value.is_ascii()
        || !has(u8::is_ascii_digit)
        || !has(u8::is_ascii_alphabetic)
        || is_placeholder(value)
        || is_expression(value)
        || is_number(value)
        || is_wordy(value)
    {
        return false;
    }
    // Three signed parts have a rule of their own, and a placeholder may be encoded.
    if (value.starts_with("eyJ") && value.contains('.')) || is_encoded_placeholder(value) {
        return false;
    }
    // The name of a constant.
    if !quoted && value.contains('_') && value.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_') {
        return false;
    }
    match kind {
        // What people type is short: any mix that is no word.
        Kind::Password => {
            let inner_digits = value.trim_end_matches(|character: char| character.is_ascii_digit()).bytes().filter(u8::is_ascii_digit).count();
            let mixed = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
            let enough = if quoted { distinct(value) >= 5 } else { (mixed || inner_digits >= 2) && distinct(value) >= 6 };
            value.len() >= 8 && enough && !is_weak(value) && !(value.len() < 24 && is_dummy(value))
        }
        Kind::Key => {
            let (length, bits) = if quoted { (12, 2.9) } else { (14, 3.1) };
            value.len() >= length && entropy(value) >= bits && !(value.len() < 24 && is_dummy(value))
        }
    }
}

/// Whether a value is what people type when any will do: a word such as `password` with its usual replacements, or a row of letters or digits.
fn is_dummy(value: &str) -> bool {
    const WORDS: &[&str] =
        &["pass", "secret", "test", "admin", "user", "login", "hello", "welcome", "qwert", "token", "letmein", "dummy", "valid", "foo", "bar"];
    let lower = value.to_ascii_lowercase();
    let plain: String = lower
        .chars()
        .map(|character| match character {
            '0' => 'o',
            '1' | '!' => 'i',
            '3' => 'e',
            '4' | '@' => 'a',
            '5' | '$' => 's',
            '7' => 't',
            other => other,
        })
        .collect();
    let letters: String = lower.chars().filter(char::is_ascii_lowercase).collect();
    let numbers: String = lower.chars().filter(char::is_ascii_digit).collect();
    let in_row = |part: &str, row: &str, least: usize| part.len() >= least && row.contains(part);
    WORDS.iter().any(|word| lower.contains(word) || plain.contains(word))
        || in_row(&letters, "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz", 3)
        || in_row(&numbers, "01234567890123456789", 4)
        || (in_row(&numbers, "1234567890", 3) && letters.len() <= 4)
}

/// Whether it is a number as source code writes it: in hexadecimal, with a unit, or with its type.
fn is_number(value: &str) -> bool {
    let digits = value.trim_start_matches('-');
    let rest = digits.trim_start_matches(|character: char| character.is_ascii_digit() || matches!(character, '_' | '.'));
    (rest.len() < digits.len()
        && rest.len() <= 5
        && rest.trim_end_matches(|character: char| character.is_ascii_digit()).bytes().all(|byte| byte.is_ascii_alphabetic()))
        || (digits.starts_with("0x") && digits.len() <= 18)
}

/// Whether it is a piece of code: a call, an index, a path of names, or an operator.
fn is_expression(value: &str) -> bool {
    value.contains(['(', ')', '[', ']', '{', '}', '<', '>', ';', '|']) || value.contains("->") || value.contains("::") || value.contains("=>")
}

/// Whether a signed token in three parts is one that documentations show: its claims name nobody.
pub(super) fn is_shown_claims(token: &str) -> bool {
    let claims = token.split('.').nth(1).map(decoded).unwrap_or_default();
    ["1234567890", "John Doe", "example", "jane.doe", "test-user", "payload"].iter().any(|part| claims.contains(part))
}

/// Whether a value is a placeholder in base64, such as `your_username:your_password`.
fn is_encoded_placeholder(value: &str) -> bool {
    let text = decoded(value);
    text.len() >= 8 && text.bytes().all(|byte| byte.is_ascii_graphic()) && is_placeholder(&text)
}

/// The text behind digits of base64, as far as it is text.
fn decoded(digits: &str) -> String {
    let (mut bits, mut held, mut bytes) = (0_u32, 0_u32, Vec::new());
    for byte in digits.bytes() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => break,
        };
        held = (held << 6 | u32::from(digit)) & 0xffff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
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
