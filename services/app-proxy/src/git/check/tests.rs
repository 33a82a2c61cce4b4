use super::*;
use crate::git::Provider;

const NAME: &str = "Gitea";

fn tested() -> IntegrationTest {
    let integration = Integration {
        name: "shop".parse().unwrap(),
        provider: Provider::Gitea,
        url: "https://git.example.com".to_owned(),
        created_at: 0,
        created_by: "ada".to_owned(),
    };
    IntegrationTest {
        integration,
        capabilities: causeway_git_provider::Provider::capabilities(
            &causeway_git_provider::PlainGit,
        ),
        user: None,
        budget: None,
        repository: None,
        problems: Vec::new(),
    }
}

fn unavailable(reason: &str) -> ProviderError {
    ProviderError::Unavailable {
        provider: NAME,
        reason: reason.to_owned(),
    }
}

fn access(read: Result<(), GitError>, push: Result<(), GitError>) -> (IntegrationTest, bool) {
    let mut test = tested();
    let mut repository = RepositoryAccess {
        url: "https://git.example.com/shop/web".to_owned(),
        can_read: false,
        can_push: false,
        default_branch: None,
        is_archived: false,
    };
    test.add_access(&mut repository, &Access { read, push });
    (test, repository.can_push)
}

#[test]
fn each_answer_of_a_host_is_a_problem_with_its_fix() {
    let host = || "git.example.com".to_owned();
    let reason = || "required scope: read:user".to_owned();
    for (error, kind, fix) in [
        (
            ProviderError::Unauthorized { provider: NAME },
            ProblemKind::CredentialRefused,
            "renew it",
        ),
        (
            ProviderError::Forbidden {
                provider: NAME,
                reason: reason(),
            },
            ProblemKind::CredentialTooWeak,
            "give it the right",
        ),
        (
            ProviderError::OtherProvider {
                host: host(),
                provider: NAME,
            },
            ProblemKind::OtherProvider,
            "choose its provider",
        ),
        (
            ProviderError::Html {
                host: host(),
                status: 200,
            },
            ProblemKind::HtmlAnswer,
            "sign-in page or proxy",
        ),
        (
            unavailable("502"),
            ProblemKind::HostFailed,
            "repeat the request later",
        ),
        (
            unavailable("no answer within 30 s"),
            ProblemKind::NoAnswer,
            "repeat the request later",
        ),
        (
            unavailable("Connection refused"),
            ProblemKind::NoAnswer,
            "Connection refused",
        ),
    ] {
        let mut test = tested();
        test.add_host_error(&error);
        let found = &test.problems[0];
        assert_eq!(found.kind, kind);
        assert!(found.message.contains(fix), "{}", found.message);
        assert!(!test.is_working());
    }
}

#[test]
fn a_credential_that_only_reads_is_too_weak() {
    let (test, can_push) = access(Ok(()), Err(GitError::Unauthorized));
    assert!(!can_push);
    assert_eq!(test.problems[0].kind, ProblemKind::CredentialTooWeak);
    let (test, can_push) = access(Ok(()), Ok(()));
    assert!(can_push && test.is_working());
}

#[test]
fn one_problem_is_named_once() {
    let mut test = tested();
    test.add_host_error(&ProviderError::Unauthorized { provider: NAME });
    let mut repository = RepositoryAccess {
        url: String::new(),
        can_read: true,
        can_push: true,
        default_branch: None,
        is_archived: false,
    };
    let refused = || Err(GitError::Unauthorized);
    let answered = Access {
        read: refused(),
        push: refused(),
    };
    test.add_access(&mut repository, &answered);
    assert_eq!(test.problems.len(), 1);
    assert!(!repository.can_read);
}
