//! Laws that hold for everything that may arrive.

use proptest::{collection::vec, prelude::*};

use crate::{Frame, Message, Meta, header, sse::Event, write};

/// Pieces of which messages are made, and some that break them.
const PIECES: [&str; 24] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"jsonrpc\"",
    "\"2.0\"",
    "\"id\"",
    "\"method\"",
    "\"params\"",
    "\"result\"",
    "\"error\"",
    "\"_meta\"",
    "null",
    "1",
    "-1",
    "1.5",
    "1e400",
    "\"x\"",
    "\"\\u0000\"",
    "\"\\ud800\"",
    " ",
    "\u{feff}",
];

fn pieces() -> impl Strategy<Value = String> {
    vec(proptest::sample::select(PIECES.to_vec()), 0..24).prop_map(|it| it.concat())
}

/// Reads and answers whatever arrives; the answer must be JSON with the id that was sent.
fn survives(bytes: &[u8]) {
    let mut out = Vec::new();
    match Frame::read(bytes) {
        Ok(Frame::One(Message::Request(request))) => {
            let _ = Meta::of(request.params).and_then(|meta| meta.modern());
            let _ = header::Mirror::default().check(&request, "2026-07-28");
            write::result(&mut out, request.id, |out| out.extend_from_slice(b"{}"));
            let sent: serde_json::Value = serde_json::from_slice(without_mark(bytes)).unwrap();
            let answer: serde_json::Value = serde_json::from_slice(&out).unwrap();
            assert_eq!(answer["id"], sent["id"]);
        }
        Ok(_) => {}
        Err(fault) => {
            write::error(&mut out, fault.id, &fault.error);
            let answer: serde_json::Value = serde_json::from_slice(&out).unwrap();
            assert!(matches!(answer["error"]["code"].as_i64(), Some(-32700 | -32600)));
        }
    }
}

fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes)
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(20_260_728),
        ..ProptestConfig::with_cases(2_000)
    })]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in vec(any::<u8>(), 0..200)) {
        survives(&bytes);
    }

    #[test]
    fn any_arrangement_of_pieces_is_read_or_refused(text in pieces()) {
        survives(text.as_bytes());
    }

    #[test]
    fn a_request_with_any_id_and_method_is_read_back(id in any::<String>(), method in any::<String>()) {
        let text = serde_json::json!({ "jsonrpc": "2.0", "id": id, "method": method }).to_string();
        let Ok(Frame::One(Message::Request(request))) = Frame::read(text.as_bytes()) else {
            panic!("{text}")
        };
        prop_assert_eq!(&*request.method, method.as_str());
        prop_assert_eq!(serde_json::from_str::<String>(request.id.as_str()).unwrap(), id);
    }

    #[test]
    fn a_header_brings_any_value_back(value in any::<String>()) {
        let carried = header::encoded(&value);
        prop_assert!(carried.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t')));
        prop_assert_eq!(header::decoded(&carried).unwrap(), value.as_str());
    }

    #[test]
    fn an_event_brings_any_data_back_but_for_the_kind_of_its_line_ends(data in "[a\n\r: ]{0,20}") {
        let mut out = Vec::new();
        Event { data: data.as_bytes(), ..Event::default() }.write(&mut out);
        let text = String::from_utf8(out).unwrap();
        let event = text.strip_suffix("\n\n").unwrap();
        let lines = event.split('\n').map(|line| line.strip_prefix("data: ").unwrap());
        let back = lines.collect::<Vec<_>>().join("\n");
        prop_assert_eq!(back, data.replace("\r\n", "\n").replace('\r', "\n"));
    }
}
