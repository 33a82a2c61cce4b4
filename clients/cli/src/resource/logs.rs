//! Prints pod logs as they arrive, with a colour for each pod.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, IsTerminal as _},
};

use anstream::adapter::strip_str;
use anyhow::{Context as _, bail};
use causeway_proto::proxy::v1::{self as pb, stream_logs_response::Event};
use owo_colors::{AnsiColors, OwoColorize as _};

use crate::{
    connection::Connection,
    moment::{Moment, moment},
    output::{self, Format},
    selection::unknown,
};

/// In the order in which pods get them.
const COLORS: [AnsiColors; 6] = [
    AnsiColors::Cyan,
    AnsiColors::Green,
    AnsiColors::Magenta,
    AnsiColors::Yellow,
    AnsiColors::Blue,
    AnsiColors::Red,
];

/// Log lines to print.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct LinesArgs {
    /// Follow new lines, also of pods that start later
    #[arg(short, long)]
    follow: bool,
    /// Lines since this time: today, 10m, a date or RFC 3339
    #[arg(long, value_name = "TIME", value_parser = moment, visible_alias = "since-time")]
    since: Option<Moment>,
    /// Lines before this time; with --tail the last ones before it
    #[arg(long, value_name = "TIME", value_parser = moment, conflicts_with = "follow")]
    until: Option<Moment>,
    /// Number of last lines per container
    #[arg(long, value_name = "NUMBER")]
    tail: Option<u64>,
    /// Container name; by default the pod's default or first container
    #[arg(short, long, value_name = "NAME")]
    container: Option<String>,
    /// Include all containers, also init and ephemeral ones
    #[arg(long, conflicts_with = "container")]
    all_containers: bool,
    /// Print logs of the previous container instance
    #[arg(short, long, conflicts_with = "follow")]
    previous: bool,
    /// Prefix each line with its timestamp
    #[arg(long)]
    timestamps: bool,
    /// Print only lines that contain this text
    #[arg(long, value_name = "TEXT", visible_alias = "filter")]
    grep: Option<String>,
    /// Interpret --grep as a regular expression
    #[arg(short = 'E', long, requires = "grep")]
    regex: bool,
    /// Ignore case in --grep
    #[arg(short, long, requires = "grep")]
    ignore_case: bool,
    /// Print only lines that do not match --grep
    #[arg(long, requires = "grep")]
    invert_match: bool,
    /// Filter pods by labels, for example 'app=web,tier in (a,b)'
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    selector: Option<String>,
    /// Print control characters of the lines also on a terminal
    #[arg(long)]
    raw: bool,
    /// Prefix lines with pod and container; auto does if there are several
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    prefix: Prefix,
}

#[derive(clap::ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum Prefix {
    Auto,
    Always,
    Never,
}

/// Prints log lines.
struct Screen<W: io::Write> {
    out: W,
    prefix: Prefix,
    colors: bool,
    /// Started containers and their colours.
    begun: BTreeMap<(String, String, String), AnsiColors>,
    several: bool,
    /// The container whose last line has no end yet.
    open: Option<(String, String, String)>,
    /// Number of containers that could not be read to their end.
    broken: usize,
    /// True if lines are printed with the controls of a terminal.
    raw: bool,
}

impl LinesArgs {
    /// Converts to a request whose pods are to be set.
    pub(crate) fn to_request(&self, runtime: String) -> pb::StreamLogsRequest {
        pb::StreamLogsRequest {
            runtime,
            label_selector: self.selector.clone().unwrap_or_default(),
            container: self.container.clone().unwrap_or_default(),
            all_containers: self.all_containers,
            follow: self.follow,
            previous: self.previous,
            timestamps: self.timestamps,
            since: self.since.as_ref().map(|since| since.0),
            until: self.until.as_ref().map(|until| until.0),
            tail: self.tail,
            grep: self.grep.clone().unwrap_or_default(),
            grep_regex: self.regex,
            grep_ignore_case: self.ignore_case,
            grep_invert: self.invert_match,
            ..pb::StreamLogsRequest::default()
        }
    }

    /// Prints the requested lines.
    pub(crate) async fn print(
        &self,
        connection: &Connection,
        request: pb::StreamLogsRequest,
        format: Format,
    ) -> anyhow::Result<()> {
        let stream = connection.logs().stream_logs(request.clone()).await?;
        let mut stream = stream.into_inner();
        let mut screen = Screen::new(io::stdout(), self.prefix, output::is_colored());
        screen.raw = self.raw || !io::stdout().is_terminal();
        let mut is_empty = true;
        while let Some(response) = stream.message().await? {
            is_empty = false;
            match format {
                Format::Table => screen.show(&response)?,
                Format::Json | Format::Yaml => {
                    output::stream_document(&response, format)?;
                }
            }
        }
        if is_empty && !request.container.is_empty() {
            check_container(connection, request).await?;
        }
        if format == Format::Table {
            screen.finish()?;
        }
        Ok(())
    }
}

/// Fails if the pods have no container of this name.
async fn check_container(
    connection: &Connection,
    request: pb::StreamLogsRequest,
) -> anyhow::Result<()> {
    let wanted = request.container.clone();
    let all = pb::StreamLogsRequest {
        container: String::new(),
        all_containers: true,
        follow: false,
        tail: Some(1),
        ..request
    };
    let mut stream = connection.logs().stream_logs(all).await?.into_inner();
    let mut known = BTreeSet::new();
    while let Some(response) = stream.message().await? {
        known.insert(response.container);
    }
    if known.is_empty() || known.contains(&wanted) {
        return Ok(());
    }
    let names = known.iter().map(String::as_str);
    Err(unknown("container", &wanted, names, "--all-containers").into())
}

impl<W: io::Write> Screen<W> {
    fn new(out: W, prefix: Prefix, colors: bool) -> Self {
        Self {
            out,
            prefix,
            colors,
            begun: BTreeMap::new(),
            several: false,
            open: None,
            broken: 0,
            raw: false,
        }
    }

    fn show(&mut self, response: &pb::StreamLogsResponse) -> anyhow::Result<()> {
        let of = (
            response.namespace.clone(),
            response.pod.clone(),
            response.container.clone(),
        );
        match &response.event {
            Some(Event::Begin(begin)) => {
                let next = COLORS[self.begun.len() % COLORS.len()];
                let own = self.begun.iter().find(|(other, _)| other.1 == of.1);
                let color = own.map_or(next, |(_, color)| *color);
                self.begun.insert(of, color);
                self.several |= begin.containers > 1 || self.begun.len() > 1;
                Ok(())
            }
            Some(Event::Lines(lines)) => {
                let lines = if self.raw {
                    lines.clone()
                } else {
                    output::clean(&strip_str(lines).to_string()).into_owned()
                };
                self.lines(of, &lines).context("cannot write the result")
            }
            Some(Event::End(end)) if !end.error.is_empty() => {
                self.broken += 1;
                output::note(format!(
                    "{}/{}: {}",
                    of.1,
                    of.2,
                    crate::words::plain(&end.error)
                ));
                Ok(())
            }
            // Positions are not requested.
            Some(Event::End(_) | Event::Positioned(_)) | None => Ok(()),
        }
    }

    fn lines(&mut self, of: (String, String, String), lines: &str) -> io::Result<()> {
        if self.open.as_ref().is_some_and(|open| *open != of) {
            self.out.write_all(b"\n")?;
            self.open = None;
        }
        let prefixed = match self.prefix {
            Prefix::Auto => self.several,
            Prefix::Always => true,
            Prefix::Never => false,
        };
        if prefixed {
            let prefix = self.prefix_of(&of);
            let continued = self.open.is_some();
            for (number, line) in lines.split_inclusive('\n').enumerate() {
                if number > 0 || !continued {
                    self.out.write_all(prefix.as_bytes())?;
                }
                self.out.write_all(line.as_bytes())?;
            }
        } else {
            self.out.write_all(lines.as_bytes())?
        }
        self.open = (!lines.ends_with('\n')).then_some(of);
        self.out.flush()
    }

    fn prefix_of(&self, of: &(String, String, String)) -> String {
        let (_, pod, container) = of;
        let prefix = output::clean(&format!("[{pod} {container}]")).into_owned();
        match self.begun.get(of).filter(|_| self.colors) {
            Some(color) => format!("{} ", prefix.color(*color)),
            None => format!("{prefix} "),
        }
    }

    fn finish(mut self) -> anyhow::Result<()> {
        if self.open.is_some() && io::stdout().is_terminal() {
            self.out.write_all(b"\n")?;
        }
        match self.begun.len() {
            0 => output::note("no pod is there that was asked for"),
            all if all == self.broken => bail!("nothing could be read"),
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(pod: &str, event: Event) -> pb::StreamLogsResponse {
        pb::StreamLogsResponse {
            namespace: "default".to_owned(),
            pod: pod.to_owned(),
            container: "main".to_owned(),
            event: Some(event),
        }
    }

    fn begin(containers: u32) -> Event {
        Event::Begin(pb::LogBegin {
            containers,
            joined: false,
        })
    }

    fn shown(prefix: Prefix, colors: bool, events: &[(&str, Event)]) -> String {
        let mut out = Vec::new();
        let mut screen = Screen::new(&mut out, prefix, colors);
        for (pod, event) in events {
            screen.show(&response(pod, event.clone())).unwrap();
        }
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn lines_of_one_pod_are_as_they_were_written() {
        let lines = |text: &str| Event::Lines(text.to_owned());
        let events = [("a", begin(1)), ("a", lines("1\n2\n")), ("a", lines("3"))];
        assert_eq!(shown(Prefix::Auto, true, &events), "1\n2\n3");
        let always = shown(Prefix::Always, false, &events);
        assert_eq!(always, "[a main] 1\n[a main] 2\n[a main] 3");
    }

    #[test]
    fn controls_of_a_terminal_are_printed_only_where_they_are_requested() {
        let lines = Event::Lines("\u{1b}[2J\u{1b}]0;x\u{7}one\u{202e}\ttwo\n".to_owned());
        let events = [("a\u{7}", begin(2)), ("a\u{7}", lines)];
        let shown_lines = shown(Prefix::Auto, false, &events);
        assert_eq!(shown_lines, "[a main] one\ttwo\n");
        let mut out = Vec::new();
        let mut screen = Screen::new(&mut out, Prefix::Never, false);
        screen.raw = true;
        let raw = Event::Lines("\u{1b}[32mgreen\u{1b}[0m\n".to_owned());
        screen.show(&response("a", raw)).unwrap();
        assert_eq!(out, b"\x1b[32mgreen\x1b[0m\n");
    }

    #[test]
    fn lines_of_several_pods_have_prefixes_and_never_mix() {
        let lines = |text: &str| Event::Lines(text.to_owned());
        let events = [
            ("a", begin(2)),
            ("a", lines("1\n2")),
            ("a", lines("3\n4")),
            ("b", begin(2)),
            ("b", lines("5\n")),
        ];
        assert_eq!(
            shown(Prefix::Auto, false, &events),
            "[a main] 1\n[a main] 23\n[a main] 4\n[b main] 5\n"
        );
        assert_eq!(shown(Prefix::Never, false, &events), "1\n23\n4\n5\n");
        let colored = shown(Prefix::Auto, true, &events);
        assert!(colored.contains("\x1b[36m[a main]") && colored.contains("\x1b[32m[b main]"));
    }
}
