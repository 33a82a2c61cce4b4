use causeway_proto::platform::v1 as pb;

use super::*;

fn page(names: &[&str], next_page_token: &str) -> Response<pb::ListRuntimesResponse> {
    let runtime = |name: &&str| pb::Runtime {
        name: (*name).to_owned(),
        ..pb::Runtime::default()
    };
    Response::new(pb::ListRuntimesResponse {
        runtimes: names.iter().map(runtime).collect(),
        next_page_token: next_page_token.to_owned(),
    })
}

fn names(response: pb::ListRuntimesResponse) -> Vec<String> {
    assert_eq!(response.next_page_token, "");
    response.runtimes.into_iter().map(|it| it.name).collect()
}

fn fetch(token: &str) -> Response<pb::ListRuntimesResponse> {
    match token {
        "" => page(&["a", "b"], "second"),
        "second" => page(&[], "third"),
        _ => page(&["c"], ""),
    }
}

#[tokio::test]
async fn every_page_is_fetched_once_and_in_order() {
    let mut tokens = Vec::new();
    let found = read_all(async |token: String| {
        tokens.push(token.clone());
        Ok(fetch(&token))
    });
    assert_eq!(names(found.await.unwrap()), ["a", "b", "c"]);
    assert_eq!(tokens, ["", "second", "third"]);
}

#[tokio::test]
async fn reading_ends_when_no_more_is_wanted() {
    let read = async |limit| {
        let pages = async |token: String| Ok(fetch(&token));
        let (found, rest) = read_while(pages, |read| read < limit).await.unwrap();
        (names(found).len(), rest)
    };
    assert_eq!(read(2).await, (2, Truncation::Truncated));
    assert_eq!(read(3).await, (3, Truncation::Complete));
}

#[tokio::test]
async fn a_page_that_is_refused_is_no_end() {
    let found = read_all(async |token: String| match token.as_str() {
        "" => Ok(page(&["a"], "second")),
        _ => Err(Status::unavailable("gone")),
    });
    assert_eq!(found.await.unwrap_err().message(), "gone");
}
