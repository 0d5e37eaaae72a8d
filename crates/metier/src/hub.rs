//! The servers that configuration names, as one command uses them: started, asked, and ended.

mod trouble;
mod waiting;

use std::{path::PathBuf, process::ExitCode, sync::Arc, time::Duration};

use metier_upstreams::{
    Audience, Identity, Phase, Plan, Roster, ServerSpec, ToolFilter, Upstreams,
};
use tokio::{
    runtime,
    time::{Instant, sleep_until},
};

pub(crate) use self::{
    trouble::{absence, failure, is_ready},
    waiting::{Waiting, awaited},
};
use crate::{
    args::Reach,
    config::{ConfigProblem, Configured, Edits, Scope, Settings},
    environment::Environment,
    failure::{Exit, Failure, Outcome},
    shutdown,
    similar::similar,
    ui::{Ui, cut},
    view::quoted,
};

/// How long servers may take before it is shown who is waited for.
pub(crate) const PATIENCE: Duration = Duration::from_millis(500);
/// The longest that a command without another bound waits.
const FOR_EVER: Duration = Duration::from_secs(86_400);

/// The servers that a command may use.
#[derive(Clone)]
pub(crate) struct Known {
    pub(crate) servers: Vec<Configured>,
    pub(crate) problems: Vec<ConfigProblem>,
    tools: ToolFilter,
}

impl Known {
    /// Reads what the configuration says here.
    pub(crate) fn read(reach: &Reach, environment: &Environment) -> Result<Known, Failure> {
        let environment = environment.at_home(reach.user_dir.as_deref());
        Settings::read(&environment, &reach.config, reach.servers.trust()).map(Known::from)
    }

    /// One server that no configuration names.
    pub(crate) fn at(spec: ServerSpec) -> Known {
        let source = PathBuf::from("the command line");
        let server = Configured { spec, source, scope: Scope::Named };
        Known { servers: vec![server], problems: Vec::new(), tools: ToolFilter::default() }
    }

    /// Reads what the configuration says here, and goes on reading when it changes.
    pub(crate) fn follow(
        reach: &Reach,
        environment: &Environment,
    ) -> Result<(Known, Edits), Failure> {
        let environment = environment.at_home(reach.user_dir.as_deref());
        let (settings, edits) = Edits::begin(environment, &reach.config, reach.servers.trust())?;
        Ok((settings.into(), edits))
    }

    /// Only the servers of these names; all of them, if none is named.
    pub(crate) fn only(self, names: &[String]) -> Result<Known, Failure> {
        for name in names {
            self.find(name)?;
        }
        Ok(self.among(names))
    }

    /// Those of the servers that have one of these names; all of them, if none is named.
    pub(crate) fn among(mut self, names: &[String]) -> Known {
        let is_meant = |name: &str| names.is_empty() || names.iter().any(|it| it == name);
        self.servers.retain(|it| is_meant(it.spec.name.as_str()));
        self.problems.retain(|it| it.complaint.server.as_deref().is_none_or(is_meant));
        self
    }

    /// The same with shorter or longer deadlines.
    pub(crate) fn within(mut self, timeout: Option<Duration>) -> Known {
        for server in &mut self.servers {
            let spec = &mut server.spec;
            spec.connect_timeout = spec.connect_timeout.min(timeout.unwrap_or(FOR_EVER));
            spec.call_timeout = timeout.unwrap_or(spec.call_timeout).min(FOR_EVER);
        }
        self
    }

    /// The server of that name; `None` if its entry is broken.
    fn find(&self, name: &str) -> Result<Option<&Configured>, Failure> {
        let found = self.servers.iter().find(|it| it.spec.name.as_str() == name);
        if found.is_some() || self.broken().any(|(broken, _)| broken == name) {
            return Ok(found);
        }
        let names: Vec<String> = self.servers.iter().map(|it| it.spec.name.to_string()).collect();
        let hint = match similar(name, &names).as_slice() {
            [] if names.is_empty() => "`metier add` adds one".to_owned(),
            [] => "`metier servers` lists them".to_owned(),
            some => format!("did you mean {}?", quoted(some.iter().copied(), "or")),
        };
        Err(Failure::new(Exit::NotFound, format!("no server `{}`", cut(name, 64))).hinted(hint))
    }

    /// Whether there is such a server, and its entry can be used.
    pub(crate) fn expect(&self, name: &str) -> Result<(), Failure> {
        if self.find(name)?.is_some() {
            return Ok(());
        }
        let problem = self.broken().find(|(broken, _)| *broken == name).map(|(_, it)| it);
        let reason = problem.map(|it| it.complaint.reason.clone()).unwrap_or_default();
        let hint = problem.map(|it| {
            let line = it.complaint.line.map(|line| format!(":{line}")).unwrap_or_default();
            format!("mend its entry in {}{line}", it.path.display())
        });
        let message = format!("server `{name}` cannot be used: {reason}");
        Err(Failure::new(Exit::Failed, message).hinted(hint.unwrap_or_default()))
    }

    /// The servers whose entries cannot be used, each with what is wrong first.
    pub(crate) fn broken(&self) -> impl Iterator<Item = (&str, &ConfigProblem)> {
        let named = self.problems.iter().enumerate().filter_map(|(at, problem)| {
            let name = problem.complaint.server.as_deref()?;
            let is_first =
                !self.problems[..at].iter().any(|it| it.complaint.server.as_deref() == Some(name));
            is_first.then_some((name, problem))
        });
        named.filter(|(name, _)| self.servers.iter().all(|it| it.spec.name.as_str() != *name))
    }

    /// What is wrong beside the servers whose entries cannot be used.
    pub(crate) fn problems_of_files(&self) -> impl Iterator<Item = &ConfigProblem> {
        let is_used = |name: &str| self.servers.iter().any(|it| it.spec.name.as_str() == name);
        self.problems.iter().filter(move |it| it.complaint.server.as_deref().is_none_or(is_used))
    }

    /// Warns of what is wrong in configuration files.
    pub(crate) fn warn(&self, ui: &mut Ui<'_>) -> Result<(), Failure> {
        for problem in &self.problems {
            ui.warn(&told(problem))?;
        }
        Ok(())
    }

    /// Does `work` while the servers are kept. None of them is left when this returns.
    pub(crate) fn run(
        &self,
        ui: &mut Ui<'_>,
        interrupted: ExitCode,
        work: impl AsyncFnOnce(&Upstreams, &mut Ui<'_>) -> Outcome,
    ) -> Outcome {
        self.run_for(Arc::new(()), ui, interrupted, work)
    }

    /// The same, for someone who hears what servers say by themselves.
    pub(crate) fn run_for(
        &self,
        audience: Arc<dyn Audience>,
        ui: &mut Ui<'_>,
        interrupted: ExitCode,
        work: impl AsyncFnOnce(&Upstreams, &mut Ui<'_>) -> Outcome,
    ) -> Outcome {
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let outcome = runtime.block_on(async {
            let (_, signalled) = shutdown::on_signal()?;
            let upstreams = Upstreams::start_for(identity(), self.plan(), audience);
            let worked = tokio::select! {
                outcome = work(&upstreams, ui) => Some(outcome),
                () = signalled => None,
            };
            // Who asks twice does not want to wait for a farewell; what is dropped is killed.
            let (_, again) = shutdown::on_signal()?;
            tokio::select! {
                () = upstreams.stop() => {}
                () = again => {}
            }
            if worked.is_none() && ui.watched {
                ui.status("")?;
            }
            worked.unwrap_or(Ok(interrupted))
        });
        // A name that is still being looked up need not be found.
        runtime.shutdown_background();
        outcome
    }

    /// What there is to be kept.
    pub(crate) fn plan(&self) -> Plan {
        let servers = self.servers.iter().map(|it| it.spec.clone()).collect();
        Plan { servers, tools: self.tools.clone() }
    }

    /// Tells which servers cannot be asked, and whether that is a failure of the command.
    pub(crate) fn tell_absent(
        &self,
        roster: &Roster,
        named: &[String],
        ui: &mut Ui<'_>,
    ) -> Result<ExitCode, Failure> {
        let (mut exit, mut n_ready) = (None, 0);
        for server in roster.servers() {
            match absence(server, self) {
                None => n_ready += 1,
                // It is as its owner wants it.
                Some(_) if server.standing.phase == Phase::Disabled && named.is_empty() => {}
                Some(failure) => {
                    ui.warn(&format!("{:#}", failure.error))?;
                    exit.get_or_insert(failure.exit);
                }
            }
        }
        if self.broken().next().is_some() {
            exit.get_or_insert(Exit::Failed);
        }
        // What nobody asked for by name is missed only if nothing else is there.
        let exit = exit.filter(|_| !named.is_empty() || n_ready == 0);
        Ok(exit.map_or(ExitCode::SUCCESS, ExitCode::from))
    }
}

impl From<Settings> for Known {
    fn from(Settings { servers, tools, problems, .. }: Settings) -> Known {
        Known { servers, problems, tools }
    }
}

/// A problem with the file that has it, on one line.
pub(crate) fn told(problem: &ConfigProblem) -> String {
    format!("`{}`: {problem}", problem.path.display())
}

fn identity() -> Identity {
    Identity::new("metier", env!("CARGO_PKG_VERSION"))
}

/// Waits until it is known of every server whether it can be reached, and shows who is waited for.
pub(crate) async fn settled(
    upstreams: &Upstreams,
    within: Option<Duration>,
    ui: &mut Ui<'_>,
) -> Result<Arc<Roster>, Failure> {
    let mut rosters = upstreams.rosters();
    let began = Instant::now();
    let deadline = began + within.unwrap_or(FOR_EVER).min(FOR_EVER);
    let mut shown = false;
    let settled = loop {
        let roster = rosters.borrow_and_update().clone();
        if roster.is_settled() || Instant::now() >= deadline {
            break roster;
        }
        if ui.watched && began.elapsed() >= PATIENCE {
            let status = format!("connecting to {}", undecided(&roster));
            ui.status(&cut(&status, ui.width.unwrap_or(80)))?;
            shown = true;
        }
        tokio::select! {
            changed = rosters.changed() => if changed.is_err() { break roster },
            () = sleep_until(deadline) => {}
            () = sleep_until(began + PATIENCE), if !shown && ui.watched => {}
        }
    };
    if shown {
        ui.status("")?;
    }
    Ok(settled)
}

fn undecided(roster: &Roster) -> String {
    let undecided = roster.servers().filter(|it| it.standing.phase.is_undecided());
    quoted(undecided.map(|it| it.name().as_str()), "and")
}
