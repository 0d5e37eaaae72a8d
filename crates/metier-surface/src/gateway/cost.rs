//! What the tools of servers cost a model before it has called any: the length of their definitions.

use metier_upstreams::{Roster, ServerName};

use super::{
    Expose, finder,
    shelf::{Shown, render_tools, shown},
};
use crate::tools::ToolNames;

/// How many characters there are to a token, on average, in definitions of tools.
const CHARACTERS_A_TOKEN: usize = 4;

/// How much a model reads in each mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The tools of each server, if all are listed.
    pub servers: Vec<(ServerName, Size)>,
    /// What is listed in each mode, before any skill is loaded.
    pub modes: Vec<(Expose, Size)>,
}

/// The size of some definitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// How many tools there are.
    pub tools: usize,
    /// How many characters their definitions have.
    pub characters: usize,
}

impl Cost {
    /// What the tools of a roster cost.
    #[must_use]
    pub fn of(roster: &Roster) -> Cost {
        let (rendered, entries) = (render_tools(roster, ToolNames::Wire), roster.tools().entries());
        let mut servers: Vec<(ServerName, Size)> = Vec::new();
        for (at, entry) in entries.iter().enumerate() {
            let size = Size { tools: 1, characters: characters(rendered.get(at)) };
            match servers.last_mut().filter(|(server, _)| *server == entry.server) {
                Some((_, total)) => *total = total.and(size),
                None => servers.push((entry.server.clone(), size)),
            }
        }
        let all = servers.iter().fold(Size::default(), |total, (_, size)| total.and(*size));
        let finders = finder::definitions(ToolNames::Wire);
        let search = Size { tools: finder::N_FINDERS, characters: characters(&finders) };
        let modes = [Expose::All, Expose::Search, Expose::Skills, Expose::Auto];
        let modes = modes.map(|mode| match shown(mode, entries.len()) {
            Shown::All => (mode, all),
            Shown::Search => (mode, search),
            Shown::Revealed => (mode, Size::default()),
        });
        Cost { servers, modes: modes.to_vec() }
    }
}

impl Size {
    /// About how many tokens that is.
    #[must_use]
    pub fn tokens(self) -> usize {
        self.characters.div_ceil(CHARACTERS_A_TOKEN)
    }

    fn and(self, other: Size) -> Size {
        Size { tools: self.tools + other.tools, characters: self.characters + other.characters }
    }
}

fn characters(definitions: &[u8]) -> usize {
    String::from_utf8_lossy(definitions).chars().count()
}
