//! Gates: how many calls may be under way at one server, and who waits for their turn.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::sync::oneshot;

/// How many requests of callers may be under way at one server at a time.
pub(crate) const MOST_AT_ONCE: usize = 64;
/// How many callers may wait for their turn.
pub(crate) const MOST_WAITING: usize = 1024;

/// The gate before one server. Clients take turns: one with many calls holds up the others by no more
/// than one of them.
#[derive(Debug)]
pub(crate) struct Gate(Mutex<Book>);

#[derive(Debug)]
struct Book {
    n_free: usize,
    /// The clients that wait, in the order of their turns, each with its calls in theirs.
    clients: VecDeque<(usize, VecDeque<oneshot::Sender<()>>)>,
}

/// The right to ask the server something; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Pass<'a>(&'a Gate);

/// Too many wait already.
#[derive(Debug)]
pub(crate) struct Crowded;

/// Someone who waits, until their turn comes or this is dropped.
struct Waiting<'a> {
    gate: &'a Gate,
    turn: oneshot::Receiver<()>,
}

impl Default for Gate {
    fn default() -> Gate {
        Gate(Mutex::new(Book { n_free: MOST_AT_ONCE, clients: VecDeque::new() }))
    }
}

impl Gate {
    /// Passes at once, if nobody is in the way.
    pub(crate) fn try_pass(&self) -> Option<Pass<'_>> {
        let mut book = self.book();
        // Those who wait have the first right to what is free, so nothing is while they do.
        book.n_free = book.n_free.checked_sub(1)?;
        Some(Pass(self))
    }

    /// Passes when it is the turn of that client, and of this among its calls.
    pub(crate) async fn pass(&self, client: usize) -> Result<Pass<'_>, Crowded> {
        let mut waiting = match self.enter(client)? {
            Ok(pass) => return Ok(pass),
            Err(waiting) => waiting,
        };
        // Nobody lets go of one who waits but by giving them their turn.
        (&mut waiting.turn).await.map_err(|_| Crowded)?;
        Ok(Pass(self))
    }

    /// A pass after all, or a place among those who wait.
    fn enter(&self, client: usize) -> Result<Result<Pass<'_>, Waiting<'_>>, Crowded> {
        let mut book = self.book();
        if let Some(n_free) = book.n_free.checked_sub(1) {
            book.n_free = n_free;
            return Ok(Ok(Pass(self)));
        }
        if book.clients.iter().map(|(_, calls)| calls.len()).sum::<usize>() >= MOST_WAITING {
            return Err(Crowded);
        }
        let (sender, turn) = oneshot::channel();
        match book.clients.iter_mut().find(|(it, _)| *it == client) {
            Some((_, calls)) => calls.push_back(sender),
            None => book.clients.push_back((client, VecDeque::from([sender]))),
        }
        Ok(Err(Waiting { gate: self, turn }))
    }

    /// Gives a place to whose turn it is.
    fn leave(&self) {
        let mut book = self.book();
        while let Some((client, mut calls)) = book.clients.pop_front() {
            let next = calls.pop_front();
            if !calls.is_empty() {
                book.clients.push_back((client, calls));
            }
            // One that no longer waits is passed over.
            if next.is_some_and(|it| it.send(()).is_ok()) {
                return;
            }
        }
        book.n_free += 1;
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Book {
    /// Forgets those who no longer wait.
    fn forget(&mut self) {
        self.clients.retain_mut(|(_, calls)| {
            calls.retain(|it| !it.is_closed());
            !calls.is_empty()
        });
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        self.0.leave();
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if self.turn.is_terminated() {
            return;
        }
        self.turn.close();
        match self.turn.try_recv() {
            // Its turn came too late.
            Ok(()) => self.gate.leave(),
            Err(_) => self.gate.book().forget(),
        }
    }
}
