//! What is known of clients: in which form each hands an answer to its model, and how much of it.
//!
//! Many clients that drive a model forward the structured content of an answer and drop its text and pictures; others forward both,
//! and the model pays twice. Text alone reaches the model everywhere. So a client that is known to drive a model is sent text
//! and pictures, and no output schemas: with a schema, structured content is mandatory. A program, or a client that is not known, is
//! sent both, each complete in itself.
//!
//! The content of the table was measured with the versions that it names, see `docs/clients.md`.

use handeye_call::budget::Budget;
use handeye_core::{Error, Result};

/// In which form a client is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One text, and pictures.
    Text,
    /// Texts, links and pictures, and beside them all that as fields, which the tools' output schemas declare.
    TextAndFields,
}

/// What is known of one client.
#[derive(Debug, PartialEq, Eq)]
pub struct Profile {
    /// Its name, for `--client-profile`.
    pub name: &'static str,
    /// Its name as people know it.
    pub title: &'static str,
    /// The names by which it introduces itself (`clientInfo.name`), in lower case; one that ends with `*` stands for all that begin so.
    clients: &'static [&'static str],
    /// In which form it is answered.
    pub form: Form,
    /// How many characters of a text it hands to its model uncut. `None`: no limit is known.
    pub longest_text: Option<usize>,
    /// Above how many pixels a side it resizes a picture, so that coordinates in it are no longer ours. `None`: it does not.
    pub resizes_above: Option<u32>,
    /// How many characters of a server's instructions it shows to its model. `None`: all.
    pub instructions: Option<usize>,
    /// What becomes of a question to the person where no person uses the client.
    pub questions: &'static str,
    /// What it does to the schemas of tools.
    pub schemas: &'static str,
    /// The version that this was measured with. `None`: it was not; it is taken for what its kind does.
    pub measured: Option<&'static str>,
}

/// What is taken for granted of a client that drives a model.
const MODEL: Profile = Profile {
    name: "model",
    title: "any client that drives a model",
    clients: &[],
    form: Form::Text,
    longest_text: None,
    resizes_above: None,
    instructions: None,
    questions: "not measured",
    schemas: "kept",
    measured: None,
};

/// That of a client that is not known.
static PROGRAM: Profile = Profile {
    name: "program",
    title: "a program, and any client that is not known",
    form: Form::TextAndFields,
    ..MODEL
};

/// Every profile.
static ALL: &[Profile] = &[
    Profile {
        name: "claude-code",
        title: "Claude Code",
        clients: &["claude-code"],
        longest_text: Some(50_000),
        resizes_above: Some(2_000),
        instructions: Some(4_096),
        questions: "cancelled",
        measured: Some("2.1.330"),
        ..MODEL
    },
    Profile {
        name: "codex",
        title: "Codex",
        clients: &["codex-mcp-client"],
        // 48,000 for models that it knows.
        longest_text: Some(12_000),
        instructions: Some(250),
        questions: "declined",
        schemas: "default, format, pattern and ranges are removed",
        measured: Some("0.169.0"),
        ..MODEL
    },
    Profile {
        name: "gemini-cli",
        title: "Gemini CLI",
        clients: &["gemini-cli-mcp-client*"],
        longest_text: Some(40_000),
        questions: "an error: it cannot be asked",
        schemas: "a union with null becomes nullable",
        measured: Some("0.61.0"),
        ..MODEL
    },
    Profile {
        name: "qwen-code",
        title: "Qwen Code",
        clients: &["qwen-cli-mcp-client*"],
        longest_text: Some(28_000),
        questions: "an error: it cannot be asked",
        measured: Some("0.24.4"),
        ..MODEL
    },
    Profile {
        name: "copilot-cli",
        title: "GitHub Copilot CLI",
        clients: &["copilot-cli", "github-copilot*"],
        longest_text: Some(20_000),
        instructions: Some(161),
        questions: "declined",
        schemas: "limits become words of the description",
        measured: Some("1.0.102"),
        ..MODEL
    },
    Profile {
        name: "opencode",
        title: "OpenCode, Kilo",
        clients: &["opencode", "kilo"],
        longest_text: Some(50_000),
        resizes_above: Some(2_000),
        questions: "an error: it cannot be asked",
        measured: Some("1.18.33, 7.7.7"),
        ..MODEL
    },
    Profile {
        name: "cline",
        title: "Cline",
        clients: &["@cline/core", "cline"],
        // It hands on 8,000 characters of the whole result as JSON, where each line end and quotation mark takes two.
        longest_text: Some(6_500),
        instructions: Some(0),
        questions: "never answered",
        measured: Some("3.0.65"),
        ..MODEL
    },
    Profile {
        name: "continue",
        title: "Continue",
        clients: &["continue-cli-client", "continue-client"],
        instructions: Some(0),
        questions: "an error: it cannot be asked",
        measured: Some("1.5.47"),
        ..MODEL
    },
    Profile {
        name: "fast-agent",
        title: "fast-agent",
        clients: &["fast-agent-mcp"],
        // The first and the last 8,000 bytes.
        longest_text: Some(16_000),
        questions: "cancelled",
        measured: Some("0.10.46"),
        ..MODEL
    },
    Profile {
        name: "claude-desktop",
        title: "Claude Desktop",
        clients: &["claude-ai", "claude-desktop"],
        ..MODEL
    },
    Profile { name: "cursor", title: "Cursor", clients: &["cursor*"], ..MODEL },
    Profile { name: "vscode", title: "Visual Studio Code", clients: &["visual studio code*"], ..MODEL },
    Profile { name: "zed", title: "Zed", clients: &["zed"], ..MODEL },
    Profile { name: "windsurf", title: "Windsurf", clients: &["windsurf*"], ..MODEL },
    Profile { name: "goose", title: "Goose", clients: &["goose*"], ..MODEL },
    MODEL,
];

/// Every profile, that of programs last.
pub fn profiles() -> impl Iterator<Item = &'static Profile> {
    ALL.iter().chain(std::iter::once(&PROGRAM))
}

impl Profile {
    /// How large an answer to it may be.
    pub(crate) fn budget(&self) -> Budget {
        match self.form {
            Form::Text => Budget::of_text(self.longest_text.unwrap_or(usize::MAX)),
            Form::TextAndFields => Budget::MODEL,
        }
    }

    fn is_of(&self, client: &str) -> bool {
        self.clients.iter().any(|name| match name.strip_suffix('*') {
            Some(beginning) => client.starts_with(beginning),
            None => client == *name,
        })
    }
}

/// Which profile a client has.
#[derive(Debug, Clone, Copy, Default)]
pub enum Profiles {
    /// The one by whose name the client introduces itself.
    #[default]
    Recognized,
    /// This one, for every client.
    Fixed(&'static Profile),
}

impl Profiles {
    /// The word for [`Profiles::Recognized`].
    pub const AUTO: &'static str = "auto";

    /// Reads the value of `--client-profile`.
    ///
    /// # Errors
    /// A name that no profile has, with those that there are.
    pub fn named(name: &str) -> Result<Self> {
        let name = name.trim();
        if name == Self::AUTO {
            return Ok(Self::Recognized);
        }
        profiles().find(|profile| profile.name == name).map(Self::Fixed).ok_or_else(|| {
            let names: Vec<&str> =
                std::iter::once(Self::AUTO).chain(profiles().map(|profile| profile.name)).collect();
            Error::invalid_parameter("client-profile", "names no profile")
                .with_next(format!("Use one of: {}.", names.join(", ")))
        })
    }

    /// The profile of a client that introduces itself as `client`.
    pub(crate) fn of(self, client: Option<&str>) -> &'static Profile {
        let Self::Recognized = self else {
            let Self::Fixed(profile) = self else { return &PROGRAM };
            return profile;
        };
        let client = client.unwrap_or_default().to_lowercase();
        profiles().find(|profile| profile.is_of(&client)).unwrap_or(&PROGRAM)
    }
}

/// The page of the reference about profiles.
pub fn page() -> String {
    let mut text = String::from(
        "# Client profiles\n\n\
         What `handeye mcp serve` knows about its clients. A client is recognized by the name with which it introduces itself \
         (`clientInfo.name`); `--client-profile NAME` selects a profile for any client.\n\n\
         A client that is answered in the form `text` gets one text and pictures, and tools without output schemas. In the form `text, \
         fields` it gets texts, links and pictures, and the same as structured content, which the output schemas declare. Why: \
         [what reaches the model](../explanation/what-reaches-the-model.md).\n\n\
         | profile | client | introduces itself as | measured | form | longest text | resizes pictures above | instructions shown | \
         a question with nobody there | schemas |\n\
         | --- | --- | --- | --- | --- | ---: | ---: | ---: | --- | --- |\n",
    );
    for profile in profiles() {
        let names: Vec<String> = profile.clients.iter().map(|name| format!("`{name}`")).collect();
        let form = match profile.form {
            Form::Text => "text",
            Form::TextAndFields => "text, fields",
        };
        let count = |number: Option<usize>, none: &str| number.map_or(none.to_owned(), |n| n.to_string());
        text.push_str(&format!(
            "| `{}` | {} | {} | {} | {form} | {} | {} | {} | {} | {} |\n",
            profile.name,
            profile.title,
            names.join(", "),
            profile.measured.unwrap_or("no"),
            count(profile.longest_text, ""),
            count(profile.resizes_above.map(|side| side as usize), ""),
            count(profile.instructions, "all"),
            profile.questions,
            profile.schemas,
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_picture::Limits;
    use std::collections::HashSet;

    fn of(client: &str) -> &'static str {
        Profiles::default().of(Some(client)).name
    }

    #[test]
    fn clients_are_recognized_by_the_name_that_they_give() {
        assert_eq!(of("claude-code"), "claude-code");
        assert_eq!(of("Visual Studio Code - Insiders"), "vscode");
        assert_eq!(of("qwen-cli-mcp-client-handeye"), "qwen-code");
        for unknown in ["mcp", "fastmcp", "inspector-client", "claude-codex", ""] {
            assert_eq!(of(unknown), "program", "{unknown}");
        }
        assert_eq!(Profiles::default().of(None).name, "program");
    }

    #[test]
    fn a_profile_can_be_chosen() {
        let fixed = Profiles::named("program").expect("a profile");
        assert_eq!(fixed.of(Some("claude-code")).name, "program");
        assert!(matches!(Profiles::named("auto"), Ok(Profiles::Recognized)));
        let error = Profiles::named("claud").expect_err("no profile");
        assert!(
            error.next.is_some_and(|next| next.contains("claude-code, codex") && next.contains("program"))
        );
    }

    #[test]
    fn each_name_has_one_profile() {
        let names: HashSet<&str> = profiles().map(|profile| profile.name).collect();
        assert_eq!(names.len(), profiles().count());
        for profile in profiles() {
            for client in profile.clients {
                assert_eq!(*client, client.to_lowercase());
                assert_eq!(of(client.trim_end_matches('*')), profile.name);
            }
        }
    }

    #[test]
    fn no_client_resizes_a_picture_that_comes_in_an_answer() {
        for profile in profiles() {
            assert!(
                profile.resizes_above.is_none_or(|side| side > Limits::INLINE.longest_side),
                "{profile:?}"
            );
        }
    }
}
