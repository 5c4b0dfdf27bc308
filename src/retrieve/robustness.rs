//! Requests as people paste and mistype them: names spelled in another way, paths of other machines, links, traces in long reports, requests in other
//! languages about English code.

use super::tests::{Project, places};

const SPLIT: &str = "class SplitChunksPlugin {\n  constructor(options) {\n    this.maxSize = options.maxSize;\n  }\n\n  apply(compiler) {\n    compiler.hooks.compilation.tap('SplitChunksPlugin', (compilation) => this.optimizeChunks(compilation));\n  }\n\n  optimizeChunks(compilation) {\n    return compilation.chunks.filter((chunk) => chunk.size > this.maxSize);\n  }\n}\n\nmodule.exports = SplitChunksPlugin;\n";
const MERGE: &str = "class MergeDuplicateChunks {\n  apply(compiler) {\n    compiler.hooks.compilation.tap('merge', (compilation) => compilation.chunks);\n  }\n}\n\nmodule.exports = MergeDuplicateChunks;\n";
const RETRY: &str = "class RetryPolicy:\n    \"\"\"Waits longer after each failed attempt.\"\"\"\n\n    def next_delay(self, attempt):\n        return min(self.max_delay, 2 ** attempt)\n\n\ndef retry_with_backoff(call, policy):\n    for attempt in range(policy.limit):\n        try:\n            return call()\n        except ConnectionError:\n            sleep(policy.next_delay(attempt))\n";
const CLIENT: &str =
    "class Client:\n    def send(self, request):\n        return self.pool.acquire().send(request)\n\n    def close(self):\n        self.pool.close()\n";
const STORE: &str = "export class SessionStore {\n  private sessions = new Map<string, Session>();\n\n  /** Removes the sessions that have expired. */\n  evictExpired(now: number): number {\n    let removed = 0;\n    for (const [id, session] of this.sessions) {\n      if (session.expires < now) {\n        this.sessions.delete(id);\n        removed += 1;\n      }\n    }\n    return removed;\n  }\n}\n";
const COOKIES: &str = "export function parseCookie(header: string): Map<string, string> {\n  return new Map(header.split(';').map((part) => part.trim().split('=') as [string, string]));\n}\n";
const MAILER: &str =
    "package billing;\n\npublic class InvoiceMailer {\n    public void deliver(Invoice invoice) {\n        transport.submit(invoice.render());\n    }\n}\n";
const NOTES: &str = "# Notes\n\nThe chunks are split by a plugin, sessions expire, requests are sent again after a delay, invoices go out by mail.\n";

fn project() -> Project {
    Project::new(&[
        ("lib/optimize/SplitChunksPlugin.js", SPLIT),
        ("lib/optimize/MergeDuplicateChunks.js", MERGE),
        ("src/http/retry_policy.py", RETRY),
        ("src/http/client.py", CLIENT),
        ("src/session/session-store.ts", STORE),
        ("src/session/cookies.ts", COOKIES),
        ("src/main/java/billing/InvoiceMailer.java", MAILER),
        ("README.md", NOTES),
    ])
}

/// Each request with the beginning of the first place of its answer.
fn check(rows: &[(&str, &str)]) {
    let project = project();
    let mut wrong = Vec::new();
    for (request, place) in rows {
        let found = places(&project.answer(request));
        if !found.first().is_some_and(|first| first.starts_with(place)) {
            wrong.push(format!("{request:?} gives {found:?} and not {place}"));
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}

const SPLIT_FILE: &str = "lib/optimize/SplitChunksPlugin.js:";
const RETRY_FILE: &str = "src/http/retry_policy.py:";
const STORE_FILE: &str = "src/session/session-store.ts:";
const MAILER_FILE: &str = "src/main/java/billing/InvoiceMailer.java:";

#[test]
fn a_name_is_found_in_other_cases_and_spelled_apart() {
    check(&[
        ("splitchunksplugin", SPLIT_FILE),
        ("split_chunks_plugin", SPLIT_FILE),
        ("split-chunks-plugin", SPLIT_FILE),
        ("splitChunksPlugin", SPLIT_FILE),
        ("SPLIT_CHUNKS_PLUGIN", SPLIT_FILE),
        ("split chunks plugin", SPLIT_FILE),
        ("where is the Split Chunks Plugin defined?", SPLIT_FILE),
        ("RetryPolicy", RETRY_FILE),
        ("retry_policy", RETRY_FILE),
        ("retrypolicy", RETRY_FILE),
        ("nextDelay", RETRY_FILE),
        ("next-delay", RETRY_FILE),
        ("retryWithBackoff()", RETRY_FILE),
        ("RetryWithBackoff", RETRY_FILE),
        ("session_store", STORE_FILE),
        ("sessionStore.evictExpired", STORE_FILE),
        ("evict_expired", STORE_FILE),
        ("session_store.evict_expired hangs", STORE_FILE),
        ("invoice_mailer", MAILER_FILE),
        ("invoicemailer.deliver", MAILER_FILE),
    ]);
}

#[test]
fn a_name_with_a_typing_error_is_found_by_what_is_right_in_it() {
    check(&[
        ("SplitChunkPlugin", SPLIT_FILE),
        ("SplitChunksPlugins", SPLIT_FILE),
        ("SplitChunksPlugn", SPLIT_FILE),
        ("where is SpiltChunksPlugin defined?", SPLIT_FILE),
        ("how does the SplitChunkPlugin choose what to split?", SPLIT_FILE),
        ("RetryPolicies", RETRY_FILE),
        ("retry_with_backof", RETRY_FILE),
        ("SesionStore", STORE_FILE),
        ("evictExpire", STORE_FILE),
        ("InvioceMailer", MAILER_FILE),
    ]);
}

#[test]
fn a_file_is_found_by_the_paths_and_links_that_people_paste() {
    check(&[
        ("optimize/SplitChunksPlugin.js", SPLIT_FILE),
        ("optimize/SplitChunksPlugin", SPLIT_FILE),
        ("lib/optimize/splitchunksplugin.js", SPLIT_FILE),
        ("SplitChunksPlugin.js", SPLIT_FILE),
        ("http/retry_policy", RETRY_FILE),
        ("src/http/retry_policy.py:4", "src/http/retry_policy.py:4-"),
        ("src/http/retry_policy.py:4:9", "src/http/retry_policy.py:4-"),
        ("src/http/retry_policy.py(4)", "src/http/retry_policy.py:4-"),
        ("src/http/retry_policy.py(4,9): error", "src/http/retry_policy.py:4-"),
        ("src/http/retry_policy.py#L4-L5", "src/http/retry_policy.py:4-"),
        ("src/http/retry_policy.py, line 4", "src/http/retry_policy.py:4-"),
        ("line 4 of src/http/retry_policy.py", RETRY_FILE),
        (r"src\http\retry_policy.py", RETRY_FILE),
        (r"C:\Users\me\app\src\http\retry_policy.py:4", "src/http/retry_policy.py:4-"),
        (r"C:/Users/me/app/src/http/retry_policy.py", RETRY_FILE),
        (r"\\server\share\app\src\http\retry_policy.py", RETRY_FILE),
        ("/home/me/work/app/src/http/retry_policy.py", RETRY_FILE),
        ("~/app/src/http/retry_policy.py", RETRY_FILE),
        ("../http/retry_policy.py", RETRY_FILE),
        ("a/src/http/retry_policy.py", RETRY_FILE),
        ("--- a/src/http/retry_policy.py\n+++ b/src/http/retry_policy.py\n@@ -1,4 +1,4 @@", RETRY_FILE),
        ("file:///home/me/app/src/http/retry_policy.py#L4", "src/http/retry_policy.py:4-"),
        ("https://github.com/acme/app/blob/3f2a9c1/src/http/retry_policy.py", RETRY_FILE),
        ("https://github.com/acme/app/blob/3f2a9c1/src/http/retry_policy.py#L4-L5", "src/http/retry_policy.py:4-"),
        ("https://github.com/acme/app/blob/3f2a9c1/src/http/retry_policy.py?plain=1#L4", "src/http/retry_policy.py:4-"),
        ("https://github.com/acme/app/blame/main/src/http/retry_policy.py#L4", "src/http/retry_policy.py:4-"),
        ("https://github.com/acme/app/tree/feature/x/src/http/retry_policy.py", RETRY_FILE),
        ("https://raw.githubusercontent.com/acme/app/main/src/http/retry_policy.py", RETRY_FILE),
        ("https://gitlab.com/acme/app/-/blob/main/src/http/retry_policy.py?ref_type=heads#L4-5", "src/http/retry_policy.py:4-"),
        ("https://bitbucket.org/acme/app/src/3f2a9c1/src/http/retry_policy.py#lines-4", RETRY_FILE),
        ("https://codeberg.org/acme/app/src/branch/main/src/http/retry_policy.py#L4", "src/http/retry_policy.py:4-"),
        ("see [the policy](https://github.com/acme/app/blob/main/src/http/retry_policy.py#L4)", "src/http/retry_policy.py:4-"),
        ("session-store", STORE_FILE),
        ("src/session", "src/session/"),
        ("billing.InvoiceMailer", MAILER_FILE),
        ("billing/InvoiceMailer", MAILER_FILE),
    ]);
}

#[test]
fn one_word_is_enough() {
    check(&[
        ("backoff", RETRY_FILE),
        ("Backoff?", RETRY_FILE),
        ("cookie", "src/session/cookies.ts:"),
        ("cookies", "src/session/cookies.ts:"),
        ("invoice", MAILER_FILE),
        ("retries", RETRY_FILE),
        ("expired", STORE_FILE),
        ("chunks", "lib/optimize/"),
        ("client", "src/http/client.py:"),
    ]);
}

#[test]
fn english_code_is_found_in_other_languages_by_the_names_in_the_request() {
    check(&[
        ("Warum wartet RetryPolicy nach dem dritten Versuch nicht länger?", RETRY_FILE),
        ("Die Methode next_delay liefert einen zu großen Wert, bitte prüfen", RETRY_FILE),
        ("Beim Aufruf von evictExpired bleiben abgelaufene Sitzungen übrig", STORE_FILE),
        ("Der InvoiceMailer verschickt Rechnungen doppelt", MAILER_FILE),
        ("Im SplitChunksPlugin wird maxSize ignoriert", SPLIT_FILE),
        ("Pourquoi RetryPolicy n'attend-elle pas plus longtemps ?", RETRY_FILE),
        ("La méthode next_delay renvoie une valeur trop grande", RETRY_FILE),
        ("evictExpired ne supprime pas toutes les sessions", STORE_FILE),
        ("L'InvoiceMailer envoie deux fois la même facture", MAILER_FILE),
        ("maxSize est ignoré par SplitChunksPlugin", SPLIT_FILE),
        ("¿Por qué RetryPolicy no espera más después del tercer intento?", RETRY_FILE),
        ("El método next_delay devuelve un valor demasiado grande", RETRY_FILE),
        ("evictExpired no elimina las sesiones caducadas", STORE_FILE),
        ("InvoiceMailer envía la factura dos veces", MAILER_FILE),
        ("为什么RetryPolicy在第三次失败后没有等待更长时间？", RETRY_FILE),
        ("next_delay方法返回的值太大了", RETRY_FILE),
        ("调用evictExpired之后，过期的会话仍然存在", STORE_FILE),
        ("SplitChunksPlugin忽略了maxSize选项，请修复", SPLIT_FILE),
        ("RetryPolicyは三回目の失敗の後になぜ待たないのですか", RETRY_FILE),
        ("next_delayメソッドの戻り値が大きすぎます", RETRY_FILE),
        ("evictExpiredを呼んでも期限切れのセッションが残る", STORE_FILE),
        ("SplitChunksPluginがmaxSizeを無視しています。直してください", SPLIT_FILE),
        ("RetryPolicy가 세 번째 실패 후에 왜 더 오래 기다리지 않나요?", RETRY_FILE),
        ("next_delay가 너무 큰 값을 반환합니다", RETRY_FILE),
        ("evictExpired를 호출해도 만료된 세션이 남아 있어요", STORE_FILE),
        ("SplitChunksPlugin이 maxSize를 무시합니다", SPLIT_FILE),
        ("Почему RetryPolicy не ждёт дольше после третьей попытки?", RETRY_FILE),
    ]);
}

#[test]
fn a_long_report_is_read_for_its_own_frames_and_words() {
    let filler: String = (0..120)
        .map(|n| format!("2024-05-01T10:00:{:02}.123Z INFO  [worker-{n}] heartbeat ok, queue=default, pending={n}, uptime={}s\n", n % 60, n * 31))
        .collect();
    let trace = "Traceback (most recent call last):\n  File \"/usr/lib/python3.11/site-packages/gunicorn/app/base.py\", line 231, in run\n    super().run()\n  File \"/srv/releases/42/src/http/retry_policy.py\", line 13, in retry_with_backoff\n    sleep(policy.next_delay(attempt))\nTypeError: '>' not supported between instances of 'NoneType' and 'int'\n";
    let node = "TypeError: Cannot read properties of undefined (reading 'chunks')\n    at SplitChunksPlugin.optimizeChunks (/app/node_modules/bundler/lib/optimize/SplitChunksPlugin.js:11:24)\n    at /app/node_modules/tapable/lib/Hook.js:14:1\n    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)\n";
    let java = "java.lang.NullPointerException: invoice\n\tat billing.InvoiceMailer.deliver(InvoiceMailer.java:5)\n\tat java.base/java.lang.Thread.run(Thread.java:840)\n";
    check(&[
        (
            &format!("The worker stops\n\n### Steps\n1. start it\n2. wait\n\n{filler}\n{trace}\n### Environment\n- OS: Ubuntu 22.04\n- Python: 3.11\n"),
            RETRY_FILE,
        ),
        (&format!("{filler}{node}"), SPLIT_FILE),
        (&format!("Build broken since yesterday\n\n```\n{node}```\n\n{filler}"), SPLIT_FILE),
        (&format!("mails are lost\n\n{filler}\n{java}"), MAILER_FILE),
        (
            &format!(
                "Expired sessions stay in memory\n\n**Describe the bug**\nSessions are never evicted from the store.\n\n**To reproduce**\n{filler}\n**Expected**\nThey go.\n"
            ),
            STORE_FILE,
        ),
    ]);
}

const PIPE: &str = "pub struct PipeInfo {\n    pub read: bool,\n}\n\npub fn open_pipe(name: &str) -> Result<PipeInfo> {\n    Ok(PipeInfo { read: true })\n}\n";
const COUNTER: &str =
    "pub struct Counter(u64);\n\nimpl Counter {\n    pub fn clone_of(&self) -> Counter {\n        Counter(self.0)\n    }\n}\n\nfn clone() {}\n";

#[test]
fn a_request_for_a_change_is_not_answered_by_the_names_in_it_alone() {
    let project = Project::new(&[("src/net/pipe.rs", PIPE), ("src/counter.rs", COUNTER)]);
    let files = |request: &str| -> Vec<String> { places(&project.answer(request)).iter().map(|place| place.split(':').next().unwrap().to_owned()).collect() };
    // Only `clone` is declared under its name; the other name is one that is yet to be made.
    assert_eq!(files("where are `clone` and `PipeInfoBuilder`?"), ["src/counter.rs"]);
    assert!(files("implement `clone` for `PipeInfoBuilder`").contains(&"src/net/pipe.rs".to_owned()));
    assert!(files("net: `clone` for `PipeInfoBuilder`").contains(&"src/net/pipe.rs".to_owned()));
}

#[test]
fn the_area_that_a_title_names_decides_between_equals() {
    let text = |name: &str| format!("export function {name}(input: string): string {{\n  return normalize(collapse(input));\n}}\n");
    let project = Project::new(&[("src/alpha/render.ts", &text("render")), ("src/omega/render.ts", &text("render"))]);
    let first = |request: &str| places(&project.answer(request))[0].clone();
    assert!(first("collapse the input before normalize").starts_with("src/alpha/"));
    assert!(first("omega: collapse the input before normalize").starts_with("src/omega/"));
    assert!(first("fix(omega): collapse the input before normalize").starts_with("src/omega/"));
}

#[test]
fn a_file_that_declares_what_it_is_named_after_needs_no_second_word() {
    let users: Vec<(String, String)> = (0..20).map(|n| (format!("src/m{n}.js"), format!("const queue = take({n});\nqueue.push({n});\n"))).collect();
    let queue = "class Queue {\n  push(item) {\n    this.items.add(item);\n  }\n}\n\nmodule.exports = Queue;\n";
    let mut all: Vec<(&str, &str)> = users.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    all.push(("src/util/Queue.js", queue));
    assert_eq!(places(&Project::new(&all).answer("perf: a faster queue")), ["src/util/Queue.js:1-7"]);
    // Neither a name alone nor a word alone is enough, but if the request says more.
    all.pop();
    all.push(("src/util/Queue.js", "take(queue);\n"));
    all.push(("src/util/time.js", "export const patience = 5;\n"));
    let project = Project::new(&all);
    assert_eq!(places(&project.answer("perf: a faster queue")), Vec::<String>::new());
    assert_eq!(places(&project.answer("more patience in the queue")), ["src/util/time.js:1-1", "src/util/Queue.js:1-1"]);
}

#[test]
fn a_similar_commit_counts_like_a_second_word() {
    let users: Vec<(String, String)> = (0..20).map(|n| (format!("src/m{n}.js"), format!("retry({n});\n"))).collect();
    let mut all: Vec<(&str, &str)> = users.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    all.push(("src/time.js", "export const horizon = 5;\n"));
    let project = Project::new(&all);
    let request = "retry beyond the horizon";
    assert_eq!(places(&project.answer(request)), ["src/time.js:1-1"]);
    project.commit("start");
    project.write("src/m7.js", "retry(70);\n");
    project.commit("retry within the horizon");
    assert_eq!(places(&project.answer(request)), ["src/time.js:1-1", "src/m7.js:1-1"]);
    assert_eq!(places(&project.answer("retry")), [""; 0], "one word says too little, whatever was said before");
    project.write("src/m8.js", "retry(80);\n");
    project.commit("retry");
    assert_eq!(places(&project.answer(request)), ["src/time.js:1-1", "src/m7.js:1-1"], "the same word said again is not another word");
    for at in 0..20 {
        project.write(&format!("src/m{at}.js"), &format!("blobCat({at});\n"));
    }
    project.commit("all");
    project.write("src/m7.js", "blobCat(70);\n");
    project.commit("one blob-cat");
    assert_eq!(places(&project.answer("blob-cat")), [""; 0], "nor does one of several parts");
}

#[test]
fn empty_talk_finds_nothing_where_commits_were_just_as_empty() {
    let users: Vec<(String, String)> = (0..20)
        .map(|n| (format!("src/m{n}.js"), format!("// fix it, go on, danke, weiter, please continue, ok thanks, hello\nupdate(change({n}));\n")))
        .collect();
    let all: Vec<(&str, &str)> = users.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let project = Project::new(&all);
    project.commit("start");
    let talk = [
        "fix it",
        "danke",
        "go on",
        "update",
        "weiter",
        "ok thanks",
        "please continue",
        "hello",
        "danke, weiter",
        "update it",
        "mach weiter",
        "gracias, sigue",
        "merci, continue",
        "change it",
        "now go on and fix it",
        "hello, please continue, thanks",
        "继续",
        "谢谢",
        "update please, thanks",
        "fix the update",
        "please fix and update",
        "ok weiter mit dem update",
    ];
    for (n, message) in talk.iter().enumerate() {
        project.write("src/m7.js", &format!("{}// {n}\n", users[7].1));
        project.commit(message);
    }
    let found: Vec<_> = talk.iter().map(|talk| (talk, places(&project.answer(talk)))).filter(|(_, found)| !found.is_empty()).collect();
    assert_eq!(found, []);
}
