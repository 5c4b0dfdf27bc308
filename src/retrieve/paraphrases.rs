//! A place that is asked for by its name, in twenty phrasings of each of six languages.

use super::tests::{Project, places};

/// Phrasings for a symbol (`{}`), a language a row.
const SYMBOL: [(&str, [&str; 20]); 6] = [
    (
        "English",
        [
            "{}",
            "`{}`",
            "where is {} defined?",
            "Where can I find {}",
            "definition of {}",
            "show me the {} function",
            "find the {} implementation",
            "go to {}",
            "what does {}() do?",
            "open {}",
            "explain {}",
            "how is {} implemented",
            "locate {} in the code",
            "jump to the declaration of {}",
            "Which file declares {}?",
            "{} source code please",
            "look up {}",
            "in which module does {} live?",
            "take me to where {} gets declared",
            "I'd like to read the body of {}",
        ],
    ),
    (
        "German",
        [
            "Wo ist {} definiert?",
            "Zeige mir die Funktion {}",
            "wo finde ich {}",
            "Öffne {}",
            "Definition von {}",
            "In welcher Datei steht {}?",
            "Was macht {}?",
            "Wie ist {} implementiert?",
            "Erkläre {}",
            "suche {}",
            "Bitte zeig mir {}",
            "Wo wird {} deklariert?",
            "Quellcode von {}",
            "springe zu {}",
            "Wo liegt {}?",
            "Die Implementierung von {} finden",
            "Kannst du mir {} zeigen?",
            "Was tut die Funktion {}?",
            "Wo befindet sich {} im Code?",
            "Ich suche die Deklaration von {}",
        ],
    ),
    (
        "French",
        [
            "Où est définie la fonction {} ?",
            "où se trouve {} ?",
            "montre-moi {}",
            "ouvre {}",
            "définition de {}",
            "Dans quel fichier est {} ?",
            "que fait {} ?",
            "comment {} est-elle implémentée ?",
            "explique {}",
            "cherche {}",
            "trouve {}",
            "où est déclarée {} ?",
            "code source de {}",
            "aller à {}",
            "montrez la fonction {}",
            "Je cherche la déclaration de {}",
            "Peux-tu me montrer {} ?",
            "À quoi sert {} ?",
            "Où est implémentée {} ?",
            "affiche {} s'il te plaît",
        ],
    ),
    (
        "Spanish",
        [
            "¿Dónde está definida la función {}?",
            "¿dónde está {}?",
            "muéstrame {}",
            "abre {}",
            "definición de {}",
            "¿En qué archivo está {}?",
            "¿qué hace {}?",
            "¿cómo está implementada {}?",
            "explica {}",
            "busca {}",
            "encuentra {}",
            "¿dónde se declara {}?",
            "código de {}",
            "ir a {}",
            "muestra la función {}",
            "Quiero ver {}",
            "¿Puedes mostrarme {}?",
            "¿Para qué sirve {}?",
            "la implementación de {}",
            "¿Dónde puedo encontrar {}?",
        ],
    ),
    (
        "Chinese",
        [
            "{} 在哪里定义？",
            "{}在哪里",
            "打开 {}",
            "查看 {}",
            "{} 的定义",
            "{} 在哪个文件里？",
            "{} 是做什么的？",
            "{} 是怎么实现的？",
            "解释一下 {}",
            "搜索 {}",
            "找到 {}",
            "{} 在哪儿声明的？",
            "{} 的源代码",
            "跳转到 {}",
            "显示函数 {}",
            "我想看 {}",
            "请帮我找到 {} 的实现",
            "{} 有什么用？",
            "帮我看看{}函数",
            "请问 {} 的代码位置",
        ],
    ),
    (
        "Japanese",
        [
            "{} はどこで定義されていますか",
            "{} はどこですか",
            "{} を開いて",
            "{} を見せて",
            "{} の定義",
            "{} はどのファイルにありますか",
            "{} は何をしますか",
            "{} の実装",
            "{} を説明して",
            "{} を検索",
            "{} を見つけて",
            "{} の宣言はどこ？",
            "{} のソースコード",
            "{} に移動して",
            "関数 {} を表示して",
            "{} を読みたい",
            "{} の実装を探してください",
            "{} は何のためのものですか",
            "{}関数はどこ",
            "{} のコードの場所を教えてください",
        ],
    ),
];

/// Phrasings for a file.
const FILE: [(&str, [&str; 20]); 6] = [
    (
        "English",
        [
            "{}",
            "open {}",
            "what does {} do",
            "read {} please",
            "show {}",
            "summarize the file {}",
            "explain {}:2",
            "@{}",
            "./{}",
            "where is {}?",
            "look at `{}`",
            "display {}",
            "Could you go through {}?",
            "what is in {}",
            "print {}",
            "contents of {}",
            "let me see {}",
            "find {}",
            "give me {}",
            "describe {} in a few words",
        ],
    ),
    (
        "German",
        [
            "Öffne {}",
            "Was macht {}?",
            "Zeig mir {}",
            "Lies {}",
            "Wo ist {}?",
            "Erkläre {}",
            "Inhalt von {}",
            "Was steht in {}?",
            "Fasse {} zusammen",
            "Zeige die Datei {}",
            "Schau dir {} an",
            "Bitte {} öffnen",
            "Ich brauche {}",
            "Was tut die Datei {}?",
            "Finde {}",
            "Gehe zu {}",
            "Suche {}",
            "Wofür ist {} da?",
            "Beschreibe {}",
            "Kannst du {} lesen?",
        ],
    ),
    (
        "French",
        [
            "ouvre {}",
            "que fait {} ?",
            "montre {}",
            "lis {}",
            "où est {} ?",
            "explique {}",
            "contenu de {}",
            "résume {}",
            "affiche le fichier {}",
            "regarde {}",
            "ouvrir {}",
            "j'ai besoin de {}",
            "à quoi sert {} ?",
            "trouve {}",
            "aller à {}",
            "cherche {}",
            "décris {}",
            "peux-tu lire {} ?",
            "que contient {} ?",
            "le fichier {}",
        ],
    ),
    (
        "Spanish",
        [
            "abre {}",
            "¿qué hace {}?",
            "muestra {}",
            "lee {}",
            "¿dónde está {}?",
            "explica {}",
            "contenido de {}",
            "resume {}",
            "enséñame el archivo {}",
            "mira {}",
            "abrir {}",
            "necesito {}",
            "¿para qué sirve {}?",
            "encuentra {}",
            "ir a {}",
            "busca {}",
            "describe {}",
            "¿puedes leer {}?",
            "¿qué contiene {}?",
            "el archivo {}",
        ],
    ),
    (
        "Chinese",
        [
            "打开 {}",
            "{} 是做什么的",
            "查看 {}",
            "读取 {}",
            "{} 在哪里",
            "解释 {}",
            "{} 的内容",
            "总结 {}",
            "显示文件 {}",
            "看看 {}",
            "请打开{}",
            "我需要 {}",
            "{} 有什么用",
            "找到 {}",
            "跳转到 {}",
            "搜索 {}",
            "描述 {}",
            "能读一下 {} 吗",
            "{} 里有什么",
            "文件 {}",
        ],
    ),
    (
        "Japanese",
        [
            "{} を開いて",
            "{} は何をしますか",
            "{} を見せて",
            "{} を読んで",
            "{} はどこですか",
            "{} を説明して",
            "{} の内容",
            "{} を要約して",
            "ファイル {} を表示して",
            "{} を見て",
            "{}を開いてください",
            "{} が必要です",
            "{} は何のためですか",
            "{} を見つけて",
            "{} に移動",
            "{} を検索",
            "{} について",
            "{} を読んでもらえますか",
            "{} には何がありますか",
            "{} ファイル",
        ],
    ),
];

const INVOICE: &str = "/** Sums the lines with their discount. */\nexport function invoiceTotal(lines: number[], discount: number): number {\n  return lines.length * discount;\n}\n";
const SESSION: &str = "class Session:\n    \"\"\"Holds a login.\"\"\"\n\n    def open_session(self, user):\n        return user\n";
const CALLS: &str = "import { invoiceTotal } from './billing/invoice';\n\n/** Where the function is defined: the code of the file declares what it shows; open, find, read, explain the source. */\nexport function show() {\n  return invoiceTotal([], 1) + invoiceTotal([], 2) + invoiceTotal([1], 2);\n}\n";
const NOTES: &str =
    "# Code\n\nWhere is invoiceTotal defined? Open src/billing/invoice.ts and pkg/session.py. Session and open_session are explained in the source code.\n";

fn project() -> Project {
    Project::new(&[("src/billing/invoice.ts", INVOICE), ("pkg/session.py", SESSION), ("src/show.ts", CALLS), ("README.md", NOTES)])
}

fn check(phrasings: &[(&str, [&str; 20])], names: &[(&str, &str)]) {
    let project = project();
    let mut wrong = Vec::new();
    for (language, rows) in phrasings {
        for phrasing in rows {
            for (name, place) in names {
                let request = phrasing.replace("{}", name);
                let found = places(&project.answer(&request));
                if !found.first().is_some_and(|first| first.starts_with(place)) {
                    wrong.push(format!("{language}: {request:?} gives {found:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_symbol_is_found_in_twenty_phrasings_of_six_languages() {
    check(&SYMBOL, &[("invoiceTotal", "src/billing/invoice.ts:1-4"), ("open_session", "pkg/session.py:4-5"), ("Session.open_session", "pkg/session.py:4-5")]);
}

#[test]
fn a_file_is_found_in_twenty_phrasings_of_six_languages() {
    check(&FILE, &[("src/billing/invoice.ts", "src/billing/invoice.ts:"), ("invoice.ts", "src/billing/invoice.ts:"), ("session.py", "pkg/session.py:")]);
}
