//! Tells the part `platform` which sessions there are, and ends those of runtimes that were put out.

use std::sync::Arc;
use std::time::Duration;

use causeway_assertion::RevocationSignal;
use causeway_client::{Backoff, Peer};
use causeway_proto::platform::v1 as pb;
use causeway_shell::Shell;
use causeway_websocket::{Close, CloseCode};
use pb::runtime_service_client::RuntimeServiceClient;
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

use crate::convert::reported;
use crate::forward::Table;
use crate::link::Link;
use crate::session::{Session, Standing};

/// Also how long a runtime that was put out keeps a session, so below the five seconds promised.
const EVERY: Duration = Duration::from_secs(4);
/// Changes within this time make one report.
const GATHER: Duration = Duration::from_millis(50);
const PATIENCE: Duration = Duration::from_secs(4);
const FIRST_RETRY: Duration = Duration::from_millis(200);

pub(crate) struct Reporter {
    pub(crate) shell: Shell,
    pub(crate) table: Table,
    pub(crate) changed: Arc<Notify>,
    pub(crate) platform: Peer,
    /// The answer to a report names who was put out, so that each revocation asks for one.
    pub(crate) revocations: RevocationSignal,
}

impl Reporter {
    /// Reports on every change and at regular times, until the drain has emptied the table.
    pub(crate) async fn run(self) {
        let mut client = RuntimeServiceClient::new(self.platform.clone());
        let mut backoff = Backoff::new(FIRST_RETRY, EVERY);
        let mut failing = false;
        while !self.is_done() {
            let revocations = self.revocations.count();
            let wait = match timeout(PATIENCE, client.report_sessions(self.report())).await {
                Ok(Ok(response)) => {
                    failing = false;
                    backoff.reset();
                    self.put_out(&response.into_inner());
                    EVERY
                }
                Ok(Err(status)) => {
                    self.complain(&mut failing, &status.to_string());
                    backoff.next_delay()
                }
                Err(_elapsed) => {
                    self.complain(&mut failing, "no answer");
                    backoff.next_delay()
                }
            };
            self.pause(wait, revocations).await;
        }
    }

    fn is_done(&self) -> bool {
        self.shell.shutdown().is_requested() && self.table.lock().all().next().is_none()
    }

    async fn pause(&self, wait: Duration, revocations: u64) {
        tokio::select! {
            () = self.changed.notified() => sleep(GATHER).await,
            () = sleep(wait) => {}
            _ = self.revocations.changed_since(revocations) => {}
            () = self.shell.shutdown().requested() => sleep(GATHER).await,
        }
    }

    fn report(&self) -> pb::ReportSessionsRequest {
        let server = self.shell.instance().to_owned();
        let table = self.table.lock();
        let open = table
            .all()
            .filter(|session| session.standing == Standing::Open);
        let sessions = open.map(|session| reported(session, &server)).collect();
        pb::ReportSessionsRequest { server, sessions }
    }

    fn put_out(&self, answer: &pb::ReportSessionsResponse) {
        let table = self.table.lock();
        for session in table.all() {
            let Some(why) = put_out(answer, session) else {
                continue;
            };
            tracing::info!(runtime = %session.seat.address.runtime, "a session ends: {why}");
            session.link.close(Close::new(CloseCode::Forbidden, why));
        }
    }

    /// Once per outage: the next report carries everything again. A platform that drains with this part is no news.
    fn complain(&self, failing: &mut bool, error: &str) {
        if !*failing && !self.shell.shutdown().is_requested() {
            tracing::warn!(
                part = self.shell.name(),
                error,
                "sessions cannot be reported to the platform; trying again"
            );
        }
        *failing = true;
    }
}

fn put_out(answer: &pb::ReportSessionsResponse, session: &Session<Link>) -> Option<&'static str> {
    let runtime = session.seat.address.runtime.as_str();
    if answer.revoked_runtime_ids.iter().any(|id| id == runtime) {
        return Some("this runtime was put out: join it again");
    }
    let key = &session.link.info()?.key;
    let replaced = answer.revoked_key_ids.iter().any(|id| id == key.as_str());
    replaced.then_some("this runtime joined again with other keys")
}
