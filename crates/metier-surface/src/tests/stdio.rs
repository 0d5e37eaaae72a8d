//! stdio.
