//! One client on a pair of byte streams: a message a line.
//!
//! A thread reads, answers what it can at once, and writes; nothing of that passes through the
//! runtime. What takes longer goes on where it is woken, and its replies are written there. Both
//! streams may be pipes, sockets or files.

mod lines;
mod output;

use std::{io::Read, sync::Arc, thread, time::Duration};

use metier_upstreams::pump::{Home, Pump, When};
use metier_wire::{Ends, Error, Fault, Frame, Id};
use tokio::sync::oneshot;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

pub use self::output::Stream;
use self::{
    lines::{Line, Lines},
    output::{Output, write_out},
};
use crate::{
    MESSAGE_LIMIT,
    lane::{Kind, Lane},
    session::{Server, Session},
};

/// How much is collected before it is written while more input waits.
const WRITE_SIZE: usize = 64 * 1024;
/// How long the last replies may take to leave: a while for a client that has said all it had to
/// say, hardly any for one that is told to end.
const FAREWELL: Duration = Duration::from_secs(5);
const SHORT_FAREWELL: Duration = Duration::from_millis(500);

/// Serves one client until its input ends or `stop` is cancelled.
pub(crate) async fn serve(
    server: Arc<Server>,
    input: impl Read + Send + 'static,
    output: impl Stream,
    stop: CancellationToken,
) {
    let (lane, outgoing) = Lane::queue();
    let session = Session::new(&server, Some(lane.clone()));
    let output = Output::new(output);
    let (ended, end) = oneshot::channel();
    let (written, all_written) = oneshot::channel();
    let reader =
        Reader { session: Arc::clone(&session), lane: lane.clone(), output: Arc::clone(&output) };
    let (answered, all_answered) = oneshot::channel();
    thread::spawn(move || {
        let rest = reader.run(input);
        let _ = ended.send(());
        if !rest.is_empty() {
            reader.output.write(&rest);
        }
        let _ = answered.send(());
    });
    let unread = Arc::clone(&session);
    // Not among the tasks that are waited for first: this one ends last.
    let home = Home { tasks: TaskTracker::new(), ..server.home.clone() };
    home.begin(When::Last, async move {
        write_out(outgoing, output).await;
        unread.end();
        let _ = written.send(());
    });
    tokio::select! {
        _ = end => tracing::debug!("the input has ended"),
        () = stop.cancelled() => {}
    }
    server.finish().await;
    session.end();
    let farewell = async {
        let _ = all_answered.await;
        lane.send(Kind::End, Vec::new()).await;
        let _ = all_written.await;
    };
    // A client that does not read cannot hold the server up.
    tokio::select! {
        () = farewell => {}
        () = tokio::time::sleep(FAREWELL) => {}
        () = async { stop.cancelled().await; tokio::time::sleep(SHORT_FAREWELL).await } => {}
    }
}

struct Reader<W> {
    session: Arc<Session>,
    lane: Lane,
    output: Arc<Output<W>>,
}

impl<W: Stream> Reader<W> {
    /// Takes line after line. Replies leave together while more input is at hand; those to the last
    /// lines are given back.
    fn run(&self, input: impl Read) -> Vec<u8> {
        let mut lines = Lines::new(input, MESSAGE_LIMIT);
        let mut out = Vec::with_capacity(WRITE_SIZE);
        let mut pump = None;
        loop {
            let line = lines.next();
            pump.get_or_insert_with(Pump::begin);
            match line {
                Ok(Line::Whole(line)) => self.take(line, &mut out),
                Ok(Line::TooLong(ends)) => self.refuse_long(&ends, &mut out),
                Ok(Line::End) => break,
                Err(error) => {
                    tracing::warn!(%error, "the input cannot be read");
                    break;
                }
            }
            if lines.has_more() && out.len() < WRITE_SIZE {
                continue;
            }
            if !out.is_empty() && !self.output.write(&out) {
                return Vec::new();
            }
            // What came later than these answers is answered after them.
            pump = None;
            out.clear();
            out.shrink_to(WRITE_SIZE * 4);
        }
        out
    }

    fn take(&self, line: &[u8], out: &mut Vec<u8>) {
        let line = line.trim_ascii();
        if line.is_empty() {
            return;
        }
        let before = out.len();
        self.session.take(Frame::read(line), &|| self.lane.clone(), out);
        if out.len() > before {
            out.push(b'\n');
        }
    }

    fn refuse_long(&self, ends: &Ends, out: &mut Vec<u8>) {
        let message = format!("the message is longer than {MESSAGE_LIMIT} bytes");
        let (id, error) = (ends.asks(), Error::invalid_request(message));
        self.session.refuse(&Fault { id: id.as_deref().and_then(Id::new), error }, out);
        out.push(b'\n');
    }
}
