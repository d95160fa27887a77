//! Roles: what an element is, by its ARIA name outside and by its toolkit's name inside.

use serde::{Deserialize, Serialize, Serializer};
use std::fmt;

/// Declares [`Role`] with its names in the three vocabularies in one table.
macro_rules! roles {
    ($($variant:ident, $aria:literal, [$($atspi:literal),*], [$($ax:literal),*];)+) => {
        /// What an element is. Shown by its ARIA name; found by its ARIA, AT-SPI or macOS name.
        ///
        /// Several roles may share an ARIA name: a toggle button is a `button` with the state `pressed`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Role {
            $(#[doc = concat!("`", $aria, "` in ARIA.")] $variant,)+
        }

        impl Role {
            /// Every role.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The ARIA name, as every outline and answer shows it.
            pub const fn aria(self) -> &'static str {
                match self { $(Self::$variant => $aria,)+ }
            }

            /// The names that AT-SPI gives to this role, in lower case with spaces.
            pub const fn atspi_names(self) -> &'static [&'static str] {
                match self { $(Self::$variant => &[$($atspi),*],)+ }
            }

            /// The names that macOS gives to this role.
            pub const fn ax_names(self) -> &'static [&'static str] {
                match self { $(Self::$variant => &[$($ax),*],)+ }
            }
        }
    };
}

roles! {
    Application, "application", ["application"], ["AXApplication"];
    Window, "window", ["frame", "window", "internal frame"], ["AXWindow"];
    Dialog, "dialog", ["dialog", "file chooser", "color chooser", "font chooser", "option pane"], ["AXSheet", "AXDialog"];
    Alert, "alertdialog", ["alert"], ["AXAlert"];
    Notification, "alert", ["notification", "info bar"], [];
    Button, "button", ["push button", "button", "push button menu"], ["AXButton"];
    ToggleButton, "button", ["toggle button"], ["AXToggle"];
    Switch, "switch", ["switch"], ["AXSwitch"];
    CheckBox, "checkbox", ["check box"], ["AXCheckBox"];
    RadioButton, "radio", ["radio button"], ["AXRadioButton"];
    RadioGroup, "radiogroup", [], ["AXRadioGroup"];
    ComboBox, "combobox", ["combo box"], ["AXComboBox", "AXPopUpButton"];
    ListBox, "listbox", ["list box"], ["AXListBox"];
    List, "list", ["list", "description list"], ["AXList"];
    ListItem, "listitem", ["list item"], [];
    Menu, "menu", ["menu", "popup menu"], ["AXMenu"];
    MenuBar, "menubar", ["menu bar"], ["AXMenuBar"];
    MenuItem, "menuitem", ["menu item", "tearoff menu item"], ["AXMenuItem", "AXMenuBarItem"];
    MenuItemCheckBox, "menuitemcheckbox", ["check menu item"], [];
    MenuItemRadio, "menuitemradio", ["radio menu item"], [];
    Tab, "tab", ["page tab"], ["AXTab"];
    TabList, "tablist", ["page tab list"], ["AXTabGroup"];
    TextBox, "textbox", ["text", "entry", "password text", "editbar", "terminal", "date editor"], ["AXTextField", "AXTextArea", "AXSecureTextField"];
    SearchBox, "searchbox", ["search box"], ["AXSearchField"];
    Text, "text", ["label", "static", "caption", "accelerator label", "text leaf"], ["AXStaticText"];
    Paragraph, "paragraph", ["paragraph"], [];
    Heading, "heading", ["heading", "header"], ["AXHeading"];
    Link, "link", ["link"], ["AXLink"];
    Image, "img", ["image", "icon", "desktop icon", "image map", "figure", "animation"], ["AXImage"];
    Slider, "slider", ["slider", "dial"], ["AXSlider"];
    SpinButton, "spinbutton", ["spin button"], ["AXIncrementor"];
    ProgressBar, "progressbar", ["progress bar", "busy indicator"], ["AXProgressIndicator", "AXBusyIndicator"];
    LevelBar, "meter", ["level bar", "rating"], ["AXLevelIndicator"];
    ScrollBar, "scrollbar", ["scroll bar"], ["AXScrollBar"];
    Separator, "separator", ["separator"], ["AXSplitter"];
    ToolBar, "toolbar", ["tool bar"], ["AXToolbar"];
    StatusBar, "status", ["status bar", "timer"], [];
    Table, "table", ["table"], ["AXTable"];
    Tree, "tree", ["tree"], ["AXOutline"];
    TreeGrid, "treegrid", ["tree table"], ["AXBrowser"];
    TreeItem, "treeitem", ["tree item"], ["AXDisclosureTriangle"];
    Row, "row", ["table row"], ["AXRow"];
    Cell, "cell", ["table cell"], ["AXCell"];
    ColumnHeader, "columnheader", ["column header", "table column header"], ["AXColumn"];
    RowHeader, "rowheader", ["row header", "table row header"], [];
    ToolTip, "tooltip", ["tool tip"], ["AXHelpTag"];
    Document, "document", ["document frame", "document web", "document text", "document spreadsheet", "document presentation", "document email", "html container"], ["AXWebArea"];
    Article, "article", ["article", "comment"], [];
    Form, "form", ["form"], [];
    Region, "region", ["landmark"], [];
    Group, "group", ["panel", "grouping", "section", "block quote", "content deletion", "content insertion", "suggestion", "footer", "definition", "mark"], ["AXGroup", "AXLayoutArea"];
    Calendar, "grid", ["calendar"], ["AXGrid"];
    Canvas, "canvas", ["canvas", "drawing area", "chart"], ["AXCanvas"];
    Media, "application", ["audio", "video", "embedded"], [];
    Generic, "generic", ["filler", "scroll pane", "split pane", "viewport", "layered pane", "glass pane", "root pane", "redundant object", "directory pane", "desktop frame", "input method window", "focus traversable", "autocomplete", "extended", "invalid", "unknown", "arrow", "ruler", "page", "math", "log", "marquee", "rating pane", "title bar", "form field", "static pane", "description term", "description value", "description list item", "footnote", "subscript", "superscript", "math fraction", "math root"], ["AXScrollArea", "AXSplitGroup", "AXUnknown"];
}

impl Role {
    /// The role that AT-SPI calls `name` (as `GetRoleName` spells it: lower case, spaces); [`Role::Generic`] if unknown.
    pub fn from_atspi_name(name: &str) -> Self {
        Self::ALL.iter().copied().find(|role| role.atspi_names().contains(&name)).unwrap_or(Self::Generic)
    }

    /// Every name that a query may use for this role: the ARIA name, those of AT-SPI and of macOS, and of the latter those of several words
    /// without their `AX` (`TextField`). One of a single word could be a title as well (`Browser`).
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let without_prefix = self.ax_names().iter().filter_map(|name| {
            let words = name.strip_prefix("AX")?;
            (words.matches(char::is_uppercase).count() > 1).then_some(words)
        });
        let known = self.atspi_names().iter().chain(self.ax_names()).copied();
        std::iter::once(self.aria()).chain(known).chain(without_prefix)
    }

    /// Whether a query for the role `name` means this role: one of its [`asked_names`](Self::asked_names), as [`squeeze`](Self::squeeze) compares them.
    pub fn answers_to(self, name: &str) -> bool {
        let wanted = Self::squeeze(name);
        self.asked_names().any(|known| Self::squeeze(known) == wanted)
    }

    /// The names by which a query can ask for this role: its own [`names`](Self::names), and those of the role that it is a kind of.
    pub fn asked_names(self) -> impl Iterator<Item = &'static str> {
        self.names().chain(self.kind_of().into_iter().flat_map(Self::names))
    }

    /// A role's name as it is compared with others: in lower case, without the separators that vocabularies disagree about.
    pub fn squeeze(name: &str) -> String {
        name.chars().filter(|c| !matches!(c, ' ' | '-' | '_')).flat_map(char::to_lowercase).collect()
    }

    /// The role that this one is a kind of (ARIA, "superclass role"), where a query for that means both.
    const fn kind_of(self) -> Option<Self> {
        match self {
            Self::MenuItemCheckBox | Self::MenuItemRadio => Some(Self::MenuItem),
            Self::SearchBox => Some(Self::TextBox),
            _ => None,
        }
    }

    /// Whether any role answers to `name`, so that a query can distinguish a role from a title.
    pub fn is_known_name(name: &str) -> bool {
        Self::ALL.iter().any(|role| role.answers_to(name))
    }

    /// Whether the element is a container that says nothing by itself when it has no name.
    pub const fn is_structural(self) -> bool {
        matches!(self, Self::Generic | Self::Group | Self::Region)
    }

    /// Whether people act on such an element (press, type, choose), as opposed to reading it.
    pub const fn is_interactive(self) -> bool {
        matches!(
            self,
            Self::Button
                | Self::ToggleButton
                | Self::Switch
                | Self::CheckBox
                | Self::RadioButton
                | Self::ComboBox
                | Self::ListItem
                | Self::MenuItem
                | Self::MenuItemCheckBox
                | Self::MenuItemRadio
                | Self::Tab
                | Self::TextBox
                | Self::SearchBox
                | Self::Link
                | Self::Slider
                | Self::SpinButton
                | Self::ScrollBar
                | Self::TreeItem
                | Self::Cell
                | Self::ColumnHeader
        )
    }

    /// Whether an element without a name has that of the texts in it (ARIA, "name from content").
    pub const fn is_named_from_inside(self) -> bool {
        matches!(
            self,
            Self::Button
                | Self::ToggleButton
                | Self::CheckBox
                | Self::RadioButton
                | Self::Link
                | Self::Tab
                | Self::ListItem
                | Self::TreeItem
                | Self::MenuItem
                | Self::MenuItemCheckBox
                | Self::MenuItemRadio
        )
    }

    /// Whether the element is a top-level window of its application.
    pub const fn is_window(self) -> bool {
        matches!(self, Self::Window | Self::Dialog | Self::Alert)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.aria())
    }
}

impl Serialize for Role {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.aria())
    }
}

impl<'de> Deserialize<'de> for Role {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::ALL
            .iter()
            .copied()
            .find(|role| role.answers_to(&name))
            .ok_or_else(|| serde::de::Error::custom(format!("unknown role '{name}'")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_vocabularies_name_one_role() {
        for name in ["button", "push button", "PushButton", "AXButton", "push-button"] {
            assert!(Role::Button.answers_to(name), "{name}");
        }
        assert!(!Role::Button.answers_to("toggle button"));
        assert!(Role::ToggleButton.answers_to("button"));
    }

    #[test]
    fn an_atspi_name_belongs_to_one_role() {
        let mut seen = std::collections::HashMap::new();
        for role in Role::ALL {
            for name in role.atspi_names() {
                assert_eq!(seen.insert(*name, *role), None, "{name}");
                assert_eq!(Role::from_atspi_name(name), *role);
            }
        }
    }
}
