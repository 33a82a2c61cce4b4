use causeway_proto::inventory::v1 as pb;
use clap::Parser;

use super::{DeleteArgs, retry_command};
use crate::app::find;

#[derive(Parser, Debug)]
struct Typed {
    #[command(flatten)]
    delete: DeleteArgs,
}

fn typed(line: &str) -> DeleteArgs {
    let words = ["delete"].into_iter().chain(line.split_whitespace());
    Typed::try_parse_from(words).unwrap().delete
}

fn web(uid: &str) -> pb::Application {
    pb::Application {
        runtime: "east".to_owned(),
        namespace: "argocd".to_owned(),
        name: "web".to_owned(),
        uid: uid.to_owned(),
        ..pb::Application::default()
    }
}

#[test]
fn the_retry_command_repeats_the_deletion_of_one_object_only() {
    let many = typed("-l team=a --yes");
    let target = web("first");
    let requests = many.ids.for_many(many.targets.may_be_many()).unwrap();
    let first = many.request(&target, &requests.request_id(&find::full_name(&target)));
    let told = retry_command(&target, &first);
    let (_, told) = told.split_once("for ").unwrap();
    let repeat = typed(&told.replace(" alone with", ""));
    let anew = repeat.with_uid(web("second"));
    let requests = repeat.ids.for_many(repeat.targets.may_be_many()).unwrap();
    let again = repeat.request(&anew, &requests.request_id(&find::full_name(&anew)));
    assert_eq!(again, first);
}

#[test]
fn a_repeated_deletion_needs_no_existing_object() {
    let gone = typed("east/argocd/web --uid first --yes").deleted_target();
    assert_eq!(gone, Some(web("first")));
    let by_flags = typed("web --runtime east -n argocd --uid first --yes").deleted_target();
    assert_eq!(by_flags, Some(web("first")));
    for line in [
        "web --uid first",
        "east/argocd/web",
        "argocd/web --uid first",
    ] {
        assert_eq!(typed(line).deleted_target(), None, "{line}");
    }
}
