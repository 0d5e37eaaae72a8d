//! What is found, and in which order.
