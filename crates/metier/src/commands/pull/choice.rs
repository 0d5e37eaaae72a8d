//! Which skills are meant: all of a server, some of it, or one by its URI.

use std::{collections::HashMap, sync::Arc};

use metier_upstreams::{
    CallError, Endpoint, Fallback, Offer, Roster, Secrets, ServedSkill, Server, ServerName,
    ServerSpec, Site, Upstreams,
};
use tokio::time::timeout;
use url::Url;

use super::fetch::Wanted;
use crate::{
    failure::{Exit, Failure},
    hub::{Known, absence, failure},
    similar::similar,
    ui::{counted, cut},
    view::quoted,
};

/// What the URI of every skill ends in.
const SKILL_FILE: &str = "/SKILL.md";
/// The request for all skills of a server.
const LIST: &str = "skills/list";
/// The code by which servers say that they have no such skill.
const INVALID_PARAMS: i64 = -32602;
/// How many entries that break a rule are told to someone who asked for another.
const MOST_DETAILS: usize = 5;

/// Where skills are pulled from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A server by its name.
    Server(String),
    /// A server by its address.
    Site(Url),
    /// A skill of any server.
    Uri(String),
}

impl Source {
    /// Takes what a person writes for what it looks like.
    pub(super) fn read(text: &str) -> Source {
        let url = Url::parse(text).ok().filter(|it| matches!(it.scheme(), "http" | "https"));
        match url {
            Some(url) if !url.path().ends_with(SKILL_FILE) => Source::Site(url),
            _ if text.contains("://") => Source::Uri(text.to_owned()),
            _ => Source::Server(text.to_owned()),
        }
    }

    /// Whether something may be meant that is in the part of a server's list that was not read.
    pub(super) fn is_short_of(&self, server: &Server, asked: &[String]) -> bool {
        let offer = server.standing.offer.as_ref().filter(|it| it.gap(LIST).is_some());
        let lacks = |offer: &Arc<Offer>| {
            let is_listed =
                |asked: &str| offer.skills.iter().any(|it| it.name.eq_ignore_ascii_case(asked));
            let mut named = asked.iter().filter(|it| !it.contains("://"));
            asked.is_empty() || named.any(|it| !is_listed(it))
        };
        !matches!(self, Source::Uri(_)) && offer.is_some_and(lacks)
    }
}

/// What is known when the lists of a server that were not read whole have been asked for once more,
/// with more time.
pub(super) async fn listed_again(upstreams: &Upstreams, server: &Server) -> Option<Arc<Roster>> {
    let is_other = |now: &Arc<Roster>| {
        let now = now.server(server.name()).and_then(|it| it.standing.offer.as_ref());
        match (now, &server.standing.offer) {
            (Some(now), Some(before)) => !Arc::ptr_eq(now, before),
            _ => true,
        }
    };
    let mut rosters = upstreams.rosters();
    let listed = timeout(server.spec.connect_timeout.saturating_mul(2), rosters.wait_for(is_other));
    listed.await.ok()?.ok().map(|it| Arc::clone(&it))
}

/// The server at an address, named by its host and port.
pub(super) fn server_at(url: &Url) -> Result<ServerSpec, Failure> {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).replace(':', "-");
    let name = match url.port() {
        Some(port) => format!("{host}-{port}"),
        None => host,
    };
    let name = ServerName::new(&name).map_err(|error| {
        let hint = "`metier add NAME URL` gives it a name, then `metier pull NAME`";
        Failure::new(Exit::Usage, error).hinted(hint)
    })?;
    let site = Site { url: url.clone(), headers: Secrets::default() };
    Ok(ServerSpec::new(name, Endpoint::Http { site, fallback: Fallback::LegacySse }))
}

/// Which servers have skills.
pub(super) fn invitation(roster: &Roster) -> Failure {
    let mut counts = HashMap::new();
    for (server, _) in roster.skills() {
        *counts.entry(server.as_str()).or_insert(0) += 1;
    }
    let having = roster.servers().filter_map(|it| {
        let name = it.name().as_str();
        let gap = it.standing.offer.as_ref().and_then(|it| it.gap(LIST));
        let rest = gap.map(|it| format!(", and its list cannot be read whole: {it}"));
        match (counts.get(name), rest) {
            (None, None) => None,
            (n, rest) => {
                let skills = counted(n.copied().unwrap_or_default(), "skill");
                Some((name, format!("{name}: {skills}{}", rest.unwrap_or_default())))
            }
        }
    });
    let having: Vec<(&str, String)> = having.collect();
    let failure = Failure::new(Exit::Usage, "no server is named");
    match having.first() {
        None => failure.hinted("none that can be asked has skills; `metier servers` lists them"),
        Some((first, _)) => failure
            .detailed(having.iter().map(|(_, it)| it.clone()).collect())
            .hinted(format!("`metier pull {first}` fetches all of its skills")),
    }
}

/// Asks servers for what a person means.
pub(super) struct Choice<'a> {
    pub(super) known: &'a Known,
    pub(super) roster: &'a Roster,
    pub(super) upstreams: &'a Upstreams,
}

impl Choice<'_> {
    /// Whether all servers can be asked.
    pub(super) fn expect_ready(&self) -> Result<(), Failure> {
        let absent = self.roster.servers().find_map(|it| absence(it, self.known));
        absent.map_or(Ok(()), Err)
    }

    /// The skills of the server that is the only one, all or those that are named.
    pub(super) async fn of_server(&self, asked: &[String]) -> Result<Vec<Wanted>, Failure> {
        let Some(server) = self.roster.servers().next() else { return Ok(Vec::new()) };
        let Some(offer) = &server.standing.offer else { return Ok(Vec::new()) };
        let wanted = |skill: &Arc<ServedSkill>| Wanted {
            server: server.name().clone(),
            skill: Arc::clone(skill),
        };
        if let Some(reason) = offer.gap(LIST).filter(|_| asked.is_empty()) {
            return Err(half_read(server.name(), reason));
        }
        if asked.is_empty() && offer.skills.is_empty() && offer.unfit_skills.is_empty() {
            return Err(without_skills(server));
        }
        if asked.is_empty() {
            return Ok(offer.skills.iter().map(wanted).collect());
        }
        let mut chosen: Vec<Wanted> = Vec::new();
        for asked in asked {
            let found = match asked.contains("://") {
                true => self.at(server.name(), asked).await?,
                false => wanted(named(server.name(), offer, asked)?),
            };
            if !chosen.iter().any(|it| it.skill.uri == found.skill.uri) {
                chosen.push(found);
            }
        }
        Ok(chosen)
    }

    /// The skill of any server that a URI means: one that clients of ours know, or a server's own.
    pub(super) async fn of_any(&self, uri: &str) -> Result<Wanted, Failure> {
        let root = uri.strip_suffix(SKILL_FILE).unwrap_or(uri);
        let all = || self.roster.skills();
        let mut found: Vec<_> = all().filter(|(it, skill)| skill.root_at(it) == root).collect();
        if found.is_empty() {
            found = all().filter(|(_, skill)| skill.root() == root).collect();
        }
        match found.as_slice() {
            [(server, skill)] => Ok(Wanted { server: (*server).clone(), skill: Arc::clone(skill) }),
            [] => {
                let uri = format!("{root}{SKILL_FILE}");
                match self.roster.resources().routes(&uri).as_slice() {
                    [route] => self.get(route.server, &route.uri).await,
                    _ => Err(missing(&uri)),
                }
            }
            several => {
                let names = quoted(several.iter().map(|(it, _)| it.as_str()), "and");
                let message = format!("`{}` is ambiguous: {names} have it", cut(uri, 200));
                Err(Failure::new(Exit::NotFound, message)
                    .hinted(format!("`metier pull SERVER {uri}` names the server")))
            }
        }
    }

    /// The skill that a URI means to a server; it need not be listed.
    async fn at(&self, server: &ServerName, uri: &str) -> Result<Wanted, Failure> {
        let root = uri.strip_suffix(SKILL_FILE).unwrap_or(uri);
        let own = self.roster.skills().filter(|(it, _)| *it == server);
        let mut means = own.filter(|(_, it)| it.root() == root || it.root_at(server) == root);
        match means.next() {
            Some((_, skill)) => Ok(Wanted { server: server.clone(), skill: Arc::clone(skill) }),
            None => self.get(server, &format!("{root}{SKILL_FILE}")).await,
        }
    }

    /// What a server says of a skill that it does not list.
    async fn get(&self, server: &ServerName, uri: &str) -> Result<Wanted, Failure> {
        match self.upstreams.get_skill(server, uri, Arc::new(())).await {
            Ok(skill) => Ok(Wanted { server: server.clone(), skill: Arc::new(skill) }),
            Err(CallError::Refused { error, .. }) if error.code == INVALID_PARAMS => {
                Err(missing(uri))
            }
            Err(error) => Err(failure(&error, self.known)),
        }
    }
}

/// The skill that a server calls so.
fn named<'a>(
    server: &ServerName,
    offer: &'a Offer,
    asked: &str,
) -> Result<&'a Arc<ServedSkill>, Failure> {
    let skills = &offer.skills;
    let called: Vec<_> = skills.iter().filter(|it| it.name.eq_ignore_ascii_case(asked)).collect();
    match (called.as_slice(), offer.gap(LIST)) {
        ([only], _) => Ok(only),
        ([], Some(reason)) => Err(half_read(server, reason)),
        ([], None) => {
            let names: Vec<String> = skills.iter().map(|it| it.name.to_string()).collect();
            let hint = match similar(asked, &names).as_slice() {
                [] => "--dry-run without names lists what it has".to_owned(),
                some => format!("did you mean {}?", quoted(some.iter().copied(), "or")),
            };
            let message = format!("server `{server}` has no skill `{}`", cut(asked, 64));
            let unfit = offer.unfit_skills.iter().take(MOST_DETAILS);
            let details = unfit.map(|it| format!("left out: {it}")).collect();
            Err(Failure::new(Exit::NotFound, message).detailed(details).hinted(hint))
        }
        (several, _) => {
            let uris = quoted(several.iter().map(|it| &*it.uri), "or");
            let message = format!("`{}` is ambiguous: it could be {uris}", cut(asked, 64));
            Err(Failure::new(Exit::NotFound, message)
                .hinted("write one of these URIs in its place"))
        }
    }
}

fn missing(uri: &str) -> Failure {
    Failure::new(Exit::NotFound, format!("no server has the skill `{}`", cut(uri, 200)))
        .hinted("`metier pull SERVER --dry-run` lists what a server has")
}

/// What a server has is known in part, and who wants all of it, or something else, needs the rest.
fn half_read(server: &ServerName, reason: &str) -> Failure {
    let message = format!("the list of skills of server `{server}` cannot be read whole: {reason}");
    Failure::new(Exit::Failed, message)
        .hinted("pull again later, or one of them by its URI: `metier pull SERVER URI`")
}

fn without_skills(server: &Server) -> Failure {
    let message = format!("server `{}` lists no skills", server.name());
    Failure::new(Exit::NotFound, message)
        .hinted("one that is not listed is pulled by its URI: `metier pull SERVER URI`")
}

#[cfg(test)]
mod tests;
