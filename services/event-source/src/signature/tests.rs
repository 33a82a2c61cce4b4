use super::*;

const BODY: &[u8] = br#"{"ref":"refs/heads/main"}"#;
const NOW: u64 = 1_700_000_000;

/// A webhook of a provider, and how a case differs from a right one.
struct Case {
    name: &'static str,
    headers: Vec<(&'static str, String)>,
    body: &'static [u8],
    secrets: &'static str,
    accepted: bool,
}

fn verify(provider: Provider, case: &Case) -> Result<Trust, NotVerified> {
    let headers = case.headers.iter();
    let headers = headers.map(|(name, value)| ((*name).to_owned(), value.clone().into_bytes()));
    let secrets = Secrets::parse(case.secrets.as_bytes()).unwrap_or_default();
    let mut verification = Verification::begin(provider, &secrets, &Headers::new(headers), NOW);
    for piece in case.body.chunks(7) {
        verification.update(piece);
    }
    verification.finish()
}

fn signed(provider: Provider, secret: &[u8]) -> Vec<(&'static str, String)> {
    sign(provider, secret, ("id-1", NOW), BODY)
}

fn altered(
    provider: Provider,
    alter: impl Fn(&'static str, String) -> Vec<(&'static str, String)>,
) -> Vec<(&'static str, String)> {
    let headers = signed(provider, b"new").into_iter();
    headers
        .flat_map(|(name, value)| alter(name, value))
        .collect()
}

/// The cases of every provider with a signature over the body.
fn cases(provider: Provider) -> Vec<Case> {
    let right = signed(provider, b"new");
    let case = |name, headers: Vec<_>, accepted| Case {
        name,
        headers,
        body: BODY,
        secrets: "new\nold",
        accepted,
    };
    let upper = |name: &'static str, value: String| vec![(name, value.to_ascii_uppercase())];
    let mut cases = vec![
        case("right", right.clone(), true),
        case("by the old secret", signed(provider, b"old"), true),
        case("wrong secret", signed(provider, b"other"), false),
        case("empty secret", signed(provider, b""), false),
        case("absent", Vec::new(), false),
        case("twice", [right.clone(), right.clone()].concat(), false),
        case(
            "empty",
            altered(provider, |name, _| vec![(name, String::new())]),
            false,
        ),
        case(
            "cut",
            altered(provider, |name, value| {
                vec![(name, value[..value.len() - 2].to_owned())]
            }),
            false,
        ),
        case(
            "longer",
            altered(provider, |name, value| vec![(name, format!("{value}00"))]),
            false,
        ),
        case(
            "under the name of another provider",
            altered(provider, |_, value| vec![("x-other-signature", value)]),
            false,
        ),
        case(
            "SHA-1 only",
            vec![("x-hub-signature", format!("sha1={}", "ab".repeat(20)))],
            false,
        ),
        case(
            "prefix in capitals",
            altered(provider, upper),
            provider == Provider::Gitea,
        ),
        case(
            "with a token too",
            [right, vec![("x-gitlab-token", "wrong".to_owned())]].concat(),
            true,
        ),
    ];
    cases.extend(other_bodies_and_secrets(provider));
    if provider == Provider::Standard {
        cases.extend(standard_cases());
    }
    cases
}

fn other_bodies_and_secrets(provider: Provider) -> Vec<Case> {
    let right = signed(provider, b"new");
    let case = |name, headers: Vec<_>, accepted| Case {
        name,
        headers,
        body: BODY,
        secrets: "new\nold",
        accepted,
    };
    vec![
        Case {
            body: br#"{"ref": "refs/heads/main"}"#,
            ..case("re-encoded body", right.clone(), false)
        },
        Case {
            body: b"",
            ..case("no body", right.clone(), false)
        },
        Case {
            body: b"{\"ref\":\"refs/heads/main\"}\n",
            ..case("a byte more", right.clone(), false)
        },
        Case {
            secrets: "old",
            ..case("after the rotation", right.clone(), false)
        },
        Case {
            secrets: "new",
            ..case("before the rotation", right.clone(), true)
        },
        Case {
            secrets: "",
            ..case("no secret here", right.clone(), false)
        },
        Case {
            secrets: "",
            ..case("no secret on either side", signed(provider, b""), false)
        },
    ]
}

fn standard_cases() -> Vec<Case> {
    let at = |time: u64| sign(Provider::Standard, b"new", ("id-1", time), BODY);
    let case = |name, headers: Vec<_>, accepted| Case {
        name,
        headers,
        body: BODY,
        secrets: "new\nold",
        accepted,
    };
    let other_id = altered(Provider::Standard, |name, value| match name {
        "webhook-id" => vec![(name, "id-2".to_owned())],
        _ => vec![(name, value)],
    });
    let listed = altered(Provider::Standard, |name, value| match name {
        "webhook-signature" => vec![(name, format!("v1,AAAA v2,BBBB {value}"))],
        _ => vec![(name, value)],
    });
    vec![
        case("five minutes old", at(NOW - 300), true),
        case("stale", at(NOW - 301), false),
        case("from the future", at(NOW + 301), false),
        case("id of another", other_id, false),
        case("one of several", listed, true),
    ]
}

#[test]
fn a_signature_counts_only_by_its_provider_its_secret_and_its_bytes() {
    let signing = [
        Provider::Github,
        Provider::BitbucketCloud,
        Provider::BitbucketDataCenter,
        Provider::Gitea,
        Provider::Standard,
    ];
    for provider in signing {
        let cases = cases(provider);
        assert!(cases.len() >= 20);
        for case in &cases {
            let expected = if case.accepted {
                Ok(Trust::Signed)
            } else {
                Err(NotVerified)
            };
            assert_eq!(
                verify(provider, case),
                expected,
                "{provider:?}: {}",
                case.name
            );
        }
    }
}

#[test]
fn a_shown_secret_only_pokes() {
    for provider in [Provider::Gitlab, Provider::AzureDevops] {
        let case = |secret: &[u8], secrets| Case {
            name: "",
            headers: signed(provider, secret),
            body: BODY,
            secrets,
            accepted: true,
        };
        let given = |secret: &[u8], secrets| verify(provider, &case(secret, secrets));
        assert_eq!(given(b"user:new", "user:new\nuser:old"), Ok(Trust::Poke));
        assert_eq!(given(b"user:old", "user:new\nuser:old"), Ok(Trust::Poke));
        for wrong in [
            b"user:newer".as_slice(),
            b"user:",
            b"",
            b"user:New",
            b"ser:new",
        ] {
            assert_eq!(
                given(wrong, "user:new\nuser:old"),
                Err(NotVerified),
                "{wrong:?}"
            );
        }
        assert_eq!(given(b"", ""), Err(NotVerified));
        let absent = Case {
            headers: Vec::new(),
            ..case(b"x", "x")
        };
        assert_eq!(verify(provider, &absent), Err(NotVerified));
        let doubled = [signed(provider, b"x"), signed(provider, b"x")].concat();
        let twice = Case {
            headers: doubled,
            ..case(b"x", "x")
        };
        assert_eq!(verify(provider, &twice), Err(NotVerified));
    }
}

#[test]
fn a_signature_of_gitlab_is_not_replaced_by_its_token() {
    let mut headers = sign(Provider::Standard, b"new", ("id-1", NOW), BODY);
    let case = |headers: &[(&'static str, String)]| Case {
        name: "",
        headers: headers.to_vec(),
        body: BODY,
        secrets: "new",
        accepted: true,
    };
    assert_eq!(verify(Provider::Gitlab, &case(&headers)), Ok(Trust::Signed));
    headers.push(("x-gitlab-token", "new".to_owned()));
    headers[2].1 = "v1,AAAA".to_owned();
    assert_eq!(verify(Provider::Gitlab, &case(&headers)), Err(NotVerified));
}

#[test]
fn a_published_example_of_github_is_accepted() {
    let headers = vec![(
        "x-hub-signature-256",
        "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17".to_owned(),
    )];
    let case = Case {
        name: "",
        headers,
        body: b"Hello, World!",
        secrets: "It's a Secret to Everybody",
        accepted: true,
    };
    assert_eq!(verify(Provider::Github, &case), Ok(Trust::Signed));
}

#[test]
fn the_headers_of_gitea_do_not_make_it_github() {
    let mac = hex(&tag(b"new", &[BODY]));
    let case = Case {
        name: "",
        headers: vec![
            ("x-gitea-signature", mac.clone()),
            ("x-gogs-signature", mac.clone()),
            ("x-hub-signature-256", format!("sha256={}", "00".repeat(32))),
            ("x-github-event", "push".to_owned()),
        ],
        body: BODY,
        secrets: "new",
        accepted: true,
    };
    assert_eq!(verify(Provider::Gitea, &case), Ok(Trust::Signed));
    assert_eq!(verify(Provider::Github, &case), Err(NotVerified));
}
