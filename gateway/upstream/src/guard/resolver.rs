//! Name look-up that drops link-local results, so that no name leads where no address may.

use std::{
    io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use futures_util::future::{BoxFuture, FutureExt};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::address::{RefusedAddress, is_link_local};

/// Turns a host name into addresses.
pub(crate) type Lookup =
    Arc<dyn Fn(String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> + Send + Sync>;

/// Returns the look-up of the operating system.
pub(crate) fn system() -> Lookup {
    Arc::new(|name| {
        async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        }
        .boxed()
    })
}

/// Resolves names without link-local results.
pub(super) struct GuardedResolver(pub(super) Lookup);

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let found = (self.0)(name.as_str().to_owned());
        async move {
            let mut addresses = found.await?;
            let before = addresses.len();
            addresses.retain(|&address| !is_link_local(address));
            if addresses.is_empty() && before > 0 {
                return Err(RefusedAddress::LinkLocal.into());
            }
            // Port 0 stands for the port of the URL.
            let sockets = addresses
                .into_iter()
                .map(|address| SocketAddr::new(address, 0));
            Ok(Box::new(sockets) as Addrs)
        }
        .boxed()
    }
}
