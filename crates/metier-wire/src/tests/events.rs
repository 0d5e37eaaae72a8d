//! Messages as events.

use crate::sse::Event;

fn check(event: Event<'_>, expected: &str) {
    let mut out = Vec::new();
    event.write(&mut out);
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}

#[test]
fn an_event_has_its_fields_in_order_and_ends_with_an_empty_line() {
    check(Event { data: b"{}", ..Event::default() }, "data: {}\n\n");
    check(
        Event { name: Some("message"), id: Some("3-7"), retry: Some(1000), data: b"x" },
        "event: message\nid: 3-7\nretry: 1000\ndata: x\n\n",
    );
}

#[test]
fn line_ends_of_any_kind_stay_within_the_event() {
    check(
        Event { data: b"a\nb\r\nc\rd", ..Event::default() },
        "data: a\ndata: b\ndata: c\ndata: d\n\n",
    );
    check(Event { data: b"", ..Event::default() }, "data: \n\n");
}
