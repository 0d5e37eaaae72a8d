//! What a server says while a call is under way.

use std::{
    fmt, io,
    sync::{Arc, OnceLock},
};

use metier_upstreams::{Audience, Caller, ServerName};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};
use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::ui::{Ui, cut, one_line};

/// How much may wait to be shown; what finds no room is not shown.
const MOST: usize = 64;

/// A caller who hears, and answers no questions.
pub(super) struct Listener {
    heard: Sender<Heard>,
    /// The server that is called, once one is.
    server: OnceLock<ServerName>,
}

/// Something that was heard.
pub(super) enum Heard {
    Progress(Progress),
    Log(Log),
}

#[derive(Deserialize)]
pub(super) struct Progress {
    progress: f64,
    total: Option<f64>,
    message: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Log {
    #[serde(default)]
    level: String,
    logger: Option<String>,
    #[serde(default)]
    data: Value,
}

/// A caller, and what it hears.
pub(super) fn listener() -> (Arc<Listener>, Receiver<Heard>) {
    let (heard, receiver) = channel(MOST);
    (Arc::new(Listener { heard, server: OnceLock::new() }), receiver)
}

impl Listener {
    /// From now on, what this server says to everyone is heard too.
    pub(super) fn listen_to(&self, server: &ServerName) {
        let _ = self.server.set(server.clone());
    }
}

impl Audience for Listener {
    fn told(&self, server: &ServerName, method: &str, params: Option<&RawValue>) {
        if self.server.get() == Some(server) {
            Caller::told(self, method, params);
        }
    }
}

impl Caller for Listener {
    fn progress(&self, params: &RawValue) {
        if let Ok(progress) = serde_json::from_str(params.get()) {
            let _ = self.heard.try_send(Heard::Progress(progress));
        }
    }

    fn told(&self, method: &str, params: Option<&RawValue>) {
        let log = params.filter(|_| method == "notifications/message");
        if let Some(Ok(log)) = log.map(|params| serde_json::from_str(params.get())) {
            let _ = self.heard.try_send(Heard::Log(log));
        }
    }
}

impl Heard {
    /// Whether it says how far the call is.
    pub(super) fn is_progress(&self) -> bool {
        matches!(self, Heard::Progress(_))
    }

    /// Shows it, if someone watches.
    pub(super) fn show(&self, ui: &mut Ui<'_>) -> io::Result<()> {
        if !ui.watched {
            return Ok(());
        }
        match self {
            Heard::Progress(progress) => {
                let text = progress.to_string();
                ui.status(&cut(&one_line(&text), ui.width.unwrap_or(80).saturating_sub(1)))
            }
            Heard::Log(log) => {
                ui.status("")?;
                ui.dim_note(&one_line(&log.to_string()))
            }
        }
    }
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = match self.total {
            Some(total) if total > 0.0 => {
                format!("{:.0} %", (self.progress / total).clamp(0.0, 1.0) * 100.0)
            }
            _ => format!("{}", self.progress),
        };
        match &self.message {
            Some(message) if !message.is_empty() => write!(f, "{share} {message}"),
            _ => f.write_str(&share),
        }
    }
}

impl fmt::Display for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let data = match &self.data {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        match &self.logger {
            Some(logger) => write!(f, "{} {logger}: {data}", self.level),
            None => write!(f, "{}: {data}", self.level),
        }
    }
}

#[cfg(test)]
mod tests {
    use metier_upstreams::{Audience, Caller, ServerName};
    use serde_json::value::RawValue;

    use super::{Heard, Log, Progress, listener};

    #[test]
    fn log_messages_are_heard_of_the_server_that_is_called_while_it_is() {
        let (listener, mut news) = listener();
        let [called, other] = ["called", "other"].map(|it| ServerName::new(it).unwrap());
        let log = |data: &str| {
            RawValue::from_string(format!(r#"{{"level":"info","data":"{data}"}}"#)).unwrap()
        };
        let tell = |server: &ServerName, data: &str| {
            Audience::told(&*listener, server, "notifications/message", Some(&log(data)));
        };
        tell(&called, "before");
        listener.listen_to(&called);
        tell(&called, "to all");
        tell(&other, "of another");
        Caller::told(&*listener, "notifications/message", Some(&log("to the caller")));
        let mut heard = Vec::new();
        while let Ok(Heard::Log(log)) = news.try_recv() {
            heard.push(log.to_string());
        }
        assert_eq!(heard, ["info: to all", "info: to the caller"]);
    }

    #[test]
    fn progress_is_told_as_a_share_if_the_whole_is_known() {
        let told = |json: &str| serde_json::from_str::<Progress>(json).unwrap().to_string();
        assert_eq!(told(r#"{"progress": 1, "total": 4, "message": "reading"}"#), "25 % reading");
        assert_eq!(told(r#"{"progress": 7}"#), "7");
        assert_eq!(told(r#"{"progress": 9, "total": 3}"#), "100 %");
    }

    #[test]
    fn a_log_message_is_told_with_level_and_logger() {
        let told = |json: &str| serde_json::from_str::<Log>(json).unwrap().to_string();
        assert_eq!(told(r#"{"level": "info", "logger": "db", "data": "up"}"#), "info db: up");
        assert_eq!(told(r#"{"level": "error", "data": {"a": 1}}"#), r#"error: {"a":1}"#);
    }
}
