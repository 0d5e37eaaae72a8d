//! Skills that servers list: what makes one, what a file of one must be, and when they are asked for.

use std::sync::Arc;

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{Files, ServedSkill, is_below, sha256};
use crate::{
    Roster, SkillContent, Upstreams,
    tests::{
        fake::{Act, Fake, error, good, keep, notification, result},
        name, raw, settle, shown,
    },
};

const SKILL: &str = "skill://acme/refunds/SKILL.md";
const TEXT: &str = "---\nname: refunds\n---\nPay back.";

fn file(uri: &str, bytes: &[u8]) -> Value {
    let hex: String = Sha256::digest(bytes).iter().map(|it| format!("{it:02x}")).collect();
    json!({ "uri": uri, "digest": format!("sha256:{hex}"), "size": bytes.len() })
}

/// An entry that is fine.
fn entry() -> Value {
    json!({
        "uri": SKILL,
        "frontmatter": { "name": "refunds", "description": "Refunds", "odd": [1] },
        "resources": [
            file(SKILL, TEXT.as_bytes()),
            file("skill://acme/refunds/a/logo.png", &[0, 255]),
        ],
    })
}

/// An entry that is fine but for what a change makes of it.
fn changed(change: impl FnOnce(&mut Value)) -> Value {
    let mut entry = entry();
    change(&mut entry);
    entry
}

fn read(entry: &Value) -> Result<ServedSkill, String> {
    ServedSkill::read(&raw(&entry.to_string()))
}

#[track_caller]
fn check_broken(change: impl FnOnce(&mut Value), reason: &str) {
    let broken = read(&changed(change)).unwrap_err();
    assert_eq!(broken, format!("`{SKILL}`: {reason}"));
}

/// The path of a file, given what stands behind the skill's own address.
#[track_caller]
fn check_path(rest: &str, expected: Option<&str>) {
    let skill = read(&entry()).unwrap();
    assert_eq!(skill.path(&format!("skill://acme/refunds{rest}")).as_deref(), expected, "{rest}");
}

#[test]
fn a_path_is_what_a_uri_says_without_percent_encoding() {
    check_path("/SKILL.md", Some("SKILL.md"));
    check_path("/a/Q%26A%20%231%20(%C3%BC).md", Some("a/Q&A #1 (ü).md"));
    check_path("/100%.md", Some("100%.md"));
    check_path("/a%2Fb", None);
    check_path("/%FF", None);
    check_path("", None);
    check_path("-too/SKILL.md", None);
}

#[test]
fn behind_a_gateway_a_skill_lies_below_its_server() {
    assert_eq!(read(&entry()).unwrap().root_at(&name("shop")), "skill://shop/acme/refunds");
}

#[test]
fn a_skill_is_what_its_server_says_of_it() {
    let skill = read(&entry()).unwrap();
    assert_eq!((&*skill.uri, &*skill.name, &*skill.description), (SKILL, "refunds", "Refunds"));
    assert_eq!(skill.frontmatter.get(), entry()["frontmatter"].to_string());
    assert_eq!(skill.root(), "skill://acme/refunds");
    let Files::Listed(files) = &skill.files else { panic!("{:?}", skill.files) };
    assert_eq!(files.len(), 2);
    assert_eq!((files[0].size, files[1].size), (TEXT.len() as u64, 2));
    assert_eq!(files[1].digest, *Sha256::digest([0, 255]));
    let dynamic = read(&changed(|it| it["resources"] = json!("dynamic"))).unwrap();
    assert_eq!(dynamic.files, Files::Dynamic);
}

#[test]
fn a_skill_is_called_as_its_folder_and_as_skills_may_be_called() {
    let named = |uri: &str, name: &str| {
        read(&json!({
            "uri": uri,
            "frontmatter": { "name": name, "description": "x" },
            "resources": "dynamic",
        }))
    };
    for (uri, name) in [
        ("skill://a/SKILL.md", "a"),
        ("github://o/r/skills/pdf-2/SKILL.md", "pdf-2"),
        ("skill://b%C3%BCro/SKILL.md", "büro"),
    ] {
        assert_eq!(&*named(uri, name).unwrap().name, name);
    }
    let broken = |uri: &str, name: &str| named(uri, name).unwrap_err();
    for name in ["", "A", "a_b", "a b", "-a", "a-", "a--b", "a:b", &"a".repeat(65)] {
        let reason =
            format!("`skill://{name}/SKILL.md`: `{name}` is not a name that a skill may have");
        assert_eq!(broken(&format!("skill://{name}/SKILL.md"), name), reason);
    }
    for uri in ["skill://b/SKILL.md", "skill://a/skill.md", "skill://a", "a/SKILL.md", "SKILL.md"] {
        assert_eq!(broken(uri, "a"), format!("`{uri}`: its URI does not end in `/a/SKILL.md`"));
    }
}

#[test]
fn a_skill_that_breaks_a_rule_is_none() {
    check_broken(|it| it["frontmatter"]["description"] = json!(" "), "its description is empty");
    check_broken(
        |it| it["resources"][0]["uri"] = json!("skill://acme/refunds/README.md"),
        "its `SKILL.md` is not among its files",
    );
    check_broken(|it| it["resources"] = json!([]), "its `SKILL.md` is not among its files");
    check_broken(
        |it| it["resources"][1]["uri"] = json!(SKILL),
        &format!("`{SKILL}` is listed twice"),
    );
    for outside in
        ["skill://acme/other.md", "skill://acme/refunds/../x", "skill://acme/refunds/%2E./x"]
    {
        check_broken(
            |it| it["resources"][1]["uri"] = json!(outside),
            &format!("`{outside}` is not below it"),
        );
    }
    let digest = entry()["resources"][0]["digest"].as_str().unwrap().to_owned();
    for bad in
        ["", "sha256:", &digest[1..], &digest.replace("sha256:", "md5:"), &digest.to_uppercase()]
    {
        check_broken(
            |it| it["resources"][0]["digest"] = json!(bad),
            &format!("the digest of `{SKILL}` is none"),
        );
    }
    for odd in [json!(null), json!({}), json!("static"), json!([1]), json!([{ "uri": SKILL }])] {
        let reason = read(&changed(|it| it["resources"] = odd)).unwrap_err();
        assert!(
            reason.starts_with(&format!("`{SKILL}`: its list of files cannot be read: ")),
            "{reason}"
        );
    }
    for odd in [json!(-1), json!(1.5), json!("1"), json!(null)] {
        assert!(read(&changed(|it| it["resources"][0]["size"] = odd)).is_err());
    }
    for odd in [json!(null), json!([]), json!({ "name": "refunds" }), json!({ "description": "x" })]
    {
        assert!(read(&changed(|it| it["frontmatter"] = odd)).is_err());
    }
    for odd in [json!(null), json!("x"), json!({}), json!({ "uri": 1 })] {
        assert!(read(&odd).unwrap_err().starts_with("it is no entry of a skill: "));
    }
}

#[test]
fn a_skill_may_have_512_files_and_16_mebibytes() {
    let with = |n_files: usize| {
        let files = (1..n_files).map(|at| file(&format!("skill://acme/refunds/{at}"), &[]));
        let files: Vec<Value> = [file(SKILL, &[])].into_iter().chain(files).collect();
        read(&changed(|it| it["resources"] = json!(files)))
    };
    assert!(with(512).is_ok());
    assert_eq!(with(513).unwrap_err(), format!("`{SKILL}`: it has 513 files, and 512 are allowed"));
    let sized = |first: u64, second: u64| {
        read(&changed(|it| {
            it["resources"][0]["size"] = json!(first);
            it["resources"][1]["size"] = json!(second);
        }))
    };
    assert!(sized((16 << 20) - 1, 1).is_ok());
    let too_large = sized(16 << 20, 1).unwrap_err();
    assert_eq!(too_large, format!("`{SKILL}`: it has 16777217 bytes, and 16777216 are allowed"));
    assert!(sized(u64::MAX, u64::MAX).is_err());
}

#[test]
fn digests_and_folders_are_read_strictly() {
    assert_eq!(sha256(&format!("sha256:{}", "0f".repeat(32))), Some([15; 32]));
    assert_eq!(sha256(&format!("sha256:{}", "é".repeat(32))), None);
    let below = |uri: &str| is_below("x://a", uri);
    assert!(below("x://a/b") && below("x://a/b/c.d") && below("x://a/..b"));
    for uri in ["x://a", "x://a/", "x://ab/c", "x://a//b", "x://a/./b", "x://a/b/..", "y://a/b"] {
        assert!(!below(uri), "{uri}");
    }
}

/// A server that has skills, and answers for them as a test wants it.
fn serving(
    skills: impl Fn(&Value) -> Vec<Act> + Send + Sync + 'static,
    contents: impl Fn(&str) -> Value + Send + Sync + 'static,
) -> Arc<Fake> {
    Fake::new(move |_, message| match message["method"].as_str() {
        Some("initialize") => vec![result(
            message,
            json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {
                    "tools": {},
                    "resources": { "listChanged": true },
                    "extensions": { "io.modelcontextprotocol/skills": {} },
                },
            }),
        )],
        Some("resources/list") => vec![result(message, json!({ "resources": [] }))],
        Some("resources/templates/list") => {
            vec![result(message, json!({ "resourceTemplates": [] }))]
        }
        Some("skills/list") => skills(message),
        Some("resources/read") => {
            let contents = contents(message["params"]["uri"].as_str().unwrap());
            vec![result(message, json!({ "contents": contents }))]
        }
        _ => good(message),
    })
}

/// One that has these skills.
fn having(skills: Value, contents: impl Fn(&str) -> Value + Send + Sync + 'static) -> Arc<Fake> {
    serving(move |message| vec![result(message, json!({ "skills": skills }))], contents)
}

fn nothing(_: &str) -> Value {
    json!([])
}

fn skills(roster: &Roster) -> Vec<String> {
    roster.skills().map(|(server, skill)| format!("{server} {}", skill.uri)).collect()
}

#[tokio::test(start_paused = true)]
async fn a_server_that_says_it_has_skills_is_asked_for_all_pages_of_them_and_for_no_file() {
    let dynamic = |uri: &str| {
        changed(|it| {
            it["uri"] = json!(uri);
            it["resources"] = json!("dynamic");
        })
    };
    let (z, b) = (dynamic("skill://z/refunds/SKILL.md"), dynamic("skill://b/refunds/SKILL.md"));
    let fake = serving(
        move |message| match message["params"]["cursor"].as_str() {
            None => vec![result(message, json!({ "skills": [z, {}], "nextCursor": "2" }))],
            _ => vec![result(message, json!({ "skills": [b, entry(), b] }))],
        },
        nothing,
    );
    let plain = Fake::good();
    let (upstreams, _) = keep([
        ("plain", plain.clone()),
        ("one", fake.clone()),
        ("another", having(json!([entry()]), nothing)),
    ]);
    let roster = settle(&upstreams).await;
    assert_eq!(
        skills(&roster),
        [
            "another skill://acme/refunds/SKILL.md",
            "one skill://acme/refunds/SKILL.md",
            "one skill://b/refunds/SKILL.md",
            "one skill://z/refunds/SKILL.md",
        ]
    );
    assert_eq!((fake.count("skills/list"), fake.count("resources/read")), (2, 0));
    assert_eq!(plain.count("skills/list"), 0);
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_list_of_skills_that_cannot_be_had_costs_only_the_skills() {
    let answers: [fn(&Value) -> Vec<Act>; 3] = [
        |message| vec![error(message, -32601, "unknown method")],
        |message| vec![result(message, json!({ "skills": 1 }))],
        |_| Vec::new(),
    ];
    for answer in answers {
        let upstreams = serving(answer, nothing).kept();
        let roster = settle(&upstreams).await;
        assert_eq!((shown(&roster).as_str(), skills(&roster).len()), ("fake ready fake:echo", 0));
        upstreams.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn skills_are_asked_for_again_when_resources_have_changed() {
    let fake = serving(
        |message| {
            let skills =
                if message["id"].as_u64() > Some(5) { json!([entry()]) } else { json!([]) };
            vec![result(message, json!({ "skills": skills }))]
        },
        nothing,
    );
    let upstreams = fake.kept();
    assert_eq!(settle(&upstreams).await.skills().count(), 0);
    fake.say(notification("notifications/resources/list_changed", json!({}))).await;
    let mut rosters = upstreams.rosters();
    rosters.wait_for(|roster| skills(roster) == [format!("fake {SKILL}")]).await.unwrap();
    assert_eq!((fake.count("skills/list"), fake.count("tools/list")), (2, 1));
    upstreams.stop().await;
}

/// What comes of reading a file of the one skill there is.
async fn read_file(upstreams: &Upstreams, uri: &str) -> Result<SkillContent, String> {
    let roster = settle(upstreams).await;
    let (server, skill) = roster.skills().next().unwrap();
    let read = upstreams.read_skill(server, skill, uri, Arc::new(())).await;
    read.map_err(|error| error.to_string())
}

#[tokio::test(start_paused = true)]
async fn a_file_is_what_was_listed_as_text_or_as_bytes() {
    let logo = "skill://acme/refunds/a/logo.png";
    let fake = having(json!([entry()]), |uri| {
        let other = json!({ "uri": "skill://other", "text": "no" });
        if uri == SKILL {
            json!([1, other, { "uri": uri, "text": TEXT, "mimeType": "text/markdown" }])
        } else {
            json!([{ "uri": uri, "blob": STANDARD.encode([0, 255]) }])
        }
    });
    let upstreams = fake.kept();
    assert_eq!(
        read_file(&upstreams, SKILL).await,
        Ok(SkillContent {
            bytes: TEXT.into(),
            is_text: true,
            mime_type: Some("text/markdown".to_owned())
        })
    );
    assert_eq!(
        read_file(&upstreams, logo).await,
        Ok(SkillContent { bytes: vec![0, 255], is_text: false, mime_type: None })
    );
    assert_eq!(fake.count("skills/list"), 1);
    upstreams.stop().await;
}

/// Why `SKILL.md` cannot be used if that is what its server answers.
async fn check_unusable(contents: Value, reason: &str) {
    let upstreams = having(json!([entry()]), move |_| contents.clone()).kept();
    let expected = format!("`{SKILL}` of skill `refunds` of server `fake` {reason}");
    assert_eq!(read_file(&upstreams, SKILL).await, Err(expected));
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_file_that_is_not_what_was_listed_is_not_used() {
    let changed = "the skill has changed, list the skills again";
    let text = |text: &str| json!([{ "uri": SKILL, "text": text }]);
    let long = format!("is not as long as the server said: {changed}");
    check_unusable(text(&format!("{TEXT} ")), &long).await;
    let other = format!("is not what the server listed: {changed}");
    check_unusable(text(&TEXT.replace("Pay", "pay")), &other).await;
    let absent = "is not in the server's answer: the skill may have changed, list the skills again";
    check_unusable(json!([]), absent).await;
    check_unusable(json!({}), absent).await;
    check_unusable(json!([{ "uri": SKILL }]), absent).await;
    check_unusable(json!([{ "uri": "skill://other", "text": TEXT }]), absent).await;
    let garbled = "is not in base64 as the server says: its owner must mend that";
    check_unusable(json!([{ "uri": SKILL, "blob": "?" }]), garbled).await;
}

#[tokio::test(start_paused = true)]
async fn a_file_that_is_not_listed_is_not_asked_for() {
    let fake = having(json!([entry()]), nothing);
    let upstreams = fake.kept();
    let unlisted = "skill://acme/refunds/new.md";
    let expected = format!(
        "`{unlisted}` of skill `refunds` of server `fake` is none of the skill's files: ask for one that it lists"
    );
    assert_eq!(read_file(&upstreams, unlisted).await, Err(expected));
    assert_eq!(fake.count("resources/read"), 0);
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_file_of_a_dynamic_skill_need_only_lie_below_it_and_have_a_bound() {
    let dynamic = changed(|it| it["resources"] = json!("dynamic"));
    let fake = having(json!([dynamic]), |uri| {
        let n_bytes = if uri.ends_with("large") { (16 << 20) + 1 } else { 3 };
        json!([{ "uri": uri, "text": "x".repeat(n_bytes) }])
    });
    let upstreams = fake.kept();
    let content = read_file(&upstreams, "skill://acme/refunds/any/thing").await.unwrap();
    assert_eq!(content.bytes, b"xxx");
    for outside in
        ["skill://acme/other/SKILL.md", "skill://acme/refunds/../x", "skill://acme/refunds"]
    {
        let error = read_file(&upstreams, outside).await.unwrap_err();
        assert!(error.contains("is none of the skill's files"), "{error}");
    }
    assert_eq!(fake.count("resources/read"), 1);
    let large = read_file(&upstreams, "skill://acme/refunds/large").await.unwrap_err();
    assert!(
        large.ends_with("is larger than a skill may be: its owner must make it smaller"),
        "{large}"
    );
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_skill_that_has_changed_without_a_word_is_listed_anew_after_a_read() {
    const NEW: &str = "---\nname: refunds\n---\nPay back twice.";
    let fake = serving(
        |message| {
            let text = if message["id"].as_u64() > Some(6) { NEW } else { TEXT };
            let entry = changed(|it| it["resources"] = json!([file(SKILL, text.as_bytes())]));
            vec![result(message, json!({ "skills": [entry] }))]
        },
        |uri| json!([{ "uri": uri, "text": NEW }]),
    );
    let upstreams = fake.kept();
    assert!(read_file(&upstreams, SKILL).await.is_err());
    let mut rosters = upstreams.rosters();
    let is_new = |roster: &Arc<Roster>| {
        let (_, skill) = roster.skills().next().unwrap();
        skill.file(SKILL).is_some_and(|it| it.size == NEW.len() as u64)
    };
    rosters.wait_for(is_new).await.unwrap();
    assert_eq!(read_file(&upstreams, SKILL).await.unwrap().bytes, NEW.as_bytes());
    upstreams.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_gone_is_named() {
    let upstreams = Fake::good().kept();
    settle(&upstreams).await;
    let skill = read(&entry()).unwrap();
    let read = upstreams.read_skill(&name("gone"), &skill, SKILL, Arc::new(())).await;
    assert_eq!(read.unwrap_err().to_string(), "there is no server `gone`");
    upstreams.stop().await;
}
