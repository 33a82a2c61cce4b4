use super::*;

fn banner(web_ui: bool) -> String {
    let banner = Banner {
        address: "http://127.0.0.1:7400",
        web_ui,
        context: ("lab", Path::new("/home/ann/contexts.json")),
        admin_key: Path::new("/data/platform/admin.key"),
        trial: None,
    };
    banner.text(Duration::from_secs(2))
}

#[test]
fn the_web_ui_is_named_with_its_address_and_key() {
    let text = banner(true);
    let line = |name: &str| {
        let found = text
            .lines()
            .find(|line| line.trim_start().starts_with(name));
        found.unwrap_or_default().to_owned()
    };
    assert!(line("web UI").contains("http://127.0.0.1:7400"), "{text}");
    assert!(line("web UI").contains("API key"), "{text}");
    assert!(
        line("API key").ends_with("/data/platform/admin.key"),
        "{text}"
    );
    assert!(
        line("CLI context").contains("lab, in /home/ann/contexts.json"),
        "{text}"
    );
    assert!(banner(false).contains("make web"), "{}", banner(false));
}

#[test]
fn a_runtime_alone_names_its_platform() {
    let text = runtime_text("laptop", "https://platform", None, Duration::from_secs(1));
    assert!(text.contains("Runtime laptop is ready"), "{text}");
    assert!(text.contains("https://platform"), "{text}");
    assert!(
        text.contains("causeway app list --runtime laptop"),
        "{text}"
    );
}
