//! `metier pull`: skills that servers have, into a folder; verified, and whole or not at all.

mod choice;
mod fetch;
mod folder;
mod layout;
mod namesakes;
mod record;
mod refusal;
mod report;
mod step;

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    process::ExitCode,
};

use metier_skills::SKILL_FILE;
use metier_upstreams::{Roster, Upstreams};

use self::{
    choice::{Choice, Source, invitation, server_at},
    fetch::{Wanted, fetch},
    folder::{Put, There, look, put},
    layout::{House, Place, layout},
    namesakes::Namesakes,
    record::{Origin, Record, marks},
    refusal::Refusal,
    report::{DryRun, PullJson, Pulled},
    step::{Arrival, InTheWay, Step, step},
};
use crate::{
    args::Pull,
    environment::Environment,
    failure::{Exit, Failure, Outcome},
    hub::{Known, awaited, settled},
    json::text,
    ui::Ui,
};

pub(crate) fn run(args: &Pull, environment: &Environment, ui: &mut Ui<'_>) -> Outcome {
    let Some(source) = args.source.as_deref().map(Source::read) else {
        return invite(args, environment, ui);
    };
    let known = known(&source, args, environment)?;
    let to = target(args, &environment.at_home(args.reach.user_dir.as_deref()))?;
    known.warn(ui)?;
    let namesakes = Namesakes::find(args, &to, environment, ui)?;
    known.run(ui, Exit::Interrupted.into(), async |upstreams, ui| {
        let roster = settled(upstreams, None, ui).await?;
        let choice = Choice { known: &known, roster: &roster, upstreams };
        let wanted = match &source {
            Source::Uri(uri) => vec![choice.of_any(uri).await?],
            Source::Server(_) => choice.of_server(&args.skills).await?,
            Source::Site(_) => choice.of_server(&args.skills).await.map_err(strange)?,
        };
        let record = Record::read(&to)?;
        let errand = Errand { args, to: &to, record, namesakes, roster: &roster, upstreams };
        errand.run(&wanted, problems(&source, args, &roster), ui).await
    })
}

/// Says which servers have skills, to someone who named none.
fn invite(args: &Pull, environment: &Environment, ui: &mut Ui<'_>) -> Outcome {
    let known = Known::read(&args.reach, environment)?;
    known.warn(ui)?;
    known.run(ui, Exit::Interrupted.into(), async |upstreams, ui| {
        Err(invitation(&*settled(upstreams, None, ui).await?))
    })
}

/// The servers that may have what is meant.
fn known(source: &Source, args: &Pull, environment: &Environment) -> Result<Known, Failure> {
    match source {
        Source::Site(url) => Ok(Known::at(server_at(url)?)),
        Source::Server(name) => {
            let known = Known::read(&args.reach, environment)?;
            known.expect(name)?;
            known.only(std::slice::from_ref(name))
        }
        Source::Uri(_) if !args.skills.is_empty() => {
            let message = "a URI means one skill, and others are named beside it";
            Err(Failure::new(Exit::Usage, message).hinted("name the server first, then the skills"))
        }
        Source::Uri(_) => Known::read(&args.reach, environment),
    }
}

/// A failure of a server that no configuration names, with what helps then.
fn strange(failure: Failure) -> Failure {
    match failure.exit {
        Exit::Unauthorized => {
            let header = "--header 'Authorization: Bearer ${TOKEN}'";
            failure.hinted(format!("`metier add NAME URL {header}`, then `metier pull NAME`"))
        }
        Exit::Failed => failure.hinted("check the address: it is that of an MCP server"),
        _ => failure,
    }
}

/// The folder that will hold the skills.
fn target(args: &Pull, environment: &Environment) -> Result<PathBuf, Failure> {
    if let Some(dir) = &args.to {
        return Ok(environment.absolute(&environment.working_dir, dir));
    }
    let standard = environment.standard().ok_or_else(|| {
        Failure::new(Exit::Failed, "your home folder is not known")
            .hinted("say where to write with --to")
    })?;
    let folder = match args.global {
        true => standard.global_folder("agents"),
        false => standard.project_folder("agents"),
    };
    folder.ok_or_else(|| {
        Failure::new(Exit::Usage, "your home folder is no project")
            .hinted("pull for all your projects with --global, or say where to with --to")
    })
}

/// What a server lists and nobody may use; only of interest to who wants all.
fn problems(source: &Source, args: &Pull, roster: &Roster) -> Vec<String> {
    if matches!(source, Source::Uri(_)) || !args.skills.is_empty() {
        return Vec::new();
    }
    let offers = roster.servers().filter_map(|it| it.standing.offer.as_ref());
    offers.flat_map(|it| it.unfit_skills.iter().map(ToString::to_string)).collect()
}

/// What one command does with the skills that are meant.
struct Errand<'a> {
    args: &'a Pull,
    to: &'a Path,
    record: Record,
    namesakes: Namesakes,
    roster: &'a Roster,
    upstreams: &'a Upstreams,
}

impl Errand<'_> {
    async fn run(&self, wanted: &[Wanted], problems: Vec<String>, ui: &mut Ui<'_>) -> Outcome {
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
        let Wanted { server, skill } = wanted;
        let folder = self.to.join(&*skill.name);
        let places = layout(skill, House::HERE)?;
        pulled.describe(skill, &places);
        let (there, marks) = (look(&folder), marks(&places));
        let arrival =
            Arrival { folder: &folder, server: server.as_str(), uri: &skill.uri, marks: &marks };
        let in_the_way = if self.args.force { InTheWay::Replaced } else { InTheWay::Spared };
        let step = step(&arrival, &there, self.record.skills.get(&*skill.name), in_the_way)?;
        if step == Step::Add {
            pulled.namesakes = self.namesakes.of(&skill.name);
        }
        if step == Step::Keep || self.args.dry_run {
            return Ok(step);
        }
        let contents = fetch(self.upstreams, wanted, &places).await?;
        pulled.judge(contents.first().map_or(&[], Vec::as_slice));
        write(&folder, &places, &contents, &there)?;
        if let Some(server) = self.roster.server(server) {
            let origin = Origin::new(&server.spec, &skill.uri, marks);
            Record::note(self.to, &skill.name, origin)
                .map_err(|failure| Refusal::Unrecorded(failure.error.to_string()))?;
        }
        Ok(step)
    }
}

/// Puts files in their place, if that is still as it was.
fn write(
    folder: &Path,
    places: &[Place],
    contents: &[Vec<u8>],
    before: &There,
) -> Result<(), Refusal> {
    let named = places.iter().map(|it| match &*it.path {
        SKILL_FILE => before.own_file(),
        path => path,
    });
    let files: Vec<(&str, &[u8])> = named.zip(contents.iter().map(Vec::as_slice)).collect();
    match put(folder, &files, before) {
        Ok(Put::Done) => Ok(()),
        Ok(Put::Changed) => Err(Refusal::Edited(folder.to_owned())),
        Err(error) => Err(Refusal::Unwritten { folder: folder.to_owned(), error }),
    }
}
