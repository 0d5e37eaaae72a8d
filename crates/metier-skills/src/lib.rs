//! Folders in, catalog out: finds the skills of every agent on a machine.
//!
//! ```text
//! Places ── sources() ──▶ [Source] ── scan() ──▶ Scan ── Catalog::new(filter) ──▶ Catalog
//! ```
//!
//! [`Places`] says where to look, [`scan()`] reads what is there, and a [`Catalog`] is what exists for
//! a user: an immutable value that knows what every name means. A file that cannot be read never
//! fails a scan; it becomes a [`Problem`].
//!
//! ```
//! use metier_skills::{Catalog, Filter, Lookup, Places, scan};
//!
//! # let folder = std::env::temp_dir().join(format!("metier-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(folder.join("pdf"))?;
//! # let text = "---\nname: pdf\ndescription: Reads PDFs\n---\n";
//! # std::fs::write(folder.join("pdf/SKILL.md"), text)?;
//! let places = Places { custom: vec![folder.clone()], ..Places::default() };
//! let scan = scan(&places.sources().list);
//! let catalog = Catalog::new(&scan.skills, &Filter::default());
//! match catalog.find("PDF") {
//!     Lookup::Found(entry) => assert_eq!(entry.skill.description(), "Reads PDFs"),
//!     Lookup::Ambiguous(entries) => panic!("one of {} skills", entries.len()),
//!     Lookup::Missing { similar } => panic!("did you mean {similar:?}?"),
//! }
//! # std::fs::remove_dir_all(folder)?;
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! Nothing here waits, prints, or asks the environment.

mod bundle;
mod catalog;
mod digest;
mod disk;
mod filter;
mod find;
mod folders;
mod frontmatter;
mod key;
mod manifest;
mod places;
mod plugins;
mod problem;
mod reach;
mod scan;
mod search;
mod similar;
mod skill;
mod source;
mod tree;
mod validate;
mod verdict;
mod walk;

#[cfg(test)]
mod tests;

pub use crate::{
    bundle::{Bundle, BundleFile, Child, FileError, Version},
    catalog::{Catalog, Entry, Lookup},
    digest::{Digest, Digests},
    disk::{read_text, read_text_within},
    filter::{Filter, Pattern, PatternError},
    find::{SearchIndex, SearchResult, SearchResults},
    folders::Folders,
    frontmatter::{FrontmatterError, Quirk, Repair, Unclear, differing_field, is_hidden},
    manifest::{Manifest, ManifestFile, Unfit, manifests},
    places::{Places, Sources, Standard, project_dirs},
    plugins::{Plugin, PluginPlaces, PluginProblem, PluginReport, Standing},
    problem::{Cause, Problem, Severity},
    scan::{Bodies, Outcome, Progress, Scan, rescan, scan, scan_watched},
    search::{Match, Query},
    skill::{DISABLED_FILE, SKILL_FILE, Skill, State},
    source::{Location, Owner, Source, Tier},
    validate::{Finding, Level, is_valid_name, suggested_name, validate},
    verdict::{Verdict, validate_all},
    walk::{is_skill_file, is_walked},
};
