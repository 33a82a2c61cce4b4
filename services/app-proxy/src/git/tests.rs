use causeway_assertion::{SealPurpose, SigningKey};
use causeway_git::{Credential, FileEdit, RepositoryPath};
use causeway_proto::{git::v1 as pb, ids::RuntimeId};
use prost::Message as _;

use super::{
    Integration, IntegrationName, Provider, RepositoryError, SealedSecret, Target,
    rule::{Rule, RuleError, Rules},
};

const URL: &str = "https://git.example.com/shop";

fn target(repository: &str, branch: &str) -> Target {
    Target {
        integration: "shop".parse().unwrap(),
        repository: repository.to_owned(),
        branch: branch.to_owned(),
    }
}

fn path(text: &str) -> RepositoryPath {
    RepositoryPath::parse(text).unwrap()
}

fn write(text: &str) -> FileEdit {
    FileEdit::Write {
        path: path(text),
        content: Vec::new(),
        expected: None,
    }
}

fn rules(texts: &[&str]) -> Rules {
    Rules::new(texts.iter().map(|text| text.parse().unwrap()).collect())
}

fn integration() -> Integration {
    Integration {
        name: "shop".parse().unwrap(),
        provider: Provider::Gitea,
        url: URL.to_owned(),
        created_at: 0,
        created_by: "ada".to_owned(),
    }
}

#[test]
fn nothing_is_written_without_a_rule() {
    let refused = Rules::default().check(&target(URL, "main"), &[write("a")]);
    let text = refused.unwrap_err().to_string();
    assert!(text.contains("--allow-git"), "{text}");
}

#[test]
fn one_rule_must_hold_for_repository_branch_and_all_paths() {
    let rules = rules(&[
        "https://git.example.com/shop/*;branch=main;path=apps/*",
        "https://git.example.com/shop/docs;branch=release-?;branch=next",
    ]);
    let web = "https://git.example.com/shop/web";
    let docs = "https://git.example.com/shop/docs";
    let check = |repository, branch, edits: &[FileEdit]| {
        rules.check(&target(repository, branch), edits).is_ok()
    };
    assert!(check(web, "main", &[write("apps/a"), write("apps/b/c")]));
    assert!(!check(web, "main", &[write("apps/a"), write("infra/b")]));
    assert!(!check(web, "next", &[write("apps/a")]));
    assert!(check(docs, "release-1", &[write("any")]));
    assert!(check(docs, "next", &[write("any")]));
    assert!(!check(docs, "release-12", &[write("any")]));
    assert!(!check("https://evil.example.com/shop/web", "main", &[]));
}

#[test]
fn a_copy_must_be_allowed_where_it_reads_and_where_it_writes() {
    let rules = rules(&["https://git.example.com/shop/*;path=apps/*"]);
    let copy = |from, to| FileEdit::Copy {
        from: path(from),
        to: path(to),
    };
    let web = target("https://git.example.com/shop/web", "main");
    assert!(rules.check(&web, &[copy("apps/a", "apps/b")]).is_ok());
    assert!(rules.check(&web, &[copy("secret/a", "apps/b")]).is_err());
    assert!(rules.check(&web, &[copy("apps/a", "secret/b")]).is_err());
}

#[test]
fn the_paths_of_a_merge_are_checked_unless_a_rule_allows_all() {
    let rules = rules(&[
        "https://git.example.com/shop/*;branch=main;path=apps/*",
        "https://git.example.com/docs/*",
    ]);
    let web = target("https://git.example.com/shop/web", "main");
    let docs = target("https://git.example.com/docs/web", "main");
    assert!(rules.has_every_path(&docs) && !rules.has_every_path(&web));
    let paths = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert!(
        rules
            .check_paths(&web, &paths(&["apps/a", "apps/b"]))
            .is_ok()
    );
    let refused = rules.check_paths(&web, &paths(&["apps/a", "infra/b"]));
    let text = refused.unwrap_err().to_string();
    assert!(text.contains("infra/b"), "{text}");
    assert!(rules.has_repository("https://git.example.com/shop/web"));
    assert!(!rules.has_repository("https://evil.example.com/shop/web"));
}

#[test]
fn a_rule_is_read_as_it_is_shown() {
    let text = "https://git.example.com/*;branch=main;path=apps/*;path=libs/*";
    assert_eq!(text.parse::<Rule>().unwrap().to_string(), text);
    assert_eq!(" ".parse::<Rule>(), Err(RuleError::Empty));
    for wrong in [
        "https://h/*;main",
        "https://h/*;branch=",
        "https://h/*;tag=x",
    ] {
        let error = wrong.parse::<Rule>().unwrap_err();
        assert!(matches!(error, RuleError::Part { .. }), "{error}");
    }
    assert!(matches!(
        "x".repeat(2000).parse::<Rule>(),
        Err(RuleError::Long(2000))
    ));
}

#[test]
fn a_repository_lies_under_the_url_of_its_integration() {
    let shop = integration();
    assert!(shop.covers("https://git.example.com/shop/web"));
    for other in [
        "https://git.example.com/shop",
        "https://git.example.com/shop/",
        "https://git.example.com/shopping/web",
        "https://git.example.com.evil.example/shop/web",
        "https://evil.example/https://git.example.com/shop/web",
    ] {
        assert!(!shop.covers(other), "{other}");
    }
}

#[test]
fn names_are_bounded() {
    assert!("shop-1".parse::<IntegrationName>().is_ok());
    for wrong in ["", "-a", "a-", "A", "a_b", "a/b", &"a".repeat(41)] {
        assert!(wrong.parse::<IntegrationName>().is_err(), "{wrong}");
    }
}

#[test]
fn a_credential_opens_for_its_integration_alone() {
    let key = SigningKey::generate().unwrap();
    let runtime: RuntimeId = "rt-1".parse().unwrap();
    let credential = pb::Credential {
        user: "bot".to_owned(),
        signing_key: String::new(),
        secret: Some(pb::credential::Secret::Password("canary".to_owned())),
    };
    let number = pb::Provider::Gitea as i32;
    let context = format!("rt-1\0shop\0{number}\0{URL}");
    let purpose = SealPurpose {
        info: b"causeway.git.v1.Credential",
        context: context.as_bytes(),
    };
    let sealed = key.public_key().seal(purpose, &credential.encode_to_vec());
    let sealed = SealedSecret(sealed.unwrap());

    let shop = integration();
    let opened = sealed.open(&key, &runtime, &shop).unwrap();
    assert!(matches!(&opened.credential, Credential::Basic { user, .. } if user == "bot"));
    assert!(!format!("{opened:?}").contains("canary"));

    let renamed = Integration {
        name: "other".parse().unwrap(),
        ..shop.clone()
    };
    let moved = Integration {
        url: "https://evil.example".to_owned(),
        ..shop.clone()
    };
    let changed = Integration {
        provider: Provider::Git,
        ..shop.clone()
    };
    for other in [renamed, moved, changed] {
        let refused = sealed.open(&key, &runtime, &other);
        assert!(matches!(refused, Err(RepositoryError::Sealed)));
    }
    let joined_again = SigningKey::generate().unwrap();
    let refused = sealed.open(&joined_again, &runtime, &shop).unwrap_err();
    let text = refused.of_stored(&shop.name).to_string();
    assert!(
        text.contains("joined again") && text.contains("create it again"),
        "{text}"
    );
    let elsewhere: RuntimeId = "rt-2".parse().unwrap();
    assert!(sealed.open(&key, &elsewhere, &shop).is_err());
}
