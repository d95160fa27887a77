//! What is known about an action before it is done, and why a person is asked.

use handeye_core::{Node, NodeId};

/// Why a person is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Its own words say so.
    Words,
    /// It agrees to what its dialog asks.
    Dialog,
    /// It is not known what is hit.
    Unseen,
    /// The user wants to be asked before anything is done to this application.
    AskFirst,
    /// It is done in a prompt for the rights of an administrator.
    Elevation,
}

impl Reason {
    /// Its name in the audit log.
    pub const fn flag(self) -> &'static str {
        match self {
            Self::Words => "destructive_keyword",
            Self::Dialog => "destructive_dialog",
            Self::Unseen => "unseen_target",
            Self::AskFirst => "ask_first",
            Self::Elevation => "administrator",
        }
    }
}

/// Something that a person is asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Risk {
    /// Why.
    pub reason: Reason,
    /// What will be done, to end the sentence "This will …" with.
    pub deed: String,
    /// What the dialog says, where that is why.
    pub dialog: Option<String>,
    /// The element that is hit, where it is known.
    pub hit: Option<NodeId>,
}

/// What is known about an action before it is done, from the least to the worst.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Assessment {
    /// What is hit is known, and nothing says that it may destroy something.
    Harmless,
    /// What is hit is not known, or whether it acts at once: who wants to be asked always is asked.
    Doubtful(Risk),
    /// Something may be destroyed.
    Risky(Risk),
}

impl Assessment {
    /// The worse of two.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match (&self, &other) {
            (Self::Risky(_), _) | (_, Self::Harmless) | (Self::Doubtful(_), Self::Doubtful(_)) => self,
            _ => other,
        }
    }
}

impl Risk {
    /// Its own words say so.
    pub(super) fn of_words(deed: String, hit: &Node) -> Self {
        Self { reason: Reason::Words, deed, dialog: None, hit: Some(hit.id) }
    }

    /// The user wants to be asked before this.
    pub fn ask_first(deed: String) -> Self {
        Self { reason: Reason::AskFirst, deed, dialog: None, hit: None }
    }

    /// It is done in a prompt for the rights of an administrator, which says `text`.
    pub fn elevation(deed: String, text: String, hit: Option<NodeId>) -> Self {
        Self { reason: Reason::Elevation, deed, dialog: Some(text).filter(|text| !text.is_empty()), hit }
    }

    /// What is hit is not known.
    pub fn unseen(deed: String) -> Self {
        Self { reason: Reason::Unseen, deed, dialog: None, hit: None }
    }
}
