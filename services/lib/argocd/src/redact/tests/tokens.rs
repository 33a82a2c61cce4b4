//! Tokens by a list that others keep: the default rules of gitleaks (of 2026-07-22) that go by a token's own form. The samples are
//! made up here, by the forms that the services publish.

use serde_json::json;

use super::{redacted, redactor};

/// Rules and the form of their tokens: a beginning, and how many letters and digits follow.
const BY_BEGINNING: [(&str, &str, usize); 83] = [
    ("1password-service-account-token", "ops_eyJ", 250),
    ("adobe-client-secret", "p8e-", 32),
    ("age-secret-key", "AGE-SECRET-KEY-1", 58),
    ("alibaba-access-key-id", "LTAI", 20),
    ("anthropic-admin-api-key", "sk-ant-admin01-", 95),
    ("anthropic-api-key", "sk-ant-api03-", 95),
    ("artifactory-api-key", "AKCp", 69),
    ("artifactory-reference-token", "cmVmdGtuOj", 54),
    ("aws-access-token", "AKIA", 16),
    ("aws-access-token", "ASIA", 16),
    ("aws-access-token", "ABIA", 16),
    ("aws-access-token", "ACCA", 16),
    ("aws-amazon-bedrock-api-key-long-lived", "ABSK", 120),
    (
        "aws-amazon-bedrock-api-key-short-lived",
        "bedrock-api-key-",
        60,
    ),
    ("clojars-api-token", "CLOJARS_", 60),
    ("cloudflare-origin-ca-key", "v1.0-", 170),
    ("databricks-api-token", "dapi", 32),
    ("digitalocean-access-token", "doo_v1_", 64),
    ("digitalocean-pat", "dop_v1_", 64),
    ("digitalocean-refresh-token", "dor_v1_", 64),
    ("doppler-api-token", "dp.pt.", 43),
    ("duffel-api-token", "duffel_live_", 43),
    ("dynatrace-api-token", "dt0c01.", 88),
    ("easypost-api-token", "EZAK", 54),
    ("easypost-test-api-token", "EZTK", 54),
    ("facebook-page-access-token", "EAAM", 100),
    ("flutterwave-secret-key", "FLWSECK_TEST-", 32),
    ("flyio-access-token", "fo1_", 43),
    ("flyio-access-token", "fm2_", 100),
    ("frameio-api-token", "fio-u-", 64),
    ("gcp-api-key", "AIza", 35),
    ("github-app-token", "ghs_", 36),
    ("github-fine-grained-pat", "github_pat_", 82),
    ("github-oauth", "gho_", 36),
    ("github-pat", "ghp_", 36),
    ("github-refresh-token", "ghr_", 36),
    ("gitlab-cicd-job-token", "glcbt-1_", 20),
    ("gitlab-deploy-token", "gldt-", 20),
    ("gitlab-feature-flag-client-token", "glffct-", 20),
    ("gitlab-feed-token", "glft-", 20),
    ("gitlab-incoming-mail-token", "glimt-", 25),
    ("gitlab-kubernetes-agent-token", "glagent-", 50),
    ("gitlab-oauth-app-secret", "gloas-", 64),
    ("gitlab-pat", "glpat-", 20),
    ("gitlab-ptt", "glptt-", 40),
    ("gitlab-rrt", "GR1348941", 20),
    ("gitlab-runner-authentication-token", "glrt-", 20),
    ("gitlab-scim-token", "glsoat-", 20),
    ("grafana-cloud-api-token", "glc_eyJ", 60),
    ("grafana-service-account-token", "glsa_", 41),
    ("heroku-api-key-v2", "HRKU-AA", 58),
    ("huggingface-access-token", "hf_", 34),
    ("huggingface-organization-api-token", "api_org_", 34),
    ("infracost-api-token", "ico-", 32),
    ("intra42-client-secret", "s-s4t2ud-", 64),
    ("linear-api-key", "lin_api_", 40),
    ("notion-api-token", "ntn_", 46),
    ("npm-access-token", "npm_", 36),
    ("octopus-deploy-api-key", "API-", 26),
    ("openai-api-key", "sk-proj-", 140),
    ("openshift-user-token", "sha256~", 43),
    ("perplexity-api-key", "pplx-", 48),
    ("planetscale-api-token", "pscale_tkn_", 40),
    ("planetscale-password", "pscale_pw_", 40),
    ("postman-api-token", "PMAK-", 59),
    ("prefect-api-token", "pnu_", 36),
    ("pulumi-api-token", "pul-", 40),
    ("pypi-upload-token", "pypi-AgEIcHlwaS5vcmc", 60),
    ("readme-api-token", "rdme_", 70),
    ("rubygems-api-token", "rubygems_", 48),
    ("sendgrid-api-token", "SG.", 66),
    ("sendinblue-api-token", "xkeysib-", 81),
    ("sentry-org-token", "sntrys_", 120),
    ("sentry-user-token", "sntryu_", 64),
    ("settlemint-application-access-token", "sm_aat_", 16),
    ("shippo-api-token", "shippo_live_", 40),
    ("shopify-custom-access-token", "shpca_", 32),
    ("slack-app-token", "xapp-1-", 60),
    ("slack-config-access-token", "xoxe.xoxb-1-", 163),
    ("square-access-token", "sq0atp-", 22),
    ("stripe-access-token", "rk_test_", 24),
    ("twilio-api-key", "SK", 32),
    ("vault-service-token", "hvs.", 90),
];

/// Letters and digits, none of them a word.
fn body(length: usize) -> String {
    let letters = "7Kq2ZxW9vB4mTj8RfN3sLd6YhG5cPkQ1".chars();
    letters.cycle().take(length).collect()
}

fn samples() -> Vec<(&'static str, String)> {
    let by_beginning = BY_BEGINNING
        .iter()
        .map(|(rule, beginning, length)| (*rule, format!("{beginning}{}", body(*length))));
    let (long, host) = (body(44), "https://hooks.slack.com");
    let others = [
        (
            "airtable-personnal-access-token",
            format!("pat{}.{}", body(14), body(64)),
        ),
        ("azure-ad-client-secret", format!("abc8Q~{}", body(34))),
        (
            "harness-api-key",
            format!("pat.{}.{}.{}", body(22), body(24), body(20)),
        ),
        (
            "hashicorp-tf-api-token",
            format!("{}.atlasv1.{}", body(14), body(64)),
        ),
        (
            "jwt",
            format!("eyJ{}.eyJ{}.{}", body(30), body(60), body(43)),
        ),
        (
            "maxmind-license-key",
            format!("{}_{}_mmk", body(6), body(29)),
        ),
        (
            "slack-webhook-url",
            format!("{host}/services/T0{}/B0{}/{}", body(8), body(8), body(24)),
        ),
        ("slack-webhook-url", format!("{host}/triggers/{long}")),
        (
            "microsoft-teams-webhook",
            format!("https://x.webhook.office.com/webhookb2/{long}"),
        ),
    ];
    by_beginning.chain(others).collect()
}

#[test]
fn tokens_of_a_public_list_are_hidden_in_texts_and_values() {
    let mut shown = Vec::new();
    for (rule, sample) in samples() {
        let end = &sample[sample.len() - 12..];
        let text = redactor().text(&format!("the value {sample} was refused"));
        let value = redacted(json!({"kind": "ConfigMap", "data": {"a": sample.clone()}}));
        if text.contains(end) || value.contains(end) {
            shown.push((rule, text));
        }
    }
    assert!(shown.is_empty(), "{shown:#?}");
}

#[test]
fn names_that_begin_like_tokens_stay() {
    for name in [
        "dapi-server-deployment-7f9c8d6b5c-x2x4z",
        "ico-service-frontend-deployment-1",
        "API-gateway-of-the-platform-team",
        "rubygems_mirror_configuration_of_ci",
        "hf_hub_download_timeout_in_seconds",
        "patroni-0.patroni.database.svc.cluster.local",
        "sha256:4b1d0f8d6b5c7f9c8d6b5c4b1d0f8d6b5c7f9c8d6b5c4b1d0f8d6b5c7f9c8d6b",
        "v1.0-rc1-of-the-new-platform",
        "https://hooks.slack.com/",
    ] {
        assert_eq!(redactor().text(name), name);
    }
}
