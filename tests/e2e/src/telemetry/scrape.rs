//! What an admin port told at one moment, in the text format of Prometheus.

use std::collections::{BTreeMap, BTreeSet};

/// Units that names end with, as Prometheus has them.
const UNITS: [&str; 3] = ["_seconds", "_bytes", "_ratio"];
/// Named by others.
const GIVEN: [&str; 1] = ["target_info"];

#[derive(Debug, Default)]
pub(super) struct Scrape {
    /// Names and their types.
    types: BTreeMap<String, String>,
    explained: BTreeSet<String>,
    /// Names with their labels.
    pub(super) series: BTreeSet<String>,
}

impl Scrape {
    pub(super) async fn of(admin: &str) -> Self {
        let answer = reqwest::get(format!("http://{admin}/metrics")).await;
        Self::read(&answer.unwrap().text().await.unwrap())
    }

    pub(super) fn read(text: &str) -> Self {
        let mut scrape = Self::default();
        for line in text.lines() {
            if let Some(help) = line.strip_prefix("# HELP ") {
                let (name, help) = help.split_once(' ').unwrap_or((help, ""));
                if !help.trim().is_empty() {
                    scrape.explained.insert(name.to_owned());
                }
            } else if let Some(of) = line.strip_prefix("# TYPE ") {
                let (name, kind) = of.split_once(' ').unwrap();
                scrape.types.insert(name.to_owned(), kind.to_owned());
            } else if let Some((series, _)) = line.rsplit_once(' ') {
                scrape.series.insert(series.to_owned());
            }
        }
        scrape
    }

    /// Whether there is a metric of this name, or a histogram that it is or is a part of.
    pub(super) fn has(&self, name: &str) -> bool {
        let parts = ["_bucket", "_count", "_sum"];
        let mut of_histogram = parts.iter().filter_map(|part| name.strip_suffix(part));
        let is_histogram = |name: &str| self.types.get(name).is_some_and(|it| it == "histogram");
        let told = |series: &String| series == name || series.starts_with(&format!("{name}{{"));
        self.types.contains_key(name) && self.series.iter().any(told)
            || is_histogram(name)
            || of_histogram.any(is_histogram)
    }

    /// Names without a text for people.
    pub(super) fn unexplained(&self) -> Vec<String> {
        let names = self
            .types
            .keys()
            .filter(|name| !self.explained.contains(*name));
        names.cloned().collect()
    }

    /// Names that are not as Prometheus would have them.
    pub(super) fn against_conventions(&self) -> Vec<String> {
        let wrong = |(name, kind): &(&String, &String)| {
            let counts = *kind == "counter";
            let prefixed = name.starts_with("causeway_") || name.starts_with("process_");
            let timed = name.contains("duration") || name.contains("lag") || name.contains("_time");
            let bare = name.strip_suffix("_total").unwrap_or(name);
            !prefixed
                || counts != name.ends_with("_total")
                || (timed && !UNITS.iter().any(|unit| bare.ends_with(unit)))
        };
        let named = self
            .types
            .iter()
            .filter(|(name, _)| !GIVEN.contains(&name.as_str()));
        named.filter(wrong).map(|(name, _)| name.clone()).collect()
    }
}
