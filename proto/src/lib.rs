//! API contract: generated messages and stubs of `causeway/**.proto`, its descriptor set, id newtypes, binary deltas and the
//! rendezvous hash that assigns objects to reporters. Contains no transport and no other logic.

pub mod application;
pub mod delta;
pub mod ids;
pub mod list;
pub mod method;
pub mod reason;
pub mod rendezvous;
pub mod status;
pub mod time;

use std::sync::LazyLock;

use prost_reflect::DescriptorPool;

/// The encoded `FileDescriptorSet` of the whole contract, with its custom options.
pub const DESCRIPTOR_SET: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/contract.fds"));

/// The contract as descriptors, for reflection, transcoding and tables of callers.
pub fn descriptor_pool() -> &'static DescriptorPool {
    static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| {
        DescriptorPool::decode(DESCRIPTOR_SET).expect("the build script wrote a valid set")
    });
    &POOL
}

macro_rules! area {
    ($name:ident, $package:literal) => {
        pub mod $name {
            pub mod v1 {
                tonic::include_proto!($package);
            }
        }
    };
}

area!(access, "causeway.access.v1");
area!(error, "causeway.error.v1");
area!(platform, "causeway.platform.v1");
area!(inventory, "causeway.inventory.v1");
area!(tunnel, "causeway.tunnel.v1");
area!(proxy, "causeway.proxy.v1");
area!(source, "causeway.source.v1");
area!(git, "causeway.git.v1");
area!(webhook, "causeway.webhook.v1");
area!(gitops, "causeway.gitops.v1");
