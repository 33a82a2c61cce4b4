//! Streams the logs of an application's pods into the model while they are shown.

use std::{cell::RefCell, collections::BTreeMap};

use anstream::adapter::strip_str;
use causeway_proto::proxy::v1::{self as pb, stream_logs_response::Event};

use super::{
    error_line,
    model::{Model, Name, Text, Tone, Topic},
};
use crate::connection::Connection;

/// Number of earlier lines that are read of each container.
const BEFORE: u64 = 200;
/// What has no end after so many bytes is shown without it.
const LONGEST_LINE: usize = 64 << 10;

/// Follows until all containers have ended. Dropping the future ends it.
pub(super) async fn follow(connection: &Connection, model: &RefCell<Model>, name: Name) {
    let add = |line| model.borrow_mut().read_on(&name, Topic::Logs, line);
    let mut pods = Pods::default();
    let mut see = |response| pods.lines(response).into_iter().for_each(add);
    let ended = read(connection, &name, &mut see).await;
    add(Text::new(
        &match ended {
            Ok(()) => "the end: nothing more is written".to_owned(),
            Err(error) => error_line(&error, connection),
        },
        Tone::Heading,
    ));
}

async fn read(
    connection: &Connection,
    name: &Name,
    see: &mut impl FnMut(pb::StreamLogsResponse),
) -> anyhow::Result<()> {
    let request = pb::StreamLogsRequest {
        runtime: name.runtime.clone(),
        application_namespace: name.namespace.clone(),
        application: name.name.clone(),
        follow: true,
        tail: Some(BEFORE),
        ..pb::StreamLogsRequest::default()
    };
    let stream = connection.logs().stream_logs(request).await?;
    let mut stream = stream.into_inner();
    while let Some(response) = stream.message().await? {
        see(response);
    }
    Ok(())
}

/// Whose lines are read.
#[derive(Default)]
struct Pods {
    /// The containers that were begun: the number of each pod, and a line that has no end yet.
    open: BTreeMap<(String, String, String), (usize, String)>,
    several: bool,
}

impl Pods {
    /// The lines that are whole now.
    fn lines(&mut self, response: pb::StreamLogsResponse) -> Vec<Text> {
        let pb::StreamLogsResponse {
            namespace,
            pod,
            container,
            event,
        } = response;
        let number = self.number(&pod);
        let of = format!("[{pod} {container}]");
        let several = self.several;
        let open = self.open.entry((namespace, pod, container));
        let (number, rest) = open.or_insert((number, String::new()));
        let line = |text: &str, number| {
            let text = strip_str(text).to_string();
            if several {
                Text::new(&format!("{of} {text}"), Tone::Pod(number))
            } else {
                Text::plain(&text)
            }
        };
        match event {
            Some(Event::Begin(begin)) => {
                self.several |= begin.containers > 1 || self.open.len() > 1;
                Vec::new()
            }
            Some(Event::Lines(lines)) => {
                let mut whole = Vec::new();
                for part in lines.split_inclusive('\n') {
                    rest.push_str(part);
                    if rest.ends_with('\n') || rest.len() > LONGEST_LINE {
                        whole.push(line(rest.trim_end_matches(['\n', '\r']), *number));
                        rest.clear();
                    }
                }
                whole
            }
            Some(Event::End(end)) => {
                let rest = std::mem::take(rest);
                let error = Some(end.error).filter(|it| !it.is_empty());
                let error = error.map(|error| Text::new(&format!("{of}: {error}"), Tone::Removed));
                let last = Some(rest).filter(|it| !it.is_empty());
                let last = last.map(|rest| line(&rest, *number));
                last.into_iter().chain(error).collect()
            }
            // Positions are not requested.
            Some(Event::Positioned(_)) | None => Vec::new(),
        }
    }

    /// Each pod has one, whatever its containers are.
    fn number(&self, pod: &str) -> usize {
        let own = self.open.iter().find(|((_, other, _), _)| other == pod);
        let next = || {
            let last = self.open.values().map(|(number, _)| number + 1).max();
            last.unwrap_or(0)
        };
        own.map_or_else(next, |(_, (number, _))| *number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log_response(pod: &str, event: Event) -> pb::StreamLogsResponse {
        pb::StreamLogsResponse {
            namespace: "shop".to_owned(),
            pod: pod.to_owned(),
            container: "main".to_owned(),
            event: Some(event),
        }
    }

    fn begin(containers: u32) -> Event {
        let joined = false;
        Event::Begin(pb::LogBegin { containers, joined })
    }

    fn lines(text: &str) -> Event {
        Event::Lines(text.to_owned())
    }

    fn shown(events: Vec<(&str, Event)>) -> Vec<(String, Tone)> {
        let mut pods = Pods::default();
        let read = |(pod, event)| pods.lines(log_response(pod, event));
        let all = events.into_iter().flat_map(read);
        all.map(|line| (line.text, line.tone)).collect()
    }

    #[test]
    fn lines_are_shown_once_they_are_whole_and_steer_no_terminal() {
        let error = "it is gone".to_owned();
        let end = Event::End(pb::LogEnd { error });
        let events = vec![
            ("a", begin(1)),
            ("a", lines("one\r\ntw")),
            ("a", lines("o\n\x1b[31mred\x1b[0m\x07\nla")),
            ("a", lines("st")),
            ("a", end),
        ];
        let texts: Vec<_> = shown(events).into_iter().map(|(text, _)| text).collect();
        let whose = "[a main]: it is gone";
        assert_eq!(texts, ["one", "two", "red", "last", whose]);
    }

    #[test]
    fn lines_of_several_pods_say_whose_they_are_in_a_colour_for_each() {
        let events = vec![
            ("a", begin(2)),
            ("b", begin(2)),
            ("a", lines("1\n2")),
            ("b", lines("3\n")),
            ("a", lines("4\n")),
        ];
        let expected = [
            ("[a main] 1", Tone::Pod(0)),
            ("[b main] 3", Tone::Pod(1)),
            ("[a main] 24", Tone::Pod(0)),
        ];
        let expected = expected.map(|(text, tone)| (text.to_owned(), tone));
        assert_eq!(shown(events), expected);
    }

    #[test]
    fn a_line_without_an_end_is_not_kept_for_ever() {
        let long = "x".repeat(LONGEST_LINE + 1);
        let events = vec![("a", begin(1)), ("a", lines(&long)), ("a", lines("y\n"))];
        let lengths: Vec<_> = shown(events).iter().map(|(text, _)| text.len()).collect();
        assert_eq!(lengths, [LONGEST_LINE + 1, 1]);
    }
}
