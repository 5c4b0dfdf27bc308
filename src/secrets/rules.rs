//! The table of secret rules. Patterns are anchored at their keyword; group 1, if there is one, is the secret.

use crate::exclude::{
    RuleId, SECRET_ASSIGNMENT, SECRET_AWS, SECRET_AZURE, SECRET_CLOUD, SECRET_CONNECTION_STRING, SECRET_GITHUB, SECRET_GITLAB, SECRET_GOOGLE, SECRET_JWT,
    SECRET_MODEL_PROVIDER, SECRET_NPM, SECRET_PRIVATE_KEY, SECRET_PYPI, SECRET_SENDGRID, SECRET_SERVICE, SECRET_SLACK, SECRET_STRIPE, SECRET_TWILIO,
};

/// How a value that fits the pattern is judged.
#[derive(Clone, Copy)]
pub(super) enum Check {
    /// The shape is proof enough, unless it is a placeholder.
    Shape,
    /// The pattern is the marker that begins a key block: a key must follow it.
    PrivateKey,
    /// It is a key whatever its characters are.
    KeyMaterial,
    /// Group 1 is a URL's user, group 2 the password, group 3 the host.
    Url,
    /// The password of a data source stands before the keyword.
    DataSource,
    /// A password of any form that is no placeholder.
    Password,
    /// A signed token whose claims decide.
    Claims,
    /// A machine's key that must look random.
    Random,
    /// As [`Check::Shape`], where so many bytes before the keyword belong to the pattern.
    Behind(usize),
    /// The keyword heads a Kubernetes secret: its values count.
    Manifest,
}

pub(super) struct Rule {
    pub(super) id: RuleId,
    pub(super) keywords: &'static [&'static str],
    /// Whether nothing of a word may stand before the pattern's start.
    pub(super) starts_word: bool,
    /// Bytes of a token that follow the keyword at the least: cheaper to ask than the pattern.
    pub(super) run: usize,
    pub(super) pattern: &'static str,
    pub(super) check: Check,
}

const fn token(id: RuleId, keywords: &'static [&'static str], pattern: &'static str) -> Rule {
    Rule { id, keywords, starts_word: true, run: 12, pattern, check: Check::Shape }
}

/// The words in names of secrets. Of several parts, they stand in each of the usual spellings.
const NAMES: &[&[&str]] = &[
    &["pass"],
    &["pwd"],
    &["secret"],
    &["token"],
    &["cred"],
    &["auth"],
    &["api", "key"],
    &["access", "key"],
    &["auth", "key"],
    &["private", "key"],
    &["encryption", "key"],
    &["signing", "key"],
];

/// Each spelling of the words in names of secrets: `api_key`, `apiKey`, `API_KEY`, `Api-Key`, `API key` …
pub(super) fn names() -> Vec<String> {
    let mut names = Vec::new();
    for parts in NAMES {
        let capital = |part: &str| part[..1].to_uppercase() + &part[1..];
        let capitals: Vec<String> = parts.iter().map(|part| capital(part)).collect();
        let (first, rest) = (parts[0], &parts[1..]);
        let upper = first.to_uppercase();
        let one = |first: &str, rest: &[String], joint: &str| [&[first.to_owned()], rest].concat().join(joint);
        let small: Vec<String> = rest.iter().map(|part| (*part).to_owned()).collect();
        let large: Vec<String> = rest.iter().map(|part| part.to_uppercase()).collect();
        for joint in ["", "_", "-", ".", " "] {
            for (first, rest) in [
                (first, &small[..]),
                (&upper, &large[..]),
                (&capitals[0], &capitals[1..]),
                (first, &capitals[1..]),
                (&upper, &capitals[1..]),
                (&capitals[0], &small[..]),
                (&upper, &small[..]),
            ] {
                names.push(one(first, rest, joint));
            }
        }
    }
    names.sort();
    names.dedup();
    names
}

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    Rule {
        id: SECRET_PRIVATE_KEY, keywords: &["-----BEGIN "], starts_word: false, run: 0, check: Check::PrivateKey,
        pattern: r"^-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----",
    },
    Rule { id: SECRET_PRIVATE_KEY, keywords: &["PuTTY-User-Key-File-"], starts_word: false, run: 0, check: Check::KeyMaterial, pattern: r"(?s)^PuTTY-User-Key-File-\d:.*?Private-Lines: ?\d+\s+[A-Za-z0-9+/=]{20,}(?:\s+[A-Za-z0-9+/=]{20,})*" },
    Rule {
        id: SECRET_PRIVATE_KEY, keywords: &["LS0tLS1CRUdJTi"], starts_word: false, run: 0, check: Check::KeyMaterial,
        // The marker of a private key in base64: plain, RSA, EC, OPENSSH, ENCRYPTED, DSA, PGP.
        pattern: r"^LS0tLS1CRUdJTi(?:BQUklWQVRFIEtFWS|BSU0EgUFJJVkFURSBLRVkt|BFQyBQUklWQVRFIEtFWS|BPUEVOU1NIIFBSSVZBVEUg|BFTkNSWVBURUQgUFJJVkFURS|BEU0EgUFJJVkFURSBLRVkt|BQR1AgUFJJVkFURSBLRVkg)[A-Za-z0-9+/=\s]{60,}",
    },
    Rule { id: SECRET_PRIVATE_KEY, keywords: &["\"kty\""], starts_word: false, run: 0, check: Check::Shape, pattern: r#"^"kty"[^{}]{0,3000}?"d"\s{0,4}:\s{0,4}"([A-Za-z0-9_-]{40,700})""# },
    token(SECRET_PRIVATE_KEY, &["AGE-SECRET-KEY-1"], r"^AGE-SECRET-KEY-1[0-9A-Z]{58}\b"),

    token(SECRET_AWS, &["AKIA", "ASIA", "ABIA", "ACCA"], r"^(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    token(SECRET_AWS, &["ABSK"], r"^ABSK[A-Za-z0-9+/]{100,300}={0,2}"),
    token(SECRET_GITHUB, &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], r"^gh[pousr]_[A-Za-z0-9]{20,255}\b"),
    token(SECRET_GITHUB, &["github_pat_"], r"^github_pat_[A-Za-z0-9_]{20,255}\b"),
    token(SECRET_GITLAB, &["glpat-", "gldt-", "glrt-", "glrtr-", "glptt-", "glsoat-", "glcbt-", "glimt-", "glagent-", "glft-", "glffct-", "gloas-"], r"^gl(?:pat|dt|rtr?|ptt|soat|cbt|imt|agent|ft|ffct|oas)-[A-Za-z0-9_.-]{20,255}"),
    token(SECRET_GITLAB, &["GR1348941"], r"^GR1348941[A-Za-z0-9_-]{20}"),
    token(SECRET_SLACK, &["xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-"], r"^(?:xox[abcdeoprs]|xapp|xoxe\.xox[bp])-[A-Za-z0-9-]{20,400}"),
    token(SECRET_SLACK, &["hooks.slack.com/"], r"^hooks\.slack\.com/(?:services|workflows|triggers)/([A-Z0-9]{8,}/[A-Za-z0-9]{8,}/[A-Za-z0-9/]{16,})"),
    token(SECRET_STRIPE, &["sk_live_", "sk_test_", "rk_live_", "rk_test_"], r"^[sr]k_(?:live|test)_[A-Za-z0-9]{16,255}\b"),
    token(SECRET_STRIPE, &["whsec_"], r"^whsec_[A-Za-z0-9+/=]{24,255}"),
    token(SECRET_GOOGLE, &["AIza"], r"^AIza[A-Za-z0-9_-]{35}(?:[^A-Za-z0-9_-]|$)"),
    token(SECRET_GOOGLE, &["GOCSPX-"], r"^GOCSPX-[A-Za-z0-9_-]{28}"),
    token(SECRET_GOOGLE, &["1//0"], r"^1//0[A-Za-z0-9_-]{40,100}"),
    token(SECRET_GOOGLE, &["ya29."], r"^ya29\.[A-Za-z0-9_-]{30,}"),
    token(SECRET_MODEL_PROVIDER, &["sk-"], r"^sk-(?:ant-[a-z]{2,10}\d{2}-[A-Za-z0-9_-]{40,}|(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{40,}|or-v1-[0-9a-f]{64}|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}|[A-Za-z0-9]{48}\b|[0-9a-f]{32}\b)"),
    token(SECRET_MODEL_PROVIDER, &["hf_"], r"^hf_[A-Za-z]{34}\b"),
    token(SECRET_MODEL_PROVIDER, &["gsk_"], r"^gsk_[A-Za-z0-9]{52}\b"),
    token(SECRET_MODEL_PROVIDER, &["xai-"], r"^xai-[A-Za-z0-9]{70,90}\b"),
    token(SECRET_MODEL_PROVIDER, &["r8_"], r"^r8_[A-Za-z0-9]{37}\b"),
    token(SECRET_MODEL_PROVIDER, &["pplx-"], r"^pplx-[A-Za-z0-9]{40,60}\b"),
    token(SECRET_NPM, &["npm_"], r"^npm_[A-Za-z0-9]{36}\b"),
    Rule { id: SECRET_NPM, keywords: &[":_authToken", ":_password", "_auth "], starts_word: false, run: 0, check: Check::Random, pattern: r#"^:?_(?:authToken|password|auth)\s{0,4}=\s{0,4}"?([A-Za-z0-9+/=_-]{20,})"# },
    token(SECRET_PYPI, &["pypi-AgE"], r"^pypi-AgE[A-Za-z0-9_-]{50,}"),
    token(SECRET_SENDGRID, &["SG."], r"^SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}"),
    token(SECRET_TWILIO, &["SK"], r"^SK[0-9a-f]{32}\b"),
    Rule { id: SECRET_AZURE, keywords: &["AccountKey=", "accountkey="], starts_word: false, run: 0, check: Check::Shape, pattern: r"^(?i:AccountKey)=([A-Za-z0-9+/]{64,90}={0,2})" },
    Rule { id: SECRET_AZURE, keywords: &["SharedAccessKey=", "sharedaccesskey="], starts_word: false, run: 0, check: Check::Shape, pattern: r"^(?i:SharedAccessKey)=([A-Za-z0-9+/]{40,60}={0,2})" },
    token(SECRET_CLOUD, &["dop_v1_", "doo_v1_", "dor_v1_"], r"^do[opr]_v1_[0-9a-f]{64}\b"),
    token(SECRET_CLOUD, &["hvs.", "hvb."], r"^hv[sb]\.[A-Za-z0-9_-]{24,}"),
    token(SECRET_CLOUD, &["dapi"], r"^dapi[0-9a-f]{32}\b"),
    token(SECRET_CLOUD, &["sbp_"], r"^sbp_[0-9a-f]{40}\b"),
    token(SECRET_CLOUD, &["pscale_tkn_", "pscale_pw_", "pscale_oauth_"], r"^pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{32,64}"),
    token(SECRET_CLOUD, &["fo1_"], r"^fo1_[A-Za-z0-9_-]{43}"),
    token(SECRET_CLOUD, &["fm1a_", "fm1r_", "fm2_"], r"^fm(?:1[ar]|2)_[A-Za-z0-9+/]{100,}={0,3}"),
    token(SECRET_CLOUD, &["HRKU-AA"], r"^HRKU-AA[A-Za-z0-9_-]{58}"),
    token(SECRET_CLOUD, &["pul-"], r"^pul-[0-9a-f]{40}\b"),
    token(SECRET_CLOUD, &["dp.pt.", "dp.st.", "dp.sa.", "dp.ct."], r"^dp\.(?:pt|st|sa|ct)\.[A-Za-z0-9.]{40,80}"),
    token(SECRET_CLOUD, &["v1.0-"], r"^v1\.0-[0-9a-f]{24}-[0-9a-f]{146}\b"),
    token(SECRET_CLOUD, &["sha256~"], r"^sha256~[A-Za-z0-9_-]{43}"),
    token(SECRET_CLOUD, &["LTAI"], r"^LTAI[A-Za-z0-9]{12,20}\b"),
    token(SECRET_CLOUD, &["AKID"], r"^AKID[A-Za-z0-9]{32}\b"),
    token(SECRET_CLOUD, &["ops_eyJ"], r"^ops_eyJ[A-Za-z0-9+/_-]{200,}={0,3}"),
    token(SECRET_SERVICE, &["shpat_", "shpca_", "shppa_", "shpss_"], r"^shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b"),
    token(SECRET_SERVICE, &["glsa_"], r"^glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}\b"),
    token(SECRET_SERVICE, &["glc_eyJ"], r"^glc_eyJ[A-Za-z0-9+/]{32,400}={0,3}"),
    token(SECRET_SERVICE, &["lin_api_", "lin_oauth_"], r"^lin_(?:api|oauth)_[A-Za-z0-9]{40,64}\b"),
    token(SECRET_SERVICE, &["xkeysib-"], r"^xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}\b"),
    token(SECRET_SERVICE, &["ATATT3", "ATCTT3"], r"^AT[AC]TT3[A-Za-z0-9_=-]{100,}"),
    token(SECRET_SERVICE, &["sntrys_"], r"^sntrys_[A-Za-z0-9+/=_-]{60,}"),
    token(SECRET_SERVICE, &["sntryu_"], r"^sntryu_[0-9a-f]{64}\b"),
    token(SECRET_SERVICE, &["PMAK-"], r"^PMAK-[0-9a-fA-F]{24}-[0-9a-fA-F]{34}\b"),
    token(SECRET_SERVICE, &["ntn_"], r"^ntn_[0-9]{11}[A-Za-z0-9]{35}\b"),
    token(SECRET_SERVICE, &["secret_"], r"^secret_[A-Za-z0-9]{43}\b"),
    token(SECRET_SERVICE, &["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"], r"^discord(?:app)?\.com/api/webhooks/\d{17,20}/([A-Za-z0-9_-]{60,72})"),
    token(SECRET_SERVICE, &["webhook.office.com/"], r"^webhook\.office\.com/webhookb2/[0-9a-f@-]{73}/IncomingWebhook/([0-9a-f]{32})"),
    token(SECRET_SERVICE, &["key-"], r"^key-[0-9a-f]{32}\b"),
    token(SECRET_SERVICE, &["figd_"], r"^figd_[A-Za-z0-9_-]{40}"),
    token(SECRET_SERVICE, &["pnu_"], r"^pnu_[A-Za-z0-9]{36}\b"),
    token(SECRET_SERVICE, &["rdme_"], r"^rdme_[a-z0-9]{70}\b"),
    token(SECRET_SERVICE, &["rubygems_"], r"^rubygems_[0-9a-f]{48}\b"),
    token(SECRET_SERVICE, &["EAAA"], r"^EAAA[A-Za-z0-9_-]{56,64}\b"),
    token(SECRET_SERVICE, &["sq0atp-", "sq0csp-"], r"^sq0(?:atp|csp)-[A-Za-z0-9_-]{22,60}"),
    token(SECRET_SERVICE, &["EAACEdEose0cBA", "EAAM", "EAAC"], r"^EAA[CM][A-Za-z0-9]{100,}"),
    token(SECRET_SERVICE, &["dt0c01.", "dt0s01.", "dt0s16."], r"^dt0[cs](?:01|16)\.[A-Z0-9]{24}\.[A-Z0-9]{64}\b"),
    token(SECRET_SERVICE, &["NRAK-"], r"^NRAK-[A-Z0-9]{27}\b"),
    token(SECRET_SERVICE, &["EZAK", "EZTK"], r"^EZ[AT]K[A-Za-z0-9]{54}\b"),
    token(SECRET_SERVICE, &["duffel_live_", "duffel_test_"], r"^duffel_(?:live|test)_[A-Za-z0-9_=-]{43}"),
    token(SECRET_SERVICE, &["CLOJARS_"], r"^CLOJARS_[0-9a-z]{60}\b"),
    token(SECRET_SERVICE, &["AKCp"], r"^AKCp[A-Za-z0-9]{69}\b"),
    token(SECRET_SERVICE, &["squ_", "sqp_", "sqa_"], r"^sq[upa]_[0-9a-f]{40}\b"),
    token(SECRET_SERVICE, &["sgp_"], r"^sgp_(?:(?:[0-9a-fA-F]{16}|local)_)?[0-9a-fA-F]{40}\b"),
    token(SECRET_SERVICE, &["cio"], r"^cio[A-Za-z0-9]{32}\b"),
    token(SECRET_SERVICE, &["shippo_live_", "shippo_test_"], r"^shippo_(?:live|test)_[0-9a-fA-F]{40}\b"),
    token(SECRET_SERVICE, &["API-"], r"^API-[A-Z0-9]{26}\b"),
    token(SECRET_SERVICE, &["tfp_"], r"^tfp_[A-Za-z0-9_.=-]{59}"),
    token(SECRET_SERVICE, &["FLWSECK"], r"^FLWSECK(?:_TEST)?-[0-9a-h]{32}-X\b"),
    token(SECRET_SERVICE, &["pat"], r"^pat[A-Za-z0-9]{14}\.[0-9a-f]{64}\b"),
    // The part before the keyword is the token's own.
    Rule { id: SECRET_CLOUD, keywords: &[".atlasv1."], starts_word: false, run: 0, check: Check::Behind(14), pattern: r"^[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}" },
    Rule { id: SECRET_AZURE, keywords: &["Q~"], starts_word: false, run: 0, check: Check::Behind(4), pattern: r"^[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}" },
    Rule { id: SECRET_SERVICE, keywords: &[":AA"], starts_word: false, run: 0, check: Check::Behind(10), pattern: r"^\d{10}:AA[A-Za-z0-9_-]{33}(?:[^A-Za-z0-9_-]|$)" },
    Rule { id: SECRET_SERVICE, keywords: &["-us"], starts_word: false, run: 0, check: Check::Behind(32), pattern: r"^[0-9a-f]{32}-us\d{1,2}\b" },

    Rule { id: SECRET_CONNECTION_STRING, keywords: &["://"], starts_word: false, run: 0, check: Check::Url, pattern: r#"^://([^\s:@/"'`<>]{0,64}):([^\s@/"'`<>]{3,128})@([A-Za-z0-9.\[\]-]+)"# },
    Rule { id: SECRET_CONNECTION_STRING, keywords: &["@tcp(", "@unix("], starts_word: false, run: 0, check: Check::DataSource, pattern: r#"[A-Za-z0-9_.-]{1,64}:([^\s@:"'`<>{}$%]{4,128})$"# },
    Rule { id: SECRET_CONNECTION_STRING, keywords: &[";password=", ";pwd=", ";Password=", ";Pwd=", ";PWD=", "; Password=", "; Pwd="], starts_word: false, run: 0, check: Check::Password, pattern: r#"^; ?(?i:password|pwd)=([^;"'`\s<>]{4,100})(?:[;"'`]|$)"# },

    Rule { id: SECRET_JWT, keywords: &["eyJ"], starts_word: true, run: 40, check: Check::Claims, pattern: r"^eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{20,}" },

    Rule { id: SECRET_ASSIGNMENT, keywords: &["curl "], starts_word: true, run: 0, check: Check::Password, pattern: r#"^curl [^\n]{0,200}?(?:-u|--user)[= ]["']?[^\s:"'$<{]{0,64}:([^\s:"'$<{\[]{6,128})["'\s]"# },
    Rule { id: SECRET_ASSIGNMENT, keywords: &["sshpass -p"], starts_word: true, run: 0, check: Check::Password, pattern: r#"^sshpass -p ?["']?([^\s"'$]{6,128})["'\s]"# },
    Rule { id: SECRET_ASSIGNMENT, keywords: &["IDENTIFIED BY", "identified by"], starts_word: true, run: 0, check: Check::Password, pattern: r#"^(?i:identified by) ["']([^\s"'$]{6,128})["']"# },
    Rule { id: SECRET_ASSIGNMENT, keywords: &["kind: Secret", "kind: \"Secret\"", "kind: 'Secret'", "\"kind\": \"Secret\""], starts_word: false, run: 0, check: Check::Manifest, pattern: "^" },
];
