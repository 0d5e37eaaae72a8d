//! Messages as server-sent events.

/// One event before it is framed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Event<'a> {
    /// Its name; `message` if there is none.
    pub name: Option<&'a str>,
    /// By which a client says how far it has come.
    pub id: Option<&'a str>,
    /// After how many milliseconds a client may come back.
    pub retry: Option<u64>,
    /// What it carries.
    pub data: &'a [u8],
}

/// A line that keeps a quiet stream open.
pub const KEEP_ALIVE: &[u8] = b":\n\n";

impl Event<'_> {
    /// Appends the event in its frame.
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut field = |name: &str, value: &[u8]| {
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(b": ");
            out.extend_from_slice(value);
            out.push(b'\n');
        };
        if let Some(name) = self.name {
            field("event", name.as_bytes());
        }
        if let Some(id) = self.id {
            field("id", id.as_bytes());
        }
        if let Some(retry) = self.retry {
            field("retry", retry.to_string().as_bytes());
        }
        // A line end of any kind would end the field; a client joins the lines again.
        let mut rest = self.data;
        loop {
            let end = memchr::memchr2(b'\n', b'\r', rest);
            field("data", &rest[..end.unwrap_or(rest.len())]);
            let Some(end) = end else { break };
            let is_pair = rest[end..].starts_with(b"\r\n");
            rest = &rest[end + if is_pair { 2 } else { 1 }..];
        }
        out.push(b'\n');
    }
}
