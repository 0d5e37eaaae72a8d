//! sse.
