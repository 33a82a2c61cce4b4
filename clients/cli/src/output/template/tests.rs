use serde_json::json;

use super::*;

fn filled(template: &str) -> String {
    let document = json!({
        "applications": [
            {"name": "pay", "labels": {"team": "a"}, "images": ["x:1", "y:2"]},
            {"name": "cart", "ready": true},
        ],
        "count": 2,
    });
    template.parse::<Template>().unwrap().fill(&document)
}

#[test]
fn templates_are_filled_as_kubectl_fills_them() {
    assert_eq!(filled("{.items[*].name}"), "pay cart");
    assert_eq!(filled("{.count} of {$.count}"), "2 of 2");
    assert_eq!(
        filled(r#"{range .items[*]}{.name}{"\t"}{.labels.team}{"\n"}{end}"#),
        "pay\ta\ncart\t\n"
    );
    assert_eq!(
        filled("{range .items[*]}{@.name}:{range .images[*]}<{@}>{end};{end}"),
        "pay:<x:1><y:2>;cart:;"
    );
    assert_eq!(filled("{.items[0].labels}"), r#"{"team":"a"}"#);
    assert_eq!(filled("{.items[?(@.ready==true)].name}"), "cart");
    assert_eq!(filled(r#"{.items[?(@.name=="}")].name}-"#), "-");
    assert_eq!(filled(".items[*].name"), "pay cart");
    assert_eq!(filled("no braces"), "no braces");
    assert_eq!(filled("{.nothing}"), "");
}

#[test]
fn template_errors_are_reported() {
    let error = |text: &str| text.parse::<Template>().unwrap_err();
    assert_eq!(error("{.a"), TemplateError::Open);
    assert_eq!(error("{end}"), TemplateError::End);
    assert_eq!(error("{range .a}x"), TemplateError::Range);
    assert_eq!(error(&"{range .a}".repeat(17)), TemplateError::Deep);
    assert!(matches!(error("{.a[}"), TemplateError::Path(_)));
}
