use serde_json::json;

use super::*;

fn provider(change: impl FnOnce(&mut Settings)) -> IdentityProvider {
    let mut settings = Settings {
        display_name: "Dex".to_owned(),
        client_id: "causeway".to_owned(),
        scopes: Vec::new(),
        user_claim: None,
        groups_claim: "groups".to_owned(),
        group_roles: BTreeMap::from([
            ("ops".to_owned(), vec!["operator".parse().unwrap()]),
            ("all".to_owned(), vec!["viewer".parse().unwrap()]),
        ]),
        allowed_domains: Vec::new(),
        admission: Admission::LinkedOrMapped,
        ca: String::new(),
    };
    change(&mut settings);
    IdentityProvider {
        account: "default".parse().unwrap(),
        provider: "dex".parse().unwrap(),
        issuer: "https://dex.example.com".to_owned(),
        settings,
        secret: None,
        created_at: 1,
    }
}

fn claims(value: serde_json::Value) -> Claims {
    let serde_json::Value::Object(claims) = value else {
        panic!("{value}");
    };
    Claims::from_verified(claims)
}

#[test]
fn n_59_s_60_a_subject_that_is_empty_or_does_not_show_is_nobody() {
    let provider = provider(|_| {});
    for sub in [
        json!(""),
        json!(" "),
        json!("\u{0}"),
        json!("a\nb"),
        json!(" ada"),
        json!(null),
        json!(7),
        json!(["ada"]),
        json!("x".repeat(256)),
    ] {
        let said = claims(json!({"sub": sub, "email": "ada@x.org", "email_verified": true}));
        assert_eq!(provider.person(&said), Err(PersonError::Subject), "{sub}");
    }
    let silent = claims(json!({"email": "ada@x.org", "email_verified": true}));
    assert_eq!(provider.person(&silent), Err(PersonError::Subject));
}

#[test]
fn n_59_s_60_a_claim_that_must_name_the_user_and_does_not_is_not_replaced_by_another() {
    let provider = provider(|it| it.user_claim = Some("login".to_owned()));
    for login in [json!(""), json!("  "), json!(null), json!({"a": 1})] {
        let said = claims(json!({"sub": "u-1", "login": login, "email": "a@x.org"}));
        assert_eq!(provider.person(&said), Err(PersonError::Name), "{login}");
    }
}

#[test]
fn an_email_counts_only_where_the_provider_says_that_it_is_verified() {
    let said =
        |verified| claims(json!({"sub": "u-1", "email": "ada@x.org", "email_verified": verified}));
    let name = |verified| provider(|_| {}).person(&said(verified)).unwrap().name;
    assert_eq!(name(json!(true)), "ada@x.org");
    for unsure in [json!(false), json!("true"), json!(null), json!(1)] {
        assert_eq!(name(unsure.clone()), "u-1");
        let by_email = provider(|it| it.user_claim = Some("email".to_owned()));
        assert_eq!(by_email.person(&said(unsure)), Err(PersonError::Unverified));
    }
}

#[test]
fn only_verified_emails_of_the_allowed_domains_sign_in() {
    let provider = provider(|it| it.allowed_domains = vec!["x.org".to_owned()]);
    let check = |email: &str, verified: bool| {
        let said = claims(json!({"sub": "u-1", "email": email, "email_verified": verified}));
        provider.person(&said).map(drop)
    };
    assert_eq!(check("ada@x.org", true), Ok(()));
    assert_eq!(check("ada@X.ORG", true), Ok(()));
    assert_eq!(check("ada@x.org", false), Err(PersonError::Unverified));
    for other in [
        "ada@evil.x.org",
        "ada@x.org.evil",
        "x.org",
        "ada@x.org@evil.org",
        "ada@evilx.org",
    ] {
        assert_eq!(check(other, true), Err(PersonError::Domain), "{other}");
    }
}

#[test]
fn groups_give_the_roles_that_they_are_mapped_to_and_no_others() {
    let provider = provider(|_| {});
    let said = claims(json!({"sub": "u-1", "groups": ["ops", "Ops", "", "admin", "ops", 7]}));
    let person = provider.person(&said).unwrap();
    assert_eq!(person.groups, ["ops"]);
    let roles = provider.settings.roles_of(&person.groups);
    assert_eq!(roles, ["operator".parse().unwrap()]);
    assert!(provider.makes_user(&person));
    let stranger = provider.person(&claims(json!({"sub": "u-2", "groups": "admin"})));
    assert!(!provider.makes_user(&stranger.unwrap()));
}

#[test]
fn a_new_user_is_called_after_the_person_with_a_mark_that_nobody_chooses() {
    let names = |name: &str, subject: &str| {
        let person = Person {
            subject: subject.to_owned(),
            name: name.to_owned(),
            groups: Vec::new(),
        };
        person.user_names(&"dex".parse().unwrap())
    };
    let [first, second] = names("Ada.Lovelace@example.com", "u-1");
    for marked in [&first, &second] {
        let mark = marked.as_str().strip_prefix("ada-lovelace-example-com-");
        assert_eq!(mark.unwrap().len(), 12);
    }
    assert_ne!(first, second);
    assert_ne!(names("ada", "u-1")[0], names("ada", "u-2")[0]);
    assert!(names("愛", "u-1")[0].as_str().starts_with("user-"));
    assert!(names(&"x".repeat(255), "u-1")[1].as_str().len() <= 63);
}
