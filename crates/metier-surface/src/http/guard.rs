//! Who may come in: for which host, from which page, with which token.

use std::net::IpAddr;

use axum::{
    extract::Request,
    http::{
        HeaderMap, HeaderValue, StatusCode, Uri,
        header::{AUTHORIZATION, HOST, ORIGIN, WWW_AUTHENTICATE},
        uri::Authority,
    },
};
use subtle::ConstantTimeEq;

use super::{
    reply::{self, Refusal},
    request::text,
};

/// The names by which a machine calls itself.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// Who may come in.
#[derive(Clone)]
pub struct Guard {
    names: Vec<String>,
    takes_addresses: bool,
    token: Option<String>,
}

impl Guard {
    /// Guards a server that is bound to `address`, known also by `names`.
    #[must_use]
    pub fn new(address: IpAddr, names: &[String], token: Option<String>) -> Guard {
        let known = LOOPBACK.iter().map(|name| (*name).to_owned()).chain(names.iter().cloned());
        Guard {
            names: known.map(|name| name.to_ascii_lowercase()).collect(),
            // A page can make its own name mean this machine, but not a bare address.
            takes_addresses: !address.is_loopback(),
            token,
        }
    }

    /// Whether a request means this host and comes from none or from one of its pages.
    fn is_expected(&self, target: &Uri, headers: &HeaderMap) -> Result<(), &'static str> {
        // What stands in the target counts before the header; HTTP/2 has nothing else.
        let host = target.authority().map(Authority::as_str).or_else(|| text(headers, HOST));
        let host = host.unwrap_or_default();
        if !self.is_known(host) {
            return Err("this host is not served: see --allow-host");
        }
        let is_ours = |origin: &HeaderValue| {
            let origin = origin.to_str().unwrap_or_default();
            let page = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
            page.is_some_and(|it| self.is_named(it) || without_port(it) == without_port(host))
        };
        match headers.get_all(ORIGIN).iter().all(is_ours) {
            true => Ok(()),
            false => Err("requests from this origin are not served: see --allow-host"),
        }
    }

    /// Whether a request has the token, if one is asked for.
    fn is_authorized(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.token else { return true };
        let given = headers.get(AUTHORIZATION).map(HeaderValue::as_bytes).unwrap_or_default();
        let (scheme, given) = given.split_at_checked("Bearer ".len()).unwrap_or_default();
        scheme.eq_ignore_ascii_case(b"Bearer ")
            && bool::from(given.trim_ascii().ct_eq(token.as_bytes()))
    }

    fn is_known(&self, host: &str) -> bool {
        let is_address = || without_port(host).is_some_and(|it| it.parse::<IpAddr>().is_ok());
        self.is_named(host) || (self.takes_addresses && is_address())
    }

    fn is_named(&self, host: &str) -> bool {
        let name = without_port(host);
        name.is_some_and(|name| self.names.iter().any(|known| known.eq_ignore_ascii_case(name)))
    }
}

impl std::fmt::Debug for Guard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Guard").field("names", &self.names).finish_non_exhaustive()
    }
}

/// Lets in only requests for this host, and from no foreign page.
pub(super) fn expected(guard: &Guard, request: &Request) -> Result<(), Refusal> {
    let refuse = |reason| reply::refusal(StatusCode::FORBIDDEN, reason).into();
    guard.is_expected(request.uri(), request.headers()).map_err(refuse)
}

/// Lets in only who knows the token, if there is one.
pub(super) fn authorized(guard: &Guard, headers: &HeaderMap) -> Result<(), Refusal> {
    if guard.is_authorized(headers) {
        return Ok(());
    }
    let reason = "a bearer token is needed: send `Authorization: Bearer …`";
    let mut response = reply::refusal(StatusCode::UNAUTHORIZED, reason);
    response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    Err(response.into())
}

/// `[::1]:80` → `::1`, `localhost:80` → `localhost`.
fn without_port(host: &str) -> Option<&str> {
    let (name, port) = match host.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?,
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    (is_port(port) && !name.is_empty()).then_some(name)
}

fn is_port(text: &str) -> bool {
    text.strip_prefix(':').map_or(text.is_empty(), |port| {
        !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
    })
}
