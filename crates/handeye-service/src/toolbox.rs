//! Which operations a server offers: whole toolsets, single tools, all but some, only those that look.

use crate::security::offers;
use handeye_call::call::Offered;
use handeye_core::nearness::nearest;
use handeye_core::{Error, Result, SecurityMode, SettingName, screen_text, text};
use handeye_engine::{AnyOperation, Meta, Toolset};
use handeye_ops::registry;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Every toolset.
const EVERY: &str = "all";
/// The toolsets that are on when nobody says otherwise.
const USUAL: &str = "default";
/// How many near names an error gives.
const NEAR: usize = 3;

/// What a server is asked to offer. Names are those of toolsets and of tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Toolsets, `default` or `all`. Without any: none if `tools` names some, else `default`.
    pub toolsets: Option<Vec<String>>,
    /// Single tools, beside those of `toolsets`.
    pub tools: Option<Vec<String>>,
    /// Tools to leave out; this wins over both of the above.
    pub exclude: Vec<String>,
    /// Only what leaves the desktop as it is; this wins over everything.
    pub read_only: bool,
}

/// Why a tool is off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Off {
    ReadOnly,
    Excluded,
    /// Neither it nor its toolset was chosen.
    NotChosen(Toolset),
    /// The mode does without it.
    Mode(SecurityMode),
}

/// The operations that a server offers. Cheap to ask, never changes.
#[derive(Debug, Clone, Default)]
pub struct Toolbox {
    off: BTreeMap<&'static str, Off>,
    read_only: bool,
}

impl Toolbox {
    /// The operations of a selection.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidParameter`](handeye_core::ErrorCode::InvalidParameter) with near names if it names a toolset or a tool
    /// that does not exist, or leaves nothing.
    pub fn of(selection: &Selection) -> Result<Self> {
        let toolsets = toolsets(selection)?;
        let chosen = tools("tools", selection.tools.as_deref().unwrap_or_default())?;
        let excluded = tools("exclude-tools", &selection.exclude)?;
        let mut off = BTreeMap::new();
        for meta in registry::all().iter().map(|operation| operation.meta()) {
            let why = if selection.read_only && !meta.read_only {
                Some(Off::ReadOnly)
            } else if excluded.contains(&meta.tool) {
                Some(Off::Excluded)
            } else if !toolsets.contains(&meta.toolset) && !chosen.contains(&meta.tool) {
                Some(Off::NotChosen(meta.toolset))
            } else {
                None
            };
            if let Some(why) = why {
                off.insert(meta.tool, why);
            }
        }
        if off.len() == registry::all().len() {
            return Err(Error::invalid_parameter("toolsets", "and the other filters leave no tool at all")
                .with_next(text![
                    "Choose more with ",
                    SettingName::of("toolsets"),
                    " or ",
                    SettingName::of("tools"),
                    ", or exclude less."
                ]));
        }
        Ok(Self { off, read_only: selection.read_only })
    }

    /// Those of them that there are in a mode.
    #[must_use]
    pub fn in_mode(&self, mode: SecurityMode) -> Self {
        let mut left = self.clone();
        for tool in all().map(|meta| meta.tool).filter(|tool| !offers(mode, tool)) {
            left.off.entry(tool).or_insert(Off::Mode(mode));
        }
        left
    }

    /// The operations that are on, in the order of the registry.
    pub fn operations(&self) -> impl Iterator<Item = &'static dyn AnyOperation> {
        registry::all().iter().map(AsRef::as_ref).filter(|operation| self.has(operation.meta().tool))
    }

    /// What it offers to the calls of a client.
    pub fn offered(&self) -> Offered {
        let on = self.operations().map(|operation| operation.meta().tool).collect();
        Offered { on: Some(Arc::new(on)), read_only: self.read_only }
    }

    /// Whether a tool is there and on.
    pub fn has(&self, tool: &str) -> bool {
        !self.off.contains_key(tool) && registry::by_tool(tool).is_some()
    }

    /// The error, advising nothing but tools that are on: a caller could not follow it.
    #[must_use]
    pub fn advisable(&self, mut error: Error) -> Error {
        error.next = error.next.and_then(|next| next.possible(|tool| !self.is_off(tool)));
        error
    }

    /// Whether there is such a tool, and it is off.
    pub(crate) fn is_off(&self, tool: &str) -> bool {
        self.off.contains_key(tool)
    }

    /// Whether only what leaves the desktop as it is may be on.
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// The operation behind a tool that is on, or else a sentence for the caller: that it is off and by what, or what it is
    /// probably called.
    pub fn operation(&self, tool: &str) -> std::result::Result<&'static dyn AnyOperation, String> {
        let shown = screen_text::line(tool, 80);
        match (registry::by_tool(tool), self.off.get(tool)) {
            (Some(operation), None) => Ok(operation),
            (_, Some(why)) => Err(format!("unknown tool '{shown}': switched off {}", why.reason())),
            (None, None) => {
                let near = nearest(tool, self.operations().map(|operation| operation.meta().tool), NEAR);
                let hint = if near.is_empty() {
                    "tools/list has all of them".to_owned()
                } else {
                    format!("did you mean {}?", near.join(", "))
                };
                Err(format!("unknown tool '{shown}': {hint}"))
            }
        }
    }
}

impl Off {
    /// By what, as the end of a sentence.
    fn reason(self) -> String {
        match self {
            Self::ReadOnly => format!("by {}", SettingName::of("read-only")),
            Self::Excluded => format!("by {}", SettingName::of("exclude-tools")),
            Self::Mode(mode) => format!("in the mode {mode}"),
            Self::NotChosen(toolset) => {
                format!("as {} does not name its toolset, {toolset}", SettingName::of("toolsets"))
            }
        }
    }
}

fn toolsets(selection: &Selection) -> Result<Vec<Toolset>> {
    let usual = || Toolset::ALL.iter().copied().filter(|toolset| toolset.is_default());
    let Some(names) = &selection.toolsets else {
        return Ok(if selection.tools.is_some() { Vec::new() } else { usual().collect() });
    };
    let mut chosen = Vec::new();
    for name in names {
        match name.as_str() {
            EVERY => chosen.extend(Toolset::ALL.iter().filter(|toolset| !toolset.has_to_be_named())),
            USUAL => chosen.extend(usual()),
            name => match Toolset::ALL.iter().find(|toolset| toolset.as_str() == name) {
                Some(toolset) => chosen.push(*toolset),
                None => return Err(unknown("toolsets", "toolset", name, toolset_names())),
            },
        }
    }
    Ok(chosen)
}

/// The names that `--toolsets` takes.
pub fn toolset_names() -> impl Iterator<Item = &'static str> {
    [USUAL, EVERY].into_iter().chain(Toolset::ALL.iter().map(|toolset| toolset.as_str()))
}

fn tools(setting: &str, names: &[String]) -> Result<Vec<&'static str>> {
    names
        .iter()
        .map(|name| match registry::by_tool(name) {
            Some(operation) => Ok(operation.meta().tool),
            None => Err(unknown(setting, "tool", name, all().map(|meta| meta.tool))),
        })
        .collect()
}

fn all() -> impl Iterator<Item = &'static Meta> {
    registry::all().iter().map(|operation| operation.meta())
}

fn unknown(setting: &str, kind: &str, name: &str, names: impl Iterator<Item = &'static str>) -> Error {
    let names: Vec<&str> = names.collect();
    let near = nearest(name, names.iter().copied(), NEAR);
    let shown = screen_text::line(name, 80);
    let error = Error::invalid_parameter(setting, format!("names '{shown}', and there is no such {kind}"));
    if near.is_empty() {
        error.with_next(format!("Known: {}.", names.join(", ")))
    } else {
        error.with_next(format!("Did you mean {}?", near.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    fn on(selection: &Selection) -> Vec<&'static str> {
        let toolbox = Toolbox::of(selection).expect("a sound selection");
        toolbox.operations().map(|operation| operation.meta().tool).collect()
    }

    #[test]
    fn without_a_word_the_usual_toolsets_are_on() {
        let usual = on(&Selection::default());
        let expected: Vec<&str> =
            all().filter(|meta| meta.toolset.is_default()).map(|meta| meta.tool).collect();
        assert_eq!(usual, expected);
        assert_eq!(on(&Selection { toolsets: Some(names(&["default"])), ..Selection::default() }), usual);
    }

    #[test]
    fn toolsets_and_tools_add_up() {
        let find = Selection { toolsets: Some(names(&["find"])), ..Selection::default() };
        assert_eq!(on(&find), ["ax_find", "ax_get_tree", "ax_get_attributes"]);
        let and_click = Selection { tools: Some(names(&["ax_click"])), ..find.clone() };
        assert_eq!(on(&and_click), ["ax_find", "ax_get_tree", "ax_get_attributes", "ax_click"]);
        let click_alone = Selection { toolsets: None, ..and_click };
        assert_eq!(on(&click_alone), ["ax_click"]);
        let everything =
            Selection { toolsets: Some(names(&["find", "all", "script"])), ..Selection::default() };
        assert_eq!(on(&everything).len(), registry::all().len());
    }

    #[test]
    fn excluding_wins_and_read_only_wins_over_all() {
        let selection = Selection {
            toolsets: Some(names(&["find", "action"])),
            tools: Some(names(&["ax_click", "ax_screenshot", "ax_wait_idle"])),
            exclude: names(&["ax_find", "ax_wait_idle"]),
            read_only: true,
        };
        assert_eq!(on(&selection), ["ax_get_tree", "ax_get_attributes", "ax_screenshot"]);
        let toolbox = Toolbox::of(&selection).expect("sound");
        let refusal = |tool| toolbox.operation(tool).err().unwrap_or_default();
        assert_eq!(refusal("ax_click"), "unknown tool 'ax_click': switched off by --read-only");
        assert_eq!(refusal("ax_find"), "unknown tool 'ax_find': switched off by --exclude-tools");
        assert!(refusal("ax_list_apps").ends_with("--toolsets does not name its toolset, connect"));
        assert_eq!(
            refusal("ax_get_tre"),
            "unknown tool 'ax_get_tre': did you mean ax_get_tree?",
            "only what is on"
        );
        assert!(toolbox.operation("ax_get_tree").is_ok() && toolbox.has("ax_get_tree"));
        assert!(!toolbox.has("ax_click") && !toolbox.has("ax_nonsense"));
    }

    #[test]
    fn an_unknown_name_is_an_error_with_near_ones() {
        let fault = |selection: Selection| Toolbox::of(&selection).expect_err("unknown").to_string();
        let hint =
            |selection: Selection| Toolbox::of(&selection).expect_err("unknown").next.unwrap_or_default();
        let toolsets = || Selection { toolsets: Some(names(&["fnd"])), ..Selection::default() };
        assert!(fault(toolsets()).contains("'fnd'"));
        assert_eq!(hint(toolsets()), "Did you mean find?");
        let exclude = Selection { exclude: names(&["ax_clik"]), ..Selection::default() };
        assert!(hint(exclude.clone()).contains("ax_click"));
        assert!(fault(exclude).contains("exclude-tools"));
        let strange = Selection { tools: Some(names(&["zzzz"])), ..Selection::default() };
        assert!(hint(strange).starts_with("Known: ax_"));
    }

    #[test]
    fn a_selection_of_nothing_is_an_error() {
        let nothing =
            Selection { tools: Some(names(&["ax_click"])), read_only: true, ..Selection::default() };
        assert!(Toolbox::of(&nothing).is_err());
        assert!(Toolbox::of(&Selection { tools: Some(Vec::new()), ..Selection::default() }).is_err());
    }

    #[test]
    fn read_only_leaves_exactly_what_says_that_it_looks_only() {
        let left =
            on(&Selection { read_only: true, toolsets: Some(names(&["all"])), ..Selection::default() });
        let expected: Vec<&str> = all().filter(|meta| meta.read_only).map(|meta| meta.tool).collect();
        assert_eq!(left, expected);
    }
}
