//! Who telemetry comes from.

use opentelemetry::KeyValue;
use opentelemetry_sdk::Resource;

use super::PROCESS;

/// What the user says by `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` wins.
pub(super) fn resource(part: &'static str, instance: &str) -> Resource {
    let given = Resource::builder().build();
    let named = given
        .get_ref(&"service.name".into())
        .is_some_and(|name| !name.as_str().starts_with("unknown_service"));
    let own = [
        KeyValue::new("service.namespace", PROCESS),
        KeyValue::new("service.version", env!("CARGO_PKG_VERSION")),
        KeyValue::new("service.instance.id", instance.to_owned()),
    ];
    let left_open = own
        .into_iter()
        .filter(|it| given.get_ref(&it.key).is_none());
    let resource = Resource::builder().with_attributes(left_open);
    if named {
        resource.build()
    } else {
        resource.with_service_name(part).build()
    }
}
