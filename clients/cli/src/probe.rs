//! `causeway probe`: asks the admin ports of parts whether they are ready, for who has no account on the platform: a chart's test.

use std::{collections::BTreeSet, net::SocketAddr, time::Duration};

use anyhow::{Context as _, bail, ensure};
use http::{Request, header};
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::{body::Bytes, client::conn::http1};
use hyper_util::rt::TokioIo;
use tokio::{
    net::{TcpStream, lookup_host},
    time::{Instant, sleep, timeout},
};

use crate::{
    failure::Unsuccessful,
    output::{Cell, Table},
};

const AGAIN: Duration = Duration::from_secs(1);
const ANSWER: Duration = Duration::from_secs(5);
const LARGEST: usize = 64 << 10;
const READY: &str = "ready";

/// Ask parts by their admin port whether they are ready, and show what they wait for; exit code 3 where they are not
#[derive(clap::Args, Debug)]
pub(crate) struct ProbeArgs {
    /// The admin port; all addresses that the name has are asked
    #[arg(value_name = "HOST:PORT")]
    address: String,
    /// A part that must be among them; may be repeated
    #[arg(long = "part", value_name = "PART")]
    parts: Vec<String>,
    /// How long to ask again until all are ready
    #[arg(long, value_name = "TIME", default_value = "0s")]
    wait: humantime::Duration,
}

/// Response of one part.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ProbeResponse {
    address: SocketAddr,
    part: String,
    state: String,
}

impl ProbeArgs {
    pub(crate) async fn run(self) -> anyhow::Result<()> {
        let until = Instant::now() + *self.wait;
        loop {
            let asked = self.ask().await;
            let well = matches!(&asked, Ok(answers) if answers.iter().all(|it| it.state == READY));
            if well || Instant::now() >= until {
                print(&asked?)?;
                return well.then_some(()).ok_or(Unsuccessful.into());
            }
            sleep(AGAIN).await;
        }
    }

    async fn ask(&self) -> anyhow::Result<Vec<ProbeResponse>> {
        let addresses = lookup_host(&self.address).await;
        let addresses =
            addresses.with_context(|| format!("no address is found for {}", self.address))?;
        let mut answers = Vec::new();
        for address in addresses.collect::<BTreeSet<_>>() {
            match timeout(ANSWER, readiness(address)).await {
                Ok(Ok(text)) => answers.extend(read(address, &text)),
                Ok(Err(error)) => answers.push(silent(address, format!("{error:#}"))),
                Err(_) => answers.push(silent(address, "no answer".to_owned())),
            }
        }
        let there: BTreeSet<&str> = answers.iter().map(|it| it.part.as_str()).collect();
        let absent = self.parts.iter().filter(|it| !there.contains(it.as_str()));
        let absent: Vec<&str> = absent.map(String::as_str).collect();
        ensure!(
            absent.is_empty(),
            "not there at {}: {}",
            self.address,
            absent.join(", ")
        );
        Ok(answers)
    }
}

fn silent(address: SocketAddr, state: String) -> ProbeResponse {
    ProbeResponse {
        address,
        part: String::new(),
        state,
    }
}

/// One line for each part: SIDE PART: STATE.
fn read(address: SocketAddr, text: &str) -> Vec<ProbeResponse> {
    let line = |line: &str| {
        let (whose, state) = line.split_once(": ")?;
        Some(ProbeResponse {
            address,
            part: whose.split_once(' ')?.1.to_owned(),
            state: state.to_owned(),
        })
    };
    text.lines().filter_map(line).collect()
}

async fn readiness(address: SocketAddr) -> anyhow::Result<String> {
    let stream = TcpStream::connect(address).await?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    let request = Request::get("/readyz").header(header::HOST, address.to_string());
    let request = request.body(Empty::<Bytes>::new())?;
    let answered = async {
        let body = sender.send_request(request).await?.into_body();
        match Limited::new(body, LARGEST).collect().await {
            Ok(body) => Ok(String::from_utf8_lossy(&body.to_bytes()).into_owned()),
            Err(error) => bail!("{error}"),
        }
    };
    tokio::select! {
        answered = answered => answered,
        ended = connection => {
            ended?;
            bail!("the connection was closed")
        }
    }
}

fn print(answers: &[ProbeResponse]) -> anyhow::Result<()> {
    let mut columns = Table::new(&["PART", "ADDRESS", "STATE"]);
    for answer in answers {
        columns.row(vec![
            Cell::new(&answer.part),
            Cell::new(answer.address),
            Cell::state(&answer.state),
        ]);
    }
    columns.print()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_a_part_and_what_it_waits_for() {
        let address = "127.0.0.1:7501".parse().unwrap();
        let text =
            "runtime app-proxy: ready\nruntime tunnel-client: waits for first tunnel session\n\n";
        let states: Vec<_> = read(address, text)
            .into_iter()
            .map(|it| (it.part, it.state))
            .collect();
        let expected = [
            ("app-proxy", "ready"),
            ("tunnel-client", "waits for first tunnel session"),
        ];
        assert_eq!(
            states,
            expected.map(|(part, state)| (part.to_owned(), state.to_owned()))
        );
    }
}
