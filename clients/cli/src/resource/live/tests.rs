use causeway_proto::ids::RequestId;
use clap::Parser;

use super::{DeleteOptions, retry_command};

#[derive(Parser, Debug)]
struct Typed {
    #[command(flatten)]
    end: DeleteOptions,
}

#[test]
fn a_deletion_is_repeated_for_the_object_that_it_was_for() {
    let id = RequestId::generate();
    let told = retry_command("the-uid", id);
    let (_, flags) = told.split_once("with ").unwrap();
    let words = ["delete"].into_iter().chain(flags.split_whitespace());
    let end = Typed::try_parse_from(words).unwrap().end;
    assert_eq!(end.uid.as_deref(), Some("the-uid"));
    assert_eq!(
        end.request_id.map(|it| it.to_string()),
        Some(id.to_string())
    );
}

#[test]
fn a_request_id_without_a_uid_is_rejected() {
    let id = RequestId::generate().to_string();
    let error = Typed::try_parse_from(["delete", "--request-id", &id]).unwrap_err();
    assert!(error.to_string().contains("--uid"), "{error}");
    assert!(Typed::try_parse_from(["delete", "--uid", ""]).is_err());
}
