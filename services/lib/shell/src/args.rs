//! Flags of every process. Settings are parsed once here and passed on as values.

use std::{fmt, net::SocketAddr, str::FromStr, time::Duration};

use tracing_subscriber::EnvFilter;

mod otlp;

pub use otlp::OtlpArgs;
pub(crate) use otlp::{Signal, Variable};

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Process")]
pub struct ProcessArgs {
    /// What to log: a level, or directives such as `info,causeway_inventory=debug`
    #[arg(
        long,
        env = "CAUSEWAY_LOG",
        value_name = "FILTER",
        default_value = "info"
    )]
    pub log: LogFilter,

    /// How to write the log to standard error
    #[arg(
        long,
        env = "CAUSEWAY_LOG_FORMAT",
        value_name = "FORMAT",
        default_value = "text"
    )]
    pub log_format: LogFormat,

    /// Address of /metrics, /healthz and /readyz; nothing listens without it
    #[arg(long, env = "CAUSEWAY_ADMIN_LISTEN", value_name = "ADDRESS")]
    pub admin_listen: Option<SocketAddr>,

    /// How long open calls may take to end after a signal to stop
    #[arg(long, env = "CAUSEWAY_DRAIN_TIMEOUT", value_name = "TIME", default_value = "5s", value_parser = humantime::parse_duration)]
    pub drain_timeout: Duration,

    /// Memory for bodies of requests and answers that are held as a whole, in MiB; by default a quarter of the memory limit
    #[arg(long, env = "CAUSEWAY_BODY_MEMORY", value_name = "MIB", value_parser = clap::value_parser!(u32).range(8..))]
    pub body_memory: Option<u32>,

    #[command(flatten)]
    pub otlp: OtlpArgs,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, clap::ValueEnum)]
pub enum LogFormat {
    /// Lines of text
    Text,
    /// One JSON object per line
    Json,
}

/// Validated log directives.
#[derive(Clone, Debug)]
pub struct LogFilter(String);

impl LogFilter {
    pub(crate) fn to_filter(&self) -> EnvFilter {
        // kube_client logs each failed request, which the caller reports too. A later directive for the same target overrides this.
        EnvFilter::new(format!("kube_client::client::builder=off,{}", self.0))
    }
}

impl FromStr for LogFilter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        EnvFilter::builder().parse(text).map_err(|error| {
            format!("{error}; use a level (error, warn, info, debug, trace) or `info,causeway_shell=debug`")
        })?;
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for LogFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
