//! `metier mcp`: shows skills and servers to MCP clients, over stdio or HTTP.

mod servers;

use std::{
    fs,
    io::{self, IsTerminal},
    net::SocketAddr,
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use metier_skills::{Filter, Match};
use metier_surface::{
    CatalogFormat, Guard, Implementation, Presentation, Server, Site, Surface, Tool, ToolNames,
    Transports, surface,
};
use tokio::{
    net::TcpListener,
    runtime::{self, Runtime},
};
use tokio_util::sync::CancellationToken;

use crate::{
    args::{self, MatchMode, Mcp, Transport},
    environment::Environment,
    failure::{Exit, Failure, Outcome},
    logs,
    refresh::{Refresh, Refresher},
    shutdown,
    ui::Ui,
    view::Looked,
};

/// The variable that may hold the token of HTTP clients.
const TOKEN_VARIABLE: &str = "METIER_TOKEN";

pub(crate) fn run(args: &Mcp, environment: &Environment, ui: &mut Ui<'_>) -> Outcome {
    let (settings, edits) = servers::read(args, environment)?;
    let looked = Looked::with(&settings, &args.selection, environment, ui)?;
    let token = match args.transport {
        Transport::Stdio => None,
        Transport::Http | Transport::Sse => token(args, environment)?,
    };
    let _logging = logs::begin(&args.logs);
    for problem in &looked.problems {
        tracing::warn!(path = %problem.path.display(), "{problem}");
    }
    let runtime = runtime(args.transport)?;
    let served = runtime.block_on(async {
        let (mut surface, publisher, asks) =
            surface(server(args), presentation(args, &looked.filter));
        let joined = servers::join(args, &mut surface, settings, edits);
        let refresher = Refresher {
            places: looked.places,
            filter: looked.filter,
            refresh: refresh(args),
            publish: move |catalog, _: &_| publisher.publish(catalog),
            asks,
        };
        let (stop, signalled) = shutdown::on_signal()?;
        let (upstreams, kept) = joined.unzip();
        let background = async {
            let kept = async {
                if let Some(kept) = kept {
                    kept.await;
                }
            };
            tokio::join!(refresher.run(), signalled, kept);
        };
        let served = tokio::select! {
            served = serve(args, surface, token, stop) => served,
            () = background => Ok(()),
        };
        if let Some(upstreams) = upstreams {
            servers::end(&upstreams).await;
        }
        served
    });
    // A scan that is under way need not end.
    runtime.shutdown_background();
    served.map(|()| ExitCode::SUCCESS)
}

async fn serve(
    args: &Mcp,
    surface: Surface,
    token: Option<String>,
    stop: CancellationToken,
) -> Result<(), Failure> {
    let server = Server::new(Arc::new(surface));
    let transports = match args.transport {
        Transport::Stdio => {
            tracing::info!("serving on stdio");
            if io::stdin().is_terminal() {
                tracing::info!("an MCP client should start this; type messages, or end with ^D");
            }
            let (input, output) = streams()?;
            server.stdio(input, output, stop).await;
            return Ok(());
        }
        Transport::Http => Transports::All,
        Transport::Sse => Transports::LegacySse,
    };
    let listener = listen(args).await?;
    let address = listener.local_addr()?;
    if !address.ip().is_loopback() && token.is_none() {
        return Err(open_door(address));
    }
    let guard = Guard::new(address.ip(), &known_as(args), token);
    tracing::info!("serving at {}", url(args, address));
    Ok(server.http(listener, Site { guard, transports }, stop).await?)
}

/// The standard streams without the locks of the standard library: a thread that waits for a client
/// to read may still hold one when the program ends.
#[cfg(unix)]
fn streams() -> io::Result<(fs::File, fs::File)> {
    use std::os::fd::{AsFd, BorrowedFd};

    let own = |stream: BorrowedFd<'_>| stream.try_clone_to_owned().map(fs::File::from);
    Ok((own(io::stdin().as_fd())?, own(io::stdout().as_fd())?))
}

#[cfg(not(unix))]
fn streams() -> io::Result<(io::Stdin, io::Stdout)> {
    Ok((io::stdin(), io::stdout()))
}

async fn listen(args: &Mcp) -> Result<TcpListener, Failure> {
    TcpListener::bind((&*args.host, args.port)).await.map_err(|error| {
        let place = format!("{}:{}", args.host, args.port);
        let hint = match error.kind() {
            io::ErrorKind::AddrInUse => "choose another --port; 0 takes any that is free",
            io::ErrorKind::PermissionDenied => "ports below 1024 are for root; choose another",
            _ => "check --host and --port",
        };
        Failure::new(Exit::Failed, format!("cannot listen at `{place}`: {error}")).hinted(hint)
    })
}

/// The address by which clients on this machine find the server.
fn url(args: &Mcp, address: SocketAddr) -> String {
    match (&*args.host, address.port()) {
        ("localhost", port) => format!("http://localhost:{port}/mcp"),
        _ => format!("http://{address}/mcp"),
    }
}

/// The names by which clients may call the server, besides those of this machine.
fn known_as(args: &Mcp) -> Vec<String> {
    args.allow_host.iter().chain([&args.host]).cloned().collect()
}

fn open_door(address: SocketAddr) -> Failure {
    let message = format!("`{address}` can be reached from other machines, and there is no token");
    let hint =
        format!("give one with --token-file or {TOKEN_VARIABLE}, or keep to --host 127.0.0.1");
    Failure::new(Exit::Usage, message).hinted(hint)
}

/// The token that HTTP clients must know, if there is to be one.
fn token(args: &Mcp, environment: &Environment) -> Result<Option<String>, Failure> {
    let (token, origin) = match &args.token_file {
        Some(path) => {
            let path = environment.absolute(&environment.working_dir, path);
            let token = fs::read_to_string(&path).map_err(|error| {
                Failure::new(Exit::Failed, format!("token file `{}`: {error}", path.display()))
                    .hinted("check the path given with --token-file")
            })?;
            (token, format!("token file `{}`", path.display()))
        }
        None => match environment.variables.get(TOKEN_VARIABLE) {
            Some(token) => (token.clone(), format!("variable `{TOKEN_VARIABLE}`")),
            None => return Ok(None),
        },
    };
    match token.trim() {
        "" => Err(Failure::new(Exit::Usage, format!("{origin} is empty"))
            .hinted("put a long random word into it, for example from `openssl rand -hex 32`")),
        token => Ok(Some(token.to_owned())),
    }
}

/// One client needs no more than one thread beside those that read and write.
fn runtime(transport: Transport) -> io::Result<Runtime> {
    let mut builder = match transport {
        Transport::Stdio => runtime::Builder::new_current_thread(),
        Transport::Http | Transport::Sse => runtime::Builder::new_multi_thread(),
    };
    builder.enable_all().build()
}

fn server(args: &Mcp) -> Implementation {
    let version = env!("CARGO_PKG_VERSION").to_owned();
    Implementation { name: args.server_name.clone(), version }
}

fn presentation(args: &Mcp, filter: &Filter) -> Presentation {
    let tools = match args.tools.as_slice() {
        [] => Tool::ALL.to_vec(),
        // In the order of the table, whatever the order of the flag.
        chosen => Tool::ALL.into_iter().filter(|tool| chosen.contains(tool)).collect(),
    };
    Presentation {
        tools,
        names: match args.tool_names {
            args::ToolNames::Wire => ToolNames::Wire,
            args::ToolNames::Canonical => ToolNames::Canonical,
        },
        format: match args.catalog_format {
            args::CatalogFormat::Xml => CatalogFormat::Xml,
            args::CatalogFormat::List => CatalogFormat::List,
        },
        budget: args.catalog_budget,
        mode: match args.mode {
            MatchMode::All => Match::All,
            MatchMode::Any => Match::Any,
            MatchMode::Fuzzy => Match::Fuzzy,
        },
        prompts: !args.no_prompts,
        filter: filter.clone(),
    }
}

fn refresh(args: &Mcp) -> Refresh {
    if args.no_refresh {
        Refresh::Never
    } else {
        Refresh::Every(Duration::from_millis(args.refresh_interval))
    }
}
