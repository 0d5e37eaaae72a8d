//! What is read and written, byte for byte.

mod events;
mod headers;
mod laws;
mod messages;
mod metadata;
mod revisions;
