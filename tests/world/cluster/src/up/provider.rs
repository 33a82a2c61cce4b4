//! `causeway-cluster up provider`: a Git provider with a first repository, until a signal.

use tokio::{
    signal::unix::{SignalKind, signal},
    time::{Instant, sleep},
};

use super::{CHECK, UpError};
use crate::{ClusterError, Gitea, GiteaUser, command::say};

const ORGANISATION: &str = "acme";
const REPOSITORY: &str = "demo";
const USER: &str = "ada";
const SCOPES: [&str; 2] = ["write:repository", "read:user"];

/// Runs until Ctrl-C, SIGTERM or the end of the process.
pub(super) async fn run() -> Result<(), UpError> {
    let begun = Instant::now();
    let (mut interrupt, mut terminate) = (
        signal(SignalKind::interrupt())?,
        signal(SignalKind::terminate())?,
    );
    let started = tokio::select! {
        started = start() => started?,
        _ = interrupt.recv() => return Ok(()),
        _ = terminate.recv() => return Ok(()),
    };
    let (mut gitea, user) = started;
    say(&describe(&gitea, &user, begun));
    tokio::select! {
        ended = ended(&mut gitea) => Err(ended.into()),
        _ = interrupt.recv() => Ok(()),
        _ = terminate.recv() => Ok(()),
    }
}

async fn start() -> Result<(Gitea, GiteaUser), ClusterError> {
    let gitea = Gitea::start().await?;
    gitea.create_organisation(ORGANISATION).await?;
    gitea.create_repository(ORGANISATION, REPOSITORY).await?;
    let user = gitea.create_user(USER, &SCOPES).await?;
    let repository = format!("{ORGANISATION}/{REPOSITORY}");
    gitea.add_writer(&repository, USER).await?;
    Ok((gitea, user))
}

async fn ended(gitea: &mut Gitea) -> ClusterError {
    loop {
        match gitea.check() {
            Ok(()) => sleep(CHECK).await,
            Err(error) => return error,
        }
    }
}

fn describe(gitea: &Gitea, user: &GiteaUser, begun: Instant) -> String {
    let mut text = format!(
        "\nThe provider is ready after {:.1} s.\n\n",
        begun.elapsed().as_secs_f64()
    );
    let mut row = |name: &str, value: &str| text.push_str(&format!("  {name:<14} {value}\n"));
    row("URL", &gitea.url());
    row("SSH", &gitea.ssh_url());
    row("logs", &gitea.folder().join("log").display().to_string());
    for account in [gitea.admin(), user] {
        row(
            &account.name,
            &format!("password {}, token {}", account.password, account.token),
        );
    }
    text.push_str("\nTry in a second terminal:\n");
    let (_, host) = gitea.url().split_once("//").map_or_else(
        || (String::new(), gitea.url()),
        |(scheme, host)| (scheme.to_owned(), host.to_owned()),
    );
    text.push_str(&format!(
        "  git clone http://{}:{}@{host}/{ORGANISATION}/{REPOSITORY}.git\n",
        user.name, user.token
    ));
    text.push_str("\nCtrl-C stops it, and nothing is kept.");
    text
}
