//! Names like one that is not there.

/// How many names are suggested.
const MOST: usize = 3;
/// How alike two names must be, from 0 to 1.
const ALIKE: f64 = 0.6;

/// The names most like the one that was asked for, best first and each once.
pub(crate) fn similar<'a>(asked: &str, known: &'a [String]) -> Vec<&'a str> {
    let asked = asked.to_lowercase();
    let score = |name: &str| {
        let name = name.to_lowercase();
        let part = name.contains(&asked) || asked.contains(&name);
        likeness(&asked, &name).max(if part { ALIKE } else { 0.0 })
    };
    let mut scored: Vec<(f64, &str)> = known.iter().map(|it| (score(it), &**it)).collect();
    scored.retain(|(score, _)| *score >= ALIKE);
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    scored.dedup_by_key(|(_, name)| *name);
    scored.into_iter().take(MOST).map(|(_, name)| name).collect()
}

/// How alike two texts are, from 0 to 1; two letters that changed places are one slip.
#[expect(clippy::cast_precision_loss, reason = "names are short")]
fn likeness(a: &str, b: &str) -> f64 {
    let longest = a.chars().count().max(b.chars().count()).max(1);
    1.0 - strsim::osa_distance(a, b) as f64 / longest as f64
}

#[cfg(test)]
mod tests {
    use super::similar;

    #[track_caller]
    fn check(asked: &str, expected: &[&str]) {
        let known = ["text", "files", "file-search", "github", "text"].map(str::to_owned);
        assert_eq!(similar(asked, &known), expected);
    }

    #[test]
    fn a_slip_finds_what_was_meant_best_first() {
        check("txet", &["text"]);
        check("Flies", &["files"]);
        check("file", &["files", "file-search"]);
        check("git", &["github"]);
        check("nothing like it", &[]);
    }
}
