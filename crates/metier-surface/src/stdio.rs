//! One client on a pair of byte streams: a message a line.
//!
//! A thread reads, answers what it can at once, and writes; nothing of that passes through the
//! runtime. What takes longer runs there, and its replies leave through a second thread. Both
//! streams may be pipes, sockets or files.

mod lines;

use std::{
    io::{Read, Write},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use metier_wire::{Error, Fault, Frame};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use self::lines::{Line, Lines};
use crate::{
    MESSAGE_LIMIT,
    lane::{Kind, Lane, Outgoing},
    session::{Server, Session},
};

/// How much is collected before it is written while more input waits.
const WRITE_SIZE: usize = 64 * 1024;
/// How long the last replies may take to leave: a while for a client that has said all it had to
/// say, hardly any for one that is told to end.
const FAREWELL: Duration = Duration::from_secs(5);
const SHORT_FAREWELL: Duration = Duration::from_millis(500);

/// The way out, which closes once.
struct Output<W>(Mutex<Option<W>>);

/// Serves one client until its input ends or `stop` is cancelled.
pub(crate) async fn serve(
    server: Arc<Server>,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    stop: CancellationToken,
) {
    let (lane, outgoing) = Lane::queue();
    let session = Session::new(&server, Some(lane.clone()));
    let output = Arc::new(Output(Mutex::new(Some(output))));
    let (ended, end) = oneshot::channel();
    let (written, all_written) = oneshot::channel();
    let reader =
        Reader { session: Arc::clone(&session), lane: lane.clone(), output: Arc::clone(&output) };
    thread::spawn(move || {
        reader.run(input);
        let _ = ended.send(());
    });
    thread::spawn(move || {
        write_out(outgoing, &output);
        let _ = written.send(());
    });
    tokio::select! {
        _ = end => tracing::debug!("the input has ended"),
        () = stop.cancelled() => {}
    }
    server.finish().await;
    session.client.end.cancel();
    let farewell = async {
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

impl<W: Write> Reader<W> {
    /// Takes line after line. Replies leave together while more input is at hand.
    fn run(&self, input: impl Read) {
        let mut lines = Lines::new(input, MESSAGE_LIMIT);
        let mut out = Vec::with_capacity(WRITE_SIZE);
        loop {
            match lines.next() {
                Ok(Line::Whole(line)) => self.take(line, &mut out),
                Ok(Line::TooLong) => self.refuse_long(&mut out),
                Ok(Line::End) => break,
                Err(error) => {
                    tracing::warn!(%error, "the input cannot be read");
                    break;
                }
            }
            if lines.has_more() && out.len() < WRITE_SIZE {
                continue;
            }
            if !self.output.write(&out) {
                return;
            }
            out.clear();
            out.shrink_to(WRITE_SIZE * 4);
        }
        self.output.write(&out);
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

    fn refuse_long(&self, out: &mut Vec<u8>) {
        let message = format!("the message is longer than {MESSAGE_LIMIT} bytes");
        self.session.refuse(&Fault { id: None, error: Error::invalid_request(message) }, out);
        out.push(b'\n');
    }
}

impl<W: Write> Output<W> {
    /// Writes whole lines; says whether anybody is there to read.
    fn write(&self, lines: &[u8]) -> bool {
        let mut output = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(output) = output.as_mut() else { return false };
        lines.is_empty() || output.write_all(lines).and_then(|()| output.flush()).is_ok()
    }

    fn close(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Writes what comes by the lane until it ends.
fn write_out<W: Write>(mut outgoing: mpsc::Receiver<Outgoing>, output: &Output<W>) {
    let mut out = Vec::new();
    while let Some(first) = outgoing.blocking_recv() {
        let mut next = Some(first);
        let mut is_end = false;
        while let Some(Outgoing { kind, message }) = next {
            is_end |= kind == Kind::End;
            if kind != Kind::End {
                out.extend_from_slice(&message);
                out.push(b'\n');
            }
            next = if out.len() < WRITE_SIZE { outgoing.try_recv().ok() } else { None };
        }
        let is_open = output.write(&out);
        out.clear();
        out.shrink_to(WRITE_SIZE * 4);
        if is_end || !is_open {
            break;
        }
    }
    output.close();
}
