//! The door before the routes: who does not come in costs no more than a look at the headers.

use std::{
    convert::Infallible,
    future::{Ready, ready},
    sync::Arc,
    task::{Context, Poll},
};

use axum::{extract::Request, http::HeaderMap, response::Response};
use futures_util::future::Either;
use tower::{Layer, Service};

use super::{State, guard::Guard, reply::Refusal};

/// What a guard makes of a request.
type Look = fn(&Guard, &HeaderMap) -> Result<(), Refusal>;

/// A door, or what lies behind it.
#[derive(Clone)]
pub(super) struct Door<S = ()> {
    state: Arc<State>,
    look: Look,
    inner: S,
}

impl Door {
    /// A door for what will be put behind it.
    pub(super) fn before(state: &Arc<State>, look: Look) -> Door {
        Door { state: Arc::clone(state), look, inner: () }
    }
}

impl<S> Layer<S> for Door {
    type Service = Door<S>;

    fn layer(&self, inner: S) -> Door<S> {
        Door { state: Arc::clone(&self.state), look: self.look, inner }
    }
}

impl<S: Service<Request, Response = Response, Error = Infallible>> Service<Request> for Door<S> {
    type Response = Response;
    type Error = Infallible;
    type Future = Either<S::Future, Ready<Result<Response, Infallible>>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        match (self.look)(&self.state.guard, request.headers()) {
            Ok(()) => Either::Left(self.inner.call(request)),
            Err(Refusal(response)) => Either::Right(ready(Ok(*response))),
        }
    }
}
