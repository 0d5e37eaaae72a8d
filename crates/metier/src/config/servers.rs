//! What may be written of a server, in the spelling of any client, lowered to what may be held.

use std::{path::Path, time::Duration};

use jsonc_parser::ast::{Object, Value};
use metier_upstreams::{
    Admission, CALL_TIMEOUT, CONNECT_TIMEOUT, Endpoint, Fallback, Program, Secrets, ServerName,
    ServerSpec, Site, ToolFilter,
};
use url::Url;

use super::{
    file::{some_text, tree},
    reader::{Reader, Values, get, members},
};
use crate::environment::Environment;

/// What a file says of one server.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) name: ServerName,
    pub(crate) meaning: Meaning,
}

/// What an entry means for a server.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// This is the server, whatever was said before.
    Server(Box<ServerSpec>),
    /// The server is switched off, whatever it is.
    Off,
    /// Nothing that could be used; there is a complaint.
    Broken,
}

/// How a server is reached, as far as its entry says so.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Stdio,
    Http,
    Sse,
}

/// Keys of the same meaning; ours first, then those of other clients.
const TYPE: [&str; 3] = ["type", "transport", "transportType"];
pub(super) const URL: [&str; 3] = ["url", "serverUrl", "httpUrl"];
const INCLUDE: [&str; 2] = ["includeTools", "enabled_tools"];
const EXCLUDE: [&str; 3] = ["excludeTools", "disabledTools", "disabled_tools"];

/// Every spelling of a type, lowered.
const KINDS: [(&str, Kind); 6] = [
    ("stdio", Kind::Stdio),
    ("http", Kind::Http),
    ("streamable-http", Kind::Http),
    ("streamable_http", Kind::Http),
    ("streamablehttp", Kind::Http),
    ("sse", Kind::Sse),
];

/// Reads the servers of one file; a bad one costs only itself.
pub(super) fn entries<'o, 'a: 'o>(
    reader: &mut Reader<'_>,
    members: impl Iterator<Item = (&'o str, &'o Value<'a>)>,
    folder: &Path,
    environment: &Environment,
) -> Vec<Entry> {
    let mut entries = Vec::new();
    for (name, value) in members {
        match ServerName::new(name) {
            Err(error) => {
                let reason = match mended(name) {
                    Some(better) => format!("{error}; rename it to `{better}`"),
                    None => error.to_string(),
                };
                reader.complain(value, reason);
            }
            Ok(name) => {
                reader.server = Some(name.to_string());
                let meaning = meaning(reader, &name, value, &|path| {
                    environment.absolute(folder, Path::new(path))
                });
                reader.server = None;
                entries.push(Entry { name, meaning });
            }
        }
    }
    entries
}

/// What would be wrong with an entry, whatever its variables are.
pub(crate) fn complaint(name: &str, entry: &serde_json::Value) -> Option<String> {
    let text = serde_json::json!({ name: entry }).to_string();
    let Ok(Some(Value::Object(file))) = tree(&text) else { return None };
    let mut reader = Reader::new(&text, Values::AsWritten);
    entries(&mut reader, members(&file), Path::new("/"), &Environment::default());
    reader.complaints.into_iter().next().map(|it| it.reason)
}

/// A name like the one that cannot be.
pub(crate) fn mended(name: &str) -> Option<String> {
    let is_fine = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let words: Vec<&str> = name.split(|c| !is_fine(c)).filter(|word| !word.is_empty()).collect();
    let better: String = words.join("-").chars().take(64).collect();
    ServerName::new(&better).ok().map(|name| name.to_string())
}

/// A path as it is written, made absolute.
type Absolute<'f> = &'f dyn Fn(&str) -> std::path::PathBuf;

fn meaning(
    reader: &mut Reader<'_>,
    name: &ServerName,
    value: &Value<'_>,
    absolute: Absolute<'_>,
) -> Meaning {
    let Value::Object(entry) = value else {
        reader.complain(value, "the entry is not an object");
        return Meaning::Broken;
    };
    let (n_before, values) = (reader.complaints.len(), reader.values);
    let off = is_off(reader, entry);
    if off {
        // Who switched it off need not set its variables.
        reader.values = Values::AsWritten;
    }
    let spec = spec(reader, name, entry, absolute);
    reader.values = values;
    match spec {
        Some(spec) if reader.complaints.len() == n_before => {
            let admission = if off { Admission::Disabled } else { Admission::Granted };
            Meaning::Server(Box::new(ServerSpec { admission, ..spec }))
        }
        _ if off => {
            reader.complaints.truncate(n_before);
            Meaning::Off
        }
        _ => Meaning::Broken,
    }
}

fn is_off(reader: &mut Reader<'_>, entry: &Object<'_>) -> bool {
    let mut flag = |key| get(entry, key).and_then(|it| reader.flag(it, &format!("`{key}`")));
    flag("disabled") == Some(true) || flag("enabled") == Some(false)
}

fn spec(
    reader: &mut Reader<'_>,
    name: &ServerName,
    entry: &Object<'_>,
    absolute: Absolute<'_>,
) -> Option<ServerSpec> {
    let endpoint = endpoint(reader, entry, absolute);
    let tools = tools(reader, entry);
    let mut seconds = |key: &str, otherwise: Duration| match get(entry, key) {
        Some(value) => reader.seconds(value, &format!("`{key}`")),
        None => Some(otherwise),
    };
    let connect_timeout = seconds("connectTimeout", CONNECT_TIMEOUT);
    let call_timeout = seconds("timeout", CALL_TIMEOUT);
    let spec = ServerSpec::new(name.clone(), endpoint?);
    Some(ServerSpec {
        tools: tools?,
        connect_timeout: connect_timeout?,
        call_timeout: call_timeout?,
        ..spec
    })
}

fn endpoint(
    reader: &mut Reader<'_>,
    entry: &Object<'_>,
    absolute: Absolute<'_>,
) -> Option<Endpoint> {
    let kind = match first(entry, &TYPE) {
        Some((key, value)) => Some(kind(reader, key, value)?),
        None => None,
    };
    let (command, url) = (get(entry, "command"), first(entry, &URL));
    match (kind, command, url) {
        (None | Some(Kind::Stdio), Some(command), None)
        | (Some(Kind::Stdio), Some(command), Some(_)) => {
            Some(Endpoint::Stdio(program(reader, entry, command, absolute)?))
        }
        (None, None, Some((key, url))) => {
            let site = site(reader, entry, key, url)?;
            // Where it is said that this is streamable HTTP there is nothing to find out.
            let said = key == "httpUrl";
            let fallback = if said { Fallback::None } else { Fallback::LegacySse };
            Some(Endpoint::Http { site, fallback })
        }
        (Some(Kind::Http), _, Some((key, url))) => {
            let site = site(reader, entry, key, url)?;
            Some(Endpoint::Http { site, fallback: Fallback::None })
        }
        (Some(Kind::Sse), _, Some((key, url))) => {
            Some(Endpoint::LegacySse(site(reader, entry, key, url)?))
        }
        (None, Some(_), Some(_)) => {
            reader.complain(entry, "both `command` and `url`; say which counts with `type`");
            None
        }
        (None, None, None) => {
            reader.complain(entry, "neither `command` nor `url`");
            None
        }
        (Some(Kind::Stdio), None, _) => {
            reader.complain(entry, "`command` is missing");
            None
        }
        (Some(Kind::Http | Kind::Sse), _, None) => {
            reader.complain(entry, "`url` is missing");
            None
        }
    }
}

fn kind(reader: &mut Reader<'_>, key: &str, value: &Value<'_>) -> Option<Kind> {
    let text = reader.text(value, &format!("`{key}`"))?;
    let lowered = text.trim().to_lowercase();
    let kind = KINDS.iter().find(|(spelling, _)| *spelling == lowered).map(|(_, kind)| *kind);
    if kind.is_none() {
        reader.complain(value, format!("`{key}` is none of `stdio`, `http` and `sse`"));
    }
    kind
}

fn program(
    reader: &mut Reader<'_>,
    entry: &Object<'_>,
    command: &Value<'_>,
    absolute: Absolute<'_>,
) -> Option<Program> {
    let command = some_text(reader, command, "`command`").map(|command| match &*command {
        home if home.starts_with("~/") => absolute(home).to_string_lossy().into_owned(),
        _ => command,
    });
    let args = match get(entry, "args") {
        Some(value) => reader.list(value, "`args`", Reader::scalar),
        None => Some(Vec::new()),
    };
    if command.as_ref().zip(args.as_ref()).is_some_and(|(it, args)| is_ourselves(it, args)) {
        // It would start itself without end.
        reader.complain(entry, "it is metier itself");
    }
    let cwd = match get(entry, "cwd") {
        Some(value) => some_text(reader, value, "`cwd`").map(|cwd| Some(absolute(&cwd))),
        None => Some(None),
    };
    let env = secrets(reader, entry, "env");
    Some(Program { command: command?, args: args?, env: env?, cwd: cwd? })
}

/// Whether a command would start this very program as a server.
pub(crate) fn is_ourselves(command: &str, args: &[impl AsRef<str>]) -> bool {
    let name = Path::new(command).file_stem().is_some_and(|name| name == "metier");
    name && args.iter().any(|arg| matches!(arg.as_ref(), "mcp" | "mcp-server" | "serve"))
}

fn site(reader: &mut Reader<'_>, entry: &Object<'_>, key: &str, value: &Value<'_>) -> Option<Site> {
    let headers = secrets(reader, entry, "headers");
    let text = reader.text(value, &format!("`{key}`"))?;
    let Some(url) = address(&text, reader.values) else {
        // The address itself may hold a secret.
        reader.complain(value, format!("`{key}` is not an address that begins with `http`"));
        return None;
    };
    Some(Site { url, headers: headers? })
}

/// Stands for an address that cannot be known.
const OPEN_HOST: &str = "variable.invalid";

/// What may be shown of where a server is; nothing, if only a variable knows.
pub(crate) fn shown_endpoint(endpoint: &Endpoint) -> Option<String> {
    let is_open = match endpoint {
        Endpoint::Stdio(_) => false,
        Endpoint::Http { site, .. } | Endpoint::LegacySse(site) => {
            site.url.host_str() == Some(OPEN_HOST)
        }
    };
    (!is_open).then(|| endpoint.to_string())
}

/// The address that a text is.
fn address(text: &str, values: Values<'_>) -> Option<Url> {
    let url = Url::parse(text.trim()).ok();
    let url = url.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    // Of what is only checked or switched off, no variable is known: any address stands for it.
    let is_open = values == Values::AsWritten && text.contains("${");
    url.or_else(|| Url::parse(&format!("http://{OPEN_HOST}")).ok().filter(|_| is_open))
}

fn secrets(reader: &mut Reader<'_>, entry: &Object<'_>, key: &str) -> Option<Secrets> {
    let Some(value) = get(entry, key) else { return Some(Secrets::default()) };
    let map = reader.map(value, &format!("`{key}`"))?;
    let is_fine = |(name, value): (&String, &String)| match key {
        "headers" => is_header(name, value),
        _ => !name.is_empty() && !name.contains(['=', '\0']) && !value.contains('\0'),
    };
    if !map.iter().all(is_fine) {
        reader.complain(value, format!("`{key}` holds a name or a value that cannot be sent"));
        return None;
    }
    Some(Secrets(map))
}

/// Whether HTTP can carry it.
pub(crate) fn is_header(name: &str, value: &str) -> bool {
    let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    !name.is_empty()
        && name.chars().all(is_token)
        && !value.chars().any(|c| c.is_control() && c != '\t')
}

/// Which tools of a server exist.
fn tools(reader: &mut Reader<'_>, entry: &Object<'_>) -> Option<ToolFilter> {
    let mut include = first(entry, &INCLUDE);
    let mut exclude = first(entry, &EXCLUDE);
    match get(entry, "tools") {
        None => {}
        Some(Value::Object(tools)) => {
            include = get(tools, "include").map(|it| ("tools.include", it)).or(include);
            exclude = get(tools, "exclude").map(|it| ("tools.exclude", it)).or(exclude);
        }
        // As one client writes it: `"tools": ["*"]`.
        Some(list @ Value::Array(_)) => include = Some(("tools", list)),
        Some(other) => {
            reader.complain(other, "`tools` is not an object");
            return None;
        }
    }
    let mut patterns = |said: Option<(&str, &Value<'_>)>| match said {
        Some((key, value)) => reader.list(value, &format!("`{key}`"), some_text),
        None => Some(Vec::new()),
    };
    let (include, exclude) = (patterns(include), patterns(exclude));
    ToolFilter::new(&include?, &exclude?).ok()
}

/// The first of several keys that an entry has.
pub(super) fn first<'k, 'o, 'a>(
    entry: &'o Object<'a>,
    keys: &[&'k str],
) -> Option<(&'k str, &'o Value<'a>)> {
    keys.iter().find_map(|key| get(entry, key).map(|value| (*key, value)))
}
