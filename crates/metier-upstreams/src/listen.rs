//! Listening: hearing of changes from servers that tell them only to those who listen.

use std::time::Duration;

use metier_wire::Era;
use serde_json::value::RawValue;
use tokio::time::{Instant, sleep};

use crate::{
    greet::{Capabilities, Changes},
    link::{Ask, Failed, Heard, Link},
};

/// The first pause before a stream is opened again.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// The longest.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// How long a stream must last until those before it no longer count.
const LONG_ENOUGH: Duration = Duration::from_secs(10);

/// Hears what the server tells by itself, for as long as the server lets us. That a stream ends says
/// nothing about the server's health; many cut theirs at fixed times.
pub(crate) async fn listen(link: Link, has: Capabilities) {
    let mut pause = FIRST_PAUSE;
    loop {
        let began = Instant::now();
        let heard = match link.board().revision().map(metier_wire::Revision::era) {
            // All that this brings is changes; what the server asks comes with its answers.
            Some(Era::Modern) => {
                link.board().attend();
                subscribe(&link, has).await
            }
            _ => link.hear().await,
        };
        link.board().attend();
        match heard {
            Ok(Heard::Unsupported) | Err(Failed::Refused(_)) => return,
            Ok(Heard::Ended) | Err(_) if link.board().is_over() => return,
            Ok(Heard::Ended) | Err(_) => {}
        }
        pause = if began.elapsed() > LONG_ENOUGH { FIRST_PAUSE } else { pause };
        sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
        if has.tells_changes() {
            // Nobody knows what was said meanwhile.
            link.board().miss();
        }
    }
}

async fn subscribe(link: &Link, has: Capabilities) -> Result<Heard, Failed> {
    if !has.tells_changes() {
        return Ok(Heard::Unsupported);
    }
    let wanted = |list: Option<Changes>| list == Some(Changes::Told);
    let filter = format!(
        r#"{{"toolsListChanged":{},"resourcesListChanged":{},"promptsListChanged":{}}}"#,
        wanted(has.tools),
        wanted(has.resources),
        wanted(has.prompts),
    );
    let filter = RawValue::from_string(filter).unwrap_or_default();
    let params = [("notifications", &*filter)];
    link.request(Ask::new("subscriptions/listen", &params)).await.map(|_| Heard::Ended)
}
