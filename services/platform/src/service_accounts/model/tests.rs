use serde_json::json;

use super::*;

fn rule(subject: &str, claims: &[(&str, &str)]) -> TrustRule {
    let claims = claims.iter();
    TrustRule {
        issuer: "https://token.actions.githubusercontent.com".to_owned(),
        audience: "causeway".to_owned(),
        subject: Some(subject.to_owned()).filter(|it| !it.is_empty()),
        claims: claims
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect(),
    }
}

#[test]
fn a_rule_that_would_trust_everybody_is_refused_with_what_to_do() {
    for subject in [
        "*",
        "**",
        "?*",
        "repo:*",
        "repo:?*",
        "repo:acme*",
        "repo:*/shop:*",
        "repo:*:ref:refs/heads/main",
        "project_path:*",
        "repo:",
        "r*",
        "system:serviceaccount:*",
        "organization:*",
        "repository_owner:*",
        "environment:*",
        "environment:production",
        "environment:production:*",
        "job_workflow_ref:acme/ci/.github/workflows/deploy.yml@refs/heads/main",
        "org/*",
    ] {
        let text = rule(subject, &[]).check().unwrap_err().to_string();
        assert!(text.contains("name the owner"), "{subject}: {text}");
    }
    for claims in [
        vec![("ref", "refs/heads/main")],
        vec![("environment", "production")],
        vec![("repository", "*")],
        vec![("repository", "acme*")],
        vec![("event_name", "push"), ("repository", "*/shop")],
        vec![("job_workflow_ref", "acme/ci/.github/workflows/deploy.yml@*")],
        vec![("email", "deploy@*")],
    ] {
        let refused = rule("", &claims).check();
        assert!(matches!(refused, Err(TrustError::Anybody(_))), "{claims:?}");
    }
}

#[test]
fn a_rule_that_says_whose_tokens_it_means_is_taken() {
    for subject in [
        "repo:acme/shop:ref:refs/heads/main",
        "repo:acme/shop:*",
        "repo:acme/*",
        "project_path:acme/shop:ref_type:branch:*",
        "system:serviceaccount:ci:*",
        "organization:acme:pipeline:deploy:*",
        "repository_owner:acme:environment:*",
        "org/1234/project/*",
        "deployer@acme.iam.example.com",
    ] {
        assert_eq!(rule(subject, &[]).check(), Ok(()), "{subject}");
    }
    let by_claims = rule(
        "",
        &[("repository", "acme/shop"), ("environment", "production")],
    );
    assert_eq!(by_claims.check(), Ok(()));
    assert_eq!(
        rule("repo:*", &[("repository_owner", "acme")]).check(),
        Ok(())
    );
    let incomplete = TrustRule {
        audience: " ".to_owned(),
        ..by_claims
    };
    assert_eq!(incomplete.check(), Err(TrustError::Incomplete));
}

#[test]
fn a_token_is_trusted_where_all_of_a_rule_holds() {
    let said = |value: serde_json::Value| Claims::from_verified(value.as_object().unwrap().clone());
    let rule = rule("repo:acme/*", &[("environment", "prod*")]);
    let good = json!({"sub": "repo:acme/shop:environment:production", "environment": "production"});
    assert!(rule.matches(&said(good)));
    for bad in [
        json!({"sub": "repo:acme/shop:x", "environment": "test"}),
        json!({"sub": "repo:acme-evil/shop:x", "environment": "production"}),
        json!({"sub": "repo:acme/shop:x"}),
        json!({"sub": "repo:acme/shop:x", "environment": ""}),
        json!({"sub": "", "environment": "production"}),
        json!({"environment": "production"}),
    ] {
        assert!(!rule.matches(&said(bad.clone())), "{bad}");
    }
}
