//! Current revisions of sources, one line each.

use causeway_proto::inventory::v1 as pb;

use crate::words;

/// "web 1.2.3 (app 9.1)"
pub(super) fn chart(chart: &pb::Chart) -> String {
    let (name, version) = (&chart.name, &chart.version);
    match chart.app_version.as_str() {
        "" => format!("{name} {version}"),
        app => format!("{name} {version} (app {app})"),
    }
}

/// Returns the chart, or the short hash with author and message of the commit.
pub(super) fn line(source: &pb::SourceState) -> String {
    if let Some(named) = &source.chart {
        return chart(named);
    }
    let revision = words::short(&source.revision);
    let Some(commit) = &source.commit else {
        return revision.to_owned();
    };
    let author = words::author_name(&commit.author);
    let message = words::plain(&commit.message);
    let text = format!("{revision} {author}: {message}");
    match commit.url.as_str() {
        "" => text,
        url => format!("{text} {url}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_a_chart_or_a_commit_or_only_a_revision() {
        let web = pb::Chart {
            name: "web".to_owned(),
            version: "1.2.3".to_owned(),
            app_version: "9.1".to_owned(),
        };
        let commit = pb::Commit {
            author: "Ann <ann@example.com>".to_owned(),
            message: "One\n\nmore".to_owned(),
            url: "https://github.com/a/b/commit/aaaa".to_owned(),
            ..pb::Commit::default()
        };
        let check = |chart: Option<&pb::Chart>, commit: Option<&pb::Commit>, wanted: &str| {
            let source = pb::SourceState {
                revision: "a".repeat(40),
                commit: commit.cloned(),
                chart: chart.cloned(),
            };
            assert_eq!(line(&source), wanted);
        };
        check(Some(&web), None, "web 1.2.3 (app 9.1)");
        let wanted = "aaaaaaa Ann: One https://github.com/a/b/commit/aaaa";
        check(None, Some(&commit), wanted);
        check(None, None, "aaaaaaa");
    }
}
