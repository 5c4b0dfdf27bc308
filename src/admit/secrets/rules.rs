//! The table of secret rules. Patterns are anchored at their keyword; group 1, if there is one, is the secret.

use crate::exclude::{
    RuleId, SECRET_ASSIGNMENT, SECRET_AWS, SECRET_AZURE, SECRET_CLOUD, SECRET_CONNECTION_STRING, SECRET_GITHUB, SECRET_GITLAB, SECRET_GOOGLE,
    SECRET_MODEL_PROVIDER, SECRET_NPM, SECRET_PRIVATE_KEY, SECRET_PYPI, SECRET_SENDGRID, SECRET_SLACK, SECRET_STRIPE, SECRET_TWILIO,
};

/// How a value that fits the pattern is judged.
pub(super) enum Check {
    /// The shape is proof enough, unless it is a placeholder.
    Shape,
    /// The pattern is the marker that begins a key block: a key must follow it.
    PrivateKey,
    /// It is a key whatever its characters are.
    KeyMaterial,
    /// Group 1 is a URL's password, group 2 its host.
    Url,
    /// A password of any form that is no placeholder.
    Password,
    /// A quoted value: it must look random.
    Quoted,
    /// A value without quotes, as in settings files: it must look very random.
    Bare,
}

pub(super) struct Rule {
    pub(super) id: RuleId,
    pub(super) keywords: &'static [&'static str],
    /// Whether the keyword stands in any case of letters.
    pub(super) any_case: bool,
    /// Whether nothing of a word may stand before the keyword.
    pub(super) starts_word: bool,
    pub(super) pattern: &'static str,
    pub(super) check: Check,
}

const fn token(id: RuleId, keywords: &'static [&'static str], pattern: &'static str) -> Rule {
    Rule { id, keywords, any_case: false, starts_word: true, pattern, check: Check::Shape }
}

/// A name that holds a secret, then what may stand between it and the value, as a pattern's start.
macro_rules! assigned {
    ($value:literal) => {
        concat!(
            r#"^(?i:passwords?|passwd|passphrase|pwd|secrets?|tokens?|api[_ -]?keys?|access[_-]?keys?|auth[_-]?keys?|private[_-]?keys?|encryption[_-]?keys?|signing[_-]?keys?|credentials?|authorization)"#,
            r#"(?:[A-Z_0-9-][A-Za-z0-9_-]{0,40})?"#,
            r#"\\?["'`]?\]?[ \t]{0,20}(?::[ \t]{0,4}[A-Za-z]{1,20}[ \t]{0,4}=|=>|:=|==?|:|>|,)[ \t]{0,20}"#,
            $value
        )
    };
}

const NAMES: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "apikey",
    "api_key",
    "api-key",
    "api key",
    "accesskey",
    "access_key",
    "access-key",
    "authkey",
    "auth_key",
    "auth-key",
    "privatekey",
    "private_key",
    "private-key",
    "encryptionkey",
    "encryption_key",
    "encryption-key",
    "signingkey",
    "signing_key",
    "signing-key",
    "credential",
    "authorization",
];

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    Rule {
        id: SECRET_PRIVATE_KEY, keywords: &["-----BEGIN "], any_case: false, starts_word: false, check: Check::PrivateKey,
        pattern: r"^-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----",
    },
    Rule { id: SECRET_PRIVATE_KEY, keywords: &["PuTTY-User-Key-File-"], any_case: false, starts_word: false, check: Check::KeyMaterial, pattern: r"(?s)^PuTTY-User-Key-File-\d:.*?Private-Lines: ?\d+\s+[A-Za-z0-9+/=]{20,}" },
    Rule {
        id: SECRET_PRIVATE_KEY, keywords: &["LS0tLS1CRUdJTi"], any_case: false, starts_word: false, check: Check::KeyMaterial,
        // The marker of a private key in base64: plain, RSA, EC, OPENSSH, ENCRYPTED, DSA, PGP.
        pattern: r"^LS0tLS1CRUdJTi(?:BQUklWQVRFIEtFWS|BSU0EgUFJJVkFURSBLRVkt|BFQyBQUklWQVRFIEtFWS|BPUEVOU1NIIFBSSVZBVEUg|BFTkNSWVBURUQgUFJJVkFURS|BEU0EgUFJJVkFURSBLRVkt|BQR1AgUFJJVkFURSBLRVkg)[A-Za-z0-9+/=\s]{60,}",
    },
    token(SECRET_PRIVATE_KEY, &["AGE-SECRET-KEY-1"], r"^AGE-SECRET-KEY-1[0-9A-Z]{58}\b"),

    token(SECRET_AWS, &["AKIA", "ASIA", "ABIA", "ACCA"], r"^(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    token(SECRET_GITHUB, &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], r"^gh[pousr]_[A-Za-z0-9]{20,255}\b"),
    token(SECRET_GITHUB, &["github_pat_"], r"^github_pat_[A-Za-z0-9_]{20,255}\b"),
    token(SECRET_GITLAB, &["glpat-", "gldt-", "glrt-", "glrtr-", "glptt-", "glsoat-", "glcbt-", "glimt-", "glagent-", "glft-", "glffct-"], r"^gl(?:pat|dt|rtr?|ptt|soat|cbt|imt|agent|ft|ffct)-[A-Za-z0-9_.-]{20,255}"),
    token(SECRET_SLACK, &["xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-"], r"^(?:xox[abcdeoprs]|xapp|xoxe\.xox[bp])-[A-Za-z0-9-]{20,400}"),
    token(SECRET_SLACK, &["hooks.slack.com/"], r"^hooks\.slack\.com/(?:services|workflows|triggers)/([A-Z0-9]{8,}/[A-Za-z0-9]{8,}/[A-Za-z0-9]{16,})"),
    token(SECRET_STRIPE, &["sk_live_", "sk_test_", "rk_live_", "rk_test_"], r"^[sr]k_(?:live|test)_[A-Za-z0-9]{16,255}\b"),
    token(SECRET_STRIPE, &["whsec_"], r"^whsec_[A-Za-z0-9+/=]{24,255}"),
    token(SECRET_GOOGLE, &["AIza"], r"^AIza[A-Za-z0-9_-]{35}(?:[^A-Za-z0-9_-]|$)"),
    token(SECRET_GOOGLE, &["GOCSPX-"], r"^GOCSPX-[A-Za-z0-9_-]{28}"),
    token(SECRET_GOOGLE, &["ya29."], r"^ya29\.[A-Za-z0-9_-]{30,}"),
    token(SECRET_MODEL_PROVIDER, &["sk-"], r"^sk-(?:ant-[a-z]{2,10}\d{2}-[A-Za-z0-9_-]{40,}|(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{40,}|or-v1-[0-9a-f]{64}|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}|[A-Za-z0-9]{48}\b|[0-9a-f]{32}\b)"),
    token(SECRET_MODEL_PROVIDER, &["hf_"], r"^hf_[A-Za-z]{34}\b"),
    token(SECRET_MODEL_PROVIDER, &["gsk_"], r"^gsk_[A-Za-z0-9]{52}\b"),
    token(SECRET_MODEL_PROVIDER, &["xai-"], r"^xai-[A-Za-z0-9]{70,90}\b"),
    token(SECRET_MODEL_PROVIDER, &["r8_"], r"^r8_[A-Za-z0-9]{37}\b"),
    token(SECRET_MODEL_PROVIDER, &["pplx-"], r"^pplx-[A-Za-z0-9]{40,60}\b"),
    token(SECRET_NPM, &["npm_"], r"^npm_[A-Za-z0-9]{36}\b"),
    token(SECRET_NPM, &["_authToken"], r"^_authToken\s{0,4}=\s{0,4}([A-Za-z0-9+/=_-]{20,})"),
    Rule { id: SECRET_NPM, keywords: &[":_authToken"], any_case: true, starts_word: false, check: Check::Shape, pattern: r"^(?i):_authToken\s{0,4}=\s{0,4}([A-Za-z0-9+/=_-]{20,})" },
    token(SECRET_PYPI, &["pypi-AgE"], r"^pypi-AgE[A-Za-z0-9_-]{50,}"),
    token(SECRET_SENDGRID, &["SG."], r"^SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}"),
    token(SECRET_TWILIO, &["SK"], r"^SK[0-9a-f]{32}\b"),
    Rule { id: SECRET_AZURE, keywords: &["AccountKey="], any_case: true, starts_word: false, check: Check::Shape, pattern: r"^(?i:AccountKey)=([A-Za-z0-9+/]{64,90}={0,2})" },
    Rule { id: SECRET_AZURE, keywords: &["SharedAccessKey="], any_case: true, starts_word: false, check: Check::Shape, pattern: r"^(?i:SharedAccessKey)=([A-Za-z0-9+/]{40,60}={0,2})" },
    token(SECRET_CLOUD, &["dop_v1_", "doo_v1_", "dor_v1_"], r"^do[opr]_v1_[0-9a-f]{64}\b"),
    token(SECRET_CLOUD, &["hvs.", "hvb."], r"^hv[sb]\.[A-Za-z0-9_-]{24,}"),
    token(SECRET_CLOUD, &["shpat_", "shpca_", "shppa_", "shpss_"], r"^shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b"),
    token(SECRET_CLOUD, &["glsa_"], r"^glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}\b"),
    token(SECRET_CLOUD, &["lin_api_"], r"^lin_api_[A-Za-z0-9]{40}\b"),
    token(SECRET_CLOUD, &["dapi"], r"^dapi[0-9a-f]{32}\b"),
    token(SECRET_CLOUD, &["sbp_"], r"^sbp_[0-9a-f]{40}\b"),
    token(SECRET_CLOUD, &["pscale_tkn_", "pscale_pw_", "pscale_oauth_"], r"^pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{32,64}"),
    token(SECRET_CLOUD, &["xkeysib-"], r"^xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}\b"),
    token(SECRET_CLOUD, &["ATATT3"], r"^ATATT3[A-Za-z0-9_=-]{100,}"),
    token(SECRET_CLOUD, &["sntrys_"], r"^sntrys_[A-Za-z0-9+/=_-]{60,}"),

    Rule { id: SECRET_CONNECTION_STRING, keywords: &["://"], any_case: false, starts_word: false, check: Check::Url, pattern: r#"^://[^\s:@/"'`<>]{0,64}:([^\s@/"'`<>]{3,128})@([A-Za-z0-9.\[\]-]+)"# },
    Rule { id: SECRET_CONNECTION_STRING, keywords: &[";password=", ";pwd=", "; password=", "; pwd="], any_case: true, starts_word: false, check: Check::Password, pattern: r#"^(?i); ?(?:password|pwd)=([^;"'`\s<>]{4,100})[;"'`]"# },

    Rule { id: SECRET_ASSIGNMENT, keywords: NAMES, any_case: true, starts_word: false, check: Check::Quoted, pattern: assigned!(r#"\\?["'`](?:(?i:bearer|basic|token) )?([^"'`\\\s]{12,500})\\?["'`]"#) },
    Rule { id: SECRET_ASSIGNMENT, keywords: NAMES, any_case: true, starts_word: false, check: Check::Bare, pattern: assigned!(r#"(?:(?i:bearer|basic|token) )?([A-Za-z0-9+/_=.~!@%^*-]{16,500})[ \t]{0,20}(?:$|[\r\n#;<&])"#) },
];
