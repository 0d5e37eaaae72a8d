//! Folders as resources: what is directly in one.

use metier_skills::Child;
use metier_upstreams::{Files, SkillFile, uri::decoded};
use metier_wire::{Era, Error, write};

use super::{Found, Holding, Library, address, files::Resource};
use crate::{served::Served, text::Line};

impl Library {
    /// Appends what is in a folder, as the result of `resources/directory/read`.
    pub(crate) fn list_folder(&self, uri: &str, era: Era, out: &mut Vec<u8>) -> Result<(), Error> {
        match self.find(uri) {
            Some(Found::Within(holding, path)) => {
                let children = holding.skill.list_folder(&path).map_err(|_| no_folder(uri))?;
                let resources = children.iter().map(|it| holding.child(&path, it));
                write_children(resources, era, out);
            }
            Some(Found::Above(place)) => {
                let parts = self.below(&place);
                if parts.is_empty() {
                    return Err(no_folder(uri));
                }
                let begin = if place.is_empty() { place } else { place + "/" };
                let name = |part: &str| decoded(part).unwrap_or_default();
                let named: Vec<_> =
                    parts.iter().map(|it| (format!("{begin}{it}"), name(it))).collect();
                let resources =
                    named.iter().map(|(place, name)| Resource::folder(address::uri(place), name));
                write_children(resources, era, out);
            }
            None => return Err(no_folder(uri)),
        }
        Ok(())
    }
}

impl Holding {
    fn child<'a>(&'a self, folder: &str, child: &'a Child) -> Resource<'a> {
        let path =
            if folder.is_empty() { child.name.clone() } else { format!("{folder}/{}", child.name) };
        match child.size {
            None => Resource::folder(self.uri(&path), &child.name),
            Some(_) if *path == *self.skill.file_name => Resource::skill(self),
            size => Resource::file(self.uri(&path), &child.name, size),
        }
    }
}

/// Appends what is in a folder of a server's skill, by what the server listed of it.
pub(crate) fn list_served_folder(
    served: &Served,
    uri: &str,
    era: Era,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let Files::Listed(files) = &served.skill.files else {
        let message = format!(
            "server `{}` does not say what is in `{}`: it makes the files when they are asked for",
            served.server,
            Line(uri, 200)
        );
        return Err(Error::invalid_params(message));
    };
    let shown: Vec<(String, &SkillFile)> =
        files.iter().map(|it| (served.shown(&it.uri), it)).collect();
    let mut children: Vec<Resource<'_>> = Vec::new();
    for (file, listed) in &shown {
        let Some(rest) = file.strip_prefix(uri).and_then(|it| it.strip_prefix('/')) else {
            continue;
        };
        match rest.split_once('/') {
            None => children.push(Resource::file(file.clone(), rest, Some(listed.size))),
            Some((name, _)) if children.iter().any(|it| it.name == name) => {}
            Some((name, _)) => children.push(Resource::folder(format!("{uri}/{name}"), name)),
        }
    }
    if children.is_empty() {
        return Err(no_folder(uri));
    }
    children.sort_unstable_by(|one, other| one.name.cmp(other.name));
    write_children(children.into_iter(), era, out);
    Ok(())
}

fn write_children<'a>(children: impl Iterator<Item = Resource<'a>>, era: Era, out: &mut Vec<u8>) {
    out.extend_from_slice(match era {
        Era::Legacy => br#"{"resources":"#.as_slice(),
        Era::Modern => br#"{"resultType":"complete","ttlMs":0,"cacheScope":"private","resources":"#,
    });
    write::json(out, &children.collect::<Vec<_>>());
    out.push(b'}');
}

pub(super) fn no_folder(uri: &str) -> Error {
    Error::invalid_params(format!("`{}` is not a directory resource", Line(uri, 200)))
}
