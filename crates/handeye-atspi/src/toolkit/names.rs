//! What elements and windows are called, other than by the name that a toolkit reports.

use super::Toolkit;
use handeye_core::Role;
use std::sync::Arc;

impl Toolkit {
    /// Whether windows may have a title on the screen and no name in the tree: so have those whose application sets no title, in Qt and GTK 3, and in GTK 4
    /// once the name of their class is left out.
    pub(in super::super) fn leaves_windows_unnamed(self) -> bool {
        matches!(self, Self::Qt | Self::Gtk3 | Self::Gtk4)
    }

    /// The name of an element as a person would say it.
    pub(in super::super) fn normalise_name(self, role: Role, name: Arc<str>) -> Arc<str> {
        match self {
            Self::Gtk4 => gtk4_name(role, name),
            // A tool bar is called by its title as the menu of tool bars has it. Qt takes the mark out of all other names (measured on 5.15).
            Self::Qt if role == Role::ToolBar && name.contains('&') => Arc::from(without_access_key(&name)),
            _ => name,
        }
    }
}

/// GTK 4.8 falls back to the widget's type (`GtkEntry`), and says the label of a button twice ("7 7").
fn gtk4_name(role: Role, name: Arc<str>) -> Arc<str> {
    // The names that it gives all tabs, and all bars of them (measured on 4.8).
    let is_stock_name = matches!((role, &*name), (Role::Tab, "Tab") | (Role::TabList, "Tab list"));
    let is_class = is_type_name(&name) || is_class_of(role, &name);
    if is_stock_name || is_class {
        return Arc::from("");
    }
    // The first time with the mark of its access key: "_Quit Quit".
    let is_twice = |(at, _): &(usize, &str)| {
        name[..*at].replacen('_', "", 1) == name[at + 1..] || name[..*at] == name[at + 1..]
    };
    match name.match_indices(' ').find(is_twice) {
        Some((at, _)) => Arc::from(&name[at + 1..]),
        None => name,
    }
}

/// Whether a name is that of a widget type of a GTK library.
fn is_type_name(name: &str) -> bool {
    ["Gtk", "Adw", "Gdk", "Hdy", "Vte"].iter().filter_map(|prefix| name.strip_prefix(prefix)).any(|rest| {
        rest.starts_with(|first: char| first.is_ascii_uppercase())
            && rest.chars().all(|c| c.is_ascii_alphanumeric())
    })
}

/// Whether a name is one word of several capitalised parts, as types are called.
fn is_camel_case(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric())
        && name.chars().skip(1).any(|c| c.is_ascii_uppercase())
}

/// Whether the name of an element of this role is that of its class: one that JavaScript (`Gjs_MainWindow`), Python (`module+MainWindow`) or C++
/// (`gtkmm__GtkWindow`) has registered, or one of an application in C that ends in what it is (`EditorSourceView`). A title of one word, such as
/// "LibreOffice", is none.
fn is_class_of(role: Role, name: &str) -> bool {
    let is_word = |word: &str| {
        word.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    if let Some(class) = name.strip_prefix("Gjs_").or_else(|| name.strip_prefix("gtkmm__")) {
        return is_word(class);
    }
    let ends_as_class = kinds_of(role).iter().any(|kind| name.ends_with(kind));
    match name.split_once('+') {
        // The title of a window is on the screen as well, the label of a row, such as "a+b", is not.
        Some((module, class)) => {
            (role.is_window() || ends_as_class) && is_word(module) && class.split('+').all(is_word)
        }
        None => ends_as_class && is_camel_case(name),
    }
}

/// What the names of classes of such elements end in; none where a name is more likely to be a label.
fn kinds_of(role: Role) -> &'static [&'static str] {
    match role {
        Role::Window | Role::Dialog | Role::Alert => &["Window", "Dialog"],
        Role::TextBox | Role::SearchBox => &["View", "Entry", "Text"],
        Role::Row => &["Row", "Item"],
        Role::List | Role::Table => &["List", "ListBox", "FlowBox", "View", "Table"],
        Role::Generic => &[""],
        _ => &[],
    }
}

/// A label without the `&` before its access key; "&&" is a "&".
fn without_access_key(label: &str) -> String {
    let mut shown = String::with_capacity(label.len());
    let mut characters = label.chars();
    while let Some(character) = characters.next() {
        match character {
            '&' => shown.extend(characters.next()),
            _ => shown.push(character),
        }
    }
    shown
}
