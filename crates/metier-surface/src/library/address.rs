//! Addresses: the URIs of the skills of this machine and of their files.
//!
//! A skill is at `skill://~/provider/name`, one of a plugin at
//! `skill://~/provider/plugin@marketplace/name`, and one within another below that other. No server can
//! be called `~`, so nobody else's skill can have such a URI.

use std::{fmt::Write, path::Path};

use metier_skills::{Owner, SKILL_FILE, Skill, Source};
use metier_upstreams::uri::{LOCAL_SKILLS, local_path};

/// The longest URI that is looked at.
const LONGEST: usize = 8 << 10;

/// Where something is among the skills of this machine, in parts without percent-encoding; the name of
/// a skill may have slashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address(Vec<String>);

impl Address {
    /// Reads a URI; none if it cannot be one of a skill of this machine.
    pub(crate) fn of(uri: &str) -> Option<Address> {
        local_path(uri).ok().filter(|_| uri.len() <= LONGEST).map(Address)
    }

    /// All its parts as they are written in a URI.
    pub(crate) fn whole(&self) -> String {
        joined(&self.0)
    }

    /// Its first parts, at most so many, as they are written in a URI, from most to least, each with
    /// the rest.
    pub(crate) fn splits(&self, most: usize) -> impl Iterator<Item = (String, &[String])> {
        let cut = |at: usize| (joined(&self.0[..at]), &self.0[at..]);
        (1..=self.0.len().min(most)).rev().map(cut)
    }
}

/// The URI of a path, given as it is written in one.
pub(crate) fn uri(path: &str) -> String {
    format!("{LOCAL_SKILLS}/{path}")
}

/// The places that a skill may have, best first; the last ones are endless.
pub(super) fn candidates(skill: &Skill) -> impl Iterator<Item = String> {
    let name = skill.name();
    let named = skill.places().map(move |source| format!("{}/{}", shelf(source), encoded(name)));
    let provider = encoded(skill.provider());
    let numbered = (2..).map(move |n: usize| format!("{provider}/@{n}/{}", encoded(name)));
    named.chain(numbered)
}

/// The place of a skill within another, whose folder and place these are; none if its folder is not
/// called as it is.
pub(super) fn within(skill: &Skill, (folder, place): (&Path, &str)) -> Option<String> {
    let below = skill.folder.strip_prefix(folder).ok()?;
    let parts: Vec<String> =
        below.iter().map(|it| it.to_str().map(encoded)).collect::<Option<_>>()?;
    let is_named = skill.file_name == SKILL_FILE && below.file_name()? == skill.name();
    is_named.then(|| format!("{place}/{}", parts.join("/")))
}

/// Where the skills of a source are.
fn shelf(source: &Source) -> String {
    let provider = encoded(&source.provider);
    match &source.plugin {
        None => provider,
        Some(Owner { plugin, .. }) => {
            let marketplace = plugin.marketplace.as_deref().unwrap_or_default();
            format!("{provider}/{}@{}", encoded(&plugin.name), encoded(marketplace))
        }
    }
}

/// Parts of a path as they are written in a URI.
pub(crate) fn joined(parts: &[String]) -> String {
    parts.iter().map(|it| encoded(it)).collect::<Vec<_>>().join("/")
}

/// One part of a path as it is written in a URI.
pub(crate) fn encoded(part: &str) -> String {
    let mut out = String::with_capacity(part.len());
    for byte in part.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'@' => {
                out.push(char::from(byte));
            }
            // A `String` takes everything.
            other => drop(write!(out, "%{other:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Address, encoded, joined, uri};

    #[track_caller]
    fn check(uri: &str, expected: Option<&[&str]>) {
        let found = Address::of(uri).map(|it| it.0);
        assert_eq!(
            found,
            expected.map(|it| it.iter().map(|it| (*it).to_owned()).collect()),
            "{uri}"
        );
    }

    #[test]
    fn an_address_is_the_same_however_it_is_encoded() {
        check("skill://~/a/b%20c.md", Some(&["a", "b c.md"]));
        check("skill://~/a/b c.md", Some(&["a", "b c.md"]));
        check("skill://~/%61/%C3%BC", Some(&["a", "ü"]));
        check("skill://~/a/100%", Some(&["a", "100%"]));
        check("SKILL://%7E/a/b", Some(&["a", "b"]));
        check("skill://~/a%2Fb/c", Some(&["a/b", "c"]));
        check("skill://~", Some(&[]));
    }

    #[test]
    fn what_could_lead_elsewhere_is_no_address() {
        for uri in [
            "skill://~/a/../b",
            "skill://~/a/%2e%2E/b",
            "skill://~/a//b",
            "skill://~/a/",
            "skill://~/%ff",
            "skill://~x/a",
            "skill://other/a",
            "file:///a",
        ] {
            check(uri, None);
        }
        check(&format!("skill://~/{}", "a/".repeat(5_000)), None);
    }

    proptest! {
        #[test]
        fn every_name_comes_back_from_its_uri(parts in prop::collection::vec("(?s).{1,8}", 1..5)) {
            prop_assume!(parts.iter().all(|it| it != "." && it != ".."));
            let written = joined(&parts);
            prop_assert!(written.bytes().all(|it| it.is_ascii_graphic()));
            prop_assert_eq!(Address::of(&uri(&written)), Some(Address(parts)));
        }

        #[test]
        fn an_encoded_name_has_nothing_that_ends_a_path(name in ".{0,12}") {
            prop_assert!(!encoded(&name).contains(['/', '?', '#', ' ', '%']) || encoded(&name).contains('%'));
        }
    }
}
