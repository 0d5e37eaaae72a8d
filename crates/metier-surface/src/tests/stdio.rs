//! One client on a pair of byte streams.

use std::{
    io::{BufRead, BufReader, Write},
    os::unix::net::UnixStream,
    sync::Arc,
};

use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::fixture::{INITIALIZED, StandIn, initialize, modern, request};
use crate::serve::Server;

/// A client at the other end of a socket pair.
struct Client {
    stand_in: Arc<StandIn>,
    socket: UnixStream,
    stop: CancellationToken,
    serving: JoinHandle<()>,
}

impl Client {
    fn new() -> Client {
        let stand_in = StandIn::new();
        let (socket, theirs) = UnixStream::pair().unwrap();
        let stop = CancellationToken::new();
        let server = Server::new(stand_in.clone());
        let serving = server.stdio(theirs.try_clone().unwrap(), theirs, stop.clone());
        let serving = tokio::spawn(serving);
        Client { stand_in, socket, stop, serving }
    }

    fn send(&mut self, text: &str) {
        self.socket.write_all(text.as_bytes()).unwrap();
    }

    /// Everything that comes until the server closes its end.
    async fn rest(self) -> Vec<Value> {
        let lines = tokio::task::spawn_blocking(move || {
            BufReader::new(self.socket).lines().map_while(Result::ok).collect::<Vec<_>>()
        });
        let lines = lines.await.unwrap();
        self.serving.await.unwrap();
        lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Ends the input, and sees what still comes.
    async fn finish(self) -> Vec<Value> {
        self.socket.shutdown(std::net::Shutdown::Write).unwrap();
        self.rest().await
    }

    /// Sends all this, and sees what comes for it.
    async fn says(text: &str) -> Vec<Value> {
        let client = Client::new();
        let (mut socket, text) = (client.socket.try_clone().unwrap(), text.to_owned());
        // More than a socket holds is read while it is written.
        std::thread::spawn(move || {
            socket.write_all(text.as_bytes()).unwrap();
            socket.shutdown(std::net::Shutdown::Write).unwrap();
        });
        client.rest().await
    }
}

fn ids(answers: &[Value]) -> Vec<String> {
    answers.iter().map(|it| it.get("id").map(ToString::to_string).unwrap_or_default()).collect()
}

#[tokio::test]
async fn each_line_is_answered_and_a_bad_one_costs_only_itself() {
    let lines = format!(
        "{}\n\n  \r\ngarbage\n\u{feff}{}\r\n{}\n",
        initialize("2025-11-25"),
        request(1, "ping"),
        request(2, "now")
    );
    let answers = Client::says(&lines).await;
    assert_eq!(ids(&answers), ["0", "", "1", "2"]);
    assert_eq!(answers[1]["error"]["code"], -32700);
}

#[tokio::test]
async fn a_last_line_without_its_end_is_served() {
    assert_eq!(ids(&Client::says(&request(7, "ping")).await), ["7"]);
}

#[tokio::test]
async fn a_line_beyond_the_limit_is_refused_and_the_next_one_served() {
    let lines = format!("{{\"a\":\"{}\"}}\n{}\n", "x".repeat(5 << 20), request(1, "ping"));
    let answers = Client::says(&lines).await;
    assert_eq!(ids(&answers), ["", "1"]);
    assert_eq!(answers[0]["error"]["code"], -32600);
    assert!(answers[0]["error"]["message"].as_str().unwrap().contains("longer than"));
}

#[tokio::test]
async fn a_request_beyond_the_limit_is_refused_under_its_id_wherever_that_stands() {
    let long = format!(r#""method":"m","params":{{"id":5,"x":"{}"}}"#, "x".repeat(9 << 20));
    let lines = [
        format!(r#"{{"jsonrpc":"2.0","id":1,{long}}}"#),
        format!(r#"{{{long},"jsonrpc":"2.0","id":"two"}}"#),
        format!(r#"{{{long},"jsonrpc":"2.0"}}"#),
        // An answer gets none, least of all under an id that the client has given to something else.
        format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"x":"{}"}}}}"#, "x".repeat(5 << 20)),
        request(4, "ping"),
        format!(r#"{{"jsonrpc":"2.0","id":5,{long}"#),
    ];
    let answers = Client::says(&lines.join("\n")).await;
    assert_eq!(ids(&answers), ["1", "\"two\"", "", "", "4", "5"]);
}

#[tokio::test]
async fn a_line_below_the_limit_is_served_whatever_its_length() {
    let long = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping", "params": { "x": "y".repeat(3 << 20) } });
    assert_eq!(ids(&Client::says(&format!("{long}\n")).await), ["1"]);
}

#[tokio::test]
async fn work_in_flight_is_finished_when_the_input_ends() {
    let mut client = Client::new();
    client.send(&format!("{}\n{}\n", initialize("2025-11-25"), request(1, "wait")));
    client.stand_in.has_begun(1).await;
    client.stand_in.release.notify_one();
    assert_eq!(ids(&client.finish().await), ["0", "1"]);
}

#[tokio::test]
async fn the_end_of_input_ends_the_server_though_nobody_reads() {
    let mut client = Client::new();
    client.send(&format!("{}\n{}\n", initialize("2025-11-25"), request(1, "much")));
    client.socket.shutdown(std::net::Shutdown::Write).unwrap();
    client.serving.await.unwrap();
}

#[tokio::test]
async fn the_end_of_input_ends_the_server_also_with_an_open_subscription() {
    let listen = json!({ "notifications": { "toolsListChanged": true } });
    let answers = Client::says(&modern(1, "subscriptions/listen", listen)).await;
    assert_eq!(answers[0]["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(answers[1]["result"]["resultType"], "complete");
}

#[tokio::test(start_paused = true)]
async fn a_signal_ends_the_server_though_its_input_is_open_and_work_never_ends() {
    let mut client = Client::new();
    client.send(&format!("{}\n{}\n", initialize("2025-11-25"), request(1, "wait")));
    client.stand_in.has_begun(1).await;
    client.stop.cancel();
    // The clock is paused: the five seconds of grace take no time.
    client.serving.await.unwrap();
    client.stand_in.has_dropped(1).await;
}

#[tokio::test]
async fn changes_are_announced_between_answers() {
    let mut client = Client::new();
    client.send(&format!("{}\n{INITIALIZED}\n{}\n", initialize("2025-11-25"), request(1, "wait")));
    client.stand_in.has_begun(1).await;
    client.stand_in.change();
    let mut reader = BufReader::new(client.socket.try_clone().unwrap());
    let next = move || {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        serde_json::from_str::<Value>(&line).unwrap()
    };
    let lines = tokio::task::spawn_blocking(move || {
        let mut next = next;
        [next(), next()]
    });
    let [_, notice] = lines.await.unwrap();
    assert_eq!(notice["method"], "notifications/tools/list_changed");
    client.stand_in.release.notify_one();
    client.finish().await;
}
