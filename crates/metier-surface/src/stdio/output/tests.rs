//! Lines that leave while the client does not read.

use std::{
    io::{BufRead, BufReader},
    os::unix::net::UnixStream,
    thread,
};

use super::{Output, Written};

#[test]
fn nothing_comes_between_the_beginning_of_a_line_and_its_rest() {
    let (theirs, ours) = UnixStream::pair().unwrap();
    let output = Output::new(ours);
    let long = "a".repeat(4 << 20);
    assert!(matches!(output.write_now(format!("{long}\n").as_bytes()), Written::Some));
    let writing = thread::spawn(move || output.write(b"now\n"));
    let mut lines = BufReader::new(theirs).lines().map(Result::unwrap);
    assert!(lines.next().unwrap() == long);
    assert_eq!(lines.next().unwrap(), "now");
    assert!(writing.join().unwrap());
}

#[test]
fn whoever_waits_for_the_client_holds_up_nobody_else() {
    let (theirs, ours) = UnixStream::pair().unwrap();
    let output = Output::new(ours);
    let stream = output.0.lock().unwrap();
    assert!(matches!(output.write_now(b"later\n"), Written::None));
    output.close();
    drop(stream);
    assert!(output.write(b"now\n"));
    drop(output);
    let lines: Vec<String> = BufReader::new(theirs).lines().map(Result::unwrap).collect();
    assert_eq!(lines, ["now"]);
}

#[test]
fn a_client_that_is_gone_is_noticed() {
    let (theirs, ours) = UnixStream::pair().unwrap();
    drop(theirs);
    assert!(matches!(Output::new(ours).write_now(b"later\n"), Written::Closed));
}
