//! The result of `tools/list`: tools for skills, then those of servers.

use std::sync::Arc;

use metier_wire::{Era, SERVER_INFO, write};

use crate::{
    client::Client,
    gateway::{Gateway, Shelf},
    offer::Offer,
    responder::{Implementation, Meta},
};

/// For how long a client may serve a list from memory if it hears of no changes.
const CACHE: &[u8] = br#","ttlMs":5000,"cacheScope":"private""#;
/// The member of `_meta` that names every metier through which the list came.
const INSTANCES: &str = "metier/instances";

/// The list that one client sees.
pub(crate) struct ToolList {
    pub(crate) server: Implementation,
    pub(crate) gateway: Option<Arc<Gateway>>,
    pub(crate) client: Arc<Client>,
}

impl ToolList {
    /// Appends the whole result.
    pub(crate) fn write(
        &self,
        offer: &Offer,
        shelf: Option<&Shelf>,
        era: Era,
        out: &mut Vec<u8>,
    ) -> Meta {
        out.extend_from_slice(match era {
            Era::Legacy => br#"{"tools":["#.as_slice(),
            Era::Modern => br#"{"resultType":"complete","tools":["#,
        });
        let own = offer.definitions();
        out.extend_from_slice(own);
        let (Some(gateway), Some(shelf)) = (&self.gateway, shelf) else {
            out.push(b']');
            close(era, out);
            out.push(b'}');
            return Meta::Absent;
        };
        let others = gateway.tools(shelf, era, &self.client);
        if !own.is_empty() && !others.is_empty() {
            out.push(b',');
        }
        out.extend_from_slice(&others);
        out.push(b']');
        close(era, out);
        self.write_meta(shelf, era, out);
        Meta::Own
    }

    fn write_meta(&self, shelf: &Shelf, era: Era, out: &mut Vec<u8>) {
        out.extend_from_slice(br#","_meta":{"#);
        if era == Era::Modern {
            write::json(out, SERVER_INFO);
            out.push(b':');
            write::json(out, &self.server);
            out.push(b',');
        }
        write::json(out, INSTANCES);
        out.push(b':');
        out.extend_from_slice(shelf.instances.as_bytes());
        out.extend_from_slice(b"}}");
    }
}

fn close(era: Era, out: &mut Vec<u8>) {
    if era == Era::Modern {
        out.extend_from_slice(CACHE);
    }
}
