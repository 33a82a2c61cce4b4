//! `causeway top`, from its first screen to the terminal that it gives back.

use super::up;
use crate::screen::Screen;

#[test]
fn full_screen_mode_works_and_restores_the_terminal() {
    let up = up();
    let names = up.cli(&["app", "list", "-o", "name"]).expect_success();
    let all = names.lines().count();
    let settings = up.folder.path().join("terminal");
    let program = causeway_testkit::binary();
    let lines = format!(
        "stty -g > {0}.before; {1} top; echo ended with $?; stty -g > {0}.after",
        settings.display(),
        program.display()
    );
    let contexts = up.contexts().display().to_string();
    let mut screen = Screen::start(&lines, &[("CAUSEWAY_CONFIG", &contexts)]);
    let first = screen.wait_for("the list", &["applications", "live", "guestbook"]);
    assert!(first.contains("d diff  l logs"), "{first}");

    screen.press("/guestbook\r");
    screen.wait_for("the filtered list", &["1/1 of"]);
    screen.press("\u{1b}");
    screen.wait_for("all of them", &[&format!("/{all} of {all} applications")]);
    screen.press("g");
    screen.wait_for("the first one", &[&format!("1/{all} of")]);
    screen.press("j");
    screen.wait_for("the next one", &[&format!("2/{all} of")]);

    screen.press("/guestbook\r");
    screen.wait_for("the filtered list", &["1/1 of"]);
    screen.press("d");
    screen.wait_for("the differences", &["diff of local/argocd/guestbook"]);
    screen.press("l");
    screen.wait_for("the logs", &["logs of local/argocd/guestbook", "simulates"]);
    screen.press("\r");
    screen.wait_for(
        "the details",
        &["details of local/argocd/guestbook", "Deployment"],
    );
    screen.press("q");
    screen.wait_for("the list again", &["1/1 of"]);

    screen.press("s");
    screen.wait_for("the question", &["sync local/argocd/guestbook?"]);
    screen.press("n");
    screen.wait_for("nothing done", &["1/1 of", "d diff  l logs"]);
    screen.press("s");
    screen.wait_for("the question", &["sync local/argocd/guestbook?"]);
    screen.press("y");
    screen.wait_for("the answer", &["sync local/argocd/guestbook: accepted"]);
    up.wait_for("guestbook", "synced by the key", |application| {
        application["status"]["operation"]["phase"] == "OPERATION_PHASE_SUCCEEDED"
    });

    screen.press("q");
    let said = screen.end();
    assert!(said.contains("ended with 0"), "{said}");
    let (_, left) = said.rsplit_once("\u{1b}[?1049l").unwrap();
    assert!(left.contains("\u{1b}[?25h"), "no cursor: {left:?}");
    let read =
        |end: &str| std::fs::read_to_string(format!("{}.{end}", settings.display())).unwrap();
    assert_eq!(read("before"), read("after"));
}
