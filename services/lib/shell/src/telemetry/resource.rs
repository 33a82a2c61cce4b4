//! Resource attributes of a part.

use opentelemetry::KeyValue;
use opentelemetry_sdk::Resource;

use super::PROCESS;

/// Returns the resource of a part. `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` take precedence.
pub(super) fn resource(part: &'static str, instance: &str) -> Resource {
    let configured = Resource::builder().build();
    let is_named = configured
        .get_ref(&"service.name".into())
        .is_some_and(|name| !name.as_str().starts_with("unknown_service"));
    let own = [
        KeyValue::new("service.namespace", PROCESS),
        KeyValue::new("service.version", env!("CARGO_PKG_VERSION")),
        KeyValue::new("service.instance.id", instance.to_owned()),
    ];
    let defaults = own
        .into_iter()
        .filter(|it| configured.get_ref(&it.key).is_none());
    let resource = Resource::builder().with_attributes(defaults);
    if is_named {
        resource.build()
    } else {
        resource.with_service_name(part).build()
    }
}
