//! A unary call as JSON through the router, beside the same call in gRPC, and beside the same RPC behind grpc-gateway, which is built
//! from its Go module. Each of router and gateway is a process of its own; the part behind both is the same one, in this process.

mod gateway;
mod load;
mod part;
mod router;

use std::{path::PathBuf, time::Duration};

use self::{gateway::Gateway, load::Load, part::Part, router::Router};
use crate::{
    figure::{middle, quantile},
    place::beside,
};

/// What is measured.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Args {
    /// Callers, each with one call at a time
    #[arg(long, default_value_t = 16)]
    callers: usize,
    /// How long each round of each way is, in seconds
    #[arg(long, default_value_t = 5)]
    seconds: u64,
    /// Rounds; the figures are medians
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// The program `causeway`; the one beside this one if not given
    #[arg(long)]
    binary: Option<PathBuf>,
}

impl Default for Args {
    fn default() -> Self {
        Self {
            callers: 16,
            seconds: 5,
            rounds: 5,
            binary: None,
        }
    }
}

/// One way to make the call.
struct Way {
    name: &'static str,
    load: Load,
    rates: Vec<f64>,
    times: Vec<f64>,
}

/// Measures and prints.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let binary = match &args.binary {
        Some(binary) => binary.clone(),
        None => beside("causeway")?,
    };
    let gateway = gateway::build()?;
    let runtime = crate::tunnel::runtime(2)?;
    let ways = runtime.block_on(measure(args, &binary, gateway))?;
    print(&ways);
    Ok(())
}

async fn measure(
    args: &Args,
    binary: &std::path::Path,
    gateway: Option<gateway::Program>,
) -> anyhow::Result<Vec<Way>> {
    let part = Part::start().await?;
    let router = Router::start(binary, part.address())?;
    let gateway = gateway
        .map(|gateway| Gateway::start(&gateway, part.address()))
        .transpose()?;
    let way = |name, load| Way {
        name,
        load,
        rates: Vec::new(),
        times: Vec::new(),
    };
    let mut ways = vec![
        way("gRPC to the part itself", Load::grpc(part.address())),
        way("gRPC through the router", Load::grpc(router.address())),
        way("JSON through the router", Load::json(router.address())),
    ];
    if let Some(gateway) = &gateway {
        ways.push(way(
            "JSON through grpc-gateway",
            Load::json(gateway.address()),
        ));
    }
    for way in &ways {
        way.load.check().await?;
    }
    // One after the other in each round, so that what changes on the machine changes for all.
    for _ in 0..args.rounds {
        for way in &mut ways {
            let time = Duration::from_secs(args.seconds);
            let mut took = way.load.run(args.callers, time).await?;
            way.rates.push(took.len() as f64 / time.as_secs_f64());
            way.times.append(&mut took);
        }
    }
    Ok(ways)
}

#[expect(clippy::print_stdout, reason = "the table is the result")]
fn print(ways: &[Way]) {
    println!("| GetLiveApplication | calls/s | p50 | p99 |\n|---|---|---|---|");
    for way in ways {
        println!(
            "| {} | {:.0} | {:.2} ms | {:.2} ms |",
            way.name,
            middle(&way.rates),
            quantile(&way.times, 0.5) * 1e3,
            quantile(&way.times, 0.99) * 1e3,
        );
    }
    let rate = |index: usize| ways.get(index).map(|way| middle(&way.rates));
    let ratio = |one, other| match (rate(one), rate(other)) {
        (Some(one), Some(other)) => format!("{:.2}", one / other),
        _ => "left out: buf or go is not there".to_owned(),
    };
    println!("\n| ratio of calls/s | figure | goal |\n|---|---|---|");
    println!(
        "| JSON to gRPC, both through the router | {} | >= 0.5 |",
        ratio(2, 1)
    );
    println!(
        "| JSON through the router to JSON through grpc-gateway | {} | - |\n",
        ratio(2, 3)
    );
}
