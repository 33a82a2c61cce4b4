use super::*;

const HEAD: &str = "0123456789012345678901234567890123456789";

fn open(title: &str) -> Result<OpenOrder, RepositoryError> {
    read_open(pb::OpenPullRequestRequest {
        integration: "shop".to_owned(),
        request_id: "5f0c9a52-3d4e-4a71-9c31-0f6f3a2f8a11".to_owned(),
        title: title.to_owned(),
        ..Default::default()
    })
}

fn merge(head: &str, number: u64) -> Result<MergeRequest, RepositoryError> {
    read_merge(pb::MergePullRequestRequest {
        integration: "shop".to_owned(),
        head: head.to_owned(),
        number,
        ..Default::default()
    })
}

#[test]
fn a_title_is_one_line() {
    assert_eq!(open(" web: v2 ").unwrap().title, "web: v2");
    for title in ["", " ", "a\nb", "a\0", &"a".repeat(251)] {
        let error = open(title).unwrap_err().to_string();
        assert!(error.contains("title"), "{error}");
    }
}

#[test]
fn a_merge_names_a_whole_commit() {
    assert_eq!(merge(HEAD, 1).unwrap().method, MergeMethod::Merge);
    for head in ["", "main", &HEAD[..12], "../../x"] {
        let error = merge(head, 1).unwrap_err().to_string();
        assert!(error.contains("head"), "{error}");
    }
    let error = merge(HEAD, 0).unwrap_err().to_string();
    assert!(error.contains("number"), "{error}");
}

#[test]
fn each_outcome_says_what_to_do() {
    let answer = |outcome| to_merge_response(outcome, String::new());
    let merged = answer(MergeOutcome::Merged(HEAD.to_owned()));
    assert_eq!((merged.commit.as_str(), merged.reason.as_str()), (HEAD, ""));
    let contended = answer(MergeOutcome::Contended("later".to_owned()));
    assert_eq!(contended.outcome(), pb::MergeOutcome::NotYet);
    let moved = answer(MergeOutcome::HeadMoved(HEAD.to_owned()));
    assert!(moved.reason.contains(HEAD), "{}", moved.reason);
    for outcome in [
        MergeOutcome::Scheduled,
        MergeOutcome::NotYet("computing".to_owned()),
        MergeOutcome::Refused("no approval".to_owned()),
        MergeOutcome::Closed,
    ] {
        let answer = answer(outcome);
        assert!(answer.commit.is_empty() && !answer.reason.is_empty());
    }
}
