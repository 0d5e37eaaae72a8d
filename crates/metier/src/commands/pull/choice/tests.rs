//! What people write, and what it is taken for.

use super::{Source, server_at};

/// What a text is taken for: a server, the name of one at an address, or a URI.
#[track_caller]
fn check(text: &str, expected: &str) {
    let told = match Source::read(text) {
        Source::Server(name) => format!("server {name}"),
        Source::Site(url) => match server_at(&url) {
            Ok(spec) => format!("at {} {}", spec.name, spec.endpoint),
            Err(failure) => format!("! {}", failure.error),
        },
        Source::Uri(uri) => format!("uri {uri}"),
    };
    assert_eq!(told, expected);
}

#[test]
fn a_server_is_meant_by_its_name_or_its_address_and_a_skill_by_its_uri() {
    check("docs", "server docs");
    check("skill://docs/a/b", "uri skill://docs/a/b");
    check("github://o/r/skills/b/SKILL.md", "uri github://o/r/skills/b/SKILL.md");
    check("https://host/skills/b/SKILL.md", "uri https://host/skills/b/SKILL.md");
    check("https://host.example/mcp", "at host.example https://host.example/mcp");
}

#[test]
fn a_server_at_an_address_is_called_by_host_and_port_and_shows_no_secret() {
    check("http://127.0.0.1:3000", "at 127.0.0.1-3000 http://127.0.0.1:3000/");
    check("http://[::1]:80/mcp", "at --1 http://[::1]/mcp");
    check("https://u:p@host/t0k3n?key=s", "at host https://host/…");
}
