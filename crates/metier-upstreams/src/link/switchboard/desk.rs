//! The desk: who waits for which answer, all behind one lock that is never held for long.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::oneshot;

use crate::{
    caller::{Kind, Running},
    link::Reply,
};

/// Who waits for which answer.
#[derive(Default)]
pub(super) struct Desk(Mutex<Book>);

#[derive(Default)]
struct Book {
    is_closed: bool,
    last_id: u64,
    /// With their ids, the oldest first: mostly that one is answered next.
    waiting: VecDeque<(u64, Waiting)>,
}

impl Book {
    /// Where the one with that id stands.
    fn place(&self, id: u64) -> Option<usize> {
        self.waiting.binary_search_by_key(&id, |(it, _)| *it).ok()
    }
}

/// Someone who waits for an answer.
pub(super) struct Waiting {
    /// Where the answer goes, if it does not come by a stream of the one who waits.
    pub(super) reply: oneshot::Sender<Reply>,
    pub(super) home: Home,
    call: Option<UnderWay>,
}

/// A call for whose answer someone waits; it is over when this is dropped.
struct UnderWay(Arc<Running>);

impl UnderWay {
    fn is_call(&self) -> bool {
        self.0.kind == Kind::Call
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Where someone waits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Home {
    /// Here: what the board says is all there is to know.
    Board,
    /// At a stream of their own, which also says what the end of the connection means for them.
    Stream,
}

impl Desk {
    /// The id of the next to wait, and where the answer comes; none once the desk is closed.
    pub(super) fn enter(
        &self,
        home: Home,
        running: Option<Arc<Running>>,
    ) -> Option<(u64, oneshot::Receiver<Reply>)> {
        let (reply, receiver) = oneshot::channel();
        let mut book = self.book();
        if book.is_closed {
            return None;
        }
        book.last_id += 1;
        let id = book.last_id;
        book.waiting.push_back((id, Waiting { reply, home, call: running.map(UnderWay) }));
        Some((id, receiver))
    }

    /// No longer counts one as waiting.
    pub(super) fn strike(&self, id: u64) -> Option<Waiting> {
        let mut book = self.book();
        let at = book.place(id)?;
        book.waiting.remove(at).map(|(_, it)| it)
    }

    /// Lets nobody in any more; those who waited.
    pub(super) fn close(&self) -> Vec<Waiting> {
        let mut book = self.book();
        book.is_closed = true;
        book.waiting.drain(..).map(|(_, it)| it).collect()
    }

    /// How many wait.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.book().waiting.len()
    }

    /// Whether a call is under way.
    pub(super) fn has_calls(&self) -> bool {
        let is_call = |it: &Waiting| it.call.as_ref().is_some_and(UnderWay::is_call);
        self.book().waiting.iter().any(|(_, it)| is_call(it))
    }

    /// The id of the only one who waits.
    pub(super) fn only_id(&self) -> Option<u64> {
        let book = self.book();
        let mut ids = book.waiting.iter().map(|(id, _)| *id);
        ids.next().filter(|_| ids.next().is_none())
    }

    /// The call under an id.
    pub(super) fn running(&self, id: u64) -> Option<Arc<Running>> {
        let book = self.book();
        let (_, waiting) = book.waiting.get(book.place(id)?)?;
        waiting.call.as_ref().map(|it| it.0.clone())
    }

    /// All calls under way, the newest first.
    pub(super) fn calls(&self) -> Vec<Arc<Running>> {
        let book = self.book();
        let calls = book.waiting.iter().rev().filter_map(|(_, it)| it.call.as_ref());
        calls.filter(|it| it.is_call()).map(|it| it.0.clone()).collect()
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        // Nothing in here panics while it is held; and if it did, the book would still be whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
