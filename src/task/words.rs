//! The word tables of requests: what says nothing, what only asks for a place, what is too general to be a name. Folded forms.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Words that say nothing about what to look for, including the verbs of empty talk ("go on", "fix it", "danke").
const STOP: &[&str] = &[
    // English
    "a about above after again against ago all almost already also although always am an and another any anybody anyone anything anyway are aren around as asked asking at
     be became because become been before being below best better between both bit but by came can cannot cant    come could couldn currently
     did didn  do does doesn doing don done dont down due during each either else enough etc even ever every everything 
     few finally  fix fixed fixes fixing for from further gave get gets getting give given gives giving go goes going gone good got great had hadn happen happened happens has hasn have haven having he
     hello help her here hey hi him his how however i if im in instead into is isn issue issues it its itself just  know  least less let lets like likely little look looks lot
     made make makes making many may maybe me mean means might mine more most much must my myself need needed needs never   no nobody non none nor not nothing now
     of off ok okay on once one only onto or other others otherwise our ours out over own perhaps please possible possibly problem problems  
     quite rather really regarding  say says see seem seems seen  shall she should shouldn show shows  since so solve solved some somebody someone something sometimes soon still  such sure
     take tell than thank thanks that the their them themselves then there these they thing things think this those though through thus till to together too toward towards tried try trying
     under unless until up upon us use used uses using usually ve very via want wanted wants was wasn way we well went were weren what whatever when whenever where whether which while who whole whom whose why will with within without won
     work working works would wouldn yes yet you your yours yourself
     add added adds adding         awesome nice cool    ll re eg ie vs",
    // German
    "aber alle allem allen aller alles als also am an ander andere anderen auch auf aus bei beim bin bis bist bitte da dabei dafur dahin damit danke dann daran das dass davon dazu dein deine dem den denn der des
     dessen dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines einfach er erst es etwas euch euer fur gegen gehe geht genau gibt gut habe haben hallo hat hatte hier hinter
     ich ihm ihn ihnen ihr ihre ihrem ihren im immer in ins ist ja jede jedem jeden jeder jedes jetzt kann kannst kein keine keinen konnen konnte los mach mache machen mal man mehr mein meine mich mir mit mochte muss mussen
     nach nein nicht nichts noch nun nur ob oder ohne richtig schon sehr sein seine seit sich sie sind so soll sollen sollte sondern super uber um und uns unser unter vom von vor wann war waren warum was weg weil
     weiter weitermachen welche welchem welchen welcher welches wenn wer werden wie wieder will wir wird wo wohl wollen wurde wurden zu zum zur zwischen behebe beheben repariere reparieren fortfahren",
    // French
    "ai alors apres au aucun aussi autre autres aux avant avec avoir bien bonjour car ce cela celle ces cet cette chaque ci comme comment  continuer continuez corrige corriger d dans de des deux devrait doit donc dont du
     elle elles en encore est et etaient etait ete etre eu faire fais fait faites faut hors ici il ils j je jusqu l la le les leur leurs lui m ma mais me meme merci mes moi mon n ne ni nos notre nous on ont ou oui par
     parce parfait pas peu peut peux plus pour pourquoi qu quand que quel quelle quelles quels qui quoi repare s sa sans se ses si sinon son sont sous sur ta te tes toi ton tous tout toute toutes tres tu un une va vais vas
     veux voila vos votre vous y salut allez svp",
    // Spanish and Portuguese
    "a al algo alguna algunas alguno algunos ante antes aqui arregla arreglalo arreglar asi aun aunque bien bueno cada como con continua continuar contra corrige corrigelo cual cuales cuando de del desde despues donde durante e el
     ella ellas ellos en entre era es esa esas ese eso esos esta estaba estan estar este esto estos fue gracias ha hace hacer haga hasta hay haz hola la las le les lo los mas me mi mientras mis mucho muy nada ni no nos nosotros
     nuestra nuestro o otra otras otro otros para pero poco por porque puede puedo pues que quien quiero se sea ser si sido sigue siguiente sin sobre solo son su sus tal tambien tampoco tan te tiene tienen toda todas todo todos
     tu tus un una unas uno unos usted vale voy y ya yo adelante listo favor
     ao aos aquela aquele aquilo as ate com consertar conserte corrija das dela dele depois dos ela ele eles em essa esse esta estao eu faca fazer foi isso isto ja mais mas mesmo meu minha muito na nao nas nem nenhum no nos
     nossa nosso  numa obrigada obrigado ola onde  ou ovo pela pelo pelos pode por qual quais quando quem quero sao sem ser seu sim sua tem tudo um uma voce voces vamos",
    // Italian
    "abbiamo adesso ai al alla alle allo allora altra altre altri altro anche ancora avanti avere basta bene c che chi ci ciao come con continua cosa cosi correggi correggilo da dagli dai dal dalla dalle dei del della delle dello dentro
     deve di dove due e ed era essere fa facciamo fai fare fatto finche fra gia gli grazie ha hai hanno ho i il in invece io la le lei li lo loro lui ma mi mia mio molto ne negli nei nel nella nelle nessuno noi non nostra nostro o
     ogni ok oppure ora per perche pero piu poi possiamo posso prego prima procedi prosegui puo qualche quale quali qualcosa quando quanto quella quelle quelli quello questa queste questi questo qui quindi risolvi sara se sei sempre
     senza si sia siamo solo sono sopra sotto sta stai stato su sua sul sulla suo te ti tra tu tua tuo tutta tutte tutti tutto un una uno va vai voglio voi",
    // Dutch, Swedish, Danish, Norwegian, Polish
    "aan als bij bedankt ben bent dan dank dat de deze die dit doe doen door een en er ga geen geef graag had heb hebben heeft het hier hij hoe hun ik in is ja je kan kunnen maak maar me meer met mijn moet na naar niet niets nog nu of om ons
     ook op over repareer te toe tot uit u van veel verder voor waar waarom was wat we wel welke wij worden wordt zal ze zij zijn zo zonder zou
     alla att av bara bra blir den denna det detta din dig du efter ej eller en ett fortsatt fran for ga gor han har hej hur i inte jag kan med men mig  mycket nar nu nej och om oss pa sa sig ska snalla som tack till under upp ut vad  vara varfor vi vill ar
     af ikke jeg er som til ved vil hvad hvor hvorfor tak venligst gerne mange fortsett takk vaer
     aby ale bardzo bez bo by byc byl byla bylo co czy dalej dla do dobrze dziekuje dzieki gdy gdzie go i ich ja jak jaka jaki jakie jako je jego jej  jestem juz kontynuuj ktora ktore ktory lub ma mam mi mnie moj moze mozna na nad napraw nie nic niz o od oraz po 
     poniewaz popraw potem prosze przed przez przy sa sie tak  te tego tej ten teraz to tu tutaj tym w wiec wszystko z za zawsze ze zeby zrob",
];

/// Words of empty talk that can be the subject of a request beside others.
const TALK: &[&str] = &[
    "retry next last first same cause correct correctly allow allows keep carry ahead perfect proceed proceeding continue continua continuez continuer right new stuff put again pure
     lgtm yep yup nope sorry mind sounds understand understood undo mistake stop wait morning evening",
    "vielen dank klar nochmal nochmals versuch versuche probier einmal guten morgen sieht passt stimmt verstanden entschuldigung
     accord beaucoup plait bon essaie essaye ca bonsoir desole compris arrete
     muchas acuerdo intentalo intenta nuevo buenos buenas dias tardes perfecto entendido perdon
     bem tente novamente bom boa dia tarde perfeito entendi desculpe
     mille riprova favore buongiorno buonasera perfetto capito scusa
     wel probeer opnieuw goedemorgen prima begrepen forsok prov igen tusen godmorgon forstatt kiitos jatka hyva
     sprobuj ponownie rozumiem dobra dekuji diky pokracuj zkus znovu koszonom folytasd multumesc",
    "спасибо пожалуиста продолжаи продолжать попробуи еще раз да нет хорошо понятно исправь сделаи это дякую продовжуи будь ласка
     tesekkurler tesekkur ederim devam et evet hayir tamam lutfen tekrar dene",
];

/// Words that say what is to be done or that something is wrong, of which the place is seldom told.
const CHANGE: &[&str] = &[
    "allow allows allowed avoid avoids avoided behavior behaviour broken bug bugs bugfix change changed changes changing cleanup correct correctly crash crashes crashed ensure ensures error errors fail failed failing fails failure
     handle handled handles handling implement implemented implements improve improved improvement improvements improves improving incorrect incorrectly introduce make missing modify move moved moves optimise optimize
     option optional pass passed passes passing prevent prevented prevents properly provide provided provides refactor refactored regression remove removed removes removing rename renamed replace replaced replaces replacing
     respect return returned returning returns rework set sets setting simplify skip support supported supporting supports switch tweak unexpected unify unnecessary unused update updated updates updating upgrade warning wrong",
    "andern anpassen behandeln entfernen erlauben ersetzen fehler hinzufugen unterstutzen unterstutzung verbessern verhindern falsch
     ajouter ameliorer changer corriger erreur eviter modifier permettre remplacer supprimer
     agregar anadir cambiar corregir eliminar error evitar mejorar permitir quitar reemplazar
     adicionar alterar erro melhorar mudar remover substituir aggiungere cambiare correggere errore evitare migliorare rimuovere sostituire",
];

/// Verbs with which a title says what to do.
const ORDERS: &[&str] = &[
    "add adds added allow allows avoid avoids change changes clarify convert create deprecate disable document dont drop enable ensure expose extend fix fixed fixes forbid force implement implements improve
     improves introduce make makes migrate move moves prevent reduce refactor remove removes rename renames replace replaces respect rework rewrite simplify skip stop support supports switch unify update updates upgrade
     use uses validate",
    "fuge ersetze ersetzen entferne entfernen erganze erganzen erweitere erweitern implementiere andern benenne behebe beheben repariere korrigiere korrigieren vermeide verhindere
     ajoute ajouter ajoutez ameliore ameliorer corrige corriger evite eviter implemente implementer modifie modifier remplace remplacer renomme renommer supprime supprimer
     agrega agregar anade anadir arregla cambia cambiar corregir elimina eliminar evita evitar implementa implementar mejora mejorar reemplaza reemplazar renombra renombrar
     adiciona adicionar altere alterar corrija implemente remova remover substitua substituir aggiungi aggiungere correggi modifica rimuovi rinomina sostituisci",
];

/// The same in Chinese, where no space follows.
const CJK_ORDERS: &[&str] = &["添加", "新增", "增加", "修复", "修改", "删除", "移除", "替换", "重构", "优化"];

/// Words that ask for a place and say nothing about it.
const LOOKUP: &[&str] = &[
    "where find found locate located location open show view display read go jump navigate defined define defines definition definitions declared declare declares live lives reside resides declaration declarations implemented implement implements implementation
     implementations source code body signature symbol identifier name named called contents explain describe summarize purpose look lookup search
     class function method struct interface enum trait type constant variable macro module property field",
    "macht tut springe springen wofur beschreibe lesen lies zusammen definiert definition definieren deklariert deklaration implementiert implementierung umgesetzt quelle quelltext quellcode finde finden suche suchen zeig zeige zeigen offne offnen erklare klasse funktion methode schnittstelle steht stehen befindet liegt heisst",
    "montre moi affiche afficher sert aller lis lire decris contient trouve trouver trouvez cherche chercher montre montrer montrez ouvre ouvrir definie defini definit declaree declare implementee implemente implementation classe fonction methode situe situee explique",
    "muestrame mostrarme ir ver sirve leer lee mira describe ensename contiene donde encuentra encontrar encuentro busca buscar muestra mostrar muestrame abre abrir definida definido define definicion declarada declarado declaracion implementada implementado implementacion clase funcion metodo explica codigo
     onde encontre procure mostre abra abrir definida definido definicao declarada declarado implementada implementado implementacao classe funcao metodo explique",
    "trova trovare cerca cercare mostra mostrami apri aprire definita definito definizione dichiarata dichiarato dichiarazione implementata implementato implementazione classe funzione metodo spiega trovo",
    "waar vind zoek toon open gedefinieerd definitie gedeclareerd klasse functie staat hitta visa oppna definierad klass funktion gdzie znajdz pokaz otworz zdefiniowana zdefiniowany definicja klasa funkcja metoda",
];

/// Words that ask for a file.
const FILE: &[&str] = &[
    "file files datei dateien fichier fichiers archivo archivos arquivo arquivos ficheiro file bestand bestanden fil filen plik pliki script scripts document 文件 檔案 ファイル 파일",
];

/// What Chinese, Japanese and Korean requests hold besides their subject, longest first where one starts with another.
const CJK: &[&str] = &[
    "请帮我 帮我看看 帮我 请问 请你 请 谢谢你 谢谢 多谢 感谢 继续吧 继续 接着做 接着 好的 好吧 好 可以 是的 没问题 不行 不对 修复它 修一下 修复一下 修复 解决它 解决一下 解决 搞定 再试一次 再试 重试 下一步 开始吧 开始 你好 您好
     在哪里 在哪儿 在哪 哪里 哪个 哪些 什么 怎么 怎样 如何 为什么 是否 有没有 以及 并且 或者 但是 因为 所以 如果 这个 那个 这些 那些 我们 你们 他们 一个 一些 一下 没有 不能 可能 需要 应该 已经 现在 然后 的 了 是 在 和 与 吗 呢 吧 啊 我 你 他 它 也 都 就 还 把 被 给 让 对 从 到 有 这 那 里
     解释一下 解释 搜索 跳转到 跳转 我想看 源代码 什么用 查找 找到 找出 寻找 打开 显示 查看 定义 声明 实现 位置 函数 类 方法 变量 接口 代码 文件 問題 问题
     没错 明白了 知道了 懂了 收到了 辛苦了 太棒了 干得好 做得好 很好 不错 重来 再来一次 谢了 早上好 对不起 謝謝 感謝 繼續 請繼續 請問 請 沒錯 沒問題 辛苦 對不起",
    "ありがとうございます ありがとう 続けてください 続けて 続き よろしくお願いします わかりました 分かりました 了解です 了解しました 承知しました お疲れ様です お疲れさまです すみません いいですね 大丈夫です 素晴らしい おはようございます お願いします お願い 直してください 直して 修正してください 修正して 進めてください 進めて はい いいえ こんにちは もう一度 やり直して
     どこにありますか どこですか どこ ありますか ください している します してください しました する した です ます ません ない なぜ どう 何 これ それ あれ この その あの から まで より ので ため こと もの という として について が を に は の へ と で も や か ね よ
     定義されていますか 定義されて 定義 宣言 実装 説明して 検索 ソースコード 移動して 移動 読みたい コード 場所 教えてください 教えて 探して 見つけて 開いて 表示して 見せて 関数 クラス メソッド ファイル",
    "알겠습니다 알겠어요 좋습니다 괜찮아요 괜찮습니다 수고하셨습니다 맞아요 맞습니다 죄송합니다 시도해줘 시도해주세요 부탁해요 부탁합니다 완벽해요 감사합니다 고마워요 고마워 고맙습니다 계속하세요 계속해줘 계속해 계속 진행해줘 진행해 진행 고쳐주세요 고쳐줘 고쳐 수정해줘 수정해 해줘 해주세요 네 아니요 안녕하세요 안녕 다시 다음 좋아요 좋아 그래
     어디에 어디 있나요 있습니까 있어 있는 무엇 어떻게 왜 이것 저것 그것 그리고 하지만 또는 에서 에게 으로 까지 부터 은 는 이 가 을 를 의 에 로 와 과 도 만
     정의되어 정의된 정의 선언 구현 찾아줘 찾아 열어줘 열어 보여줘 보여 함수 클래스 메서드 파일 코드",
];

/// Chinese words of two characters of which one alone would say nothing.
const CJK_WORDS: &[&str] = &[
    "请求 申请 邀请 对象 对话 对比 对齐 对称 对应 比对 核对 校对 配对 类型 类别 类库 分类 种类 子类 父类 基类 有效 有序 有限 所有 私有 公有 共有 占有 在线 存在 内在 到期 到达 达到 从属 从库 主从 被动
     还原 归还 返还 总和 求和 饱和 目的 参与 就绪 請求 申請 邀請 對象 對話 類型 類別 分類",
];

/// Reserved words of programming languages: they stand in code of requests and say nothing.
const CODE: &[&str] = &["abstract async await boolean bool break case catch char const def default delete del elif else except export extends extern false final float fn for foreach from func function global goto if impl
     implements import in instanceof int lambda let long match mod mut new nil none null package pass private protected pub public raise return self short static string super switch this throw throws trait true try typeof undefined
     unsafe unsigned use val var void volatile while yield"];

/// Names of languages, tools and platforms: written like identifiers, and evidence of little.
const TECHNOLOGIES: &[&str] = &["android angular ansible apache aws azure bash c# c++ cargo clang cmake css cpp csharp dart deno django docker dotnet eslint electron elixir elasticsearch express fastapi firefox flask gcc gcp git github gitlab go golang
     gradle graphql grpc haskell helm html http https ios java javascript jest json jquery kafka kotlin kubernetes laravel latex linux lua macos markdown maven mongodb mysql nextjs next.js nginx node nodejs node.js npm nuxt numpy nuget
     opencode openai openssl oracle pandas perl php pi pip pnpm postgres postgresql powershell prettier python pytorch rabbitmq rails react redis ruby rust safari sass scala sentry spring sql sqlite svelte swift
     tailwind tensorflow terraform toml typescript ubuntu unix utf-8 utf8 vite vitest vscode vue vue.js webassembly websocket windows xml yaml yarn zig"];

/// What the names of source, text and configuration files end with. A dotted word ends a file name only with one of these.
const EXTENSIONS: &[&str] = &["adoc astro bash bat bazel bzl c cc cfg clj cljs cmake conf cpp cs csproj css csv cts cxx dart dockerfile el elm env erl ex exs f90 fs fsx gd go gql gradle graphql groovy h hbs hcl hh hpp hrl hs htm html hxx
     ini ipynb java jinja jl js json json5 jsonc jsx kt kts less lisp lock lua m mdx md mjs mk ml mli mm mts nim nix pas php pl plist pm proto ps1 pug py pyi pyx r rake rb res rkt rs rst sass scala scm scss sh sln sol sql svelte svg
     swift t tcl tex tf toml ts tsx twig txt v vb vim vue xml xsd yaml yml zig zsh"];

/// Base names of files that have no extension.
const BARE_FILES: &[&str] = &[
    "makefile dockerfile jenkinsfile gemfile rakefile procfile vagrantfile brewfile justfile cmakelists.txt license readme changelog contributing codeowners .gitignore .gitattributes .editorconfig .dockerignore .npmrc .babelrc .eslintrc .prettierrc",
];

fn set(rows: &'static [&'static str]) -> HashSet<&'static str> {
    rows.iter().flat_map(|row| row.split_whitespace()).collect()
}

macro_rules! table {
    ($(#[$doc:meta])* $name:ident, $rows:expr) => {
        $(#[$doc])*
        pub(super) fn $name(folded: &str) -> bool {
            static SET: LazyLock<HashSet<&'static str>> = LazyLock::new(|| set($rows));
            SET.contains(folded)
        }
    };
}

table!(/// Whether a folded word says nothing.
    is_stop, STOP);
table!(/// Whether a folded word says nothing in English.
    is_english_stop, &STOP[..1]);
table!(/// Whether a folded word is empty talk when it stands alone.
    is_talk, TALK);
table!(/// Whether a folded word says what to do rather than where.
    is_change_word, CHANGE);
table!(/// Whether a folded word says what to do when a title begins with it.
    is_order, ORDERS);
table!(/// Whether a folded word only asks for a place.
    is_lookup, LOOKUP);
table!(/// Whether a folded word asks for a file.
    is_file_word, FILE);
table!(/// Whether a word is reserved in a common programming language.
    is_code_word, CODE);
table!(/// Whether a lower-case word names a technology.
    is_technology, TECHNOLOGIES);
table!(/// Whether a lower-case extension is one of a source, text or configuration file.
    is_extension, EXTENSIONS);
table!(/// Whether a lower-case name is that of a file without extension.
    is_bare_file, BARE_FILES);

/// Whether a folded word says nothing in a language other than English, where it may be the name of something: `die`, `dir`, `io`.
pub(super) fn is_foreign_stop(folded: &str) -> bool {
    is_stop(folded) && !is_english_stop(folded)
}

/// Foreign words that say nothing, from which on a text is not English.
const FOREIGN_WORDS: usize = 2;

/// Whether a text is rather in another language than in English, by the words in it that say nothing.
pub(super) fn speaks_another_language(text: &str) -> bool {
    let folded: HashSet<String> = crate::terms::words(text).map(|word| crate::terms::fold(word.text)).filter(|folded| is_stop(folded)).collect();
    let english = folded.iter().filter(|folded| is_english_stop(folded)).count();
    let foreign = folded.len() - english;
    foreign >= FOREIGN_WORDS && foreign > english
}

/// Whether a text begins with a verb that says what to do, and goes on.
pub(super) fn begins_with_order(text: &str) -> bool {
    let text = text.trim();
    let verb = text.split_once(char::is_whitespace).map(|(first, _)| crate::terms::fold(&first.replace(['\'', '’'], "")));
    verb.is_some_and(|verb| is_order(&verb)) || CJK_ORDERS.iter().any(|order| text.strip_prefix(order).is_some_and(|rest| !rest.is_empty()))
}

/// Whether the character is written without spaces between words.
pub(super) fn is_cjk(character: char) -> bool {
    matches!(character, '\u{3040}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' | '\u{F900}'..='\u{FAFF}' | '\u{FF66}'..='\u{FF9F}' | '\u{20000}'..='\u{3FFFF}')
}

/// Whether a phrase that says nothing does so there: one Korean syllable is a particle only at the end of a word, and may begin or stand inside any other.
fn is_said_there(phrase: &str, from: usize, ends: bool) -> bool {
    let particle = phrase.chars().nth(1).is_none() && phrase.chars().all(|syllable| ('\u{AC00}'..='\u{D7AF}').contains(&syllable));
    !particle || (from > 0 && ends)
}

/// The subject words of a run of CJK characters: what is left between the phrases that say nothing, from two characters on.
/// The flags say whether one of them asked for a place, and whether for a file.
pub(super) fn cjk_subjects(run: &str) -> (Vec<&str>, bool, bool) {
    static PHRASES: LazyLock<HashSet<&'static str>> = LazyLock::new(|| set(CJK));
    static WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| set(CJK_WORDS));
    const LONGEST: usize = 12;
    let places: Vec<(usize, char)> = run.char_indices().collect();
    let end_of = |index: usize| places.get(index).map_or(run.len(), |(at, _)| *at);
    let (mut subjects, mut asks_place, mut asks_file) = (Vec::new(), false, false);
    let (mut index, mut start) = (0, 0);
    let mut close = |from: usize, to: usize| {
        if to >= from + 2 {
            subjects.push(&run[end_of(from)..end_of(to)]);
        }
    };
    while index < places.len() {
        if WORDS.contains(&run[end_of(index)..end_of(index + 2)]) {
            index += 2;
            continue;
        }
        let longest = (1..=LONGEST.min(places.len() - index)).rev().find(|length| {
            let phrase = &run[end_of(index)..end_of(index + length)];
            PHRASES.contains(phrase) && is_said_there(phrase, index, index + length == places.len())
        });
        let Some(length) = longest else {
            index += 1;
            continue;
        };
        let phrase = &run[end_of(index)..end_of(index + length)];
        asks_place |= ["在哪", "哪里", "定义", "定義", "找", "打开", "查", "どこ", "探", "開", "어디", "정의", "찾", "열어", "実装", "实现"]
            .iter()
            .any(|word| phrase.contains(word));
        asks_file |= is_file_word(phrase);
        close(start, index);
        index += length;
        start = index;
    }
    close(start, index);
    (subjects, asks_place, asks_file)
}
