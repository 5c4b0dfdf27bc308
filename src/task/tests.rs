use proptest::prelude::*;

use super::*;

fn files(request: &str) -> Vec<(String, Option<u32>)> {
    describe(request).files.into_iter().map(|file| (file.path, file.line)).collect()
}

#[test]
fn empty_talk_is_empty_in_many_languages() {
    let mut lost = Vec::new();
    for request in [
        "",
        "  \n",
        "go on",
        "Continue.",
        "fix it",
        "Fix it, please!",
        "ok",
        "yes, do it",
        "thanks a lot",
        "hello",
        "proceed",
        "try again",
        "next",
        "what now?",
        "danke",
        "Weiter machen bitte",
        "mach weiter",
        "merci",
        "continuez",
        "vas-y",
        "gracias",
        "sigue",
        "arréglalo",
        "por favor continúa",
        "grazie",
        "continua",
        "procedi pure",
        "obrigado",
        "pode continuar",
        "dank je wel",
        "ga verder",
        "tack",
        "fortsätt",
        "dziękuję",
        "napraw to",
        "继续",
        "继续吧",
        "好的，谢谢",
        "请修复它",
        "続けてください",
        "ありがとうございます",
        "はい、お願いします",
        "계속해줘",
        "고마워요",
        "네, 진행해줘",
        "1.2.3",
        "e.g.",
        "👍",
        "looks good to me, go ahead",
        "that works, thank you very much!",
        "no, please undo it",
        "never mind",
        "sounds good",
        "I don't understand",
        "are you sure?",
        "what do you think?",
        "LGTM",
        "yep",
        "sure, go for it",
        "keep going",
        "sorry, my mistake",
        "good morning",
        "stop",
        "wait",
        "vielen Dank",
        "passt so",
        "alles klar, weiter",
        "ja bitte",
        "nochmal",
        "versuch es noch einmal",
        "guten Morgen",
        "sieht gut aus",
        "das stimmt nicht",
        "behebe das bitte",
        "d'accord, continue",
        "merci beaucoup",
        "oui, vas-y s'il te plaît",
        "c'est bon",
        "très bien",
        "essaie encore",
        "bonjour",
        "corrige ça",
        "muchas gracias",
        "sí, adelante",
        "de acuerdo",
        "está bien",
        "inténtalo de nuevo",
        "buenos días",
        "perfecto, sigue así",
        "muito obrigado",
        "tudo bem, continue",
        "tente novamente",
        "bom dia",
        "va bene, continua",
        "grazie mille",
        "riprova per favore",
        "buongiorno",
        "dank u wel",
        "ga door",
        "probeer het opnieuw",
        "tack så mycket",
        "försök igen",
        "tusen takk",
        "prøv igen",
        "kiitos",
        "dzięki, kontynuuj",
        "spróbuj ponownie",
        "спасибо",
        "продолжай",
        "да, пожалуйста",
        "попробуй ещё раз",
        "дякую",
        "teşekkürler",
        "devam et",
        "děkuji",
        "pokračuj",
        "köszönöm",
        "mulțumesc",
        "好",
        "好的，继续",
        "没错",
        "明白了",
        "收到",
        "辛苦了",
        "太棒了，谢谢！",
        "再试一次",
        "不对，重来",
        "可以，开始吧",
        "謝謝",
        "繼續",
        "請繼續",
        "帮我改一下",
        "わかりました",
        "了解です",
        "了解しました、続けてください",
        "お疲れ様です",
        "すみません",
        "もう一度お願いします",
        "いいですね",
        "大丈夫です",
        "よろしくお願いします",
        "それで進めてください",
        "알겠습니다",
        "네, 감사합니다",
        "다시 해줘",
        "다시 시도해줘",
        "좋습니다, 계속하세요",
        "괜찮아요",
        "수고하셨습니다",
        "맞아요",
    ] {
        let task = describe(request);
        if task.kind != RequestKind::Empty {
            lost.push(format!("{request:?}: {:?} {:?}", task.keywords, task.symbols));
        }
    }
    assert!(lost.is_empty(), "{}\n{}", lost.len(), lost.join("\n"));
}

#[test]
fn a_short_request_with_a_subject_is_not_empty_talk() {
    let mut lost = Vec::new();
    let cases = [
        ("retry policy", "polici"),
        ("stop the worker", "stop"),
        ("wait group", "wait"),
        ("undo stack", "undo"),
        ("the mistake counter", "mistak"),
        ("fix login", "login"),
        ("go on with the parser", "parser"),
        ("thanks, now the scheduler", "schedul"),
        ("continue button", "continu"),
        ("next page", "page"),
        ("`stop`", "stop"),
        ("danke, und jetzt der Scheduler", "schedul"),
        ("repariere den Login", "login"),
        ("Morgen-Job", "job"),
        ("corrige le parseur", "parseur"),
        ("merci, regarde le cache", "cach"),
        ("arregla el analizador", "analizador"),
        ("corrige o cache", "cach"),
        ("correggi il parser", "parser"),
        ("popraw parser", "parser"),
        ("исправь парсер", "парсер"),
        ("продолжай с парсером", "парсером"),
        ("ödeme servisi", "odeme"),
        ("修复登录", "登录"),
        ("继续处理缓存", "缓存"),
        ("确认对话框", "确认"),
        ("收到消息", "消息"),
        ("重试策略", "策略"),
        ("请求超时", "请求"),
        ("对象池", "对象"),
        ("类型推断", "类型"),
        ("分类列表", "分类"),
        ("缓存有效期", "有效"),
        ("謝謝，快取", "快取"),
        ("キャッシュを直して", "ャッ"),
        ("了解ボタン", "ボタ"),
        ("再試行", "試行"),
        ("캐시 고쳐줘", "캐시"),
        ("이미지 크기", "이미"),
        ("가격을 고쳐줘", "가격"),
        ("로그인 다시 시도", "로그"),
    ];
    for (request, term) in cases {
        let task = describe(request);
        if task.kind == RequestKind::Empty || !task.keywords.iter().any(|keyword| keyword.term == term) {
            lost.push(format!("{request:?}: {:?} {:?}", task.kind, task.keywords));
        }
    }
    assert!(lost.is_empty(), "{}\n{}", lost.len(), lost.join("\n"));
}

#[test]
fn files_are_found_with_their_lines() {
    type Expected = &'static [(&'static str, Option<u32>)];
    let cases: &[(&str, Expected)] = &[
        ("look at src/a.ts", &[("src/a.ts", None)]),
        ("a.ts fails", &[("a.ts", None)]),
        ("in ./src/a.ts:12:5.", &[("src/a.ts", Some(12))]),
        ("see @src/a.ts#L7-L9", &[("src/a.ts", Some(7))]),
        (r"C:\work\src\App.cs:line 31", &[("work/src/App.cs", Some(31))]),
        ("  File \"pkg/mod.py\", line 42, in run", &[("pkg/mod.py", Some(42))]),
        ("    at run (/app/lib/x.js:3:14)", &[("app/lib/x.js", Some(3))]),
        ("at com.foo.Bar.baz(Bar.java:88)", &[("Bar.java", Some(88))]),
        ("\t/go/src/m/main.go:17 +0x1d", &[("go/src/m/main.go", Some(17))]),
        ("             at ./src/x.rs:9:1", &[("src/x.rs", Some(9))]),
        ("#0 /var/www/index.php(12): f()", &[("var/www/index.php", Some(12))]),
        ("in /srv/a.php on line 5", &[("srv/a.php", Some(5))]),
        ("app/models/user.rb:10:in 'save'", &[("app/models/user.rb", Some(10))]),
        ("https://github.com/o/r/blob/main/src/a.ts#L5", &[("src/a.ts", Some(5))]),
        ("https://github.com/o/r/blob/main/src/a.ts?plain=1#L5-L9", &[("src/a.ts", Some(5))]),
        ("https://github.com/o/r/blame/main/src/a.ts#L5", &[("src/a.ts", Some(5))]),
        ("(https://github.com/o/r/edit/main/src/a.ts)", &[("src/a.ts", None)]),
        ("https://github.com/o/r/tree/main/src/a.ts", &[("src/a.ts", None)]),
        ("https://raw.githubusercontent.com/o/r/main/src/a.ts", &[("src/a.ts", None)]),
        ("https://gitlab.com/g/s/r/-/blob/main/src/a.ts?ref_type=heads#L5-9", &[("src/a.ts", Some(5))]),
        ("https://bitbucket.org/o/r/src/3f2a9c1/src/a.ts#lines-5:9", &[("src/a.ts", Some(5))]),
        ("https://codeberg.org/o/r/src/commit/3f2a9c1/src/a.ts#L5", &[("src/a.ts", Some(5))]),
        ("https://example.com/tree/oak/leaf.html and https://example.com/raw/a/b.js", &[]),
        ("https://github.com/o/r/pull/12/files#diff-3f2a9c1", &[]),
        ("edit the Makefile and .gitignore", &[("Makefile", None), (".gitignore", None)]),
        ("e.g. and i.e. with 1.2.3 and v2.0.1-beta.1 and and/or", &[]),
        ("Service.run and celery.app.task", &[]),
        ("see https://example.com/docs/a.html", &[]),
        ("uses Node.js and Vue.js", &[]),
    ];
    for (request, expected) in cases {
        let expected: Vec<_> = expected.iter().map(|(path, line)| ((*path).to_owned(), *line)).collect();
        assert_eq!(files(request), expected, "{request:?}");
    }
}

#[test]
fn symbols_are_what_no_prose_writes() {
    let cases: &[(&str, &[&str])] = &[
        ("why does `run` fail", &["run"]),
        ("why does foo() fail", &["foo"]),
        ("Service.run hangs", &["Service.run"]),
        ("std::io::Read and a->field and Foo#bar", &["std.io.Read", "a.field", "Foo.bar"]),
        ("self.retry_on in parseHTTPRequest", &["retry_on", "parseHTTPRequest"]),
        ("the HTTPServer and MAX_SIZE", &["HTTPServer", "MAX_SIZE"]),
        ("The Worker crashes; APIs and URLs too", &[]),
        ("where is Fallback defined?", &["Fallback"]),
        ("where is flagUsed defined", &["flagUsed"]),
        ("definition of Interval", &["Interval"]),
        ("file(s) or function(s) on GitHub in TypeScript", &[]),
        ("don't do e.g. 1.2.3", &[]),
        ("wo ist parse_url definiert?", &["parse_url"]),
        ("Wo wird Lader implementiert", &["Lader"]),
        ("où est définie la classe Session", &["Session"]),
        ("¿dónde está definida Session?", &["Session"]),
        ("run_sync 在哪里定义", &["run_sync"]),
        ("Matcher类的定义在哪里", &["Matcher"]),
        ("Session はどこで定義されていますか", &["Session"]),
        ("Session 어디에 정의되어 있나요", &["Session"]),
    ];
    for (request, expected) in cases {
        assert_eq!(describe(request).symbols, *expected, "{request:?}: {:?}", describe(request));
    }
}

#[test]
fn phrases_and_errors_and_technologies() {
    assert_eq!(describe("don't say it's \"no such file\" or 'not a word', it's fine").phrases, ["no such file", "not a word"]);
    assert_eq!(describe("„kein Treffer“ und «rien du tout»").phrases, ["kein Treffer", "rien du tout"]);
    assert_eq!(describe("don't … it's").phrases, Vec::<String>::new());
    assert_eq!(
        describe("ENOENT, TS2322, E0382, SIGKILL, ERR_MODULE_NOT_FOUND, ENGINE").errors,
        ["ENOENT", "TS2322", "E0382", "SIGKILL", "ERR_MODULE_NOT_FOUND"]
    );
    assert_eq!(describe("git and node with SQL").technologies, ["git", "node", "sql"]);
}

#[test]
fn keywords_are_terms_of_the_index_with_weights() {
    let task = describe("retry the connection\n\nThe retry loop drops heartbeats");
    let found: Vec<_> = task.keywords.iter().map(|keyword| (keyword.term.as_str(), keyword.weight)).collect();
    assert_eq!((found[0].0, found[1]), ("retri", ("connect", 2.0)));
    assert!((found[0].1 - 2.0 * (1.0 + 2_f64.ln())).abs() < 1e-9);
    assert!(found.contains(&("heartbeat", 1.0)), "{found:?}");
    assert_eq!(describe("修复数据库连接").keywords.iter().map(|k| k.term.as_str()).collect::<Vec<_>>(), ["库连", "据库", "数据", "连接"]);
}

#[test]
fn words_that_only_ask_or_say_what_to_do_count_little() {
    let weight = |request: &str, term: &str| describe(request).keywords.iter().find(|keyword| keyword.term == term).map(|keyword| keyword.weight);
    assert_eq!(weight("where does the scheduler persist its entries", "where"), None);
    assert_eq!(weight("where does the scheduler persist its entries", "schedul"), Some(2.0));
    assert_eq!(weight("the parser drops a `where` clause", "where"), Some(2.5));
    assert_eq!(weight("avoid a deadlock in the scheduler", "avoid"), Some(1.0));
    assert_eq!(weight("avoid a deadlock in the scheduler", "deadlock"), Some(2.0));
    assert_eq!(weight("remove the dead entries", "remov"), Some(1.0));
    assert_eq!(weight("`remove` drops dead entries", "remov"), Some(2.5));
    assert!(describe("see GH-9705").errors.is_empty());
}

#[test]
fn traces_of_common_languages_name_their_frames() {
    let cases: &[(&str, &str, Option<u32>)] = &[
        ("Traceback (most recent call last):\n  File \"app/jobs.py\", line 12, in run\n    go()", "app/jobs.py", Some(12)),
        ("TypeError: x\n    at Job.run (/srv/app/lib/job.ts:42:7)", "srv/app/lib/job.ts", Some(42)),
        ("TypeError: x\n    at async file:///srv/app/lib/job.mjs:4:7", "srv/app/lib/job.mjs", Some(4)),
        ("Exception in thread \"main\" java.lang.RuntimeException\n\tat com.acme.Job.run(Job.java:31)", "Job.java", Some(31)),
        ("Exception in thread \"main\"\n\tat com.acme.JobKt.main(Job.kt:3)", "Job.kt", Some(3)),
        ("thread 'main' panicked at src/job.rs:9:5:\nboom", "src/job.rs", Some(9)),
        ("goroutine 1 [running]:\nmain.run()\n\t/srv/app/job.go:17 +0x1d", "srv/app/job.go", Some(17)),
        ("   at Acme.Job.Run() in C:\\src\\Acme\\Job.cs:line 55", "src/Acme/Job.cs", Some(55)),
        ("PHP Fatal error: x in /srv/app/job.php:8\n#0 /srv/app/index.php(12): run()", "srv/app/job.php", Some(8)),
        ("app/models/job.rb:10:in `run': boom (RuntimeError)", "app/models/job.rb", Some(10)),
        ("lua: job.lua:7: attempt to index a nil value", "job.lua", Some(7)),
        ("job.c:14:3: error: unknown type name", "job.c", Some(14)),
        ("Fatal error: x: file Sources/Job.swift, line 21", "Sources/Job.swift", Some(21)),
    ];
    for (request, path, line) in cases {
        assert!(files(request).contains(&((*path).to_owned(), *line)), "{request:?}: {:?}", files(request));
    }
}

#[test]
fn the_kind_follows_the_form() {
    let cases = [
        ("where is run_sync defined", RequestKind::Lookup),
        ("setUsed", RequestKind::Lookup),
        ("what does couchbase.py do", RequestKind::Lookup),
        ("open src/Template.ts", RequestKind::Lookup),
        ("the schedule interval file in src", RequestKind::Lookup),
        ("guard the heartbeat against a missing dispatcher", RequestKind::Question),
        ("implement `Clone` for `PipeInfo`", RequestKind::Question),
        ("net: implement `Clone` for `PipeInfo`", RequestKind::Question),
        ("where is `Clone` implemented for `PipeInfo`?", RequestKind::Lookup),
        ("fix: use the lexer for mjs files", RequestKind::Question),
        ("the lexer file for mjs", RequestKind::Lookup),
        ("File: src/Template.ts", RequestKind::Lookup),
        ("src/Template.ts:12: oops", RequestKind::Question),
        ("重构 `PipeInfo`", RequestKind::Question),
        ("`PipeInfo` 在哪里", RequestKind::Lookup),
        ("it fails\n```\nTraceback\n```", RequestKind::Report),
    ];
    for (request, kind) in cases {
        assert_eq!(describe(request).kind, kind, "{request:?}: {:?}", describe(request));
    }
    assert_eq!(describe("\n\n  First line \nsecond").title, "First line");
}

#[test]
fn a_title_names_its_area_before_a_colon_or_in_brackets() {
    let cases: &[(&str, &[&str])] = &[
        ("io: read less", &["io"]),
        ("io,sync: read less", &["io", "sync"]),
        ("HttpServer: read less", &["HttpServer"]),
        ("fix(parser): read less", &["parser"]),
        ("feat(cli/args)!: read less", &["cli", "args"]),
        ("[cli] read less", &["cli"]),
        ("解析器：少读", &["解析器"]),
        ("fix: read less", &[]),
        ("read less: and later", &["read", "less"]),
        ("it reads much too much: why", &[]),
        ("find: read less", &[]),
        ("file: read less", &[]),
        ("src/io.rs:12: oops", &[]),
        ("tokio::io is slow", &[]),
        ("io:", &[]),
        ("[cli]", &[]),
        ("", &[]),
    ];
    for (title, area) in cases {
        assert_eq!(scope(title), *area, "{title:?}");
    }
}

#[test]
fn an_area_that_is_a_word_of_another_language_is_a_subject_beside_others() {
    let terms = |request: &str| describe(request).keywords.into_iter().map(|keyword| keyword.term).collect::<Vec<_>>();
    assert_eq!(terms("io: read the socket"), ["io", "socket"]);
    assert_eq!(terms("io: danke"), Vec::<String>::new());
    assert_eq!(describe("ok: danke").kind, RequestKind::Empty);
}

#[test]
fn a_word_that_says_nothing_in_another_language_may_mean_something_in_english() {
    let has = |request: &str, term: &str| describe(request).keywords.iter().any(|keyword| keyword.term == term);
    assert!(has("the parser drops a comment at the end", "comment"));
    assert!(has("create the cache dir before the first write", "dir"));
    assert!(has("workers die when the queue is full", "die"));
    assert!(!has("comment est-ce que le parser traite les fins de ligne", "comment"));
    assert!(!has("wie kann man die Worker und die Queue leeren", "die"));
    assert_eq!(describe("comment").kind, RequestKind::Empty);
    assert_eq!(describe("bitte weiter").kind, RequestKind::Empty);
}

#[test]
fn an_area_or_a_verb_at_the_beginning_says_what_to_do() {
    for title in [
        "io: read less",
        "fix: oops",
        "[cli] oops",
        "Add a lexer",
        "don't kill it",
        "füge einen Lexer hinzu",
        "ajoute un lexer",
        "agrega un lexer",
        "添加解析器",
    ] {
        assert!(says_what_to_do(title), "{title:?}");
    }
    for title in ["where is add defined", "the lexer", "`add`", "additional files", "drop.rs", "add-handler", "fix", "open src/io.rs:12", "File: src/io.rs", ""]
    {
        assert!(!says_what_to_do(title), "{title:?}");
    }
}

#[test]
fn what_ends_as_a_question_says_nothing_to_do_whatever_stands_before_it() {
    for request in [
        "Question: where is parseInvoice defined?",
        "Frage: wo ist parseInvoice definiert?",
        "Question : où est défini parseInvoice ?",
        "Pregunta: ¿dónde está definido parseInvoice?",
        "Domanda: dove è definito parseInvoice?",
        "问题：parseInvoice 在哪里定义？",
        "質問：parseInvoiceはどこですか？",
        "Hi: where is parseInvoice?",
        "[parseInvoice](src/a.ts) where is it",
    ] {
        let task = describe(request);
        assert_eq!((task.kind, task.symbols), (RequestKind::Lookup, vec!["parseInvoice".to_owned()]), "{request}");
    }
    assert_eq!(describe("[cli] parseInvoice fails").kind, RequestKind::Question);
}

proptest! {
    #[test]
    fn any_text_is_described_within_bounds(text in "(?s).{0,200}|[`'\"(){}:./\\\\#@a-z继 \n-]{0,200}") {
        let task = describe(&text);
        prop_assert!(task.title.chars().count() <= 500);
        prop_assert!(task.files.len() <= MAX_FILES && task.symbols.len() <= MAX_SYMBOLS && task.keywords.len() <= MAX_KEYWORDS);
        prop_assert!(task.files.iter().all(|file| !file.path.starts_with('/') && !file.path.contains('\\')));
        prop_assert_eq!(describe(&text), task);
    }
}
