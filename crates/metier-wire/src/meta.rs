//! What a request says of itself in `_meta`.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{error::Error, revision::Revision, text::Text};

/// The key under which a result names the server.
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// The members of `_meta` that matter to a server; all others stay where they are.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Meta<'a> {
    /// The revision that the request follows.
    #[serde(borrow, default, rename = "io.modelcontextprotocol/protocolVersion")]
    pub revision: Option<Text<'a>>,
    /// What the client can do.
    #[serde(borrow, default, rename = "io.modelcontextprotocol/clientCapabilities")]
    pub capabilities: Option<&'a RawValue>,
    /// Under which token the client wants to hear of progress.
    #[serde(borrow, default, rename = "progressToken")]
    pub progress_token: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct WithMeta<'a> {
    #[serde(borrow, default, rename = "_meta")]
    meta: Option<&'a RawValue>,
}

impl<'a> Meta<'a> {
    /// Reads it from the parameters of a request.
    pub fn of(params: Option<&'a RawValue>) -> Result<Meta<'a>, Error> {
        let Some(params) = params else { return Ok(Meta::default()) };
        if !params.get().contains("\"_meta\"") && !params.get().contains('\\') {
            return Ok(Meta::default());
        }
        let malformed = |error| Error::invalid_params(format!("`_meta` is malformed: {error}"));
        let with: WithMeta<'a> = serde_json::from_str(params.get()).map_err(malformed)?;
        match with.meta {
            None => Ok(Meta::default()),
            Some(meta) if meta.get().starts_with('{') => {
                serde_json::from_str(meta.get()).map_err(malformed)
            }
            Some(_) => Err(Error::invalid_params("`_meta` must be an object")),
        }
    }

    /// The revision of a request that says so itself, if it says all that it must.
    pub fn modern(&self) -> Result<Option<Revision>, Error> {
        let (date, capabilities) = match (&self.revision, self.capabilities) {
            (None, None) => return Ok(None),
            (None, Some(_)) => return Err(Meta::missing(PROTOCOL_VERSION)),
            (Some(date), capabilities) => (&*date.0, capabilities),
        };
        let revision = Revision::named(date).filter(|it| *it == Revision::V2026_07_28);
        let Some(revision) = revision else { return Err(Error::unsupported_revision(date)) };
        match capabilities {
            Some(capabilities) if capabilities.get().starts_with('{') => Ok(Some(revision)),
            Some(_) => Err(Error::invalid_params(format!(
                "`_meta[\"{CLIENT_CAPABILITIES}\"]` must be an object"
            ))),
            None => Err(Meta::missing(CLIENT_CAPABILITIES)),
        }
    }

    /// What a request without session gets that does not say enough of itself.
    #[must_use]
    pub fn absent() -> Error {
        Meta::missing(PROTOCOL_VERSION)
    }

    fn missing(key: &str) -> Error {
        Error::invalid_params(format!("`_meta[\"{key}\"]` is missing"))
    }
}
