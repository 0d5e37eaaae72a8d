//! Whatever arrives is read or refused, and the answer is JSON.
#![no_main]

use libfuzzer_sys::fuzz_target;
use metier_wire::{Frame, Message, Meta, header, sse::Event, write};

fuzz_target!(|bytes: &[u8]| {
    let mut out = Vec::new();
    match Frame::read(bytes) {
        Ok(Frame::One(Message::Request(request))) => {
            let _ = Meta::of(request.params).and_then(|meta| meta.modern());
            let _ = header::Mirror::default().check(&request, "2026-07-28");
            write::result(&mut out, request.id, |out| out.extend_from_slice(b"{}"));
        }
        Ok(_) => return,
        Err(fault) => write::error(&mut out, fault.id, &fault.error),
    }
    serde_json::from_slice::<serde_json::Value>(&out).expect("an answer is JSON");
    let mut event = Vec::new();
    Event { data: bytes, ..Event::default() }.write(&mut event);
    if let Ok(text) = std::str::from_utf8(bytes) {
        let carried = header::encoded(text);
        assert_eq!(header::decoded(&carried).expect("what was encoded"), text);
    }
});
