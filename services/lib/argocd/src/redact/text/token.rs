//! Tokens that are known by their form. The forms are facts that the services publish, and scanners of repositories keep lists of them.

/// Beginnings of tokens, sorted by their first byte.
const PREFIXES: [&str; 110] = [
    "ABIA",
    "ABSK",
    "ACCA",
    "AGE-SECRET-KEY-1",
    "AIza",
    "AKCp",
    "AKIA",
    "ASIA",
    "CLOJARS_",
    "EAAA",
    "EAAC",
    "EAAM",
    "FLWSECK-",
    "FLWSECK_TEST-",
    "GR1348941",
    "HRKU-AA",
    "PMAK-",
    "SG.",
    "api_org_",
    "bedrock-api-key-",
    "cmVmdGtuOj",
    "cwj_",
    "cwk_",
    "cws_",
    "dckr_pat_",
    "doo_v1_",
    "dop_v1_",
    "dor_v1_",
    "dp.ct.",
    "dp.pt.",
    "dp.st.",
    "dt0c01.",
    "duffel_live_",
    "duffel_test_",
    "fio-u-",
    "fm1a_",
    "fm1r_",
    "fm2_",
    "fo1_",
    "gho_",
    "ghp_",
    "ghr_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glagent-",
    "glc_eyJ",
    "glcbt-",
    "gldt-",
    "glffct-",
    "glft-",
    "glimt-",
    "gloas-",
    "glpat-",
    "glptt-",
    "glrt-",
    "glsa_",
    "glsoat-",
    "hvb.",
    "hvs.",
    "lin_api_",
    "npm_",
    "ops_eyJ",
    "pat-na1-",
    "pk_live_",
    "pplx-",
    "pscale_oauth_",
    "pscale_pw_",
    "pscale_tkn_",
    "pul-",
    "pypi-",
    "rdme_",
    "rk_live_",
    "rk_prod_",
    "rk_test_",
    "s-s4t2af-",
    "s-s4t2ud-",
    "sgp_local_",
    "sha256~",
    "shippo_live_",
    "shippo_test_",
    "shpat_",
    "shpca_",
    "shppa_",
    "shpss_",
    "sk-",
    "sk_live_",
    "sk_prod_",
    "sk_test_",
    "sl.",
    "sm_aat_",
    "sm_pat_",
    "sm_sat_",
    "sntrys_",
    "sntryu_",
    "sq0atp-",
    "sq0csp-",
    "tskey-",
    "whsec_",
    "xapp-",
    "xkeysib-",
    "xoxa-",
    "xoxb-",
    "xoxe-",
    "xoxe.",
    "xoxo-",
    "xoxp-",
    "xoxr-",
    "xoxs-",
    "ya29.",
];
/// Beginnings that ordinary words have, too, with the number of letters and digits that follow in a token.
const PLAIN_TOKENS: [(&str, usize); 12] = [
    ("API-", 26),
    ("EZAK", 54),
    ("EZTK", 54),
    ("LTAI", 20),
    ("SK", 32),
    ("dapi", 32),
    ("hf_", 34),
    ("ico-", 32),
    ("ntn_", 46),
    ("p8e-", 32),
    ("pnu_", 36),
    ("rubygems_", 48),
];
/// Beginnings of tokens that go on with base64, which has characters that end a word.
const BASE64_TOKENS: [&str; 7] = [
    "ABSK", "fm1a_", "fm1r_", "fm2_", "glc_eyJ", "ops_eyJ", "sntrys_",
];
const MIN_TOKEN_BYTES: usize = 16;
/// Hosts whose addresses are credentials, with the beginnings of their paths.
const WEBHOOKS: [(&str, &str); 6] = [
    ("hooks.slack.com", "/services/"),
    ("hooks.slack.com", "/workflows/"),
    ("hooks.slack.com", "/triggers/"),
    (".webhook.office.com", "/webhookb2/"),
    ("discord.com", "/api/webhooks/"),
    ("discordapp.com", "/api/webhooks/"),
];

/// Returns the length of the credential that begins with this word; `None` if it is no credential.
pub(super) fn credential_length(word: &str, after: &str) -> Option<usize> {
    if word.len() < MIN_TOKEN_BYTES || !has_form(word) {
        return None;
    }
    let base64 = BASE64_TOKENS.iter().any(|prefix| word.starts_with(prefix));
    let inner = |character: char| character.is_ascii_alphanumeric() || "+/=_-.".contains(character);
    let more = after
        .find(|character| !inner(character))
        .unwrap_or(after.len());
    Some(word.len() + if base64 { more } else { 0 })
}

/// Returns the length of the path after the host of a webhook, and of the part of it that is no secret.
pub(super) fn webhook_path(host: &str, after: &str) -> Option<(usize, usize)> {
    let (_, path) = WEBHOOKS
        .iter()
        .find(|(known, path)| host.ends_with(known) && after.starts_with(path))?;
    let length = super::value_length(after);
    (length > path.len()).then_some((length, path.len()))
}

fn has_form(word: &str) -> bool {
    begins_as_token(word)
        || is_plain_token(word)
        || is_jwt(word)
        || word.contains(".atlasv1.")
        || is_client_secret(word)
        || is_dotted_token(word)
        || (word.ends_with("_mmk") && word.len() == 40)
        || (word.starts_with("v1.0-") && word.len() > 150)
}

fn begins_as_token(word: &str) -> bool {
    // The first byte decides for nearly every word; comparing each with every beginning would cost more than all else.
    let first = word.as_bytes()[0];
    let from = PREFIXES.partition_point(|prefix| prefix.as_bytes()[0] < first);
    PREFIXES[from..]
        .iter()
        .take_while(|prefix| prefix.as_bytes()[0] == first)
        .any(|prefix| word.starts_with(prefix))
}

fn is_plain_token(word: &str) -> bool {
    PLAIN_TOKENS.iter().any(|(prefix, length)| {
        let rest = word.strip_prefix(prefix);
        rest.is_some_and(|rest| {
            rest.len() >= *length && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
    })
}

fn is_jwt(word: &str) -> bool {
    word.starts_with("eyJ") && word.matches('.').count() == 2
}

/// Returns true for a client secret of Entra ID: three characters, a digit, `Q~` and 31 or more.
fn is_client_secret(word: &str) -> bool {
    let bytes = word.as_bytes();
    bytes.len() >= 37 && bytes[3].is_ascii_digit() && &bytes[4..6] == b"Q~"
}

/// Returns true for tokens of two or four long parts, as of Airtable and Harness.
fn is_dotted_token(word: &str) -> bool {
    if !word.starts_with("pat") && !word.starts_with("sat.") {
        return false;
    }
    let lengths: Vec<usize> = word.split('.').map(str::len).take(5).collect();
    matches!(lengths[..], [17, 64] | [3, 22, 24, 20])
}

#[test]
fn the_beginnings_are_sorted_by_their_first_byte() {
    assert!(PREFIXES.is_sorted_by_key(|prefix| prefix.as_bytes()[0]));
}
