//! The bare proxy on stdio: a thread that reads calls, and one for each server that reads answers.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read, Write},
    process::ChildStdout,
    sync::{Arc, Mutex},
    thread,
};

use super::{
    echo::streams,
    proxy::Upstreams,
    surgery::{Call, Pending, answer_to},
};

/// When what was read is written on.
#[derive(Clone, Copy)]
pub(super) enum Pace {
    /// Line by line.
    Lines,
    /// All at once that was read at once, so that calls in flight share their writes.
    Batches,
}

impl Pace {
    fn is_due<T: Read>(self, input: &BufReader<T>) -> bool {
        match self {
            Pace::Lines => true,
            Pace::Batches => input.buffer().is_empty(),
        }
    }
}

/// The ids that the client gave its calls.
type Ids = Pending<Vec<u8>>;

pub(super) fn serve(upstreams: Upstreams, pace: Pace) -> io::Result<()> {
    let (mut input, output) = streams()?;
    let (output, pending) = (Arc::new(Mutex::new(output)), Arc::new(Ids::new()));
    let mut ways = Vec::new();
    for upstream in upstreams.all {
        let (output, pending) = (output.clone(), pending.clone());
        thread::spawn(move || bring_back(upstream.from, &pending, &output, pace));
        ways.push((upstream.to, Vec::new()));
    }
    let (mut line, mut out) = (Vec::new(), Vec::new());
    while input.read_until(b'\n', &mut line)? > 0 {
        if let Some(call) = Call::read(&line) {
            call.write(pending.keep(call.id().to_vec()), &mut ways[call.upstream].1);
        } else {
            upstreams.front.answer(&line, &mut out);
        }
        line.clear();
        if !out.is_empty() {
            out.push(b'\n');
            output.lock().unwrap().write_all(&out)?;
            out.clear();
        }
        if pace.is_due(&input) {
            for (to, batch) in ways.iter_mut().filter(|it| !it.1.is_empty()) {
                to.write_all(batch)?;
                batch.clear();
            }
        }
    }
    Ok(())
}

/// Gives each answer of one server the id that the client waits for.
fn bring_back(
    mut from: BufReader<ChildStdout>,
    pending: &Ids,
    output: &Mutex<File>,
    pace: Pace,
) -> io::Result<()> {
    let (mut line, mut batch) = (Vec::new(), Vec::new());
    while from.read_until(b'\n', &mut line)? > 0 {
        if let Some(id) = pending.take(&line) {
            answer_to(&id, &line, &mut batch);
        }
        line.clear();
        if pace.is_due(&from) {
            output.lock().unwrap().write_all(&batch)?;
            batch.clear();
        }
    }
    Ok(())
}
