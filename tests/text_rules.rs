//! Each rule about a file's text with the input that it is for, through the whole engine.

use std::collections::BTreeMap;
use std::fs;

use pi_context_engine::cancel::Cancel;
use pi_context_engine::classify::Audience;
use pi_context_engine::limits::Bounds;
use pi_context_engine::project::{OpenOptions, Project};
use pi_context_engine::rel_path::RelPath;
use pi_context_engine::retrieve::{Budget, Proven};
use pi_context_engine::root::TrustSource;
use pi_context_engine::sync::{SyncOptions, SyncReport};

struct Place {
    folder: tempfile::TempDir,
    project: Project,
}

fn place(files: &[(&str, Vec<u8>)]) -> (Place, SyncReport) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("project");
    fs::create_dir(&root).unwrap();
    for (name, content) in files {
        fs::write(root.join(name), content).unwrap();
    }
    let options =
        OpenOptions { path: root, trust: Some(TrustSource::Api), data_directory: Some(folder.path().join("data")), bounds: Bounds::default(), semantic: None };
    let project = Project::open(options).unwrap();
    let report = project.sync(&SyncOptions::default(), &Cancel::default(), &mut |_| {}).unwrap();
    (Place { folder, project }, report)
}

impl Place {
    fn search(&self, text: &str) -> Vec<Proven> {
        self.project
            .search(text, &Budget { max_results: 8, max_tokens: 20_000, cost: &|hit| hit.text().len() / 4, may_have: &|_| true }, &Cancel::default())
            .unwrap()
    }

    fn read(&self, name: &str) -> Result<String, String> {
        self.project
            .read(&RelPath::parse(name).unwrap(), None, None, &Audience::default())
            .map(|(read, _)| read.text().to_owned())
            .map_err(|error| error.to_string())
    }

    /// Every byte of the index and its side files.
    fn index(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for entry in fs::read_dir(self.folder.path().join("data/projects")).unwrap().flatten() {
            bytes.extend(fs::read(entry.path()).unwrap());
        }
        bytes
    }
}

fn rules(report: &SyncReport) -> BTreeMap<&str, u64> {
    report.excluded.iter().map(|(rule, count)| (rule.as_str(), *count)).collect()
}

fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
    "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(unit).collect()
}

/// Digits of base64 as of random bytes.
fn payload(length: usize) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut state = 7_u64;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(DIGITS[(state % 64) as usize])
    };
    (0..length).map(next).collect()
}

#[test]
fn the_first_line_of_every_encoding_is_found_and_quoted_as_it_reads() {
    let code = |name: &str| format!("export function {name}(): string {{\r\n  return 'Grüße';\r\n}}\r\n");
    let latin: Vec<u8> = code("spokenLatin").chars().map(|character| u8::try_from(u32::from(character)).unwrap()).collect();
    let files = [
        ("little.ts", utf16(&code("spokenLittle"), u16::to_le_bytes)),
        ("big.ts", utf16(&code("spokenBig"), u16::to_be_bytes)),
        ("marked.ts", [b"\xef\xbb\xbf", code("spokenMarked").as_bytes()].concat()),
        ("plain.ts", code("spokenPlain").into_bytes()),
        ("latin.ts", latin),
        ("mac.ts", code("spokenMac").replace("\r\n", "\r").into_bytes()),
    ];
    let (place, report) = place(&files);
    assert_eq!((report.indexed, rules(&report)), (6, BTreeMap::new()));
    for (name, content) in &files {
        let symbol = format!("spoken{}", name[..1].to_uppercase() + name[1..].trim_end_matches(".ts"));
        let hits = place.search(&symbol);
        assert_eq!((hits[0].path().as_str(), hits[0].start_line(), hits[0].symbol()), (*name, 1, Some(symbol.as_str())), "{name}");
        assert!(hits[0].text().starts_with(&format!("export function {symbol}")) && hits[0].text().contains("Grüße"), "{name}: {:?}", hits[0].text());
        assert_eq!(hits[0].hash(), pi_context_engine::hash::Hash::of(content), "{name}: of the raw bytes");
    }
}

#[test]
fn what_is_no_text_is_kept_out_by_its_rule() {
    let letters = |count: usize| b"letter\n".iter().copied().cycle().take(count).collect::<Vec<u8>>();
    let controls = |count: usize| [letters(8_192 - count), vec![1; count]].concat();
    let broken = |count: usize, length: usize| [letters(length - count * 2), b"\x81b".repeat(count)].concat();
    let files = [
        ("nul.ts", b"let a = 1;\0".to_vec()),
        ("late-nul.ts", [vec![b' '; 8_192], b"\0x = 1".to_vec()].concat()),
        ("controls.ts", controls(410)),
        ("few-controls.ts", controls(409)),
        ("broken.ts", broken(3, 100)),
        ("hardly-broken.ts", broken(2, 100)),
        ("long-broken.ts", broken(6, 1_000)),
        ("long-hardly-broken.ts", broken(5, 1_000)),
        ("utf32.ts", b"\xff\xfe\0\0a\0\0\0".to_vec()),
    ];
    let (place, report) = place(&files);
    assert_eq!(rules(&report), BTreeMap::from([("binary/content", 3), ("content/malformed-text", 2)]));
    let kept: Vec<_> = files.iter().map(|(name, _)| *name).filter(|name| place.read(name).is_ok()).collect();
    assert_eq!(kept, ["late-nul.ts", "few-controls.ts", "hardly-broken.ts", "long-hardly-broken.ts"]);
    assert_eq!(place.read("broken.ts").unwrap_err(), "E_EXCLUDED: broken.ts: kept out by the rule content/malformed-text");
}

#[test]
fn a_bundle_is_kept_out_and_generated_code_comes_last() {
    let license = "/*! A library. Licence: MIT. Copyright of its authors. */\n";
    let bundle = format!("{license}{}", "function a(b,c){return b+c*2};var chargeInvoice=a(1,2);".repeat(200));
    let generated = "// Code generated by protoc-gen. DO NOT EDIT.\nexport function chargeInvoice() { return 1; }\n";
    let written = "export function chargeInvoice() {\n  return 2;\n}\n";
    let files = [("bundle.js", bundle.into_bytes()), ("api.ts", generated.into()), ("zebra.ts", written.into())];
    let (place, report) = place(&files);
    assert_eq!(rules(&report), BTreeMap::from([("content/minified", 1)]));
    let hits: Vec<_> = place.search("chargeInvoice").iter().map(|hit| hit.path().as_str().to_owned()).collect();
    assert_eq!(hits, ["zebra.ts", "api.ts"]);
}

#[test]
fn a_large_file_is_listed_as_skipped_by_its_size() {
    let source = format!("export function uniqueLargeSymbol() {{}}\n{}", "export const part = 'a line that somebody wrote';\n".repeat(30_000));
    assert!(source.len() > 1_400_000);
    let (place, report) = place(&[("large.ts", source.into_bytes()), ("small.ts", b"export const small = 1;\n".to_vec())]);
    assert_eq!((report.indexed, rules(&report), report.complete), (1, BTreeMap::from([("size/file", 1)]), true));
    assert_eq!(place.read("large.ts").unwrap_err(), "E_EXCLUDED: large.ts: kept out by the rule size/file");
    let at_the_bound = |extra| ("export const a = 1;\n".repeat(25_600) + &" ".repeat(extra)).into_bytes();
    let (_, report) = self::place(&[("fits.ts", at_the_bound(0)), ("over.ts", at_the_bound(1))]);
    assert_eq!((report.indexed, rules(&report)), (1, BTreeMap::from([("size/file", 1)])));
}

#[test]
fn a_payload_is_not_indexed_and_the_text_around_it_is() {
    let digits = payload(300_000);
    let between = |mark: &str| (0..60).map(|line| format!("{mark} {line}\n")).collect::<String>();
    let (source, element) = (between("  \"a line of the notebook\","), between("<g id=\"layer\"/>"));
    let notebook = format!("{{\n \"cells\": [\"zebrafish analysis\"],\n{source} \"image/png\": \"{digits}\",\n{source} \"after\": \"okapi summary\"\n}}\n");
    let drawing = format!("<svg>\n<title>platypus</title>\n{element}<image href=\"data:image/png;base64,{digits}\"/>\n{element}<desc>quokka</desc>\n</svg>\n");
    let (place, report) = place(&[("plot.ipynb", notebook.into_bytes()), ("icon.svg", drawing.into_bytes())]);
    assert_eq!((report.indexed, rules(&report)), (2, BTreeMap::new()));
    for (word, file) in [("zebrafish", "plot.ipynb"), ("okapi", "plot.ipynb"), ("platypus", "icon.svg"), ("quokka", "icon.svg")] {
        let hits = place.search(word);
        assert_eq!(hits.first().map(|hit| hit.path().as_str()), Some(file), "{word}");
    }
    let index = place.index();
    for at in (0..digits.len() - 12).step_by(997) {
        let part = digits[at..at + 12].to_lowercase();
        assert!(memchr::memmem::find(&index, part.as_bytes()).is_none(), "a term of the payload is in the index");
    }
}

#[test]
fn pointers_and_names_of_no_use_are_kept_out_by_their_rules() {
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n";
    let files: Vec<(&str, Vec<u8>)> = [
        ("model.ts", pointer),
        ("package-lock.json", "{}"),
        ("Cargo.lock", ""),
        ("a.js.map", "{}"),
        ("a.min.js", "a"),
        ("photo.png", "a"),
        (".env", "A=1"),
        (".env.local", "A=1"),
        (".env.production.bak", "A=1"),
        ("prod.env", "A=1"),
        ("id_ed25519", "a"),
        ("server.pem", "a"),
        ("credentials.json", "{}"),
        (".npmrc", "a=1"),
        ("about-git-lfs.md", "# Git LFS\nversion https://git-lfs.github.com/spec/v1\noid sha256:4d7a\n"),
    ]
    .map(|(name, text)| (name, text.as_bytes().to_vec()))
    .into();
    let (_, report) = place(&files);
    let expected =
        [("binary/type", 1), ("content/large-file-pointer", 1), ("name/credentials", 8), ("name/lock-file", 2), ("name/minified", 1), ("name/source-map", 1)];
    assert_eq!((report.indexed, rules(&report)), (1, BTreeMap::from(expected)));
}

#[cfg(unix)]
#[test]
fn a_credential_file_is_kept_out_under_each_of_its_names() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("project");
    fs::create_dir(&root).unwrap();
    fs::write(root.join(".env"), "plain = words only here\n").unwrap();
    fs::hard_link(root.join(".env"), root.join("settings.txt")).unwrap();
    std::os::unix::fs::symlink(root.join(".env"), root.join("linked.txt")).unwrap();
    let options =
        OpenOptions { path: root, trust: Some(TrustSource::Api), data_directory: Some(folder.path().join("data")), bounds: Bounds::default(), semantic: None };
    let project = Project::open(options).unwrap();
    let report = project.sync(&SyncOptions::default(), &Cancel::default(), &mut |_| {}).unwrap();
    assert_eq!((report.indexed, rules(&report)), (0, BTreeMap::from([("name/credentials", 2), ("path/link", 1)])));
}
