//! `metier pull`: skills that servers have, into a folder; verified, and whole or not at all.

mod choice;
mod errand;
mod fetch;
mod folder;
mod layout;
mod leftovers;
mod lock;
mod namesakes;
mod record;
mod refusal;
mod report;
mod step;

use std::path::{Path, PathBuf};

use metier_upstreams::Roster;

use self::{
    choice::{Choice, Source, invitation, listed_again, server_at},
    errand::Errand,
    folder::obstacle,
    leftovers::{Leftover, sweep},
    namesakes::Namesakes,
    record::Record,
};
use crate::{
    args::Pull,
    environment::Environment,
    failure::{Exit, Failure, Outcome},
    hub::{Known, awaited, settled},
    ui::Ui,
};

pub(crate) fn run(args: &Pull, environment: &Environment, ui: &mut Ui<'_>) -> Outcome {
    let Some(source) = args.source.as_deref().map(Source::read) else {
        return invite(args, environment, ui);
    };
    let known = known(&source, args, environment)?;
    let to = target(args, &environment.at_home(args.reach.user_dir.as_deref()))?;
    expect_folder(&to)?;
    known.warn(ui)?;
    if !args.dry_run {
        clear_away(&to, ui)?;
    }
    // Nothing is worth asking for that cannot be recorded.
    Record::read(&to)?;
    let namesakes = Namesakes::find(args, &to, environment, ui)?;
    known.run(ui, Exit::Interrupted.into(), async |upstreams, ui| {
        let mut roster = settled(upstreams, None, ui).await?;
        let server = roster.servers().next().cloned();
        if let Some(server) = server.filter(|it| source.is_short_of(it, &args.skills)) {
            let listing = listed_again(upstreams, &server);
            let listed = awaited("reading the list of skills".to_owned(), listing, ui).await?;
            roster = listed.unwrap_or(roster);
        }
        let choice = Choice { known: &known, roster: &roster, upstreams };
        let wanted = match &source {
            Source::Uri(uri) => vec![choice.of_any(uri).await?],
            Source::Server(_) => {
                choice.expect_ready()?;
                choice.of_server(&args.skills).await?
            }
            Source::Site(_) => {
                choice.expect_ready().map_err(strange)?;
                choice.of_server(&args.skills).await?
            }
        };
        let errand = Errand { args, to: &to, namesakes, roster: &roster, upstreams };
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

/// Holds a folder that may have to be made to being one, and what it lies in.
fn expect_folder(to: &Path) -> Result<(), Failure> {
    let Some(there) = obstacle(to) else { return Ok(()) };
    let message = format!("`{}` is not a folder", there.display());
    Err(Failure::new(Exit::Usage, message).hinted("choose another folder with --to"))
}

/// Clears away what pulls that were killed left behind, and says what else is to be done.
fn clear_away(to: &Path, ui: &mut Ui<'_>) -> Result<(), Failure> {
    for leftover in sweep(to) {
        match leftover {
            Leftover::Back(name) => {
                ui.warn(&format!("skill `{name}` is back: a pull that was killed had moved it"))?;
            }
            Leftover::Kept(path) => {
                let path = path.display();
                ui.warn(&format!("a pull that was killed had moved a skill to `{path}`"))?;
                ui.note("hint: compare it with what is in its place now, then remove it")?;
            }
        }
    }
    Ok(())
}

/// What a server lists and nobody may use; only of interest to who wants all.
fn problems(source: &Source, args: &Pull, roster: &Roster) -> Vec<String> {
    if matches!(source, Source::Uri(_)) || !args.skills.is_empty() {
        return Vec::new();
    }
    let offers = roster.servers().filter_map(|it| it.standing.offer.as_ref());
    offers.flat_map(|it| it.unfit_skills.iter().map(ToString::to_string)).collect()
}
