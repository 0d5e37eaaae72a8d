//! The older HTTP transport: one stream for all that comes, a request each for what goes.

pub(crate) fn legacy_sse() {}
