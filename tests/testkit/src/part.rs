//! One part in this process, which can be stopped and restarted at the same address.
#![expect(
    clippy::unwrap_used,
    reason = "only tests call this, and it documents its panics"
)]

use std::{net::SocketAddr, time::Duration};

use causeway_shell::{Health, Shell, TestStop};
use clap::Parser as _;
use futures::future::BoxFuture;
use tokio::net::TcpListener;

use crate::{address::reserved_address, wait_until};

const START: Duration = Duration::from_secs(120);

type Serve =
    Box<dyn Fn(TcpListener, Shell) -> BoxFuture<'static, anyhow::Result<()>> + Send + Sync>;

#[derive(clap::Parser)]
#[command(no_binary_name = true)]
struct Flags<A: clap::Args> {
    #[command(flatten)]
    args: A,
}

/// A part at one address, running or stopped.
pub struct Part {
    name: &'static str,
    address: SocketAddr,
    serve: Serve,
    running: Option<TestStop>,
}

impl Part {
    /// Starts a part from its flags on any port and waits until it is ready.
    ///
    /// # Panics
    /// The flags are invalid, or the part is not ready within two minutes.
    pub async fn start<A>(
        name: &'static str,
        flags: &[String],
        serve: fn(A, TcpListener, Shell) -> BoxFuture<'static, anyhow::Result<()>>,
    ) -> Self
    where
        A: clap::Args + Clone + Send + Sync + 'static,
    {
        let flags =
            Flags::<A>::try_parse_from(flags).unwrap_or_else(|error| panic!("{name}: {error}"));
        let listener = TcpListener::bind(reserved_address()).await.unwrap();
        let mut part = Self {
            name,
            address: listener.local_addr().unwrap(),
            serve: Box::new(move |listener, shell| serve(flags.args.clone(), listener, shell)),
            running: None,
        };
        part.run(listener).await;
        part
    }

    /// Starts a part that must fail, and returns its error.
    ///
    /// # Panics
    /// The flags are invalid, or it does not fail within two minutes.
    pub async fn refused<A>(
        name: &'static str,
        flags: &[String],
        serve: fn(A, TcpListener, Shell) -> BoxFuture<'static, anyhow::Result<()>>,
    ) -> String
    where
        A: clap::Args,
    {
        let flags =
            Flags::<A>::try_parse_from(flags).unwrap_or_else(|error| panic!("{name}: {error}"));
        let listener = TcpListener::bind(reserved_address()).await.unwrap();
        let (shell, _stop) = Shell::for_test(name);
        let serving = serve(flags.args, listener, shell);
        let ended = tokio::time::timeout(START, serving).await;
        let failed = ended.unwrap_or_else(|_| panic!("{name} serves"));
        format!("{:#}", failed.expect_err("it ended without a failure"))
    }

    /// Returns the URL of the part.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Drains the part, as a signal does. Has no effect on a stopped part.
    ///
    /// # Panics
    /// A task failed, or the drain takes longer than a minute.
    pub async fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            running.stop().await.unwrap();
        }
    }

    /// Aborts the part without a drain.
    pub fn kill(&mut self) {
        self.running = None;
    }

    /// Restarts a stopped part with the same flags at the same address.
    ///
    /// # Panics
    /// It is running, or is not ready within two minutes.
    pub async fn start_again(&mut self) {
        assert!(self.running.is_none(), "{} runs", self.name);
        // The port of an aborted part becomes free with a delay.
        let listener = wait_until(self.name, START, async || {
            let bound = TcpListener::bind(self.address).await;
            bound.map_err(|error| error.to_string())
        })
        .await;
        self.run(listener).await;
    }

    async fn run(&mut self, listener: TcpListener) {
        let (shell, mut stop) = Shell::for_test(self.name);
        let mut health = shell.health();
        shell
            .tasks()
            .spawn_essential("serve", (self.serve)(listener, shell.clone()));
        let ready = health.wait_for(|health| *health == Health::Ready);
        tokio::select! {
            ready = tokio::time::timeout(START, ready) => {
                let ready = ready.map(drop);
                assert!(ready.is_ok(), "{}: not ready within {START:?}: {:?}", self.name, shell.health().borrow());
            }
            failure = stop.failed() => panic!("{}: {failure:#}", self.name),
        }
        self.running = Some(stop);
    }
}
