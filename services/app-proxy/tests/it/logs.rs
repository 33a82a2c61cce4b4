//! Logs of the sandbox's pods: whose they are, which lines, followed, and beside a reader who takes nothing.

use std::time::Duration;

use causeway_assertion::Scope;
use causeway_proto::{
    error::v1::Reason,
    proxy::v1::{self as pb, log_service_server::LogService as _, stream_logs_response::Event},
};
use causeway_testkit::wait_until;
use futures::{StreamExt as _, stream::BoxStream};
use serde_json::json;
use tonic::{Code, Status};

use crate::{
    resources::{application, of_project, workload},
    stage::{Served, Stage, by, refused},
};

const PATIENCE: Duration = Duration::from_secs(120);

type Stream = BoxStream<'static, Result<pb::StreamLogsResponse, Status>>;

fn of_application(name: &str) -> pb::StreamLogsRequest {
    pb::StreamLogsRequest {
        runtime: "local".to_owned(),
        application_namespace: "argocd".to_owned(),
        application: name.to_owned(),
        ..pb::StreamLogsRequest::default()
    }
}

fn of_pod(name: &str) -> pb::StreamLogsRequest {
    pb::StreamLogsRequest {
        runtime: "local".to_owned(),
        kind: "Pod".to_owned(),
        namespace: "default".to_owned(),
        name: name.to_owned(),
        ..pb::StreamLogsRequest::default()
    }
}

async fn open(
    served: &Served,
    scope: Scope,
    request: pb::StreamLogsRequest,
) -> Result<Stream, Status> {
    Ok(served
        .handler
        .stream_logs(by(scope, request))
        .await?
        .into_inner())
}

async fn open_all(served: &Served, request: pb::StreamLogsRequest) -> Stream {
    open(served, Scope::everything("admin"), request)
        .await
        .unwrap()
}

/// All lines until the end, with the pod of each piece.
async fn whole(mut stream: Stream) -> Vec<(String, String)> {
    let mut pieces = Vec::new();
    while let Some(piece) = stream.next().await {
        let piece = piece.unwrap();
        if let Some(Event::Lines(lines)) = piece.event {
            pieces.push((piece.pod, lines));
        }
    }
    pieces
}

async fn next_lines(stream: &mut Stream) -> (String, String) {
    loop {
        let piece = stream.next().await.unwrap().unwrap();
        if let Some(Event::Lines(lines)) = piece.event {
            return (piece.pod, lines);
        }
    }
}

fn write(stage: &Stage, pod: &str, lines: &str) {
    let of = ("default", pod);
    stage
        .sandbox
        .kube()
        .write_log(of, "main", lines, 1)
        .unwrap();
}

/// A pod of an application that runs.
async fn running(stage: &Stage, name: &str, project: &str) -> String {
    application(stage, name, project);
    let pod = workload(stage, name, name).await;
    wait_until("the pod runs", PATIENCE, async || {
        let truth = stage.sandbox.kube().snapshot();
        let phase = &truth.find("Pod", "default", &pod).unwrap().object["status"]["phase"];
        (phase == "Running")
            .then_some(())
            .ok_or_else(|| phase.to_string())
    })
    .await;
    pod
}

#[tokio::test]
async fn lines_are_those_that_are_asked_for() {
    let stage = Stage::set().await;
    let pod = running(&stage, "mine", "shop").await;
    write(&stage, &pod, "one\ntwo\n");
    write(&stage, &pod, "three\n");
    let handler = stage.logs();
    let lines = async |change: fn(&mut pb::StreamLogsRequest)| {
        let mut request = of_pod(&pod);
        change(&mut request);
        let all = whole(open_all(&handler, request).await).await;
        all.into_iter().map(|(_, lines)| lines).collect::<String>()
    };
    assert_eq!(lines(|_| {}).await, "one\ntwo\nthree\n");
    assert_eq!(lines(|it| it.tail = Some(1)).await, "three\n");
    assert_eq!(lines(|it| it.tail = Some(0)).await, "");
    assert_eq!(lines(|it| it.grep = "t".to_owned()).await, "two\nthree\n");
    let inverted = lines(|it| {
        (it.grep, it.grep_regex, it.grep_invert) = ("^t".to_owned(), true, true);
    });
    assert_eq!(inverted.await, "one\n");
    let stamped = lines(|it| it.timestamps = true).await;
    let year = stamped
        .lines()
        .filter(|line| line.starts_with("20") && line.contains("Z "));
    assert_eq!(year.count(), 3, "{stamped}");
}

/// All lines with their places until the end.
async fn placed(mut stream: Stream) -> Vec<pb::LogLine> {
    let mut all = Vec::new();
    while let Some(piece) = stream.next().await {
        if let Some(Event::Positioned(lines)) = piece.unwrap().event {
            all.extend(lines.lines);
        }
    }
    all
}

fn texts(lines: &[pb::LogLine]) -> Vec<&str> {
    lines.iter().map(|line| line.text.as_str()).collect()
}

#[tokio::test]
async fn reading_resumes_at_any_line_without_a_gap_or_a_double() {
    let stage = Stage::set().await;
    let pod = running(&stage, "mine", "shop").await;
    // Lines that are written at once have one time.
    write(&stage, &pod, "one\ntwo\nthree\n");
    write(&stage, &pod, "four\nfive\n");
    let handler = stage.logs();
    let read = async |change: &dyn Fn(&mut pb::StreamLogsRequest)| {
        let mut request = of_pod(&pod);
        request.positions = true;
        change(&mut request);
        placed(open_all(&handler, request).await).await
    };
    let all = read(&|_| {}).await;
    assert_eq!(texts(&all), ["one", "two", "three", "four", "five"]);
    let sequences: Vec<u32> = all.iter().map(|line| line.sequence).collect();
    assert_eq!(sequences, [0, 1, 2, 0, 1]);
    for (index, line) in all.iter().enumerate() {
        let place = pb::LogPosition {
            pod: pod.clone(),
            container: "main".to_owned(),
            time: line.time,
            sequence: line.sequence,
        };
        let rest = read(&|it| it.resume_after = vec![place.clone()]).await;
        assert_eq!(rest, all[index + 1..]);
    }
    assert_eq!(read(&|it| it.tail = Some(2)).await, all[3..]);
    assert_eq!(read(&|it| it.tail = Some(4)).await, all[1..]);
    let until = all[3].time;
    assert_eq!(read(&|it| it.until = until).await, all[..3]);
    let page = read(&|it| (it.until, it.tail) = (until, Some(2))).await;
    assert_eq!(page, all[1..3]);
    let found = read(&|it| it.grep = "t".to_owned()).await;
    assert_eq!(texts(&found), ["two", "three"]);
}

#[tokio::test]
async fn the_last_lines_are_followed_without_a_gap_or_a_double() {
    let stage = Stage::set().await;
    let pod = running(&stage, "mine", "shop").await;
    write(&stage, &pod, "one\ntwo\nthree\n");
    let mut request = of_pod(&pod);
    (request.positions, request.follow, request.tail) = (true, true, Some(2));
    let handler = stage.logs();
    let mut stream = open_all(&handler, request).await;
    let mut lines = Vec::new();
    while lines.len() < 4 {
        let piece = stream.next().await.unwrap().unwrap();
        if let Some(Event::Positioned(some)) = piece.event {
            lines.extend(some.lines);
        }
        if lines.len() == 2 {
            write(&stage, &pod, "four\nfive\n");
        }
    }
    assert_eq!(texts(&lines), ["two", "three", "four", "five"]);
}

#[tokio::test]
async fn lines_before_a_time_are_read_as_text() {
    let stage = Stage::set().await;
    let pod = running(&stage, "mine", "shop").await;
    write(&stage, &pod, "one\ntwo\n");
    let mut request = of_pod(&pod);
    request.until = Some(std::time::SystemTime::now().into());
    write(&stage, &pod, "three\n");
    let handler = stage.logs();
    let whole = whole(open_all(&handler, request.clone()).await).await;
    let text: String = whole.into_iter().map(|(_, lines)| lines).collect();
    assert_eq!(text, "one\ntwo\n");
    request.follow = true;
    let both = open(&handler, Scope::everything("admin"), request).await;
    assert!(both.err().unwrap().message().contains("until"));
}

#[tokio::test]
async fn what_cannot_be_read_is_told_of_its_container() {
    let stage = Stage::set().await;
    let pod = running(&stage, "mine", "shop").await;
    let mut request = of_pod(&pod);
    request.previous = true;
    let served = stage.logs();
    let mut stream = open_all(&served, request).await;
    let mut events = Vec::new();
    while let Some(piece) = stream.next().await {
        events.push(piece.unwrap().event.unwrap());
    }
    let [Event::Begin(begin), Event::End(end)] = events.as_slice() else {
        panic!("{events:?}");
    };
    assert_eq!((begin.containers, begin.joined), (1, false));
    assert!(end.error.contains("not started before"), "{end:?}");
}

#[tokio::test]
async fn logs_are_there_for_whoever_may_touch_their_application() {
    let stage = Stage::set().await;
    let mine = running(&stage, "mine", "shop").await;
    let theirs = running(&stage, "theirs", "bank").await;
    write(&stage, &mine, "mine\n");
    write(&stage, &theirs, "theirs\n");
    let handler = stage.logs();
    let (code, reason) = (Code::NotFound, Reason::ResourceUnknown);
    for request in [
        of_application("theirs"),
        of_application("never"),
        of_pod(&theirs),
        of_pod("never"),
    ] {
        let refusal = open(&handler, of_project("shop"), request).await;
        refused(&refusal.map(drop).unwrap_err(), code, reason, "there is no");
    }
    // All pods of a namespace: those of the caller.
    let everywhere = pb::StreamLogsRequest {
        runtime: "local".to_owned(),
        namespace: "default".to_owned(),
        ..pb::StreamLogsRequest::default()
    };
    let found = open(&handler, of_project("shop"), everywhere.clone())
        .await
        .unwrap();
    assert_eq!(whole(found).await, [(mine.clone(), "mine\n".to_owned())]);
    let found = open_all(&handler, everywhere.clone()).await;
    assert_eq!(whole(found).await.len(), 2);
    let mut selected = everywhere;
    selected.label_selector = "app=theirs".to_owned();
    let found = whole(open_all(&handler, selected).await).await;
    assert_eq!(found, [(theirs, "theirs\n".to_owned())]);
    let reads = Stage::logs_on(stage.sandbox.kube().client(), "read", &stage.argocd());
    let denied = open(&reads, of_project("shop"), of_application("mine")).await;
    let (code, reason) = (Code::PermissionDenied, Reason::RuntimePolicy);
    refused(&denied.map(drop).unwrap_err(), code, reason, "--allow logs");
}

#[tokio::test]
async fn who_follows_gets_what_comes_and_pods_that_come() {
    let stage = Stage::set().await;
    let first = running(&stage, "mine", "shop").await;
    write(&stage, &first, "before\n");
    let mut request = of_application("mine");
    request.follow = true;
    let served = stage.logs();
    let mut stream = open(&served, of_project("shop"), request).await.unwrap();
    assert_eq!(
        next_lines(&mut stream).await,
        (first.clone(), "before\n".to_owned())
    );
    write(&stage, &first, "after\n");
    assert_eq!(
        next_lines(&mut stream).await,
        (first.clone(), "after\n".to_owned())
    );
    // A pod of another application in the same namespace is none of it.
    running(&stage, "theirs", "bank").await;
    let truth = stage.sandbox.kube().snapshot();
    let mut deployment = truth
        .find("Deployment", "default", "mine")
        .unwrap()
        .object
        .clone();
    deployment["spec"]["replicas"] = json!(2);
    stage
        .sandbox
        .kube()
        .write_raw("deployments.apps", deployment)
        .unwrap();
    let (joined, lines) = next_lines(&mut stream).await;
    assert!(joined.starts_with("mine-") && joined != first, "{joined}");
    assert!(lines.contains("simulates"), "{lines}");
}

#[tokio::test]
async fn who_follows_a_pod_is_told_its_end() {
    let stage = Stage::set().await;
    let pod = running(&stage, "mine", "shop").await;
    write(&stage, &pod, "line\n");
    let mut request = of_pod(&pod);
    request.follow = true;
    let served = stage.logs();
    let mut stream = open_all(&served, request).await;
    next_lines(&mut stream).await;
    let truth = stage.sandbox.kube().snapshot();
    let mut object = truth.find("Pod", "default", &pod).unwrap().object.clone();
    object["status"]["phase"] = json!("Succeeded");
    let state = &mut object["status"]["containerStatuses"][0]["state"];
    let started = state["running"]["startedAt"].take();
    *state = json!({"terminated": {"startedAt": started, "finishedAt": "2030-01-01T00:00:00Z"}});
    stage.sandbox.kube().write_raw("pods", object).unwrap();
    assert_eq!(whole(stream).await, []);
}

#[tokio::test]
async fn what_leaves_the_scope_is_followed_no_more() {
    let stage = Stage::set().await;
    let pod = running(&stage, "mine", "shop").await;
    write(&stage, &pod, "seen\n");
    let mut request = of_application("mine");
    request.follow = true;
    let served = stage.logs();
    let mut stream = open(&served, of_project("shop"), request).await.unwrap();
    next_lines(&mut stream).await;
    application(&stage, "mine", "bank");
    let end = loop {
        let piece = stream.next().await.unwrap().unwrap();
        if let Some(Event::End(end)) = piece.event {
            break end;
        }
    };
    assert!(end.error.contains("there is no such pod"), "{end:?}");
}

#[tokio::test]
async fn a_reader_who_takes_nothing_keeps_nobody_waiting() {
    let stage = Stage::set().await;
    let pod = running(&stage, "mine", "shop").await;
    let line = format!("{}\n", "x".repeat(1_023));
    let of = ("default", pod.as_str());
    // More than anybody would hold in memory.
    stage
        .sandbox
        .kube()
        .write_log(of, "main", &line, 1 << 30)
        .unwrap();
    let handler = stage.logs();
    let mut stuck = Vec::new();
    for _ in 0..20 {
        stuck.push(open_all(&handler, of_pod(&pod)).await);
    }
    let mut stream = open_all(&handler, of_pod(&pod)).await;
    let mut read = 0;
    while read < 64 << 20 {
        read += next_lines(&mut stream).await.1.len();
    }
}

#[tokio::test]
async fn fields_are_checked_before_anything_is_asked() {
    let stage = Stage::set().await;
    let handler = stage.logs();
    let check = async |change: &dyn Fn(&mut pb::StreamLogsRequest), words: &str| {
        let mut request = of_application("mine");
        change(&mut request);
        let refusal = open(&handler, Scope::everything("admin"), request).await;
        let refusal = refusal.map(drop).unwrap_err();
        refused(&refusal, Code::InvalidArgument, Reason::FieldInvalid, words);
    };
    check(&|it| it.application.clear(), "application must be given").await;
    check(&|it| it.name = "x".to_owned(), "kind must be given").await;
    check(&|it| it.grep = "x".repeat(2_000), "grep must have").await;
    check(
        &|it| (it.grep, it.grep_regex) = ("(".to_owned(), true),
        "no regular expression",
    )
    .await;
    check(
        &|it| (it.container, it.all_containers) = ("a".to_owned(), true),
        "container",
    )
    .await;
    check(&|it| it.namespace = "../x".to_owned(), "namespace").await;
}
