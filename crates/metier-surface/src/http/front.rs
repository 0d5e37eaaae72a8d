//! The front of a site: who may come in, and where to. Messages to `/mcp` are most of what comes; they
//! take the short way, everything else the routes.

use std::{convert::Infallible, sync::Arc};

use axum::{
    Router,
    extract::{Request, State as Shared},
    http::Method,
    response::Response,
    routing::{get as on_get, post as on_post},
};
use tower::{Service, ServiceExt, service_fn};

use super::{State, Transports, get, guard, legacy_sse, post, probes, reply::Refusal};

/// What operators may ask without a token.
const OPEN: [&str; 2] = ["/healthz", "/readyz"];

/// Everything that is served at a site.
pub(super) fn front(
    state: Arc<State>,
) -> impl Service<Request, Response = Response, Error = Infallible, Future: Send> + Clone + Send + Sync
{
    let routes = routes(&state);
    service_fn(move |request: Request| {
        let (state, routes) = (Arc::clone(&state), routes.clone());
        async move {
            if let Err(Refusal(response)) = admitted(&state, &request) {
                return Ok(*response);
            }
            if is_message(&state, &request) {
                let (head, body) = request.into_parts();
                return Ok(post::post(Shared(state), head.headers, body).await);
            }
            // Rare, and much larger than the other.
            Box::pin(routes.oneshot(request)).await
        }
    })
}

fn admitted(state: &State, request: &Request) -> Result<(), Refusal> {
    guard::expected(&state.site.guard, request)?;
    if OPEN.contains(&request.uri().path()) {
        return Ok(());
    }
    guard::authorized(&state.site.guard, request.headers())
}

fn is_message(state: &State, request: &Request) -> bool {
    state.site.transports == Transports::All
        && request.method() == Method::POST
        && request.uri().path() == "/mcp"
}

fn routes(state: &Arc<State>) -> Router {
    let mcp = match state.site.transports {
        Transports::All => on_post(post::post).get(get::get).delete(get::delete).head(get::head),
        Transports::LegacySse => on_get(legacy_sse::open).head(get::head),
    };
    Router::new()
        .route("/mcp", mcp)
        .route("/sse", on_get(legacy_sse::open).head(get::head))
        .route("/messages", on_post(legacy_sse::deliver))
        .route("/metrics", on_get(probes::metrics))
        .route("/healthz", on_get(probes::health))
        .route("/readyz", on_get(probes::readiness))
        .fallback(probes::nowhere)
        .with_state(Arc::clone(state))
}
