//! Skills of this machine that go by the name of one that comes: none is shadowed in silence.

use std::{collections::HashMap, path::Path};

use metier_skills::Bodies;

use crate::{
    args::{Pull, Selection},
    environment::Environment,
    failure::Failure,
    json::text,
    ui::Ui,
    view::View,
};

/// The skills beside those of a folder, by name.
pub(super) struct Namesakes(HashMap<String, Vec<String>>);

impl Namesakes {
    /// Looks for them; where the folder is none that agents look into, nobody is in the way.
    pub(super) fn find(
        args: &Pull,
        to: &Path,
        environment: &Environment,
        ui: &mut Ui<'_>,
    ) -> Result<Namesakes, Failure> {
        let (config, user_dir) = (args.reach.config.clone(), args.reach.user_dir.clone());
        let selection = Selection { config, user_dir, ..Selection::default() };
        let view = View::open(&selection, environment, Bodies::Dropped, ui)?;
        let mut namesakes: HashMap<String, Vec<String>> = HashMap::new();
        if view.sources.list.iter().any(|it| to.starts_with(&it.folder)) {
            let skills = view.catalog.entries().iter().map(|it| &it.skill);
            for skill in skills.filter(|it| !it.folder.starts_with(to)) {
                let name = skill.name().to_lowercase();
                namesakes.entry(name).or_default().push(text(&skill.file()));
            }
        }
        Ok(Namesakes(namesakes))
    }

    /// Where the others of a name are.
    pub(super) fn of(&self, name: &str) -> Vec<String> {
        self.0.get(name).cloned().unwrap_or_default()
    }
}
