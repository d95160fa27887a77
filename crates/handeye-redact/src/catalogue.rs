//! The forms of tokens and keys: what one begins with, and how it goes on.
//!
//! Each is looked for at its beginning only, so that a text is read once however many forms there are. A form whose beginning may be in an
//! ordinary word has to begin one. Where a text was cut (`…`), less of a token is enough.

use regex::Regex;
use std::sync::OnceLock;

/// What kind of secret was found, as a mark names it.
pub type Kind = &'static str;

/// A kind of token.
pub(crate) struct Form {
    /// What it is, as a mark names it.
    pub(crate) kind: Kind,
    /// With what one begins, in lower case; where a beginning is in another one, the longer one is listed first.
    pub(crate) anchors: &'static [&'static str],
    /// Whether no letter or digit may stand before it.
    pub(crate) begins_word: bool,
    written: &'static str,
    pattern: OnceLock<Option<Regex>>,
}

impl Form {
    /// What one is from its beginning on; the group `s`, where there is one, is the secret in it. Compiled where it is used first, as most are
    /// never met.
    pub(crate) fn pattern(&self) -> Option<&Regex> {
        let compile = || Regex::new(&format!(r"\A(?:{})", self.written.replace("<cut>", CUT)));
        // The forms are constants, and a test compiles each.
        self.pattern.get_or_init(|| compile().ok()).as_ref()
    }
}

const fn form(
    kind: Kind,
    begins_word: bool,
    anchors: &'static [&'static str],
    written: &'static str,
) -> Form {
    Form { kind, anchors, begins_word, written, pattern: OnceLock::new() }
}

/// What is left of a token where a text was cut.
const CUT: &str = r"[A-Za-z0-9_.+/=-]{3,}…";

/// Names of settings that hold a secret, as they are written before `=`.
const SETTINGS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "api_key",
    "api-key",
    "apikey",
    "access_key",
    "accesskey",
    "accountkey",
    "private_key",
    "signing_key",
    "encryption_key",
];

/// The forms. `<cut>` stands for what is left of a token that was cut: some of its characters and an ellipsis.
pub(crate) static FORMS: [Form; 34] = [
    form(
        "private key",
        false,
        &["-----begin "],
        // To its end, or as far as it goes on like one.
        r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=\s:,.…]|-[a-zA-Z0-9]|\\[nr]|\\\\n)*(?:-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----)?",
    ),
    form(
        "JWT",
        false,
        &["eyj"],
        r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*){0,3}|eyJ[A-Za-z0-9_.-]{8,}…",
    ),
    form(
        "GitHub token",
        false,
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        r"gh[pousr]_(?:[A-Za-z0-9]{30,}|<cut>)",
    ),
    form("GitHub token", false, &["github_pat_"], r"github_pat_(?:[A-Za-z0-9_]{22,}|<cut>)"),
    form(
        "GitLab token",
        false,
        &["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glagent-", "gloas-"],
        r"gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|oas)-(?:[A-Za-z0-9_.-]{20,}|<cut>)",
    ),
    form(
        "Slack token",
        false,
        &["xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-"],
        r"(?:xox[abcdeoprs]|xoxe\.xox[bp]|xapp)-(?:[A-Za-z0-9%-]{10,}|<cut>)",
    ),
    form(
        "Slack webhook",
        false,
        &["hooks.slack.com/"],
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<s>[A-Za-z0-9/_-]{20,})",
    ),
    form(
        "Discord webhook",
        false,
        &["/api/webhooks/"],
        r"/api/webhooks/[0-9]{15,22}/(?P<s>[A-Za-z0-9_-]{40,})",
    ),
    form("Anthropic key", false, &["sk-ant-"], r"sk-ant-(?:[A-Za-z0-9_-]{20,}|<cut>)"),
    form(
        "OpenAI key",
        true,
        &["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-none-"],
        r"sk-(?:proj|svcacct|admin|None)-(?:[A-Za-z0-9_-]{20,}|<cut>)",
    ),
    form("API key", true, &["sk-or-v1-"], r"sk-or-v1-(?:[a-f0-9]{40,}|<cut>)"),
    // Without a digit it may be a name: `sk-fading-circle`.
    form("API key", true, &["sk-"], r"sk-[A-Za-z_-]{0,40}[0-9][A-Za-z0-9_-]{19,}"),
    form(
        "AWS key id",
        true,
        &["akia", "asia", "abia", "acca", "aroa", "aida"],
        r"(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)(?:[A-Z2-7]{16}|[A-Z2-7]{6,15}…)",
    ),
    form("Google key", false, &["aiza"], r"AIza(?:[0-9A-Za-z_-]{35,}|<cut>)"),
    form("Google token", false, &["ya29."], r"ya29\.(?:[0-9A-Za-z_.-]{20,}|<cut>)"),
    form("Google secret", false, &["gocspx-"], r"GOCSPX-(?:[0-9A-Za-z_-]{20,}|<cut>)"),
    form(
        "Stripe key",
        false,
        &["sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"],
        r"(?:[sr]k_(?:live|test)|whsec)_(?:[0-9A-Za-z+/=]{16,}|<cut>)",
    ),
    form(
        "Shopify token",
        false,
        &["shpat_", "shpca_", "shppa_", "shpss_"],
        r"shp(?:at|ca|pa|ss)_(?:[0-9A-Fa-f]{32,}|<cut>)",
    ),
    form("npm token", false, &["npm_"], r"npm_(?:[A-Za-z0-9]{36,}|<cut>)"),
    form("PyPI token", false, &["pypi-"], r"pypi-(?:AgE[A-Za-z0-9_-]{30,}|AgE<cut>)"),
    form("crates.io token", true, &["cio"], r"cio[A-Za-z0-9]{32,}"),
    form("Docker token", false, &["dckr_pat_", "dckr_oat_"], r"dckr_[po]at_(?:[A-Za-z0-9_-]{20,}|<cut>)"),
    form("Hugging Face token", true, &["hf_"], r"hf_(?:[A-Za-z0-9]{30,}|<cut>)"),
    form("SendGrid key", true, &["sg."], r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    form(
        "DigitalOcean token",
        false,
        &["dop_v1_", "doo_v1_", "dor_v1_"],
        r"do[opr]_v1_(?:[a-f0-9]{40,}|<cut>)",
    ),
    form("Vault token", true, &["hvs.", "hvb.", "hvr."], r"hv[sbr]\.(?:[A-Za-z0-9_-]{20,}|<cut>)"),
    form("Grafana token", false, &["glsa_", "glc_"], r"gl(?:sa|c)_(?:[A-Za-z0-9_+/=]{20,}|<cut>)"),
    form("age key", false, &["age-secret-key-1"], r"AGE-SECRET-KEY-1(?:[0-9A-Z]{40,}|<cut>)"),
    form("Telegram token", false, &[":aa"], r":(?P<s>AA[A-Za-z0-9_-]{33,})"),
    form(
        "API key",
        true,
        &[
            "lin_api_", "ntn_", "figd_", "sntrys_", "sbp_", "gsk_", "pplx-", "xai-", "r8_", "dapi", "pmak-",
            "nvapi-", "rnd_", "phc_", "fio-u-", "sq0atp-", "sq0csp-",
        ],
        r"(?:lin_api_|ntn_|figd_|sntrys_|sbp_|gsk_|pplx-|xai-|r8_|PMAK-|nvapi-|rnd_|phc_|fio-u-|sq0[ac][ts]p-)[A-Za-z0-9_=-]{24,}|dapi[a-f0-9]{32}",
    ),
    form(
        "bearer token",
        true,
        &["bearer"],
        r#"(?i:bearer)(?:[ \t]{1,4}|%20|["']?[ \t]{0,2}[:=][ \t]{0,2}["']?)(?P<s>[A-Za-z0-9._~+/=-]{16,})"#,
    ),
    form(
        "credentials",
        true,
        &["authorization"],
        r#"(?i:authorization)["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?i:basic|token|digest|apikey|negotiate)[ \t]{1,4}(?P<s>[^\s"'‹›\\]{6,})"#,
    ),
    form("password", false, &["://"], r#"://[^\s/?#@:‹›"'<>\\]*:(?P<s>[^\s/?#@‹›"'<>\\]+)@"#),
    form(
        "secret",
        false,
        SETTINGS,
        // A value of letters alone may be the name of a variable, and one with a bracket is a call.
        r#"(?i)[a-z]{3,10}[_-]?[a-z]{0,5}(?:_[a-z0-9]{1,12}){0,2}["']?(?:=|["']:[ \t]?)["']?(?P<s>[^\s"'&;,<>‹›\\()\[\]{}$]*[0-9!@#%^*+][^\s"'&;,<>‹›\\()\[\]{}$]*)"#,
    ),
];

/// The kind of a long random word.
pub(crate) const RANDOM: Kind = "random word";
/// The kind of what a pattern of the policy finds.
pub(crate) const BY_POLICY: Kind = "named by the policy";
/// How the kind of a secret that was typed begins; its name follows.
pub(crate) const TYPED: &str = "secret ";

/// Whether this is a kind that a mark may name.
pub(crate) fn is_kind(name: &str) -> bool {
    name == RANDOM || name == BY_POLICY || FORMS.iter().any(|form| form.kind == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_compiles() {
        for form in &FORMS {
            assert!(form.pattern().is_some(), "{}: {}", form.kind, form.written);
            for anchor in form.anchors {
                assert_eq!(*anchor, anchor.to_lowercase(), "{}", form.kind);
                assert!(anchor.len() >= 3, "{anchor}");
            }
        }
    }
}
