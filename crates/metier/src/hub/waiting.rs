//! A sign of life while a server thinks.

use std::io;

use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use super::PATIENCE;
use crate::ui::{Ui, cut, one_line};

/// What is being waited for, and since when.
pub(crate) struct Waiting {
    what: String,
    began: Instant,
    tick: Interval,
}

impl Waiting {
    /// Begins to wait.
    pub(crate) fn new(what: String) -> Waiting {
        let began = Instant::now();
        let mut tick = interval_at(began + PATIENCE, PATIENCE);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Waiting { what, began, tick }
    }

    /// Ends when it is time to say something; never, if nobody would see it.
    pub(crate) async fn tick(&mut self, ui: &Ui<'_>) {
        if !ui.watched {
            return std::future::pending().await;
        }
        self.tick.tick().await;
    }

    /// Shows for how long it has been waited, in place of what was shown before.
    pub(crate) fn show(&self, ui: &mut Ui<'_>) -> io::Result<()> {
        let seconds = match self.began.elapsed().as_secs() {
            0 => String::new(),
            seconds => format!(" {seconds} s"),
        };
        let status = format!("{} …{seconds}", self.what);
        ui.status(&cut(&one_line(&status), ui.width.unwrap_or(80).saturating_sub(1)))
    }
}

/// What comes of something, with a sign of life while that takes long.
pub(crate) async fn awaited<T>(
    what: String,
    future: impl Future<Output = T>,
    ui: &mut Ui<'_>,
) -> io::Result<T> {
    let mut future = std::pin::pin!(future);
    let mut waiting = Waiting::new(what);
    let outcome = loop {
        tokio::select! {
            outcome = &mut future => break outcome,
            () = waiting.tick(ui) => waiting.show(ui)?,
        }
    };
    if ui.watched {
        ui.status("")?;
    }
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::{Instant, timeout};

    use super::Waiting;
    use crate::ui::Ui;

    #[tokio::test(start_paused = true)]
    async fn who_watches_sees_the_seconds_go_by() {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut ui = Ui::plain(&mut out, &mut err);
        ui.watched = true;
        let (mut waiting, began) = (Waiting::new("calling `a:b`".to_owned()), Instant::now());
        let mut times = Vec::new();
        for _ in 0..3 {
            waiting.tick(&ui).await;
            waiting.show(&mut ui).unwrap();
            times.push(began.elapsed().as_millis());
        }
        drop(ui);
        let shown = String::from_utf8(err).unwrap().replace("\r\u{1b}[K", "|");
        assert_eq!(shown, "|calling `a:b` …|calling `a:b` … 1 s|calling `a:b` … 1 s");
        assert_eq!(times.len(), 3);
        assert!(times[0] >= 500 && times[2] < 2_000, "{times:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn where_nobody_watches_nothing_is_said() {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let ui = Ui::plain(&mut out, &mut err);
        let mut waiting = Waiting::new("reading".to_owned());
        assert!(timeout(Duration::from_secs(60), waiting.tick(&ui)).await.is_err());
    }
}
