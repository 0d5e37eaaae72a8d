//! Resources, templates, folders and completion.

use std::fs;

use metier_wire::Era;
use serde_json::{Value, json};

use super::{ERAS, TREE, all, ask, front, refusal, uri};
use crate::{
    Presentation,
    library::TEMPLATE,
    tests::{
        gateway::{
            fake::Fake,
            fixture::{Front, Look, plan},
        },
        tools::fixture::Machine,
    },
};

#[tokio::test]
async fn every_skill_is_listed_by_its_file_and_the_rest_by_one_template() {
    let machine = Machine::new(&format!(
        "{TREE}//- home/.codex/skills/x/SKILL.md\nname: pdf | description: e\n"
    ));
    let front = front(&machine);
    let mut client = front.client(Era::Legacy);
    let listed = ask(&mut client, "resources/list", json!({})).await;
    let own = json!({ "uri": "skill://~/custom/pdf/SKILL.md", "name": "pdf",
        "description": "Reads PDF files", "mimeType": "text/markdown", "size": 54 });
    let other = json!({ "uri": "skill://~/codex/pdf/SKILL.md", "name": "pdf", "title": "codex:pdf",
        "description": "e", "mimeType": "text/markdown", "size": 40 });
    assert_eq!(listed, json!({ "resources": [own, other] }));
    let templates = ask(&mut client, "resources/templates/list", json!({})).await;
    assert_eq!(all(&templates["resourceTemplates"], "uriTemplate"), ["skill://~/{+skill}/{+path}"]);
    let (code, _) = refusal(&mut client, "resources/list", json!({ "cursor": "x" })).await;
    assert_eq!(code, -32602);
}

#[tokio::test]
async fn what_servers_have_comes_after_what_is_here() {
    let machine = Machine::new(TREE);
    let fake = Fake::legacy()
        .listing("resources/list", r#"{"uri":"x:y","name":"y"}"#)
        .listing("resources/templates/list", r#"{"uriTemplate":"x:{y}","name":"y"}"#)
        .listing("prompts/list", r#"{"name":"p"}"#);
    let front = Front::begin(Look::default(), plan(&[("a", &fake)]).await);
    front.publisher.publish(machine.catalog());
    let mut client = front.client(Era::Legacy);
    let listed = ask(&mut client, "resources/list", json!({})).await;
    assert_eq!(all(&listed["resources"], "uri"), ["skill://~/custom/pdf/SKILL.md", "x:y"]);
    let listed = ask(&mut client, "resources/templates/list", json!({})).await;
    let templates = all(&listed["resourceTemplates"], "uriTemplate");
    assert_eq!(templates, ["skill://~/{+skill}/{+path}", "x:{y}"]);
    let listed = ask(&mut client, "prompts/list", json!({})).await;
    assert_eq!(all(&listed["prompts"], "name"), ["pdf", "a__p"]);
}

#[tokio::test]
async fn no_server_takes_a_uri_of_a_skill_of_this_machine() {
    let machine = Machine::new(TREE);
    let theirs = "skill://~/custom/pdf/SKILL.md";
    let fake = Fake::legacy()
        .listing("resources/list", &json!({ "uri": theirs, "name": "y" }).to_string())
        .listing("resources/templates/list", r#"{"uriTemplate":"{+all}","name":"y"}"#);
    let front = Front::begin(Look::default(), plan(&[("custom", &fake)]).await);
    front.publisher.publish(machine.catalog());
    let mut client = front.client(Era::Legacy);
    let listed = ask(&mut client, "resources/list", json!({})).await;
    let uris = all(&listed["resources"], "uri");
    assert_eq!(uris, [theirs, "custom+skill://~/custom/pdf/SKILL.md"]);
    let read = ask(&mut client, "resources/read", json!({ "uri": theirs })).await;
    assert!(read["contents"][0]["text"].as_str().unwrap().contains("Reads PDF files"));
    let (code, _) = refusal(&mut client, "resources/read", uri("custom/none/SKILL.md")).await;
    assert_eq!((code, fake.seen("resources/read").len()), (-32002, 0));
}

#[tokio::test]
async fn text_is_read_as_text_and_all_else_as_base64() {
    let machine = Machine::new(TREE);
    fs::write(machine.path("custom/pdf/x.png"), b"\x89PNG\xff").unwrap();
    fs::write(machine.path("custom/pdf/bom.md"), "\u{feff}a\r\n").unwrap();
    let front = front(&machine);
    let mut client = front.client(Era::Legacy);
    let mut read =
        async |path| ask(&mut client, "resources/read", uri(path)).await["contents"][0].clone();
    let with = |path: &str, mime_type: &str, member: &str, value: &str| {
        let uri = format!("skill://~/{path}");
        json!({ "uri": uri, "mimeType": mime_type, member: value })
    };
    let path = "custom/pdf/x.png";
    assert_eq!(read(path).await, with(path, "image/png", "blob", "iVBOR/8="));
    let path = "custom/pdf/bom.md";
    assert_eq!(read(path).await, with(path, "text/markdown", "text", "\u{feff}a\r\n"));
    let path = "custom/pdf/docs/a%20b.md";
    assert_eq!(read(path).await, with(path, "text/markdown", "text", "Fill them.\n"));
    let mut client = front.client(Era::Modern);
    let read = ask(&mut client, "resources/read", uri(path)).await;
    let kept = (&read["resultType"], &read["ttlMs"], &read["cacheScope"]);
    assert_eq!(kept, (&json!("complete"), &json!(0), &json!("private")));
}

#[tokio::test]
async fn what_is_not_there_is_refused_by_the_code_of_the_revision() {
    let machine =
        Machine::new(&format!("{TREE}//- custom/pdf/.git/config\nsecret\n//- secret\nx\n"));
    let front = front(&machine);
    for (era, code) in ERAS.into_iter().zip([-32002, -32602]) {
        let mut client = front.client(era);
        for path in [
            "custom/pdf",
            "custom/pdf/none",
            "custom/pdf/docs",
            "custom/pdf/../../secret",
            "custom/pdf/%2e%2e/%2E%2E/secret",
            "custom/pdf/..%2F..%2Fsecret",
            "custom/pdf/.git/config",
            "custom/pdf/docs/deep/x.txt/",
            "none",
        ] {
            let refused = refusal(&mut client, "resources/read", uri(path)).await;
            assert_eq!(refused.0, code, "{path}: {}", refused.1);
        }
        let refused =
            refusal(&mut client, "resources/read", json!({ "uri": "file:///etc/passwd" })).await;
        assert_eq!(refused.0, code);
    }
}

#[tokio::test]
async fn every_uri_that_is_given_out_can_be_read_whatever_the_skill_is_called() {
    let names = ["a/b", "../pdf", "x y%", "ü/./z", "q?#", "b\\c"];
    let skill = |(at, name): (usize, &&str)| {
        let name = json!(name);
        format!(
            "//- custom/f{at}/SKILL.md\n---\nname: {name}\ndescription: d\n---\n//- custom/f{at}/t.md\nt\n"
        )
    };
    let machine = Machine::new(&names.iter().enumerate().map(skill).collect::<String>());
    let front = front(&machine);
    let mut client = front.client(Era::Legacy);
    let listed = ask(&mut client, "resources/list", json!({})).await;
    let uris = all(&listed["resources"], "uri");
    assert_eq!(uris.len(), names.len());
    let wish = json!({ "ref": { "type": "ref/resource", "uri": TEMPLATE },
        "argument": { "name": "skill", "value": "" } });
    let places =
        ask(&mut client, "completion/complete", wish).await["completion"]["values"].clone();
    let places = places.as_array().unwrap().iter().map(|it| it.as_str().unwrap().to_owned());
    let other = places.map(|it| format!("skill://~/{it}/t.md"));
    let above = ask(&mut client, "resources/directory/read", uri("custom")).await;
    let folders: Vec<String> =
        all(&above["resources"], "uri").iter().map(|it| format!("{it}/SKILL.md")).collect();
    assert_eq!(folders.len(), names.len());
    for uri in uris.iter().map(|it| (*it).to_owned()).chain(other).chain(folders) {
        let read = ask(&mut client, "resources/read", json!({ "uri": uri })).await;
        assert_eq!(read["contents"][0]["uri"], uri);
    }
}

#[cfg(unix)]
#[tokio::test]
async fn what_is_no_file_or_too_long_is_refused_with_the_reason_and_its_uri() {
    let machine = Machine::new(TREE);
    let path = |name: &str| machine.path(&format!("custom/pdf/{name}"));
    let _socket = std::os::unix::net::UnixListener::bind(path("socket")).unwrap();
    fs::File::create(path("long")).unwrap().set_len((16 << 20) + 1).unwrap();
    let front = front(&machine);
    for (era, code) in ERAS.into_iter().zip([-32002, -32602]) {
        let mut client = front.client(era);
        for (name, reason) in [
            ("socket", "not a regular file"),
            ("docs", "not a regular file"),
            ("long", "longer than 16384 KiB"),
        ] {
            let refused =
                refusal(&mut client, "resources/read", uri(&format!("custom/pdf/{name}"))).await;
            let message = format!("`skill://~/custom/pdf/{name}` cannot be read: {reason}");
            assert_eq!(refused, (code, message));
        }
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_that_leaves_the_folder_is_not_followed() {
    let machine = Machine::new(&format!(
        "{TREE}//- secret/key\nprivate\n//- custom/pdf/out -> secret\n//- custom/pdf/key -> secret/key\n"
    ));
    let front = front(&machine);
    let mut client = front.client(Era::Legacy);
    for path in ["custom/pdf/key", "custom/pdf/out/key"] {
        assert_eq!(refusal(&mut client, "resources/read", uri(path)).await.0, -32002);
    }
    let listed = ask(&mut client, "resources/directory/read", uri("custom/pdf")).await;
    assert_eq!(all(&listed["resources"], "name"), ["pdf", "docs"]);
    assert_eq!(
        refusal(&mut client, "resources/directory/read", uri("custom/pdf/out")).await.0,
        -32602
    );
}

#[tokio::test]
async fn a_folder_has_its_direct_children_and_says_which_are_folders() {
    let machine = Machine::new(TREE);
    fs::create_dir(machine.path("custom/pdf/empty")).unwrap();
    let front = front(&machine);
    let mut client = front.client(Era::Legacy);
    let mut children = async |path: &str| {
        let listed = ask(&mut client, "resources/directory/read", json!({ "uri": path })).await;
        let shown = listed["resources"].as_array().unwrap().iter().map(|it| {
            let (uri, kind) = (it["uri"].as_str().unwrap(), it["mimeType"].as_str().unwrap());
            format!("{} {kind}", uri.strip_prefix("skill://~/").unwrap())
        });
        shown.collect::<Vec<_>>()
    };
    assert_eq!(children("skill://~").await, ["custom inode/directory"]);
    assert_eq!(children("skill://~/custom").await, ["custom/pdf inode/directory"]);
    assert_eq!(
        children("skill://~/custom/pdf").await,
        [
            "custom/pdf/SKILL.md text/markdown",
            "custom/pdf/docs inode/directory",
            "custom/pdf/empty inode/directory",
        ]
    );
    assert_eq!(
        children("skill://~/custom/pdf/docs").await,
        ["custom/pdf/docs/a%20b.md text/markdown", "custom/pdf/docs/deep inode/directory"]
    );
    assert_eq!(children("skill://~/custom/pdf/empty").await, [""; 0]);
}

#[tokio::test]
async fn what_is_no_folder_is_refused_in_both_eras() {
    let machine = Machine::new(TREE);
    let front = front(&machine);
    for era in ERAS {
        let mut client = front.client(era);
        for path in
            ["custom/pdf/SKILL.md", "custom/pdf/none", "none", "custom/pdf/", "custom/pdf/.."]
        {
            let (code, message) = refusal(&mut client, "resources/directory/read", uri(path)).await;
            assert_eq!((code, message.contains(path)), (-32602, true), "{message}");
        }
        let paged = json!({ "uri": "skill://~/custom/pdf", "cursor": "x" });
        assert_eq!(refusal(&mut client, "resources/directory/read", paged).await.0, -32602);
    }
}

#[tokio::test]
async fn places_and_paths_are_completed() {
    let skills = |at: usize| format!("//- custom/s{at}/SKILL.md\nname: s{at} | description: d\n");
    let machine = Machine::new(&format!("{TREE}{}", (0..120).map(skills).collect::<String>()));
    let front = front(&machine);
    let mut client = front.client(Era::Legacy);
    let mut complete = async |name: &str, value: &str, skill: &str| {
        let params = json!({
            "ref": { "type": "ref/resource", "uri": "skill://~/{+skill}/{+path}" },
            "argument": { "name": name, "value": value },
            "context": { "arguments": { "skill": skill } },
        });
        ask(&mut client, "completion/complete", params).await["completion"].clone()
    };
    let values = |it: &[&str]| json!({ "values": it, "total": it.len(), "hasMore": false });
    assert_eq!(complete("skill", "PD", "").await, values(&["custom/pdf"]));
    assert_eq!(complete("skill", "custom/s11", "").await["total"], 11);
    let all = complete("skill", "", "").await;
    assert_eq!((&all["total"], &all["hasMore"]), (&json!(121), &json!(true)));
    assert_eq!(all["values"].as_array().unwrap().len(), 100);
    let paths = ["SKILL.md", "docs/a%20b.md", "docs/deep/x.txt"];
    assert_eq!(complete("path", "", "custom/pdf").await, values(&paths));
    assert_eq!(complete("path", "d", "custom/pdf").await, values(&[paths[1], paths[2], paths[0]]));
    assert_eq!(complete("path", "", "custom/none").await, values(&[]));
}

#[tokio::test]
async fn what_cannot_be_completed_is_refused() {
    let machine = Machine::new(TREE);
    let front = front(&machine);
    let template = json!({ "type": "ref/resource", "uri": "skill://~/{+skill}/{+path}" });
    for era in ERAS {
        let mut client = front.client(era);
        for params in [
            json!({}),
            json!({ "ref": { "type": "ref/prompt", "name": "none" } }),
            json!({ "ref": { "type": "odd" } }),
            json!({ "ref": template }),
            json!({ "ref": template, "argument": { "name": "other", "value": "" } }),
        ] {
            let refused = refusal(&mut client, "completion/complete", params).await;
            assert_eq!(refused.0, -32602, "{}", refused.1);
        }
        let task = json!({ "ref": { "type": "ref/prompt", "name": "pdf" },
            "argument": { "name": "task", "value": "x" } });
        let completed = ask(&mut client, "completion/complete", task).await;
        assert_eq!(completed["completion"]["values"], json!([]));
    }
}

#[tokio::test]
async fn before_the_first_scan_lists_and_reads_wait_for_it() {
    let machine = Machine::new(TREE);
    let front = Front::alone(Presentation::default());
    let mut client = front.client(Era::Legacy);
    let ids = [
        client.send("resources/list", json!({})),
        client.send("skills/list", json!({})),
        client.send("resources/read", uri("custom/pdf/SKILL.md")),
        client.send("prompts/get", json!({ "name": "pdf" })),
    ];
    front.publisher.publish(machine.catalog());
    for id in ids {
        let mut answer = client.next().await;
        while answer.get("id").is_none() {
            answer = client.next().await;
        }
        assert!(answer["result"].is_object(), "{id}: {answer}");
    }
    assert_eq!(client.rest(), [Value::Null; 0]);
}

#[tokio::test]
async fn a_uri_that_no_file_can_have_is_refused_with_the_reason() {
    let machine = Machine::new(TREE);
    let front = front(&machine);
    let mut client = front.client(Era::Legacy);
    let slash = "an encoded slash, backslash or control character";
    for (path, reason) in [
        ("custom/pdf/..%2fpdf/SKILL.md", slash),
        ("..%2fpdf", slash),
        ("custom/pdf/%00", slash),
        ("custom/pdf/%2Fetc%2Fpasswd", slash),
        ("custom/pdf/../x", "is empty, `.` or `..`"),
        ("custom/pdf/SKILL.md?x", "it has a query or a fragment"),
    ] {
        for method in ["resources/read", "resources/subscribe"] {
            let (code, message) = refusal(&mut client, method, uri(path)).await;
            assert_eq!((code, message.ends_with(reason)), (-32002, true), "{message}");
        }
    }
}
