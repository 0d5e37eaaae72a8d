//! Finds signs of prompt injection that are worth a person's look.
//!
//! A table of patterns, not a judge: a skill about security may well quote one of them.

use super::Finding;

/// How long a line may be before nobody reads it to its end.
const LONGEST_LINE: usize = 5000;

/// How many spaces push what follows them off the screen.
const WIDE_GAP: usize = 100;

/// What a sign is called, and how its places are found.
type Sign = (&'static str, fn(&str) -> Vec<usize>);

const SIGNS: [Sign; 10] = [
    ("tells an agent to set its instructions aside", |text| phrases(text, &[OVERRIDE])),
    ("tells an agent to keep something from the user", |text| phrases(text, &[SILENCE, HIDE])),
    ("tells an agent to act behind the user's back", |text| phrases(text, &[COVERT])),
    ("speaks to the agent in a comment that pages do not show", comments),
    ("speaks in the marks of a chat template", |text| lines(text, has_chat_mark)),
    ("sends a file of secrets to an address", |text| lines(text, sends_secrets)),
    ("runs a downloaded script unseen", |text| lines(text, runs_download)),
    ("runs a decoded script unseen", |text| lines(text, runs_decoded)),
    ("has text far to the right, behind a wide gap", |text| lines(text, has_wide_gap)),
    ("has a line too long to be read", |text| lines(text, |line| line.len() > LONGEST_LINE)),
];

/// Groups of words that follow each other within a clause, with few others between them.
struct Phrase {
    words: &'static [&'static [&'static str]],
    between: usize,
    /// Words that, coming next, make it harmless.
    unless: &'static [&'static str],
}

const OVERRIDE: Phrase = Phrase {
    words: &[
        &["ignore", "disregard", "forget", "override", "bypass"],
        &["previous", "prior", "above", "earlier", "preceding", "system", "original"],
        &["instruction", "instructions", "prompt", "prompts", "rules", "guidelines"],
    ],
    between: 2,
    unless: &[],
};

const SILENCE: Phrase = Phrase {
    words: &[
        &["not", "never", "don't", "don’t", "without"],
        &[
            "tell",
            "telling",
            "inform",
            "informing",
            "mention",
            "mentioning",
            "reveal",
            "revealing",
            "disclose",
            "disclosing",
            "notify",
            "notifying",
            "alert",
            "alerting",
        ],
        &["user", "users", "human"],
    ],
    between: 3,
    // "Do not tell the user to run it" is ordinary advice.
    unless: &["to", "they", "that", "when", "if"],
};

const HIDE: Phrase = Phrase {
    words: &[&["hide", "hidden", "conceal", "secret"], &["from"], &["user", "users", "human"]],
    between: 2,
    unless: &[],
};

const COVERT: Phrase = Phrase {
    words: &[
        &["secretly", "covertly", "silently", "quietly"],
        &["send", "upload", "post", "transmit", "forward", "exfiltrate"],
    ],
    between: 1,
    unless: &[],
};

const ADDRESS: Phrase = Phrase {
    words: &[
        &["you", "assistant", "agent", "agents", "claude", "ai", "llm", "model"],
        &["must", "should", "shall", "always", "never", "will"],
    ],
    between: 1,
    unless: &[],
};

const CHAT_MARKS: [&str; 6] =
    ["<|im_start|>", "<|im_end|>", "<|system|>", "<|endoftext|>", "[INST]", "<<SYS>>"];

const SECRETS: [&str; 8] = [
    ".env",
    ".ssh/",
    "id_rsa",
    "id_ed25519",
    ".aws/credentials",
    ".netrc",
    "/etc/shadow",
    "printenv",
];

const SENDERS: [&str; 8] =
    ["curl ", "wget ", "nc ", "fetch(", ".post(", "upload ", "send ", "exfiltrate "];

const DOWNLOADERS: [&str; 4] = ["curl ", "wget ", "irm ", "iwr "];

const SHELLS: [&str; 9] = ["sh", "bash", "zsh", "dash", "fish", "python", "python3", "node", "iex"];

/// Finds each sign once, where it first stands.
pub(super) fn judge(text: &str) -> Vec<Finding> {
    SIGNS.iter().filter_map(|(what, find)| finding(what, text, &find(text))).collect()
}

fn finding(what: &str, text: &str, places: &[usize]) -> Option<Finding> {
    let first = places.iter().copied().min()?;
    let more = match places.len() {
        1 => String::new(),
        count => format!(" (and {} more)", count - 1),
    };
    let message = format!("the text {what}{more}");
    let fix = "read it before trusting the skill, and reword it if it is harmless";
    Some(Finding::warning(message, fix).on(1 + text[..first].matches('\n').count()))
}

/// Each piece with where it begins.
fn placed<'a>(pieces: impl Iterator<Item = &'a str>) -> impl Iterator<Item = (usize, &'a str)> {
    let mut next = 0;
    pieces.map(move |piece| {
        let at = next;
        next += piece.len();
        (at, piece)
    })
}

fn lines(text: &str, wanted: impl Fn(&str) -> bool) -> Vec<usize> {
    let lines = placed(text.split_inclusive('\n'));
    lines.filter(|(_, line)| wanted(line)).map(|(at, _)| at).collect()
}

/// Where one of the phrases begins; none reaches beyond its clause.
fn phrases(text: &str, phrases: &[Phrase]) -> Vec<usize> {
    let clauses = placed(text.split_inclusive(['.', ',', ';', ':', '!', '?']));
    let within = |(at, clause): (usize, &str)| {
        phrases.iter().flat_map(|it| it.places(clause)).map(|it| at + it).collect::<Vec<_>>()
    };
    clauses.flat_map(within).collect()
}

impl Phrase {
    /// Where in the clause the phrase begins, each time.
    fn places(&self, clause: &str) -> Vec<usize> {
        let (places, words): (Vec<usize>, Vec<&str>) = words(clause).unzip();
        let first = self.words.first().copied().unwrap_or_default();
        let begins = |at: &usize| has(first, words[*at]) && self.follows(&words[at + 1..]);
        (0..words.len()).filter(begins).map(|at| places[at]).collect()
    }

    /// Whether the groups after the first stand in `words`, in order and near each other.
    fn follows(&self, mut words: &[&str]) -> bool {
        for group in &self.words[1..] {
            let near = words.iter().take(self.between + 1);
            let Some(at) = near.into_iter().position(|word| has(group, word)) else {
                return false;
            };
            words = &words[at + 1..];
        }
        !words.first().is_some_and(|word| has(self.unless, word))
    }
}

/// The words of a clause, each with where it begins.
fn words(clause: &str) -> impl Iterator<Item = (usize, &str)> {
    let bare = |ch: char| !ch.is_alphanumeric();
    let apart = move |ch: char| bare(ch) && !matches!(ch, '\'' | '’');
    placed(clause.split_inclusive(apart))
        .map(move |(at, piece)| (at, piece.trim_matches(bare)))
        .filter(|(_, word)| !word.is_empty())
}

fn has(group: &[&str], word: &str) -> bool {
    group.iter().any(|it| it.eq_ignore_ascii_case(word))
}

/// Where a comment begins that says what an agent must do.
fn comments(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, behind)) = rest.split_once("<!--") {
        let (comment, after) = behind.split_once("-->").unwrap_or((behind, ""));
        if !phrases(comment, &[ADDRESS]).is_empty() {
            found.push(text.len() - behind.len());
        }
        rest = after;
    }
    found
}

fn has_chat_mark(line: &str) -> bool {
    CHAT_MARKS.iter().any(|mark| line.contains(mark))
}

fn sends_secrets(line: &str) -> bool {
    let named = |secret: &str| {
        // `process.env` is a variable, `.env` a file.
        let whole = |at: usize| !line[..at].ends_with(|ch: char| ch.is_alphanumeric());
        line.match_indices(secret).any(|(at, _)| whole(at))
    };
    line.contains("http")
        && SENDERS.iter().any(|sender| line.contains(sender))
        && SECRETS.iter().any(|secret| named(secret))
}

fn runs_download(line: &str) -> bool {
    let download = DOWNLOADERS.iter().filter_map(|name| line.find(name)).min();
    download.is_some_and(|at| pipes_to_shell(&line[at..]))
        || ["<(curl ", "<(wget ", "eval \"$(curl ", "eval $(curl "]
            .iter()
            .any(|it| line.contains(it))
}

fn runs_decoded(line: &str) -> bool {
    let decoded = ["base64 -d", "base64 --decode", "base64 -D", "b64decode(", "atob("];
    let Some(at) = decoded.iter().filter_map(|name| line.find(name)).min() else { return false };
    let runs = ["eval", "exec(", "bash -c", "sh -c"].iter().any(|it| line[..at].contains(it));
    runs || pipes_to_shell(&line[at..])
}

/// Whether a later part of the pipeline is a shell that reads its program from the pipe.
fn pipes_to_shell(line: &str) -> bool {
    let commands = line.split('|').skip(1);
    let shell = |command: &str| {
        let mut words = command
            .split_whitespace()
            .map(|word| word.trim_matches(['`', '"', '\'', ')', ';']))
            .skip_while(|word| matches!(*word, "sudo" | "env" | "-E") || word.contains('='));
        let named = words.next().is_some_and(|word| SHELLS.contains(&word));
        // `python3 -c …` and `node -e …` read data, not a program.
        named && !words.next().is_some_and(|word| matches!(word, "-c" | "-e" | "-m"))
    };
    commands.into_iter().any(shell)
}

fn has_wide_gap(line: &str) -> bool {
    let table = line.trim_start().starts_with('|');
    let gap = " ".repeat(WIDE_GAP);
    let behind = |at: usize| line[at..].trim_start().starts_with(char::is_alphanumeric);
    !table && line.find(&gap).is_some_and(behind)
}
