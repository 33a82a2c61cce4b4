use super::*;

fn told(channel: u8, content: &str) -> Option<CommandEvent> {
    read(written(channel, content.as_bytes()))
}

#[test]
fn the_first_byte_says_what_a_message_is() {
    assert_eq!(told(1, "out"), Some(CommandEvent::Stdout("out".into())));
    assert_eq!(told(2, "err"), Some(CommandEvent::Stderr("err".into())));
    for nothing in [
        told(0, "in"),
        told(4, "{}"),
        told(255, "\u{1}"),
        told(1, ""),
    ] {
        assert_eq!(nothing, None);
    }
    assert_eq!(read(Bytes::new()), None);
}

#[test]
fn the_exit_code_is_read_and_what_is_none_is_told() {
    let exit = |content: &str| match told(3, content) {
        Some(CommandEvent::Exit(exit)) => exit,
        other => panic!("{other:?}"),
    };
    assert_eq!(exit(r#"{"metadata":{},"status":"Success"}"#), Exit::Code(0));
    let failed = r#"{"status":"Failure","message":"command terminated with non-zero exit code",
        "reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"42"}]}}"#;
    assert_eq!(exit(failed), Exit::Code(42));
    let absent = r#"{"status":"Failure","message":"\"nope\": not found","reason":"InternalError","code":500}"#;
    assert_eq!(exit(absent), Exit::Failed("\"nope\": not found".to_owned()));
    for odd in [
        "",
        "{",
        "[]",
        r#"{"status":"Failure","reason":"NonZeroExitCode"}"#,
    ] {
        let Exit::Failed(why) = exit(&format!("{odd} ")) else {
            panic!("{odd}");
        };
        assert!(why.contains("did not say"), "{why}");
    }
}
