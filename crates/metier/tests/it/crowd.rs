//! Many servers at a time: bad ones cost only themselves, and nothing is left of any.
//!
//! The servers are shells, so that hundreds of them start in a second.

use std::{env, fs, process::Command, sync::Arc, time::Duration};

use metier_upstreams::{
    Endpoint, Identity, Phase, Plan, Program, Roster, Secrets, ServerName, ServerSpec, Upstreams,
};
use tokio::{runtime::Handle, time::timeout};

use super::{
    programs::PATIENCE,
    story::{block_on, run},
};

/// A server with one tool, by which it ends.
const GOOD: &str = r#"
while read -r line; do
  id=${line#*\"id\":} id=${id%%[,\}]*}
  case $line in
    *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"end"}]}' ;;
    *'"tools/call"'*) exit 1 ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;
/// A server that takes everything in and says nothing.
const HANGS: &str = "while read -r line; do :; done";
/// A server that ends before it is asked anything.
const DEAD: &str = "exit 1";

#[test]
fn five_servers_that_hang_and_five_that_are_dead_keep_nobody_waiting() {
    block_on(async {
        let scripts = [[HANGS; 5], [DEAD; 5], [GOOD; 5], [GOOD; 5]].concat();
        let upstreams = start(&scripts);
        let mut rosters = upstreams.rosters();
        let all_good = |roster: &Arc<Roster>| roster.tools().entries().len() == 10;
        let roster = timeout(PATIENCE, rosters.wait_for(all_good)).await.unwrap().unwrap().clone();
        // Those that hang still have their time, so nobody waited for them.
        let phases: Vec<&Phase> = roster.servers().map(|it| &it.standing.phase).collect();
        assert!(phases[..5].iter().all(|phase| phase.is_undecided()), "{phases:?}");
        let ready = Phase::Ready { attempt: 0 };
        assert!(phases[10..].iter().all(|phase| **phase == ready), "{phases:?}");
        upstreams.stop().await;
    });
}

/// How many servers, and how often each is lost.
const LOST: (usize, u32) = (20, 50);
/// Set where the test below has a process to itself.
const ALONE: &str = "METIER_TEST_ALONE";

/// Processes, file descriptors and tasks are counted, and those of other tests would count too.
#[test]
fn nothing_is_left_of_a_thousand_connections_that_were_lost() {
    if env::var_os(ALONE).is_some() {
        run(lose_all());
    } else if super::support::slow() {
        let name = "crowd::nothing_is_left_of_a_thousand_connections_that_were_lost";
        let mut alone = Command::new(env::current_exe().unwrap());
        alone.args(["--exact", name, "--nocapture"]).env(ALONE, "1");
        let output = alone.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

async fn lose_all() {
    // The runtime keeps what the first child needed.
    let upstreams = start(&[GOOD]);
    upstreams.settled(PATIENCE).await;
    let nobody = Census { processes: 0, tasks: 0, descriptors: usize::MAX };
    end(upstreams, &nobody).await;
    let before = Census::take();

    let (servers, losses) = LOST;
    let upstreams = start(&vec![GOOD; servers]);
    upstreams.settled(PATIENCE).await;
    let connected = Census::take();
    let names: Vec<ServerName> =
        upstreams.roster().servers().map(|server| server.name().clone()).collect();
    let losing = names.iter().map(|name| lose(&upstreams, name, losses));
    futures_util::future::join_all(losing).await;
    connected.comes_again().await;
    end(upstreams, &before).await;
}

async fn end(upstreams: Upstreams, before: &Census) {
    upstreams.stop().await;
    drop(upstreams);
    before.comes_again().await;
}

/// Loses a server again and again.
async fn lose(upstreams: &Upstreams, name: &ServerName, losses: u32) {
    for loss in 1..=losses {
        upstreams.call(&format!("{name}:end"), None, Arc::new(())).await.unwrap_err();
        until(upstreams, name, |phase| *phase != Phase::Ready { attempt: loss - 1 }).await;
        upstreams.retry(name).await;
        until(upstreams, name, |phase| *phase == Phase::Ready { attempt: loss }).await;
    }
}

async fn until(upstreams: &Upstreams, name: &ServerName, is: impl Fn(&Phase) -> bool) {
    let mut rosters = upstreams.rosters();
    let seen = rosters.wait_for(|it| is(&it.server(name).unwrap().standing.phase));
    timeout(PATIENCE, seen).await.unwrap().unwrap();
}

/// How many there are of what could leak.
#[derive(Debug)]
struct Census {
    processes: usize,
    descriptors: usize,
    tasks: usize,
}

impl Census {
    fn take() -> Census {
        let children = fs::read_dir("/proc/self/task").unwrap().flatten().map(|thread| {
            let children = fs::read_to_string(thread.path().join("children"));
            children.unwrap_or_default().split_whitespace().count()
        });
        Census {
            processes: children.sum(),
            descriptors: fs::read_dir("/proc/self/fd").unwrap().count(),
            tasks: Handle::current().metrics().num_alive_tasks(),
        }
    }

    /// Waits until there are no more again: those who were told to end need a moment.
    async fn comes_again(&self) {
        let has_more = |now: &Census| {
            now.processes > self.processes
                || now.descriptors > self.descriptors
                || now.tasks > self.tasks
        };
        let again = async {
            while has_more(&Census::take()) {
                // A runtime that sleeps soundly does not notice who has ended.
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        let ended = timeout(PATIENCE, again).await;
        assert!(ended.is_ok(), "there were {self:?}, and now {:?}", Census::take());
    }
}

fn start(scripts: &[&str]) -> Upstreams {
    let servers = scripts.iter().enumerate().map(|(at, script)| {
        let args = vec!["-c".to_owned(), (*script).to_owned()];
        let program =
            Program { command: "sh".to_owned(), args, env: Secrets::default(), cwd: None };
        let name = ServerName::new(&format!("server{at:02}")).unwrap();
        ServerSpec::new(name, Endpoint::Stdio(program))
    });
    let plan = Plan { servers: servers.collect(), ..Plan::default() };
    Upstreams::start(Identity::new("metier", "0"), plan)
}
