use super::*;

fn endpoint(otlp: &OtlpArgs) -> Option<String> {
    otlp.exports_traces()
        .then(|| otlp.endpoint(Signal::Traces))?
}

#[test]
fn collector_endpoint_comes_from_variables_or_the_default() {
    let some = |value: &str| Some(value.to_owned());
    let none = OtlpArgs::default;
    assert_eq!(endpoint(&none()), None);
    let asked = OtlpArgs {
        otel_traces_exporter: some("otlp"),
        ..none()
    };
    assert_eq!(endpoint(&asked), some("http://localhost:4317"));
    let named = OtlpArgs {
        otlp_endpoint: some("http://all:4317"),
        otlp_traces_endpoint: some("collector:4317"),
        ..none()
    };
    assert_eq!(endpoint(&named), some("https://collector:4317"));
    let bare = OtlpArgs {
        otlp_insecure: some("TRUE"),
        ..named.clone()
    };
    assert_eq!(endpoint(&bare), some("http://collector:4317"));
    let empty = OtlpArgs {
        otlp_traces_endpoint: some(""),
        ..named.clone()
    };
    assert_eq!(endpoint(&empty), some("http://all:4317"));
    let off = OtlpArgs {
        otel_traces_exporter: some("None"),
        ..named
    };
    assert_eq!(endpoint(&off), None);
}

#[test]
fn debug_output_hides_headers() {
    let otlp = OtlpArgs {
        otlp_headers: Some("authorization=secret".to_owned()),
        ..OtlpArgs::default()
    };
    assert!(!format!("{otlp:?}").contains("secret"));
}
