//! Skills of servers: loaded and read when somebody asks, and held to what was listed.

use std::{fmt, sync::Arc};

use metier_upstreams::{Files, Roster, ServerName, SkillContent};
use metier_wire::{Era, Error};

use super::{
    Gateway,
    inside::{Inside, file_at, is_headed},
    journey::{Parcel, Target, explained},
    things::era as era_of,
};
use crate::{
    call::Call,
    library::not_of_a_skill,
    responder::{Body, Done},
    served::{Origin, Served},
    text::{Line, Visible},
    tools::{Blob, Order, Reply},
};

impl Gateway {
    /// Reads a file of a skill as a resource. What comes is held to what was listed, and passed on as
    /// it was sent but for its URI.
    pub(super) async fn read_file(
        self: Arc<Self>,
        file: Inside,
        parcel: Parcel,
        call: Call,
    ) -> Done {
        let era = call.era();
        file.listed(era)?;
        let thing = file.thing(era_of(&self.shelf().roster, &file.server));
        let read = Arc::clone(&self).run(Target::Things(vec![thing]), parcel, call).await;
        let body = read.inspect_err(|error| {
            // Our own errors say that there was no answer.
            if error.code != Error::INTERNAL {
                self.upstreams.doubt(&file.server);
            }
        })?;
        self.hold(&file, body)
    }

    /// What was read of a URI that was of no listed skill, by what is listed now: the request may have
    /// waited, and the server have said more meanwhile.
    pub(super) fn looked_at_again(
        &self,
        uri: &str,
        before: &Arc<Roster>,
        (body, era): (Body, Era),
    ) -> Done {
        let now = self.upstreams.roster();
        if Arc::ptr_eq(before, &now) {
            return Ok(body);
        }
        match file_at(&now, uri)? {
            Some(file) => file.listed(era).and_then(|()| self.hold(&file, body)),
            None => Ok(body),
        }
    }

    fn hold(&self, file: &Inside, body: Body) -> Done {
        file.held(body).map_err(|error| {
            tracing::warn!(server = %file.server, %error, "a file of a skill is not what was listed");
            self.upstreams.doubt(&file.server);
            Error::internal(error.to_string())
        })
    }

    /// Which server a URI of a skill names that is not listed, and what it is called there.
    pub(crate) fn skill_at(&self, uri: &str) -> Option<(ServerName, String)> {
        let shelf = self.shelf();
        let route = shelf.roster.resources().routes(uri).into_iter().next()?;
        let is_prefixed = *route.uri != *uri && uri.ends_with("/SKILL.md");
        is_prefixed.then(|| (route.server.clone(), route.uri.into_owned()))
    }

    /// Asks a server what it says of a skill now, which clients know by a URI.
    pub(crate) async fn get_skill(
        &self,
        (server, own): (ServerName, String),
        shown: &str,
    ) -> Result<Served, Error> {
        let skill = self.upstreams.get_skill(&server, &own, Arc::new(())).await;
        let skill = Arc::new(skill.map_err(|error| explained(&error))?);
        let root = shown.strip_suffix("/SKILL.md").unwrap_or(shown).to_owned();
        Ok(Served { id: root.clone(), root, server, skill })
    }

    /// Fills an order for a skill of a server.
    pub(crate) async fn fetch_skill(&self, served: &Served, order: &Order, call: &Call) -> Done {
        match order {
            Order::Read { path, .. } => self.read_served(served, path.as_deref(), call).await,
            _ => self.load_skill(served, call).await,
        }
    }

    /// Loads a skill.
    async fn load_skill(&self, served: &Served, call: &Call) -> Done {
        let read = self.read_skill(served, "SKILL.md").await.and_then(|content| {
            let text = String::from_utf8(content.bytes)
                .map_err(|_| format!("SKILL.md of skill '{}' is not UTF-8.", served.id))?;
            if is_headed(text.as_bytes(), &served.skill) {
                Ok(text)
            } else {
                Err(format!(
                    "Skill '{}' is not loaded: its frontmatter is not what server `{}` listed. \
                     Its owner must mend that.",
                    served.id, served.server
                ))
            }
        });
        Ok(Body::plain(reply(call, |reply| match read {
            Ok(text) => reply.text(format_args!("{}\n{text}", Origin(served))),
            Err(refusal) => reply.refusal(refusal),
        })))
    }

    /// Reads a file of a skill, or lists its files.
    async fn read_served(&self, served: &Served, path: Option<&str>, call: &Call) -> Done {
        let Some(path) = path else {
            return Ok(Body::plain(reply(call, |reply| reply.text(FileList(served)))));
        };
        let read = self.read_skill(served, path).await;
        Ok(Body::plain(reply(call, |reply| match read {
            Ok(SkillContent { bytes, mime_type, .. }) => match String::from_utf8(bytes) {
                Ok(text) => reply.text(text),
                Err(error) => reply.blob(Blob {
                    uri: format!("{}/{path}", served.root),
                    mime_type: mime_type.as_deref().unwrap_or("application/octet-stream"),
                    bytes: error.as_bytes(),
                }),
            },
            Err(refusal) => reply.refusal(refusal),
        })))
    }

    async fn read_skill(&self, served: &Served, path: &str) -> Result<SkillContent, String> {
        let uri = served.uri_of(path);
        if let Some(reason) = served.skill.unclean(&uri) {
            return Err(format!("{}.", not_of_a_skill(&uri, reason)));
        }
        let read = self.upstreams.read_skill(&served.server, &served.skill, &uri, Arc::new(()));
        read.await.map_err(|error| {
            tracing::warn!(skill = served.id, path = %Line(path, 200), %error, "a skill is not read");
            format!("File '{}' of skill '{}': {error}.", Line(path, 200), served.id)
        })
    }
}

fn reply(call: &Call, write: impl FnOnce(Reply<'_>)) -> Vec<u8> {
    let mut out = Vec::new();
    write(Reply { era: call.era(), out: &mut out });
    out
}

/// The files of a skill, one a line.
struct FileList<'a>(&'a Served);

impl fmt::Display for FileList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let served = self.0;
        write!(f, "Files of skill '{}' in {}", Visible(&served.id), Visible(&served.root))?;
        match &served.skill.files {
            Files::Listed(files) => files.iter().try_for_each(|file| {
                let path = served.path_of(&file.uri);
                write!(f, "\n- {} ({} bytes)", Visible(path), file.size)
            }),
            Files::Dynamic => {
                write!(f, "\n- SKILL.md\nIts server does not say which others there are.")
            }
        }
    }
}
