//! Remotes: an address, the way to it, and what goes along with every request.

use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Response, Uri,
    header::{AUTHORIZATION, CONTENT_TYPE},
};
use url::Url;

use super::Failed;
use crate::{
    spec::Site,
    web::{Body, Web, WebError},
};

/// An address, the way to it, and what goes along with every request.
#[derive(Clone)]
pub(crate) struct Remote {
    web: Web,
    url: Url,
    uri: Uri,
    headers: HeaderMap,
}

/// What a body says that it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Json,
    Events,
    Text,
    Other,
}

impl Remote {
    pub(crate) fn new(site: &Site, web: Web) -> Result<Remote, Failed> {
        if !matches!(site.url.scheme(), "http" | "https") {
            let scheme = site.url.scheme();
            return Err(Failed::Unsent(format!("`{scheme}` is no way to a server: use `https`")));
        }
        let mut headers = HeaderMap::new();
        for (name, value) in &site.headers.0 {
            let (name, value) = header(name, value)?;
            headers.insert(name, value);
        }
        let mut url = site.url.clone();
        if let Some(value) = credentials(&mut url) {
            headers.entry(AUTHORIZATION).or_insert(value);
        }
        Remote { web, uri: Uri::default(), url: url.clone(), headers }.at(url)
    }

    /// The same, at another address of the same origin.
    pub(crate) fn at(&self, url: Url) -> Result<Remote, Failed> {
        if url.origin() != self.url.origin() {
            let origin = url.origin().ascii_serialization();
            return Err(Failed::Unsent(format!("it sends us to another origin, `{origin}`")));
        }
        let uri = url.as_str().parse();
        let uri = uri.map_err(|_| Failed::Unsent("its address is too long".to_owned()))?;
        Ok(Remote { url, uri, ..self.clone() })
    }

    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// Whether requests say who asks.
    pub(crate) fn is_authorized(&self) -> bool {
        self.headers.contains_key(AUTHORIZATION)
    }

    /// Sends a request; `headers` count before those that go along with every one.
    pub(crate) async fn send(
        &self,
        method: Method,
        headers: HeaderMap,
        body: Vec<u8>,
    ) -> Result<Response<Body>, Failed> {
        let mut request = Request::new(Bytes::from(body));
        *request.method_mut() = method;
        *request.uri_mut() = self.uri.clone();
        *request.headers_mut() = self.headers.clone();
        request.headers_mut().extend(headers);
        Ok(self.web.send(request).await?)
    }
}

impl From<WebError> for Failed {
    fn from(error: WebError) -> Failed {
        match &error {
            WebError::Unreachable(_) => Failed::Unsent(error.to_string()),
            WebError::Broken(_) => Failed::Lost(error.to_string()),
        }
    }
}

impl Kind {
    pub(crate) fn of(headers: &HeaderMap) -> Kind {
        let value = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or_default();
        let essence = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match &*essence {
            "text/event-stream" => Kind::Events,
            "text/plain" => Kind::Text,
            json if json.ends_with("/json") || json.ends_with("+json") => Kind::Json,
            _ => Kind::Other,
        }
    }
}

/// A header that someone wrote down; its value is never shown.
pub(crate) fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), Failed> {
    let Ok(key) = HeaderName::try_from(name) else {
        return Err(Failed::Unsent(format!("`{name}` is not the name of a header")));
    };
    let Ok(mut value) = HeaderValue::try_from(value) else {
        return Err(Failed::Unsent(format!("the value of header `{name}` cannot be sent")));
    };
    value.set_sensitive(true);
    Ok((key, value))
}

/// Takes user and password out of an address, as the header that says the same.
fn credentials(url: &mut Url) -> Option<HeaderValue> {
    if url.username().is_empty() && url.password().is_none() {
        return None;
    }
    let plain = |text: &str| percent_decoded(text);
    let mut pair = plain(url.username());
    pair.push(b':');
    pair.extend(plain(url.password().unwrap_or_default()));
    url.set_username("").ok()?;
    url.set_password(None).ok()?;
    let mut value = HeaderValue::try_from(format!("Basic {}", STANDARD.encode(pair))).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// A text without percent-encoding.
pub(crate) fn percent_decoded(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        out.extend_from_slice(before.as_bytes());
        let byte = after.get(..2).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        out.push(byte.unwrap_or(b'%'));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    out.extend_from_slice(rest.as_bytes());
    out
}
