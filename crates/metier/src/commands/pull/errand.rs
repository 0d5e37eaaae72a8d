//! One command's errand: each skill that is meant is brought, or left where it is, with a reason.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    process::ExitCode,
};

use metier_skills::SKILL_FILE;
use metier_upstreams::{Roster, Upstreams};

use super::{
    fetch::{Wanted, fetch},
    folder::{Put, There, look, put},
    layout::{House, Place, layout},
    lock::Lock,
    namesakes::Namesakes,
    record::{Origin, Record, marks},
    refusal::Refusal,
    report::{DryRun, PullJson, Pulled},
    step::{Arrival, InTheWay, Step, step},
};
use crate::{
    args::Pull,
    failure::{Exit, Outcome},
    hub::awaited,
    json::text,
    ui::Ui,
};

/// What one command does with the skills that are meant.
pub(super) struct Errand<'a> {
    pub(super) args: &'a Pull,
    pub(super) to: &'a Path,
    pub(super) namesakes: Namesakes,
    pub(super) roster: &'a Roster,
    pub(super) upstreams: &'a Upstreams,
}

/// What is in the place of a skill, and where that came from.
struct Seen {
    there: There,
    origin: Option<Origin>,
}

impl Errand<'_> {
    pub(super) async fn run(
        &self,
        wanted: &[Wanted],
        problems: Vec<String>,
        ui: &mut Ui<'_>,
    ) -> Outcome {
        let (json, dry_run) = (self.args.format.json, self.args.dry_run);
        let mut names = HashSet::new();
        let twins: HashSet<&str> =
            wanted.iter().map(|it| &*it.skill.name).filter(|it| !names.insert(*it)).collect();
        let mut skills = Vec::new();
        for wanted in wanted {
            let name = &*wanted.skill.name;
            let mut pulled = Pulled::new(wanted, text(&self.to.join(name)));
            let outcome = match twins.contains(name) {
                true => Err(Refusal::Twin(wanted.skill.uri.to_string())),
                false => {
                    let pulling = self.pull(wanted, &mut pulled);
                    awaited(format!("pulling `{name}`"), pulling, ui).await?
                }
            };
            pulled.conclude(outcome);
            if !json {
                pulled.print(if dry_run { DryRun::Yes } else { DryRun::No }, ui)?;
            }
            skills.push(pulled);
        }
        let failed = !problems.is_empty() || skills.iter().any(Pulled::is_refused);
        if json {
            ui.json(&PullJson { dry_run, to: text(self.to), skills, problems })?;
        } else {
            for problem in &problems {
                ui.warn(&format!("a skill is left out: {problem}"))?;
            }
        }
        Ok(if failed { Exit::Failed.into() } else { ExitCode::SUCCESS })
    }

    /// Brings one skill, if it is not there.
    async fn pull(&self, wanted: &Wanted, pulled: &mut Pulled) -> Result<Step, Refusal> {
        let skill = &*wanted.skill;
        let server = self.roster.server(&wanted.server).ok_or(Refusal::Gone)?;
        let places = layout(skill, House::HERE)?;
        pulled.describe(skill, &places);
        let arrival = Arrival {
            folder: self.to.join(&*skill.name),
            origin: Origin::new(&server.spec, &skill.uri, marks(&places)),
        };
        let before = self.see(&skill.name)?;
        let step = self.decide(&arrival, &before)?;
        if step == Step::Add {
            pulled.namesakes = self.namesakes.of(&skill.name);
        }
        match step {
            _ if self.args.dry_run => return Ok(step),
            Step::Keep => {
                // It is what was wanted, also where nothing can be noted.
                let _ = self.adopt(&skill.name, &arrival, &before).await;
                return Ok(step);
            }
            Step::Add | Step::Replace => {}
        }
        let contents = fetch(self.upstreams, wanted, &places).await?;
        pulled.judge(contents.first().map_or(&[], Vec::as_slice));
        let lock = self.lock().await?;
        // Much may have happened since.
        let now = self.see(&skill.name)?;
        let step = self.decide(&arrival, &now)?;
        match step {
            Step::Keep => return Ok(step),
            Step::Replace if now.origin != before.origin && !self.args.force => {
                return Err(Refusal::Overtaken(arrival.folder));
            }
            Step::Add | Step::Replace => {}
        }
        let files = files(&places, &contents, &now.there);
        if let Some(old) = write(&lock, &arrival.folder, &files, &now.there)? {
            pulled.leave(&text(&old));
        }
        self.note(&skill.name, &arrival.origin)?;
        Ok(step)
    }

    /// Notes where something came from that is in its place already: whoever brought it was ended
    /// before that.
    async fn adopt(&self, name: &str, arrival: &Arrival, before: &Seen) -> Result<(), Refusal> {
        let is_new = |it: &Seen| match &it.origin {
            Some(origin) => origin.is_of(&arrival.origin) && origin.files != arrival.origin.files,
            None => true,
        };
        if !is_new(before) {
            return Ok(());
        }
        let _lock = self.lock().await?;
        let now = self.see(name)?;
        match self.decide(arrival, &now) {
            Ok(Step::Keep) if is_new(&now) => self.note(name, &arrival.origin),
            _ => Ok(()),
        }
    }

    fn see(&self, name: &str) -> Result<Seen, Refusal> {
        let record = Record::read(self.to);
        let mut record =
            record.map_err(|failure| Refusal::Unreadable(failure.error.to_string()))?;
        Ok(Seen { there: look(&self.to.join(name)), origin: record.skills.remove(name) })
    }

    fn decide(&self, arrival: &Arrival, seen: &Seen) -> Result<Step, Refusal> {
        let in_the_way = if self.args.force { InTheWay::Replaced } else { InTheWay::Spared };
        step(arrival, &seen.there, seen.origin.as_ref(), in_the_way)
    }

    async fn lock(&self) -> Result<Lock, Refusal> {
        Lock::take(self.to).await?.ok_or_else(|| Refusal::Busy(self.to.to_owned()))
    }

    fn note(&self, name: &str, origin: &Origin) -> Result<(), Refusal> {
        Record::note(self.to, name, origin)
            .map_err(|failure| Refusal::Unrecorded(failure.error.to_string()))
    }
}

/// The files of a skill by the names that they will have.
fn files<'a>(
    places: &'a [Place],
    contents: &'a [Vec<u8>],
    before: &There,
) -> Vec<(&'a str, &'a [u8])> {
    let named = places.iter().map(|it| match &*it.path {
        SKILL_FILE => before.own_file(),
        path => path,
    });
    named.zip(contents.iter().map(Vec::as_slice)).collect()
}

/// Puts files in their place, if that is still as it was; where what was there is left, if it is.
fn write(
    lock: &Lock,
    folder: &Path,
    files: &[(&str, &[u8])],
    before: &There,
) -> Result<Option<PathBuf>, Refusal> {
    match put(lock, folder, files, before) {
        Ok(Put::Done) => Ok(None),
        Ok(Put::Left(old)) => Ok(Some(old)),
        Ok(Put::Changed) => Err(Refusal::Restless(folder.to_owned())),
        Err(error) => Err(Refusal::Unwritten { folder: folder.to_owned(), error }),
    }
}
