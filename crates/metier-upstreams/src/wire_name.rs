//! Wire names: what clients and models call a tool of a server.

use std::collections::{HashMap, HashSet};

/// How long a name may be; longer ones are refused by large model APIs.
const LONGEST: usize = 64;
/// How many characters of it are a hash, if it has one.
const HASHED: usize = 9;

/// The name for each of some tools, given as pairs of server and tool, in the same order.
///
/// A name is `server__tool` in the characters that every model takes. One that is too long, or that
/// two tools would share, ends in a hash of the tool's id, which never changes.
pub(crate) fn wire_names(tools: &[(&str, &str)]) -> Vec<String> {
    let plain: Vec<String> = tools.iter().map(|(server, tool)| plain(server, tool)).collect();
    let mut owners: HashMap<&str, usize> = HashMap::new();
    for name in &plain {
        *owners.entry(name).or_default() += 1;
    }
    let is_fine = |name: &str| name.len() <= LONGEST && owners.get(name) == Some(&1);
    let mut taken: HashSet<String> = plain.iter().filter(|it| is_fine(it)).cloned().collect();
    let named = tools.iter().zip(&plain).map(|((server, tool), name)| {
        if is_fine(name) {
            return name.clone();
        }
        // Somebody may call a tool by what another's hash is.
        let mut id = format!("{server}:{tool}");
        loop {
            let name = hashed(name, &id);
            if taken.insert(name.clone()) {
                return name;
            }
            id.push('\'');
        }
    });
    named.collect()
}

/// Whether a name says that it belongs to a server: it is a wire name, or an id (`server:tool`).
pub(crate) fn is_name_of(server: &str, name: &str) -> bool {
    let begins = |with: &str| {
        name.as_bytes().get(..with.len()).is_some_and(|it| it.eq_ignore_ascii_case(with.as_bytes()))
    };
    let wire = plain(server, "");
    // The end of a long one is a hash.
    begins(&wire[..wire.len().min(LONGEST - HASHED)]) || begins(&format!("{server}:"))
}

fn plain(server: &str, tool: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    server.chars().map(safe).chain("__".chars()).chain(tool.chars().map(safe)).collect()
}

fn hashed(name: &str, id: &str) -> String {
    let hash = format!("_{:08x}", fnv(id.as_bytes()));
    format!("{}{hash}", &name[..name.len().min(LONGEST - HASHED)])
}

/// FNV-1a, folded to 32 bits: the same everywhere and for ever.
fn fnv(bytes: &[u8]) -> u32 {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    #[expect(clippy::cast_possible_truncation, reason = "both halves are folded together")]
    let folded = (hash >> 32) as u32 ^ hash as u32;
    folded
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{is_name_of, wire_names};

    #[track_caller]
    fn check(tools: &[(&str, &str)], expected: &[&str]) {
        assert_eq!(wire_names(tools), expected);
    }

    #[test]
    fn a_wire_name_is_the_server_two_underscores_and_the_tool() {
        check(&[("files", "read_file")], &["files__read_file"]);
    }

    #[test]
    fn characters_that_models_refuse_become_underscores() {
        check(&[("git.hub", "a/b c")], &["git_hub__a_b_c"]);
    }

    #[test]
    fn names_that_would_collide_end_in_a_hash_of_the_id() {
        check(&[("a", "x.y"), ("a", "x_y")], &["a__x_y_28755da7", "a__x_y_38be8ab2"]);
        check(&[("a__b", "c"), ("a", "b__c")], &["a__b__c_09488107", "a__b__c_323b040e"]);
    }

    #[test]
    fn a_tool_that_is_called_by_the_hash_of_another_takes_nothing_from_it() {
        let names = wire_names(&[("a", "x.y"), ("a", "x_y"), ("a", "x_y_28755da7")]);
        assert_eq!(names[2], "a__x_y_28755da7");
        assert_ne!(names[0], names[2]);
    }

    #[test]
    fn names_that_are_too_long_end_in_a_hash_of_the_id() {
        let long = "t".repeat(64);
        let names = wire_names(&[("s", &long), ("s", &long[1..])]);
        assert!(names.iter().all(|it| it.len() == 64), "{names:?}");
        assert_ne!(names[0], names[1]);
    }

    #[test]
    fn a_name_belongs_to_a_server_whose_whole_name_it_begins_with() {
        for name in ["git__x", "GIT__x", "git:x", "git__"] {
            assert!(is_name_of("git", name), "{name}");
        }
        for name in ["github__x", "git_x", "git", "git+x", "gi", "x__git", "git/x"] {
            assert!(!is_name_of("git", name), "{name}");
        }
        assert!(is_name_of("git.hub", "git_hub__x") && is_name_of("git.hub", "git.hub:x"));
        let long = "s".repeat(64);
        assert!(is_name_of(&long, &wire_names(&[(&long, "t")])[0]));
    }

    proptest! {
        #[test]
        fn every_wire_name_is_safe_and_unique(tools in prop::collection::hash_set(("[a-c._]{1,3}", ".{0,80}"), 0..20)) {
            let tools: Vec<(&str, &str)> = tools.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
            let names = wire_names(&tools);
            for name in &names {
                prop_assert!((1..=64).contains(&name.len()));
                prop_assert!(name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b)));
            }
            let unique: std::collections::HashSet<&String> = names.iter().collect();
            prop_assert_eq!(unique.len(), names.len());
        }
    }
}
