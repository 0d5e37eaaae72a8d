//! The refresher on a real folder: what is published after what happened.
//!
//! Nothing here waits for a fixed time: a test ends as soon as what it waits for is published.

use std::{
    fs,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use super::*;

/// Far more than anything here should take.
pub(super) const FAR_TOO_LONG: Duration = Duration::from_secs(60);
/// So long that only the watcher or an ask can be the cause of a scan.
const HOURLY: Refresh = Refresh::Every(Duration::from_secs(3600));

/// A folder with skills and a refresher that looks there.
struct Stage {
    root: PathBuf,
    _dir: TempDir,
    catalogs: mpsc::UnboundedReceiver<String>,
    asks: mpsc::Sender<oneshot::Sender<()>>,
}

impl Stage {
    fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// Writes the skill of a folder; its description is what the catalog shows of it.
    fn write(&self, folder: &str, description: &str) {
        write(&self.path(folder), description);
    }

    /// Waits until a catalog is published that shows just this.
    async fn shows(&mut self, expected: &str) {
        let mut last = None;
        let found = async {
            while let Some(catalog) = self.catalogs.recv().await {
                if catalog == expected {
                    return;
                }
                last = Some(catalog);
            }
        };
        let found = time::timeout(FAR_TOO_LONG, found).await;
        assert!(found.is_ok(), "expected {expected:?}, last was {last:?}");
    }

    /// Asks, waits for the answer, and says what was published until then.
    async fn ask(&mut self) -> Option<String> {
        let (ask, answer) = oneshot::channel();
        self.asks.send(ask).await.unwrap();
        time::timeout(FAR_TOO_LONG, answer).await.unwrap().unwrap();
        let mut last = None;
        while let Ok(catalog) = self.catalogs.try_recv() {
            last = Some(catalog);
        }
        last
    }
}

/// Writes the skill of a folder.
pub(super) fn write(folder: &Path, description: &str) {
    fs::create_dir_all(folder).unwrap();
    let name = folder.file_name().unwrap().to_str().unwrap();
    let text = format!("---\nname: {name}\ndescription: {description}\n---\n");
    fs::write(folder.join("SKILL.md"), text).unwrap();
}

/// What a catalog shows: `name=description`, by name.
fn shown(catalog: &Catalog) -> String {
    let skills = catalog.entries().iter().map(|it| &it.skill);
    let mut skills: Vec<_> =
        skills.map(|it| format!("{}={}", it.name(), it.description())).collect();
    skills.sort_unstable();
    skills.join(" ")
}

/// Plays a script on a folder while a refresher looks there.
async fn play(refresh: Refresh, prepare: impl FnOnce(&Path), script: impl AsyncFnOnce(Stage)) {
    let publish = |catalogs: mpsc::UnboundedSender<String>| {
        move |catalog: Catalog, _: &Scan| drop(catalogs.send(shown(&catalog)))
    };
    play_with(publish, refresh, prepare, script).await;
}

/// The same with another way to publish.
async fn play_with<P: FnMut(Catalog, &Scan) + Send + 'static>(
    publish: impl FnOnce(mpsc::UnboundedSender<String>) -> P,
    refresh: Refresh,
    prepare: impl FnOnce(&Path),
    script: impl AsyncFnOnce(Stage),
) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    prepare(&root);
    let (sender, catalogs) = mpsc::unbounded_channel();
    let (asks, asked) = mpsc::channel(8);
    let refresher = Refresher {
        places: Places { custom: vec![root.join("skills")], ..Places::default() },
        filter: Filter::default(),
        refresh,
        publish: publish(sender),
        asks: asked,
    };
    tokio::select! {
        () = refresher.run() => panic!("the refresher has ended"),
        () = script(Stage { root, _dir: dir, catalogs, asks }) => {}
    }
}

#[tokio::test]
async fn the_first_catalog_is_published_even_if_it_is_empty() {
    play(Refresh::Never, |_| {}, async |mut stage| stage.shows("").await).await;
}

#[tokio::test]
async fn every_change_is_published() {
    let prepare = |root: &Path| write(&root.join("skills/a"), "one");
    play(HOURLY, prepare, async |mut stage| {
        stage.shows("a=one").await;
        stage.write("skills/b", "one");
        stage.shows("a=one b=one").await;
        stage.write("skills/a", "two");
        stage.shows("a=two b=one").await;
        fs::remove_dir_all(stage.path("skills/a")).unwrap();
        stage.shows("b=one").await;
    })
    .await;
}

#[tokio::test]
async fn a_burst_ends_in_the_last_state() {
    play(
        HOURLY,
        |_| {},
        async |mut stage| {
            stage.shows("").await;
            for n in 0..200 {
                stage.write(&format!("skills/s{n:03}"), "first");
            }
            for n in 0..200 {
                stage.write(&format!("skills/s{n:03}"), "last");
            }
            let expected: Vec<_> = (0..200).map(|n| format!("s{n:03}=last")).collect();
            stage.shows(&expected.join(" ")).await;
        },
    )
    .await;
}

#[tokio::test]
async fn an_ask_without_a_watcher_is_answered_after_a_scan() {
    play(
        Refresh::Never,
        |_| {},
        async |mut stage| {
            stage.shows("").await;
            stage.write("skills/a", "one");
            assert_eq!(stage.ask().await.as_deref(), Some("a=one"));
            assert_eq!(stage.ask().await, None);
        },
    )
    .await;
}

#[tokio::test]
async fn an_ask_with_a_watcher_is_answered() {
    play(
        HOURLY,
        |_| {},
        async |mut stage| {
            stage.shows("").await;
            assert_eq!(stage.ask().await, None);
        },
    )
    .await;
}

#[tokio::test]
async fn a_refresher_that_nobody_can_ask_goes_on() {
    play(
        HOURLY,
        |_| {},
        async |mut stage| {
            stage.shows("").await;
            stage.asks = mpsc::channel(1).0;
            stage.write("skills/a", "one");
            stage.shows("a=one").await;
        },
    )
    .await;
}

#[tokio::test]
async fn a_panic_costs_one_scan_and_not_the_refresher() {
    let publish = |catalogs: mpsc::UnboundedSender<String>| {
        let mut n_published = 0;
        move |catalog: Catalog, _: &Scan| {
            n_published += 1;
            assert_ne!(n_published, 2, "on purpose");
            let _ = catalogs.send(shown(&catalog));
        }
    };
    play_with(
        publish,
        Refresh::Never,
        |_| {},
        async |mut stage| {
            stage.shows("").await;
            stage.write("skills/a", "one");
            assert_eq!(stage.ask().await, None, "that one panicked");
            assert_eq!(stage.ask().await.as_deref(), Some("a=one"), "and is made up for");
        },
    )
    .await;
}

/// Makes more folders than are watched.
fn crowd(root: &Path) {
    for n in 0..=lookout::MOST_FOLDERS {
        fs::create_dir_all(root.join(format!("skills/{n}"))).unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn where_nothing_can_be_watched_the_interval_finds_changes() {
    play(Refresh::Every(Duration::from_secs(30)), crowd, async |mut stage| {
        stage.shows("").await;
        let published = Instant::now();
        stage.write("skills/a", "one");
        stage.shows("a=one").await;
        assert_eq!(published.elapsed().as_secs(), 30);
    })
    .await;
}

#[tokio::test]
async fn where_nothing_can_be_watched_an_ask_is_answered_after_a_scan() {
    play(HOURLY, crowd, async |mut stage| {
        stage.shows("").await;
        stage.write("skills/a", "one");
        assert_eq!(stage.ask().await.as_deref(), Some("a=one"));
    })
    .await;
}
