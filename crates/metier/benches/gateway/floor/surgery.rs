//! What a proxy must change in a message, changed without reading the rest of it.

use std::{collections::HashMap, ops::Range, sync::Mutex};

use memchr::{memchr2, memmem};

/// Calls that wait for an answer, by the id that the upstream knows them by.
pub(super) struct Pending<T>(Mutex<(u32, HashMap<u32, T>)>);

impl<T> Pending<T> {
    pub(super) fn new() -> Pending<T> {
        Pending(Mutex::new((0, HashMap::new())))
    }

    /// Keeps what belongs to a call and gives the call an id.
    pub(super) fn keep(&self, what: T) -> u32 {
        let mut table = self.0.lock().unwrap();
        table.0 = table.0.wrapping_add(1);
        let id = table.0;
        table.1.insert(id, what);
        id
    }

    /// What belongs to the call that a line answers.
    pub(super) fn take(&self, line: &[u8]) -> Option<T> {
        let id = str::from_utf8(&line[id(line)?]).ok()?.parse().ok()?;
        self.0.lock().unwrap().1.remove(&id)
    }
}

/// A call as a proxy sees it.
pub(super) struct Call<'a> {
    line: &'a [u8],
    id: Range<usize>,
    /// Where the part of the tool's name is that only the client knows.
    prefix: Range<usize>,
    /// Which upstream that part names.
    pub(super) upstream: usize,
}

impl<'a> Call<'a> {
    /// Reads a line, unless it is something else.
    pub(super) fn read(line: &'a [u8]) -> Option<Call<'a>> {
        memmem::find(line, br#""method":"tools/call""#)?;
        let start = memmem::find(line, br#""name":"s"#)? + 8;
        let length = memmem::find(&line[start..], SEPARATOR)?;
        let upstream = str::from_utf8(&line[start + 1..start + length]).ok()?.parse().ok()?;
        let prefix = start..start + length + SEPARATOR.len();
        Some(Call { line, id: id(line)?, prefix, upstream })
    }

    /// The id that the client gave it.
    pub(super) fn id(&self) -> &'a [u8] {
        &self.line[self.id.clone()]
    }

    /// Writes it as the upstream should see it.
    pub(super) fn write(&self, id: u32, out: &mut Vec<u8>) {
        let id = id.to_string();
        let mut cuts = [(&self.id, id.as_bytes()), (&self.prefix, b"")];
        cuts.sort_by_key(|it| it.0.start);
        let mut from = 0;
        for (range, text) in cuts {
            out.extend_from_slice(&self.line[from..range.start]);
            out.extend_from_slice(text);
            from = range.end;
        }
        out.extend_from_slice(&self.line[from..]);
    }
}

const SEPARATOR: &[u8] = b"__";

/// Writes an answer with another id.
pub(super) fn answer_to(client: &[u8], line: &[u8], out: &mut Vec<u8>) {
    let Some(id) = id(line) else { return };
    out.extend_from_slice(&line[..id.start]);
    out.extend_from_slice(client);
    out.extend_from_slice(&line[id.end..]);
}

/// The tools in an answer to `tools/list`, with the upstream in each name.
pub(super) fn tools(upstream: usize, line: &str) -> Option<String> {
    let (_, tools) = line.split_once(r#""tools":["#)?;
    let (tools, _) = tools.rsplit_once(']')?;
    Some(tools.replace(r#"{"name":""#, &format!(r#"{{"name":"s{upstream}__"#)))
}

/// Where the id of a message is.
pub(super) fn id(line: &[u8]) -> Option<Range<usize>> {
    let start = memmem::find(line, br#""id":"#)? + 5;
    Some(start..start + memchr2(b',', b'}', &line[start..])?)
}
