//! The compiled protocol definitions, embedded so that nothing is generated and nothing is read at run time.

use std::sync::LazyLock;

use prost_reflect::DescriptorPool;

static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| {
    DescriptorPool::decode(include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin")).as_slice())
        .expect("the build script writes a descriptor set")
});

/// Returns the descriptors of both protocol versions and of the gRPC error details.
pub(crate) fn pool() -> &'static DescriptorPool {
    &POOL
}

#[cfg(test)]
mod tests;
