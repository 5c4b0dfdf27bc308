//! Files and an index that are not what they seemed.

use super::*;

#[test]
fn a_line_behind_the_end_of_a_file_asks_for_its_last_lines() {
    let project = project();
    project.write("src/late.ts", &(1..=100).map(|line| format!("export const late{line} = {line};\n")).collect::<String>());
    project.write("src/few.ts", "export const few = 1;\n");
    project.write("src/empty.ts", "");
    // While another writes, these are quoted without the index.
    let _writer = project.store.writer().unwrap().unwrap();
    for line in ["5000", "4294967280", "4294967295"] {
        for (file, place) in [("src/late.ts", "src/late.ts:81-100"), ("src/few.ts", "src/few.ts:1-1"), ("src/client.ts", "src/client.ts:1-5")] {
            assert_eq!(places(&project.answer(&format!("TypeError at {file}:{line}"))), [place], "{line}");
        }
    }
    assert_eq!(places(&project.answer("TypeError at src/late.ts:90")), ["src/late.ts:71-100"]);
    assert_eq!(places(&project.answer("TypeError at src/late.ts:101")), ["src/late.ts:82-100"]);
    assert_eq!(places(&project.answer("TypeError at src/empty.ts:90")), ["src/empty.ts:1-1"]);
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_read_does_not_take_the_answer_with_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let project = project();
    project.write("src/late.ts", "export const late = 1;\n");
    for file in ["src/late.ts", "src/client.ts"] {
        let file = project.folder.path().join(file);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
        // Nothing is closed to a superuser.
        if fs::read(&file).is_ok() {
            return;
        }
    }
    for request in ["what does src/late.ts do in src/service.ts?", "what does src/client.ts do in src/service.ts?"] {
        let answer = project.answer(request);
        assert_eq!(places(&answer), ["src/service.ts:1-8"], "{request}");
        assert!(answer.excluded.iter().any(|excluded| excluded.reason.code == "path/unreadable"), "{request}");
    }
    assert_eq!(places(&project.answer("\"new Client\" \"execute job string\"")), ["src/service.ts:1-8"]);
    assert_eq!(places(&project.answer("where is Client defined")), Vec::<String>::new());
    assert_eq!(read(&project.root, &project.bounds, &path("src/client.ts"), None, None).unwrap_err().code, Code::Io);
}

#[test]
fn a_named_file_outside_the_index_is_under_the_rules_of_every_other() {
    let project = project();
    project.write("src/part.ts", MARKED);
    let secret = format!("src/ghp_{}.ts", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    project.write(&secret, "export const a = 1;\n");
    project.write("src/long.ts", &format!("export const words = '{}';\n", "word ".repeat(30_000)));
    project.write(".env.local", "A=1\n");
    fs::hard_link(project.folder.path().join(".env.local"), project.folder.path().join("src/other.ts")).unwrap();
    fs::hard_link(project.folder.path().join("src/client.ts"), project.folder.path().join("src/same.ts")).unwrap();
    let _writer = project.store.writer().unwrap().unwrap();
    let strict = Budget { may_have: &|class| class < Class::Sensitive, ..budget(8, 20_000) };
    let ask = |request: &str| {
        let answer = project.answer_with(request, &strict, &[]);
        let left: Vec<_> = answer.excluded.iter().map(|left| format!("{} {}", left.path, left.reason.code)).collect();
        (places(&answer), left)
    };
    let named = |left: &str| (Vec::<String>::new(), vec![left.to_owned()]);
    assert_eq!(ask("what does src/part.ts do?"), named("src/part.ts privacy"));
    assert_eq!(ask("what does src/long.ts do?"), named("src/long.ts budget"));
    assert_eq!(ask(&format!("what does {secret} do?")), (vec![], vec![]));
    // Both have another name; of one of them that is a name of credentials.
    assert_eq!(ask("what do src/other.ts and src/same.ts do?"), (vec!["src/same.ts:1-5".to_owned()], vec![]));
}
