//! The way to the web: a request out, a response with a body that streams back.

use std::{
    error::Error as StdError,
    net::IpAddr,
    sync::{Arc, OnceLock},
    time::Duration,
};

use bytes::Bytes;
use futures_util::{StreamExt, future::BoxFuture, stream::BoxStream};
use http::{Request, Response, StatusCode, Uri, header};
use reqwest::{Client, ClientBuilder, redirect::Policy};
use rustls::crypto::CryptoProvider;
use thiserror::Error;
use url::Url;

/// How long it may take until someone is reached.
const CONNECT_PATIENCE: Duration = Duration::from_secs(10);
/// How often a quiet connection is asked whether it is still there.
const KEEP_ALIVE: Duration = Duration::from_secs(30);
/// How often a request may be sent on to another address.
const MOST_HOPS: usize = 5;

/// What follows the head of a response, as it comes.
pub(crate) type Body = BoxStream<'static, Result<Bytes, WebError>>;

type Sending = BoxFuture<'static, Result<Response<Body>, WebError>>;

/// The way to the web; clones share their connections.
#[derive(Clone)]
pub(crate) struct Web(Arc<dyn Fn(Request<Bytes>) -> Sending + Send + Sync>);

/// Why a request has no response, or a response no end. Never shows an address.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub(crate) enum WebError {
    /// Nobody was there to take the request.
    #[error("it cannot be reached: {0}")]
    Unreachable(String),
    /// The request may have been taken.
    #[error("the connection broke: {0}")]
    Broken(String),
}

impl Web {
    /// The web as this machine reaches it; its proxies are those of the environment. Nothing is
    /// made ready before the first request.
    pub(crate) fn new() -> Web {
        let shared = Arc::new((OnceLock::new(), OnceLock::new()));
        Web(Arc::new(move |request| {
            let shared = shared.clone();
            Box::pin(async move {
                let client = if is_local(request.uri()) {
                    shared.0.get_or_init(|| built(builder().no_proxy()))
                } else {
                    shared.1.get_or_init(|| built(builder()))
                };
                match client {
                    Ok(client) => through(client, request).await,
                    Err(error) => Err(error.clone()),
                }
            })
        }))
    }

    /// A web that consists of one server, reached without a socket.
    #[cfg(test)]
    pub(crate) fn of(router: axum::Router) -> Web {
        use tower::ServiceExt;
        Web(Arc::new(move |request| {
            let router = router.clone();
            Box::pin(async move {
                let Ok(response) = router.oneshot(request.map(axum::body::Body::from)).await;
                Ok(response.map(|body| {
                    let broken = |error: axum::Error| WebError::Broken(innermost(&error));
                    body.into_data_stream().map(move |it| it.map_err(broken)).boxed()
                }))
            })
        }))
    }

    /// Sends a request. Redirects are followed within its origin alone, so that what goes along
    /// with it goes nowhere else; any other comes back as the response that it is.
    pub(crate) async fn send(
        &self,
        mut request: Request<Bytes>,
    ) -> Result<Response<Body>, WebError> {
        let mut hops = 0;
        loop {
            let response = (self.0)(request.clone()).await?;
            match next_address(request.uri(), &response) {
                Some(next) if hops < MOST_HOPS => *request.uri_mut() = next,
                _ => return Ok(response),
            }
            hops += 1;
        }
    }
}

/// Where a response sends its request on to, if that is the same origin.
fn next_address(from: &Uri, response: &Response<Body>) -> Option<Uri> {
    // The method stays what it was, which 303 alone forbids.
    let keeps_method = matches!(
        response.status(),
        StatusCode::MOVED_PERMANENTLY
            | StatusCode::FOUND
            | StatusCode::TEMPORARY_REDIRECT
            | StatusCode::PERMANENT_REDIRECT
    );
    let to = response.headers().get(header::LOCATION).filter(|_| keeps_method)?;
    let from = Url::parse(&from.to_string()).ok()?;
    let to = from.join(to.to_str().ok()?).ok()?;
    (from.origin() == to.origin()).then(|| to.as_str().parse().ok()).flatten()
}

/// Whether an address is of this machine; no proxy leads there.
fn is_local(uri: &Uri) -> bool {
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    let is_loopback = host.parse::<IpAddr>().is_ok_and(|it| it.is_loopback());
    is_loopback || host.eq_ignore_ascii_case("localhost")
}

fn builder() -> ClientBuilder {
    if CryptoProvider::get_default().is_none() {
        // Another thread may have been quicker, with one that serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
    }
    Client::builder()
        .user_agent(concat!("metier/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_PATIENCE)
        .tcp_nodelay(true)
        .tcp_keepalive(KEEP_ALIVE)
        .http2_keep_alive_interval(KEEP_ALIVE)
        .redirect(Policy::none())
}

fn built(builder: ClientBuilder) -> Result<Client, WebError> {
    builder.build().map_err(classed)
}

async fn through(client: &Client, request: Request<Bytes>) -> Result<Response<Body>, WebError> {
    let request = reqwest::Request::try_from(request).map_err(classed)?;
    let mut response = client.execute(request).await.map_err(classed)?;
    let mut head = Response::new(());
    *head.status_mut() = response.status();
    *head.headers_mut() = std::mem::take(response.headers_mut());
    let body = response.bytes_stream().map(|it| it.map_err(classed)).boxed();
    Ok(head.map(|()| body))
}

fn classed(error: reqwest::Error) -> WebError {
    let error = error.without_url();
    let reason = innermost(&error);
    if error.is_connect() || error.is_builder() {
        WebError::Unreachable(reason)
    } else {
        WebError::Broken(reason)
    }
}

/// What went wrong in the end; what is around it says only that something did. The number that the
/// system has for it means nothing to people.
fn innermost(error: &dyn StdError) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    let reason = last.to_string();
    match reason.rsplit_once(" (os error ") {
        Some((words, _)) => words.to_owned(),
        None => reason,
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::innermost;

    #[test]
    fn a_reason_is_told_without_the_number_of_the_system() {
        let absent = io::Error::from_raw_os_error(2);
        let told = innermost(&io::Error::other(absent));
        assert!(!told.is_empty() && !told.contains("os error"), "{told}");
        assert_eq!(innermost(&io::Error::other("no luck")), "no luck");
    }
}
