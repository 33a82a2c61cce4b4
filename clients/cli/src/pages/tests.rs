use super::*;

#[tokio::test]
async fn every_page_is_asked_for_once_and_in_order() {
    let mut asked = Vec::new();
    let found = all(async |token: String| {
        asked.push(token.clone());
        Ok(match token.as_str() {
            "" => (vec![1, 2], "second".to_owned()),
            "second" => (Vec::new(), "third".to_owned()),
            _ => (vec![3], String::new()),
        })
    });
    assert_eq!(found.await.unwrap(), [1, 2, 3]);
    assert_eq!(asked, ["", "second", "third"]);
}

#[tokio::test]
async fn a_page_that_is_refused_is_no_end() {
    let found: Result<Vec<u32>, Status> = all(async |token: String| match token.as_str() {
        "" => Ok((vec![1], "second".to_owned())),
        _ => Err(Status::unavailable("gone")),
    })
    .await;
    assert_eq!(found.unwrap_err().message(), "gone");
}
