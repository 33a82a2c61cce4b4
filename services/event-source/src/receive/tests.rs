use causeway_shell::{Shell, TestStop};

use super::*;
use crate::delivery::Subscriber;

struct Stage {
    receiver: Receiver,
    spool: Spool,
    _folder: tempfile::TempDir,
    _stop: TestStop,
}

fn stage(routes: &[(&str, &str)]) -> Stage {
    let folder = tempfile::tempdir().unwrap();
    let subscribers = vec![Subscriber::ArgocdRefresh];
    let (spool, writer) = Spool::open(folder.path(), 64 << 20, subscribers).unwrap();
    let (shell, stop) = Shell::for_test("event-source");
    shell.tasks().spawn_essential("spool", writer.run());
    Stage {
        receiver: Receiver::new(Routes::fixed(routes), spool.clone()),
        spool,
        _folder: folder,
        _stop: stop,
    }
}

impl Stage {
    async fn send(
        &self,
        route: &str,
        headers: Vec<(&str, String)>,
        body: &[u8],
    ) -> Result<Receipt, ReceiveError> {
        let headers = headers.into_iter();
        let headers = headers.map(|(name, value)| (name.to_owned(), value.into_bytes()));
        let mut incoming = self.receiver.begin(route, Headers::new(headers))?;
        for piece in body.chunks(1 << 16) {
            incoming.push(piece).await?;
        }
        self.receiver.finish(incoming).await
    }
}

fn github(id: &str, secret: &str, body: &[u8]) -> Vec<(&'static str, String)> {
    let signed = signature::sign(Provider::Github, secret.as_bytes(), ("", 0), body);
    let own = [
        ("x-github-event", "push".to_owned()),
        ("x-github-delivery", id.to_owned()),
        ("authorization", "Basic canary-credential".to_owned()),
    ];
    signed.into_iter().chain(own).collect()
}

#[tokio::test]
async fn a_webhook_that_is_not_verified_leaves_nothing_behind() {
    let stage = stage(&[("hub=github", "secret"), ("tea=gitea", "secret")]);
    let right = github("1", "secret", b"{}");
    let refused = Err(ReceiveError::NotVerified(NotVerified));
    assert_eq!(
        stage.send("hub", github("1", "other", b"{}"), b"{}").await,
        refused
    );
    assert_eq!(stage.send("hub", right.clone(), b"{} ").await, refused);
    assert_eq!(stage.send("unknown", right.clone(), b"{}").await, refused);
    // The route decides the provider, whatever the headers say.
    assert_eq!(stage.send("tea", right.clone(), b"{}").await, refused);
    assert_eq!(stage.spool.read(|index| index.len()), 0);
    assert_eq!(stage.send("hub", right, b"{}").await.unwrap().number, 1);
}

#[tokio::test]
async fn a_body_beyond_the_cap_of_its_route_is_refused() {
    let stage = stage(&[("hub=github:1000", "secret")]);
    for (bytes, taken) in [(1000, true), (1001, false)] {
        let body = vec![b' '; bytes];
        let sent = stage.send("hub", github("1", "secret", &body), &body).await;
        assert_eq!(sent.is_ok(), taken, "{bytes}");
    }
    let large = vec![b' '; 2 << 20];
    let unknown = stage.send("unknown", Vec::new(), &large).await;
    assert_eq!(unknown, Err(ReceiveError::TooLarge));
}

#[tokio::test]
async fn a_route_that_is_flooded_refuses_and_others_go_on() {
    let stage = stage(&[("a=github", "secret"), ("b=github", "secret")]);
    let begin = |route| stage.receiver.begin(route, Headers::default());
    let held: Vec<_> = (0..ROUTE_PLACES).map(|_| begin("a").unwrap()).collect();
    assert_eq!(begin("a").err(), Some(ReceiveError::Busy));
    assert!(begin("b").is_ok());
    drop(held);
    assert!(begin("a").is_ok());
}

#[tokio::test]
async fn no_credential_is_stored() {
    let stage = stage(&[("hub=github", "secret"), ("lab=gitlab", "canary-token")]);
    stage
        .send("hub", github("1", "secret", b"{}"), b"{}")
        .await
        .unwrap();
    let token = vec![("x-gitlab-token", "canary-token".to_owned())];
    stage.send("lab", token, b"{}").await.unwrap();
    for file in std::fs::read_dir(stage._folder.path()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("canary"), "{text}");
    }
}

#[tokio::test]
async fn a_sample_is_accepted_by_the_route_of_each_provider() {
    let routes = [
        "github",
        "gitlab",
        "bitbucket-cloud",
        "bitbucket-data-center",
        "azure-devops",
        "gitea",
        "standard",
    ];
    let given: Vec<_> = routes.map(|it| format!("{it}={it}")).into();
    let given: Vec<_> = given
        .iter()
        .map(|it| (it.as_str(), "user:secret"))
        .collect();
    let stage = stage(&given);
    for route in routes {
        let id = "8d6c8d3e-8f0b-4c0e-9c58-5d2b1e7c4a11";
        let first = stage.receiver.send_sample(route, id).await.unwrap();
        let again = stage.receiver.send_sample(route, id).await.unwrap();
        assert_eq!((first.duplicate, again.duplicate), (false, true), "{route}");
        let entry = stage
            .spool
            .read(|index| index.get(first.number).cloned())
            .unwrap();
        assert!(!entry.delivery.event.is_push(), "{route}");
        if route != "azure-devops" && route != "standard" {
            assert_eq!(entry.delivery.id, id, "{route}");
        }
    }
    let unknown = stage.receiver.send_sample("other", "1").await;
    assert!(matches!(unknown, Err(ReceiveError::NoRoute(_))));
}
