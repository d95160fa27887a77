//! The closed list of what an application is asked in order to read it.
//!
//! [`Wire`](super::wire::Wire) sends these and nothing else: their fields are private to this file, so a question that is not listed
//! here cannot be written down. `docs/reference/read-calls.md` says of each when it is sent and to what it must not be sent.
//!
//! Not listed, because they end applications: `Properties.GetAll` (Qt 5.15 and 6.4 crash; where an element has no number, the ATK
//! bridge of GTK 3, Firefox and Chromium writes a dictionary entry without a value, and libdbus aborts), `Introspect` (Qt), and
//! `Collection.GetMatches` (LibreOffice hangs on a spreadsheet).

use super::object::RawReference;
use std::collections::HashMap;
use std::marker::PhantomData;

/// A method that reads, with the types of its arguments `A` and of its answer `R`.
pub(super) struct Method<A, R> {
    interface: &'static str,
    member: &'static str,
    types: PhantomData<fn(A) -> R>,
}

impl<A, R> Method<A, R> {
    const fn new(interface: &'static str, member: &'static str) -> Self {
        Self { interface, member, types: PhantomData }
    }

    /// The whole name of its interface.
    pub(super) const fn interface(&self) -> &'static str {
        self.interface
    }

    /// Its name.
    pub(super) const fn member(&self) -> &'static str {
        self.member
    }
}

/// A property that is read, by itself, with its type.
pub(super) struct Property<R> {
    interface: &'static str,
    name: &'static str,
    value: PhantomData<fn() -> R>,
}

impl<R> Property<R> {
    const fn new(interface: &'static str, name: &'static str) -> Self {
        Self { interface, name, value: PhantomData }
    }

    /// The whole name of its interface.
    pub(super) const fn interface(&self) -> &'static str {
        self.interface
    }

    /// Its name.
    pub(super) const fn name(&self) -> &'static str {
        self.name
    }
}

macro_rules! read_calls {
    (
        methods { $($method:ident: $interface:literal . $member:ident ($($argument:ty)?) -> $answer:ty;)* }
        properties { $($property:ident: $owner:literal . $name:ident -> $value:ty;)* }
    ) => {
        $(pub(super) const $method: Method<read_calls!(@or_unit $($argument)?), $answer> =
            Method::new($interface, stringify!($member));)*
        $(pub(super) const $property: Property<$value> = Property::new($owner, stringify!($name));)*

        /// All of them: interface, whether it is a method or a property, name, and the D-Bus signatures of arguments and answer.
        #[cfg(test)]
        fn all() -> Vec<[String; 5]> {
            use zbus::zvariant::Type;
            let methods = [$((
                $interface,
                stringify!($member),
                <read_calls!(@or_unit $($argument)?)>::SIGNATURE,
                <$answer>::SIGNATURE,
            )),*];
            let properties = [$(($owner, stringify!($name), <$value>::SIGNATURE)),*];
            let methods = methods.into_iter().map(|(interface, member, arguments, answer)| {
                let arguments = arguments.to_string_no_parens();
                [interface.into(), "method".into(), member.into(), arguments, answer.to_string()]
            });
            let properties = properties.into_iter().map(|(interface, name, value)| {
                [interface.into(), "property".into(), name.into(), String::new(), value.to_string()]
            });
            methods.chain(properties).collect()
        }
    };
    (@or_unit) => { () };
    (@or_unit $argument:ty) => { $argument };
}

/// Left, top, width and height.
type Extents = (i32, i32, i32, i32);
/// x, y and the kind of coordinates.
type At = (i32, i32, u32);
/// Kind and targets.
type RawRelation = (u32, Vec<RawReference>);
/// One element of a bulk load; [`cache_items`](super::cache_items) reads it.
pub(super) type RawItem =
    (RawReference, RawReference, RawReference, i32, i32, Vec<String>, String, u32, String, Vec<u32>);
/// Name, description and key binding.
type Action = (String, String, String);

read_calls! {
    methods {
        GET_ROLE: "org.a11y.atspi.Accessible".GetRole() -> u32;
        GET_STATE: "org.a11y.atspi.Accessible".GetState() -> Vec<u32>;
        GET_INTERFACES: "org.a11y.atspi.Accessible".GetInterfaces() -> Vec<String>;
        GET_ATTRIBUTES: "org.a11y.atspi.Accessible".GetAttributes() -> HashMap<String, String>;
        GET_RELATION_SET: "org.a11y.atspi.Accessible".GetRelationSet() -> Vec<RawRelation>;
        GET_CHILDREN: "org.a11y.atspi.Accessible".GetChildren() -> Vec<RawReference>;
        GET_CHILD_AT_INDEX: "org.a11y.atspi.Accessible".GetChildAtIndex(i32) -> RawReference;
        GET_INDEX_IN_PARENT: "org.a11y.atspi.Accessible".GetIndexInParent() -> i32;
        GET_ACTIONS: "org.a11y.atspi.Action".GetActions() -> Vec<Action>;
        GET_ACTION_NAME: "org.a11y.atspi.Action".GetName(i32) -> String;
        GET_APPLICATION_BUS_ADDRESS: "org.a11y.atspi.Application".GetApplicationBusAddress() -> String;
        GET_ITEMS: "org.a11y.atspi.Cache".GetItems() -> Vec<RawItem>;
        GET_ACCESSIBLE_AT_POINT: "org.a11y.atspi.Component".GetAccessibleAtPoint(At) -> RawReference;
        GET_EXTENTS: "org.a11y.atspi.Component".GetExtents(u32) -> Extents;
        GET_SELECTED_CHILD: "org.a11y.atspi.Selection".GetSelectedChild(i32) -> RawReference;
        GET_ACCESSIBLE_AT: "org.a11y.atspi.Table".GetAccessibleAt((i32, i32)) -> RawReference;
        GET_COLUMN_AT_INDEX: "org.a11y.atspi.Table".GetColumnAtIndex(i32) -> i32;
        GET_ROW_AT_INDEX: "org.a11y.atspi.Table".GetRowAtIndex(i32) -> i32;
        GET_TEXT: "org.a11y.atspi.Text".GetText((i32, i32)) -> String;
        PING: "org.freedesktop.DBus.Peer".Ping() -> ();
    }
    properties {
        ACCESSIBLE_ID: "org.a11y.atspi.Accessible".AccessibleId -> String;
        CHILD_COUNT: "org.a11y.atspi.Accessible".ChildCount -> i32;
        DESCRIPTION: "org.a11y.atspi.Accessible".Description -> String;
        NAME: "org.a11y.atspi.Accessible".Name -> String;
        PARENT: "org.a11y.atspi.Accessible".Parent -> RawReference;
        TOOLKIT_NAME: "org.a11y.atspi.Application".ToolkitName -> String;
        VERSION: "org.a11y.atspi.Application".Version -> String;
        CARET_OFFSET: "org.a11y.atspi.Text".CaretOffset -> i32;
        CHARACTER_COUNT: "org.a11y.atspi.Text".CharacterCount -> i32;
        CURRENT_VALUE: "org.a11y.atspi.Value".CurrentValue -> f64;
        MAXIMUM_VALUE: "org.a11y.atspi.Value".MaximumValue -> f64;
        MINIMUM_INCREMENT: "org.a11y.atspi.Value".MinimumIncrement -> f64;
        MINIMUM_VALUE: "org.a11y.atspi.Value".MinimumValue -> f64;
    }
}

#[cfg(test)]
mod tests {
    use super::all;
    use std::path::{Path, PathBuf};

    /// Files that may talk to a bus by themselves: to the bus daemon, the registry or the launcher, never to an application, except
    /// `wire.rs` with the calls of this file, `direct.rs` with the greeting of a connection and `action_line.rs` with actions.
    const MAY_CALL: [&str; 13] = [
        "handeye-atspi/src/action_line.rs",
        "handeye-atspi/src/bus.rs",
        // Sends what `wire.rs` does.
        "handeye-atspi/src/call_line.rs",
        "handeye-atspi/src/direct.rs",
        "handeye-atspi/src/events.rs",
        // Their tests make messages, and send none.
        "handeye-atspi/src/message.rs",
        "handeye-atspi/src/splitter.rs",
        "handeye-atspi/src/wire.rs",
        "handeye-linux/src/desktop/a11y.rs",
        // The login manager on the system bus.
        "handeye-linux/src/discovery/login.rs",
        "handeye-linux/src/doctor/buses.rs",
        "handeye-linux/src/notifications.rs",
        // The Secret Service on the session bus.
        "handeye-linux/src/secrets/keyring.rs",
    ];
    /// What sends calls by itself or many at once, and what names such a call.
    const NEVER: [&str; 8] =
        ["GetAll", "Introspect", "GetMatches", "Proxy<", "ProxyBuilder", "zbus::proxy", "zbus::fdo", "fdo::"];
    const CALLS: [&str; 5] = [
        "call_method",
        "call_noreply",
        "Message::method_call",
        "message::Builder::method_call",
        "ask_on_line(",
    ];

    fn repository() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
    }

    /// The first five cells of each row of the table.
    fn documented() -> Vec<[String; 5]> {
        let page = std::fs::read_to_string(repository().join("docs/reference/read-calls.md"))
            .expect("the page is there");
        let rows = page.lines().filter(|line| line.starts_with("| `org."));
        let cell = |cell: &str| cell.trim().trim_matches('`').to_owned();
        rows.map(|row| {
            let cells: Vec<String> = row.trim_matches('|').split('|').map(cell).collect();
            assert_eq!(cells.len(), 7, "{row}");
            assert!(!cells[5].is_empty() && !cells[6].is_empty(), "{row}");
            std::array::from_fn(|index| cells[index].clone())
        })
        .collect()
    }

    #[test]
    fn the_page_lists_every_call() {
        let (mut here, mut there) = (all(), documented());
        here.sort();
        there.sort();
        assert_eq!(here, there, "docs/reference/read-calls.md does not say what is sent");
    }

    fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                sources(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }

    #[test]
    fn nothing_else_is_sent() {
        let mut files = Vec::new();
        for name in std::fs::read_dir(repository().join("crates")).expect("the crates") {
            let folder = name.expect("a crate").path().join("src");
            if folder.is_dir() {
                sources(&folder, &mut files);
            }
        }
        assert!(files.len() > 100, "these are not all sources: {files:?}");
        let mut wrong = Vec::new();
        for file in files {
            if file.ends_with("handeye-atspi/src/read_call.rs") {
                continue;
            }
            let text = std::fs::read_to_string(&file).expect("a source");
            let may_call = MAY_CALL.iter().any(|known| file.ends_with(known));
            for (number, line) in text.lines().enumerate() {
                let code = line.split("//").next().unwrap_or_default();
                let names = |words: &[&str]| words.iter().any(|word| code.contains(word));
                if names(&NEVER) || (!may_call && names(&CALLS)) {
                    wrong.push(format!("{}:{}: {line}", file.display(), number + 1));
                }
            }
        }
        assert!(wrong.is_empty(), "sent past the list of calls:\n{}", wrong.join("\n"));
    }
}
