use proptest::prelude::*;

use super::*;

#[test]
fn identifiers_split_into_folded_parts() {
    let cases: [(&str, &[&str]); 16] = [
        ("parseHTTPRequest", &["parse", "http", "request"]),
        ("parse_http_request", &["parse", "http", "request"]),
        ("parse-http-request", &["parse", "http", "request"]),
        ("ParseHttpRequest", &["parse", "http", "request"]),
        ("HTTP2Server", &["http2", "server"]),
        ("utf8", &["utf8"]),
        ("toBase64URL", &["to", "base64", "url"]),
        ("md5sum", &["md5", "sum"]),
        ("i18n", &["i18n"]),
        ("3DView", &["3d", "view"]),
        ("getURLs", &["get", "urls"]),
        ("IDsOf", &["ids", "of"]),
        ("__init__", &["init"]),
        ("MAX_SIZE", &["max", "size"]),
        ("größeÄndern", &["grosse", "andern"]),
        ("___", &[]),
    ];
    for (identifier, parts) in cases {
        assert_eq!(split_identifier(identifier), parts, "{identifier}");
    }
}

#[test]
fn spellings_of_one_identifier_share_its_whole() {
    for spelling in ["parse_http_requests", "parseHTTPRequests", "ParseHttpRequests", "parse-http-requests"] {
        let terms = query_terms(spelling);
        assert_eq!(terms.iter().filter(|term| *term == "parsehttprequest").count(), 1, "{spelling}: {terms:?}");
        for part in ["pars", "http", "request"] {
            assert!(terms.iter().any(|term| term == part), "{spelling}: {terms:?}");
        }
    }
    assert_eq!(query_terms("parsehttprequests"), ["parsehttprequest"]);
}

#[test]
fn terms_are_exactly_these() {
    let cases = [
        ("The parser's settings are running", "the parser s set are run"),
        ("const maxRetries = 42;", "const maxretri max retri 42"),
        ("HTTP2Server", "http2server http2 http server"),
        ("utf8 UTF-8", "utf8 utf utf 8 utf8"),
        ("GitHub github", "github git hub github"),
        ("iOS x", "io os x"),
        ("0xFF 1e5 3d", "0xff 1e5 3d"),
        ("--dry-run", "dri run dryrun"),
        ("2024-01-02", "2024 01 02"),
        ("Café naïve Straße", "cafe naive strasse"),
        ("Cafe\u{301}", "cafe"),
        ("ΟΔΟΣ οδός", "οδοσ οδοσ"),
        ("«quoted» — dash…", "quot dash"),
        ("", ""),
        (" \u{a0}—", ""),
    ];
    for (text, terms) in cases {
        assert_eq!(index_text(text), terms, "{text}");
    }
}

#[test]
fn unspaced_scripts_become_bigrams_and_free_what_is_glued_to_them() {
    assert_eq!(index_text("使用parseHttp解析"), "使用 parsehttp pars http 解析");
    assert_eq!(index_text("数据库"), "数据 据库");
    assert_eq!(index_text("税 の"), "税 の");
    assert_eq!(index_text("ガラス"), "ガラ ラス");
    assert_eq!(index_text("ｶﾞﾗｽ カ\u{3099}ラス"), "ガラ ラス ガラ ラス");
    assert_eq!(index_text("ｆｕｌｌＷｉｄｔｈ"), "fullwidth full width");
    assert_eq!(index_text("한국어"), "한국 국어");
}

#[test]
fn marks_that_are_letters_stay() {
    assert_eq!(index_text("हिन्दी"), "हिन्दी");
    assert_eq!(index_text("مُحَمَّد محمد"), "محمد محمد");
    assert_eq!(fold("Ünïted-Ａ"), "united-a");
}

#[test]
fn data_is_no_text() {
    assert_eq!(index_text(&"a".repeat(MAX_WORD_BYTES + 1)), "");
    assert_eq!(index_text("aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0u"), "ab1cd2ef3gh4ij5kl6mn7op8qr9st0u");
}

#[test]
fn words_know_their_place() {
    let text = "let naïve_Word = 数a;";
    let found: Vec<_> = words(text).map(|word| (word.text, word.start)).collect();
    assert_eq!(found, [("let", 0), ("naïve_Word", 4), ("数", 18), ("a", 21)]);
}

#[test]
fn stems_come_from_the_cache_unchanged() {
    let words = ["running", "cities", "generalization", "as", "x", "http2", "naïve", "internationalizations", "averyveryverylongwordwithmanyrunnings"];
    let stems = ["run", "citi", "general", "as", "x", "http2", "naïve", "internation", "averyveryverylongwordwithmanyrun"];
    for _ in 0..2 {
        assert_eq!(words.map(stem), stems);
    }
}

proptest! {
    #[test]
    fn terms_hold_only_what_the_index_takes_and_are_stable(text in "\\PC{0,60}|(?s:.{0,60})|[a-zA-Z0-9_ -]{0,60}|[ぁ-ん一-龥a-zA-Z ]{0,40}") {
        let terms = index_text(&text);
        prop_assert!(terms.chars().all(|char| char == ' ' || char.is_ascii_alphanumeric() || !char.is_ascii()), "{terms:?}");
        prop_assert!(terms.chars().all(|char| char == ' ' || fold::script(char) != Script::None), "{terms:?}");
        prop_assert!(terms.is_empty() || terms.split(' ').all(|term| !term.is_empty()));
        prop_assert_eq!(&terms, &index_text(&text));
        for word in words(&text) {
            prop_assert_eq!(&text[word.start..word.start + word.text.len()], word.text);
        }
        for term in query_terms(&text) {
            prop_assert!(terms.split(' ').any(|indexed| indexed == term));
        }
    }
}
