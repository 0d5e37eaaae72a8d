//! URIs of skills in one form: what is one thing stays one thing, however it is spelled.
//!
//! Scheme and authority are compared in lower case, and all parts without percent-encoding (RFC 3986,
//! 6.2.2). What others could take for something else once it is decoded or resolved has no such form.

use thiserror::Error;

/// The scheme of skills.
const SKILL: &str = "skill";
/// What the URIs of skills begin with that are no server's: no name of a server has a `~`.
pub const LOCAL_SKILLS: &str = "skill://~";

/// A URI in the form by which it is told from others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NormalUri {
    scheme: String,
    /// The authority, then the parts of the path, all without percent-encoding.
    parts: Vec<String>,
}

/// Why a URI has no such form.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum Unclean {
    /// It is not written `scheme://authority`.
    #[error("it must begin with a scheme, `://` and an authority")]
    Begin,
    /// Its authority says more than a name.
    #[error("its authority has a user or a port")]
    Authority,
    /// A part is empty, or leads elsewhere.
    #[error("a part of its path is empty, `.` or `..`")]
    Part,
    /// A part would be several once it is decoded.
    #[error("a part of its path has an encoded slash, backslash or control character")]
    Slash,
    /// Something is encoded that is not text.
    #[error("its percent-encoding is not UTF-8")]
    Encoding,
    /// It says more than where something is.
    #[error("it has a query or a fragment")]
    Query,
    /// It has characters that some read and others drop.
    #[error("it has a backslash, a control character, or blanks around it")]
    Character,
}

impl NormalUri {
    /// The one form of a URI.
    pub fn of(uri: &str) -> Result<NormalUri, Unclean> {
        let (scheme, parts) = split(uri)?;
        match () {
            () if parts.iter().any(|it| it.contains(is_odd)) => Err(Unclean::Slash),
            () if parts[0].contains(['@', ':']) => Err(Unclean::Authority),
            () => Ok(NormalUri { scheme, parts }),
        }
    }

    /// Its parts below a folder, however that is spelled; none if it is not below it.
    #[must_use]
    pub fn below(&self, folder: &str) -> Option<&[String]> {
        let (scheme, _) = folder.split_once("://")?;
        self.path_below(folder).filter(|_| self.scheme.eq_ignore_ascii_case(scheme))
    }

    /// The same, whatever the schemes of both are.
    #[must_use]
    pub fn path_below(&self, folder: &str) -> Option<&[String]> {
        let (_, folder) = folder.split_once("://")?;
        let mut rest = self.parts.as_slice();
        for (at, part) in folder.split('/').enumerate() {
            let (first, after) = rest.split_first()?;
            let is_it = |text: &str| match at {
                0 => text.eq_ignore_ascii_case(first),
                _ => text == first,
            };
            // Many folders are looked at, and few of them are encoded.
            let is_encoded = || part.contains('%') && decoded(part).is_ok_and(|it| is_it(&it));
            rest = Some(after).filter(|_| is_it(part) || is_encoded())?;
        }
        Some(rest)
    }
}

/// Whether a URI is of the scheme of skills, or would be for those who drop what they do not like.
#[must_use]
pub fn names_skill(uri: &str) -> bool {
    let kept = uri.chars().filter(|it| !it.is_control() && !it.is_whitespace());
    kept.take_while(|it| *it != ':').map(|it| it.to_ascii_lowercase()).eq(SKILL.chars())
}

/// Whether a URI is one of those that only skills of this machine have, however it is spelled.
#[must_use]
pub fn is_local(uri: &str) -> bool {
    let Some((_, rest)) = uri.split_once("://").filter(|_| names_skill(uri)) else { return false };
    let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    let authority = decoded(&rest[..end]).unwrap_or_default();
    let host = authority.rsplit('@').next().and_then(|it| it.split(':').next());
    host.is_some_and(|it| it.trim() == "~")
}

/// The parts of the path of a URI of a skill of this machine, without percent-encoding: each as it is,
/// with the slashes that a name may have.
pub fn local_path(uri: &str) -> Result<Vec<String>, Unclean> {
    let (_, mut parts) = split(uri)?;
    match is_local(uri) && parts[0] == "~" {
        true => Ok(parts.split_off(1)),
        false => Err(Unclean::Begin),
    }
}

/// Whether a character of a part would be taken for more than a character of a name.
fn is_odd(c: char) -> bool {
    matches!(c, '/' | '\\') || c.is_control()
}

/// Scheme and parts, the first of which is the authority.
fn split(uri: &str) -> Result<(String, Vec<String>), Unclean> {
    if uri.contains(|it: char| it.is_control() || it == '\\') || uri.trim() != uri {
        return Err(Unclean::Character);
    }
    let (scheme, rest) = uri.split_once("://").ok_or(Unclean::Begin)?;
    if rest.contains(['?', '#']) {
        return Err(Unclean::Query);
    }
    let mut parts = rest.split('/').map(part).collect::<Result<Vec<String>, Unclean>>()?;
    parts[0].make_ascii_lowercase();
    Ok((scheme.to_ascii_lowercase(), parts))
}

fn part(text: &str) -> Result<String, Unclean> {
    let text = decoded(text)?;
    if matches!(&*text, "" | "." | "..") { Err(Unclean::Part) } else { Ok(text) }
}

/// A text without percent-encoding; a sign that encodes nothing stands for itself.
pub fn decoded(text: &str) -> Result<String, Unclean> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|it| u8::try_from(it).ok());
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let encoded = match after {
            [high, low, ..] if *first == b'%' => digit(*high).zip(digit(*low)),
            _ => None,
        };
        bytes.push(encoded.map_or(*first, |(high, low)| high << 4 | low));
        rest = if encoded.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).map_err(|_| Unclean::Encoding)
}

#[cfg(test)]
mod tests {
    use super::{NormalUri, Unclean, is_local, local_path, names_skill};

    #[track_caller]
    fn check(spellings: &[&str]) {
        let all: Vec<_> = spellings.iter().map(|it| NormalUri::of(it).unwrap()).collect();
        assert!(all.iter().all(|it| *it == all[0]), "{all:?}");
    }

    #[test]
    fn one_thing_has_one_form_however_it_is_spelled() {
        check(&["skill://p/wd/a.txt", "SKILL://P/%77d/%61.txt", "skill://%70/w%64/a%2Etxt"]);
        check(&["skill://p/a b/ü", "skill://p/a%20b/%C3%BC", "skill://p/a%20b/%c3%bc"]);
        assert_ne!(NormalUri::of("skill://p/A"), NormalUri::of("skill://p/a"));
        assert_ne!(NormalUri::of("skill://p/%2561"), NormalUri::of("skill://p/a"));
    }

    #[test]
    fn what_is_below_a_folder_is_so_however_both_are_spelled() {
        let uri = NormalUri::of("skill://P/w%64/a/b.txt").unwrap();
        for folder in ["skill://p/wd", "SKILL://%50/%77d", "Skill://P/wd"] {
            assert_eq!(uri.below(folder).unwrap(), ["a", "b.txt"], "{folder}");
        }
        for folder in
            ["own://p/wd", "skill://p/w", "skill://p/WD", "skill://p/wd/a/b.txt/c", "skill:p"]
        {
            assert_eq!(uri.below(folder), None, "{folder}");
        }
        assert_eq!(uri.path_below("own://p/wd/a/b.txt").unwrap(), [""; 0]);
    }

    #[test]
    fn what_could_be_taken_for_something_else_has_no_form() {
        for (uri, reason) in [
            ("skill:p/wd", Unclean::Begin),
            ("skill:/p/wd", Unclean::Begin),
            ("skill:///wd", Unclean::Part),
            ("skill://p//wd", Unclean::Part),
            ("skill://p/wd/", Unclean::Part),
            ("skill://p/./wd", Unclean::Part),
            ("skill://p/x/%2E./wd", Unclean::Part),
            ("skill://p%2fwd/a", Unclean::Slash),
            ("skill://p/wd%00", Unclean::Slash),
            ("skill://p/..%5Cwd", Unclean::Slash),
            ("skill://p/%09wd", Unclean::Slash),
            ("skill://me@p/wd", Unclean::Authority),
            ("skill://p%3A80/wd", Unclean::Authority),
            ("skill://p/%ff", Unclean::Encoding),
            ("skill://p/wd?x", Unclean::Query),
            ("skill://p/wd#x", Unclean::Query),
            ("skill://p\\wd", Unclean::Character),
            (" skill://p/wd", Unclean::Character),
            ("sk\till://p/wd", Unclean::Character),
        ] {
            assert_eq!(NormalUri::of(uri), Err(reason), "{uri}");
            assert!(names_skill(uri), "{uri}");
        }
        assert!(!names_skill("zoo+skill://p") && !names_skill("skills://p") && !names_skill(""));
    }

    #[test]
    fn this_machine_is_meant_however_it_is_spelled() {
        for uri in ["skill://~", "SKILL://~/a", "skill://%7e/a", "skill://x@~:1/a", " skill://~?a"]
        {
            assert!(is_local(uri), "{uri}");
        }
        for uri in ["skill://~x/a", "skill://p/~", "file://~/a", "skill:~/a", ""] {
            assert!(!is_local(uri), "{uri}");
        }
        assert_eq!(local_path("Skill://%7E/a%2Fb/c").unwrap(), ["a/b", "c"]);
        assert_eq!(local_path("skill://x@~/a"), Err(Unclean::Begin));
        assert_eq!(local_path("skill://~/a/../b"), Err(Unclean::Part));
    }
}
