//! The ways to serve.

use std::{
    io::{self, Read},
    sync::Arc,
};

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::{
    http::{self, Site},
    responder::Responder,
    session,
    stdio::{self, Stream},
};

/// A responder with everything that its sessions share.
pub struct Server(pub(crate) Arc<session::Server>);

impl Server {
    /// Makes a server of a responder. Must be called within a runtime.
    #[must_use]
    pub fn new(responder: Arc<dyn Responder>) -> Server {
        Server(session::Server::new(responder))
    }

    /// Serves one client on a pair of streams, until its input ends or `stop` is cancelled.
    pub async fn stdio(
        self,
        input: impl Read + Send + 'static,
        output: impl Stream,
        stop: CancellationToken,
    ) {
        stdio::serve(self.0, input, output, stop).await;
    }

    /// The routes of the HTTP transports.
    pub fn routes(&self, site: Site) -> axum::Router {
        http::routes(&self.0, site)
    }

    /// Serves every client that comes by HTTP, until `stop` is cancelled.
    pub async fn http(
        self,
        listener: TcpListener,
        site: Site,
        stop: CancellationToken,
    ) -> io::Result<()> {
        http::serve(self.0, listener, site, stop).await
    }
}
