//! What can be wrong with the files that describe plugins.

use std::io;

use thiserror::Error;

/// Something wrong with one file about plugins; it costs only what it names.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PluginProblem {
    /// The system refuses to hand the file over.
    #[error("cannot be read: {0}")]
    Unreadable(io::ErrorKind),
    /// A folder or a device stands where a file should.
    #[error("is not a file")]
    NotAFile,
    /// The file is a link to one that belongs to somebody else.
    #[error("is a link that leaves the folder it belongs to")]
    LeadsAway,
    /// The file is beyond the bound for reading.
    #[error("is larger than 4 MiB")]
    TooLarge,
    /// The file is not text.
    #[error("is not UTF-8")]
    NotText,
    /// The file is not JSON.
    #[error("is not JSON, see line {line}, column {column}")]
    NotJson {
        /// Line of the first mistake, from 1.
        line: usize,
        /// Column of the first mistake, from 1.
        column: usize,
    },
    /// The file is JSON, but not an object.
    #[error("is not a JSON object")]
    NotAnObject,
    /// A value is of another type than it has to be.
    #[error("`{field}` is not {wanted}")]
    WrongType {
        /// Where the value stands.
        field: String,
        /// What it has to be.
        wanted: &'static str,
    },
    /// A plugin's name is empty or has characters that names may not have.
    #[error("`{0}` is not the name of a plugin")]
    BadName(String),
    /// Nothing says where the plugin is.
    #[error("plugin `{0}` has no `installPath`")]
    NoInstallPath(String),
    /// A path is absolute, climbs up or is a link that leads away.
    #[error("`{path}` of plugin `{plugin}` leaves the folder it belongs to")]
    Outside {
        /// Whose path it is.
        plugin: String,
        /// The path as written.
        path: String,
    },
    /// A path leads to nothing, to a file, or where nobody may look.
    #[error("`{path}` of plugin `{plugin}` is not a readable folder")]
    NotAFolder {
        /// Whose path it is.
        plugin: String,
        /// The path as written.
        path: String,
    },
    /// A plugin lists more folders than are looked at.
    #[error("plugin `{plugin}` lists more than {most} folders of skills")]
    TooManyFolders {
        /// Whose list it is.
        plugin: String,
        /// How many are looked at.
        most: usize,
    },
    /// A plugin declares components where only its marketplace may.
    #[error(
        "plugin `{0}` declares components here, which its marketplace's `strict: false` forbids"
    )]
    Conflict(String),
}

impl PluginProblem {
    /// The next thing to try.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Unreadable(_) => "check who may read the file".to_owned(),
            Self::LeadsAway => "put the file itself in place of the link".to_owned(),
            Self::NotAFile => "move away what stands in the file's place".to_owned(),
            Self::TooLarge => "remove from the file what does not belong there".to_owned(),
            Self::NotText => "save the file as UTF-8".to_owned(),
            Self::NotAnObject => "start the file with `{` and end it with `}`".to_owned(),
            Self::NotJson { line, .. } => format!("correct line {line}, or the one before it"),
            Self::WrongType { field, wanted } => format!("make `{field}` {wanted}"),
            Self::BadName(_) => "write `name@marketplace`, without `:`, `/` or spaces".to_owned(),
            Self::NoInstallPath(plugin) | Self::NotAFolder { plugin, .. } => {
                format!("run `claude plugin update {plugin}`, or install it again")
            }
            Self::Outside { .. } => {
                "write a path that starts with `./` and stays inside the folder".to_owned()
            }
            Self::TooManyFolders { .. } => "list the folder that holds them all".to_owned(),
            Self::Conflict(plugin) => format!(
                "remove `\"strict\": false` from the marketplace's entry, or disable `{plugin}`"
            ),
        }
    }
}

impl PluginProblem {
    /// Says of whom the value is that is of the wrong type.
    pub(crate) fn of(self, owner: &str) -> PluginProblem {
        match self {
            Self::WrongType { field, wanted } => {
                Self::WrongType { field: format!("{}.{field}", short(owner)), wanted }
            }
            other => other,
        }
    }
}

/// Keeps foreign text short enough for a message.
pub(crate) fn short(text: &str) -> String {
    const LONGEST: usize = 80;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
