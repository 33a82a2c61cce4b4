//! RPCs of the contract with their access options.

use std::{collections::BTreeMap, sync::LazyLock};

use prost_reflect::{DynamicMessage, MethodDescriptor, ServiceDescriptor};

use crate::{
    access::v1::{Access, CallerKind, Kind, Part, Side},
    descriptor_pool,
};

/// One RPC and its options.
#[derive(Debug, Clone)]
pub struct Method {
    /// The path of the call, for example `/causeway.inventory.v1.ApplicationService/ListApplications`.
    pub path: String,
    /// Effect of the call; `Unspecified` if the contract has no access rule.
    pub kind: Kind,
    /// Permitted callers; empty if the contract has no access rule.
    pub callers: Vec<CallerKind>,
    /// Permission that a user needs; empty if users cannot call it.
    pub permission: String,
    /// Parts that may call it; empty for every part of the kinds in `callers`.
    pub calling_parts: Vec<String>,
    /// True if every user may call it on their own objects.
    pub own: bool,
    /// Template of the audit target; empty if the HTTP path has it.
    pub target: String,
    /// The part that serves it.
    pub part: String,
    pub side: Side,
    pub descriptor: MethodDescriptor,
}

/// Returns all RPCs of the contract by path.
pub fn methods() -> &'static BTreeMap<String, Method> {
    static METHODS: LazyLock<BTreeMap<String, Method>> = LazyLock::new(|| {
        let services = descriptor_pool().services();
        let all = services.flat_map(|service| read_service(&service));
        all.map(|method| (method.path.clone(), method)).collect()
    });
    &METHODS
}

/// Returns the RPC at a path.
pub fn method(path: &str) -> Option<&'static Method> {
    methods().get(path)
}

fn read_service(service: &ServiceDescriptor) -> Vec<Method> {
    let part: Part = read_option(&service.options(), "causeway.access.v1.part").unwrap_or_default();
    let read = |descriptor: MethodDescriptor| {
        let options = descriptor.options();
        let access: Access = read_option(&options, "causeway.access.v1.access").unwrap_or_default();
        Method {
            path: format!("/{}/{}", service.full_name(), descriptor.name()),
            kind: access.kind(),
            callers: access.callers().collect(),
            permission: access.permission.clone(),
            calling_parts: access.parts.clone(),
            own: access.own,
            target: access.target.clone(),
            part: part.name.clone(),
            side: part.side(),
            descriptor,
        }
    };
    service.methods().map(read).collect()
}

fn read_option<M: prost::Message + Default>(options: &DynamicMessage, name: &str) -> Option<M> {
    let extension = descriptor_pool().get_extension_by_name(name)?;
    let value = options.get_extension(&extension);
    value.as_message()?.transcode_to().ok()
}

#[cfg(test)]
mod tests;
