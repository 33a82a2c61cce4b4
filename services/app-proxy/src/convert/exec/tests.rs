use super::*;

fn request() -> pb::ExecRequest {
    pb::ExecRequest {
        runtime: "local".to_owned(),
        application_namespace: "argocd".to_owned(),
        application: "web".to_owned(),
        request_id: "0194b4a6-63f2-7d25-9a3c-5ad0f1d1a001".to_owned(),
        command: vec!["true".to_owned()],
        ..pb::ExecRequest::default()
    }
}

fn refused(change: impl FnOnce(&mut pb::ExecRequest)) -> String {
    let mut request = request();
    change(&mut request);
    read_order(request).unwrap_err().to_string()
}

#[test]
fn a_command_is_read_with_what_it_gets() {
    let order = read_order(request()).unwrap();
    assert_eq!(
        (order.stdin, order.terminal),
        (Stdin::Empty, Terminal::None)
    );
    assert!(order.container.is_none() && order.whose.resource.is_none());
    let mut full = request();
    (full.stdin, full.tty) = (true, true);
    (full.kind, full.name) = ("Pod".to_owned(), "web-1".to_owned());
    full.namespace = "default".to_owned();
    full.container = "main".to_owned();
    full.size = Some(pb::TerminalSize {
        columns: 80,
        rows: 24,
    });
    full.input = "x".into();
    let order = read_order(full).unwrap();
    assert_eq!(
        (order.stdin, order.terminal),
        (Stdin::Open, Terminal::Given)
    );
    assert_eq!(order.container.as_deref(), Some("main"));
    assert_eq!(order.whose.resource.unwrap().name, "web-1");
    let (width, height) = (80, 24);
    assert_eq!(order.input.size, Some(Size { width, height }));
    assert_eq!(&*order.input.bytes, b"x");
}

#[test]
fn what_cannot_be_run_is_told_by_its_field() {
    let command = |words: Vec<String>| refused(|it| it.command = words);
    for words in [
        Vec::new(),
        vec![String::new()],
        vec!["a".to_owned(); 257],
        vec!["a".repeat(65 << 10)],
        vec!["a\0b".to_owned()],
    ] {
        assert!(command(words).starts_with("command must be"));
    }
    assert!(refused(|it| it.application.clear()).starts_with("application must"));
    assert!(refused(|it| it.name = "x".to_owned()).starts_with("kind must"));
    assert!(refused(|it| it.container = "../x".to_owned()).starts_with("container must"));
    assert!(refused(|it| it.request_id.clear()).contains("request_id"));
    let wide = pb::TerminalSize {
        columns: 70_000,
        rows: 1,
    };
    assert!(refused(|it| it.size = Some(wide)).starts_with("size must"));
    let odd = |it: &mut pb::ExecRequest| {
        (it.kind, it.name) = ("Pod".to_owned(), "a/b".to_owned());
    };
    assert!(refused(odd).starts_with("name must"));
}

#[test]
fn messages_after_the_first_one_are_input_and_nothing_else() {
    let input = pb::ExecRequest {
        input: "x".into(),
        ..pb::ExecRequest::default()
    };
    assert_eq!(&*read_input(input).unwrap().bytes, b"x");
    let error = read_input(request()).unwrap_err().to_string();
    assert!(error.contains("nothing else"), "{error}");
}
