//! The servers behind `metier mcp`: started, kept as the configuration says, and ended.

use std::time::Duration;

use metier_surface::{Expose, Surface};
use metier_upstreams::{Identity, Upstreams};
use serde_json::{Map, Value, json, value::RawValue};
use tokio::time::timeout;

use crate::{
    args::{self, Mcp, Transport},
    config::{Edits, Settings},
    environment::Environment,
    failure::Failure,
    hub::{Known, told},
    shutdown,
};

/// How long the one client of stdio may take to say what it can do.
const INTRODUCTION: Duration = Duration::from_secs(1);

/// Reads the configuration, and goes on reading when it changes.
pub(super) fn read(args: &Mcp, environment: &Environment) -> Result<(Settings, Edits), Failure> {
    let environment = environment.at_home(args.selection.user_dir.as_deref());
    Edits::begin(environment, &args.selection.config, args.servers.trust())
}

/// Joins the servers to a surface. The future keeps them as the configuration says.
pub(super) fn join(
    args: &Mcp,
    surface: &mut Surface,
    settings: Settings,
    edits: Edits,
) -> Option<(Upstreams, impl Future<Output = ()> + use<>)> {
    if args.no_servers {
        return None;
    }
    let instance = instance();
    let identity = identity(args.transport, surface).instance(&instance);
    let known = Known::from(settings);
    let upstreams = Upstreams::start_for(identity, known.plan(), surface.ear());
    let expose = match args.expose {
        args::Expose::All => Expose::All,
        args::Expose::Search => Expose::Search,
        args::Expose::Skills => Expose::Skills,
        args::Expose::Auto => Expose::Auto,
    };
    let stock = surface.join(upstreams.clone(), expose, &instance);
    let followed = follow(upstreams.clone(), edits);
    Some((upstreams, async {
        tokio::join!(stock, followed);
    }))
}

/// Ends all servers; whoever asks twice does not wait for their farewell.
pub(super) async fn end(upstreams: &Upstreams) {
    let Ok((_, again)) = shutdown::on_signal() else { return upstreams.stop().await };
    tokio::select! {
        () = upstreams.stop() => {}
        () = again => {}
    }
}

/// Follows every edit of the configuration.
async fn follow(upstreams: Upstreams, mut edits: Edits) {
    loop {
        let (settings, next) = edits.next().await;
        edits = next;
        for problem in &settings.problems {
            tracing::warn!("{}", told(problem));
        }
        upstreams.follow(Known::from(settings).plan()).await;
    }
}

/// Who we are to servers: over stdio, a client that can do what our one client can; over HTTP,
/// clients come and go, and each request is answered for the one who made it.
fn identity(transport: Transport, surface: &Surface) -> Identity {
    let (name, version) = ("metier", env!("CARGO_PKG_VERSION"));
    match transport {
        Transport::Stdio => {
            let client = surface.first_client();
            let capabilities = async {
                let client = timeout(INTRODUCTION, client).await;
                client.map_or_else(|_| everything(), |it| relayed(&it))
            };
            Identity::awaiting(name, version, capabilities)
        }
        Transport::Http | Transport::Sse => Identity::capable(name, version, everything()),
    }
}

/// All that servers may ask clients.
fn everything() -> Value {
    json!({ "elicitation": { "form": {}, "url": {} }, "roots": { "listChanged": true }, "sampling": {} })
}

/// What of a client's capabilities concerns servers behind us.
fn relayed(capabilities: &RawValue) -> Value {
    let capabilities: Map<String, Value> =
        serde_json::from_str(capabilities.get()).unwrap_or_default();
    let ours = ["elicitation", "roots", "sampling"];
    capabilities.into_iter().filter(|(key, _)| ours.contains(&&**key)).collect()
}

/// A name for this process that no other has; it is greater than the names of those that began earlier.
fn instance() -> String {
    let id = std::process::id();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    format!("{:x}-{id:x}", now.unwrap_or_default().as_nanos())
}
