//! The watcher on a real folder: a change is heard, and the scan that follows finds it.

use std::fs;

use metier_skills::{Catalog, Filter, Places, PluginPlaces, Progress, Scan, Standard};
use tokio::time;

use super::*;
use crate::refresh::{
    tests::{FAR_TOO_LONG, write},
    writer::{Last, Writer},
};

type Published = Arc<Mutex<String>>;
/// Something that happens to the folder.
type Act = fn(&Path);

fn writer(root: &Path) -> (Writer<impl FnMut(Catalog, &Scan) + use<>>, Published) {
    let home = root.join("home");
    let standard = Standard {
        project: vec![root.join("project")],
        config: home.join(".config"),
        claude: home.join(".claude"),
        codex: home.join(".codex"),
        system: root.join("etc"),
        home: home.clone(),
    };
    let plugins = PluginPlaces {
        root: home.join(".claude/plugins"),
        manifest: home.join(".claude/plugins/installed_plugins.json"),
        settings: vec![home.join(".claude/settings.json")],
        project: standard.project.clone(),
        home,
    };
    let custom = vec![root.join("skills")];
    let places = Places { custom, standard: Some(standard), plugins: Some(plugins) };
    let published = Published::default();
    let shown = published.clone();
    let publish = move |catalog: Catalog, _: &Scan| {
        let skills = catalog.entries().iter().map(|it| &it.skill);
        let words: Vec<_> =
            skills.map(|it| format!("{}={}", it.name(), it.description())).collect();
        *shown.lock().unwrap() = words.join(" ");
    };
    (Writer { places, filter: Filter::default(), publish, last: Last::default() }, published)
}

/// Does one thing after the other while all is watched, and waits until the scans that events lead to
/// show what is expected.
async fn check(prepare: impl FnOnce(&Path), steps: &[(Act, &str)]) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    fs::create_dir_all(root.join("home")).unwrap();
    fs::create_dir_all(root.join("project")).unwrap();
    prepare(&root);
    let bell = Arc::new(Notify::new());
    let mut watch = Watch::Ready(bell.clone());
    let (mut writer, published) = writer(&root);
    let mut scan = || {
        writer.scan(&Progress::default());
        watch.arm(|| writer.lookout())
    };
    for (act, expected) in steps {
        while scan().n_new > 0 {}
        act(&root);
        let found = async {
            loop {
                bell.notified().await;
                scan();
                if *published.lock().unwrap() == *expected {
                    return;
                }
            }
        };
        let found = time::timeout(FAR_TOO_LONG, found).await;
        assert!(found.is_ok(), "expected {expected:?}, last was {:?}", published.lock().unwrap());
        assert_eq!(scan().hearing, Hearing::Whole);
    }
}

fn one_skill(root: &Path) {
    write(&root.join("skills/a"), "one");
}

fn change_it(root: &Path) {
    write(&root.join("skills/a"), "two");
}

#[tokio::test]
async fn a_new_skill_is_heard_of() {
    check(one_skill, &[(|root| write(&root.join("skills/b"), "one"), "a=one b=one")]).await;
}

#[tokio::test]
async fn a_new_skill_some_folders_down_is_heard_of_and_then_its_changes() {
    let add: Act = |root| write(&root.join("skills/deep/down/b"), "one");
    let change: Act = |root| write(&root.join("skills/deep/down/b"), "two");
    check(one_skill, &[(add, "a=one b=one"), (change, "a=one b=two")]).await;
}

#[tokio::test]
async fn a_skill_in_a_skill_is_heard_of() {
    let prepare = |root: &Path| {
        one_skill(root);
        fs::create_dir_all(root.join("skills/a/more")).unwrap();
    };
    check(prepare, &[(|root| write(&root.join("skills/a/more/b"), "one"), "a=one b=one")]).await;
}

#[tokio::test]
async fn a_changed_skill_is_heard_of() {
    check(one_skill, &[(change_it, "a=two")]).await;
}

#[tokio::test]
async fn a_skill_file_that_is_replaced_by_another_is_heard_of() {
    let replace: Act = |root| {
        write(&root.join("spare/a"), "two");
        fs::rename(root.join("spare/a/SKILL.md"), root.join("skills/a/SKILL.md")).unwrap();
    };
    check(one_skill, &[(replace, "a=two")]).await;
}

#[tokio::test]
async fn a_removed_skill_is_heard_of() {
    check(one_skill, &[(|root| fs::remove_dir_all(root.join("skills/a")).unwrap(), "")]).await;
}

#[tokio::test]
async fn a_skill_that_moves_in_or_out_is_heard_of_and_then_its_changes() {
    let out: Act = |root| fs::rename(root.join("skills/a"), root.join("project/a")).unwrap();
    let back: Act = |root| fs::rename(root.join("project/a"), root.join("skills/a")).unwrap();
    check(one_skill, &[(out, ""), (back, "a=one"), (change_it, "a=two")]).await;
}

#[tokio::test]
async fn a_source_that_appears_later_is_heard_of_and_then_its_changes() {
    let add: Act = |root| write(&root.join("home/.agents/skills/b"), "one");
    let change: Act = |root| write(&root.join("home/.agents/skills/b"), "two");
    check(|_| {}, &[(add, "b=one"), (change, "b=two"), (one_skill, "a=one b=two")]).await;
}

#[tokio::test]
async fn a_source_that_is_deleted_and_made_again_is_heard_of_and_then_its_changes() {
    let remove: Act = |root| fs::remove_dir_all(root.join("skills")).unwrap();
    let replace: Act = |root| {
        fs::remove_dir_all(root.join("skills")).unwrap();
        write(&root.join("skills/c"), "one");
    };
    let change: Act = |root| write(&root.join("skills/c"), "two");
    let steps: &[(Act, &str)] = &[
        (remove, ""),
        (one_skill, "a=one"),
        (change_it, "a=two"),
        (replace, "c=one"),
        (change, "c=two"),
    ];
    check(one_skill, steps).await;
}

#[tokio::test]
async fn a_skill_folder_that_is_deleted_and_made_again_is_watched_again() {
    let replace: Act = |root| {
        fs::remove_dir_all(root.join("skills/a")).unwrap();
        write(&root.join("skills/a"), "new");
    };
    check(one_skill, &[(replace, "a=new"), (change_it, "a=two"), (replace, "a=new")]).await;
}

#[tokio::test]
async fn a_plugin_that_is_installed_switched_off_and_on_is_heard_of() {
    let install: Act = |root| {
        write(&root.join("office/skills/pdf"), "one");
        fs::create_dir_all(root.join("home/.claude/plugins")).unwrap();
        let path = root.join("office");
        let text =
            format!(r#"{{"plugins":{{"o@m":[{{"scope":"user","installPath":{path:?}}}]}}}}"#);
        fs::write(root.join("home/.claude/plugins/installed_plugins.json"), text).unwrap();
    };
    let switch_off: Act = |root| {
        let text = r#"{"enabledPlugins":{"o@m":false}}"#;
        fs::write(root.join("home/.claude/settings.json"), text).unwrap();
    };
    let switch_on: Act = |root| fs::remove_file(root.join("home/.claude/settings.json")).unwrap();
    let change: Act = |root| write(&root.join("office/skills/pdf"), "two");
    let steps: &[(Act, &str)] =
        &[(install, "pdf=one"), (switch_off, ""), (switch_on, "pdf=one"), (change, "pdf=two")];
    check(|_| {}, steps).await;
}

#[cfg(unix)]
mod links {
    use std::os::unix::fs::symlink;

    use super::*;

    fn elsewhere(root: &Path) {
        write(&root.join("elsewhere/b"), "one");
        fs::create_dir_all(root.join("skills")).unwrap();
    }

    const CHANGE: Act = |root| write(&root.join("elsewhere/b"), "two");

    #[tokio::test]
    async fn a_link_to_a_skill_is_heard_of_and_then_changes_behind_it() {
        let link: Act = |root| symlink(root.join("elsewhere/b"), root.join("skills/b")).unwrap();
        let unlink: Act = |root| fs::remove_file(root.join("skills/b")).unwrap();
        check(elsewhere, &[(link, "b=one"), (CHANGE, "b=two"), (unlink, "")]).await;
    }

    #[tokio::test]
    async fn changes_behind_a_source_that_is_a_link_are_heard_of_and_another_target() {
        let prepare = |root: &Path| {
            write(&root.join("elsewhere/b"), "one");
            write(&root.join("other/c"), "one");
            symlink(root.join("elsewhere"), root.join("skills")).unwrap();
        };
        let turn: Act = |root| {
            fs::remove_file(root.join("skills")).unwrap();
            symlink(root.join("other"), root.join("skills")).unwrap();
        };
        check(prepare, &[(CHANGE, "b=two"), (turn, "c=one")]).await;
    }

    #[tokio::test]
    async fn changes_behind_a_skill_file_that_is_a_link_are_heard_of() {
        let prepare = |root: &Path| {
            elsewhere(root);
            fs::rename(root.join("elsewhere/b/SKILL.md"), root.join("elsewhere/text")).unwrap();
            fs::create_dir_all(root.join("skills/b")).unwrap();
            symlink(root.join("elsewhere/text"), root.join("skills/b/SKILL.md")).unwrap();
        };
        let change: Act = |root| {
            fs::write(root.join("elsewhere/text"), "---\nname: b\ndescription: two\n---\n")
                .unwrap();
        };
        check(prepare, &[(change, "b=two")]).await;
    }
}
