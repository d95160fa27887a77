//! What is known of toolkits.

use super::*;
use handeye_core::{ApplicationId, ProcessIdentity, SourceId, TreeAccess};
use std::sync::Arc;

#[test]
fn libreoffice_is_known_by_its_name_and_its_executable() {
    let identify = |name, version, application| Toolkit::identify(name, version, application, None);
    assert_eq!(identify("gtk", "3.24.38", "soffice"), Toolkit::LibreOffice);
    assert_eq!(identify("GTK", "4.8.3", "gnome-calculator"), Toolkit::Gtk4);
    assert_eq!(identify("gtk", "3.24.38", "mousepad"), Toolkit::Gtk3);
    assert_eq!(identify("Qt", "5.15.8", "kcalc"), Toolkit::Qt);
    assert_eq!(Toolkit::identify("gtk", "3.24.38", "", Some("soffice.bin")), Toolkit::LibreOffice);
}

#[test]
fn libreoffice_is_known_before_its_application_has_a_name() {
    let executable =
        |path: &str| ProcessIdentity { executable: Some(path.into()), ..ProcessIdentity::unverified(7) };
    let starting = |path: &str| Application {
        id: ApplicationId::new(SourceId::new("test"), path),
        name: "soffice.bin".into(),
        process: Some(executable(path)),
        bundle_id: None,
        toolkit: Some("gtk 3.24.38".into()),
        tree: TreeAccess::Available,
    };
    assert_eq!(Toolkit::of(&starting("/usr/lib/libreoffice/program/soffice.bin")), Toolkit::LibreOffice);
    assert_eq!(Toolkit::of(&starting("/usr/bin/mousepad")), Toolkit::Gtk3);
}

/// What an element with this name is called.
fn called(toolkit: Toolkit, role: Role, name: &str) -> String {
    toolkit.normalise_name(role, Arc::from(name)).to_string()
}

#[test]
fn gtk4_names_are_what_a_person_would_say() {
    assert_eq!(called(Toolkit::Gtk4, Role::TextBox, "GtkSourceView"), "");
    assert_eq!(called(Toolkit::Gtk4, Role::Generic, "HistoryView"), "");
    assert_eq!(called(Toolkit::Gtk4, Role::Button, "7 7"), "7");
    assert_eq!(called(Toolkit::Gtk4, Role::Button, "\u{f7}/ \u{f7}/"), "\u{f7}/");
    assert_eq!(called(Toolkit::Gtk4, Role::Button, "_Quit Quit"), "Quit");
    assert_eq!(called(Toolkit::Gtk4, Role::Button, "Save _As Save As"), "Save As");
    assert_eq!(called(Toolkit::Gtk4, Role::Button, "snake_case snake"), "snake_case snake");
    assert_eq!(called(Toolkit::Gtk4, Role::Button, "GitHub"), "GitHub");
    assert_eq!(called(Toolkit::Gtk4, Role::Button, "Save As"), "Save As");
}

#[test]
fn a_window_of_gtk4_is_not_called_by_its_class() {
    for class in [
        "Gjs_MainWindow",
        "weather+MainWindow",
        "music+window+Main",
        "__main__+Main_2",
        "gtkmm__GtkWindow",
        "TextEditorWindow",
        "SaveDialog",
    ] {
        assert_eq!(called(Toolkit::Gtk4, Role::Window, class), "", "{class}");
    }
    for title in [
        "LibreOffice",
        "Window",
        "main window",
        "C++",
        "A + B",
        "1+1",
        "Report Q1+Q2",
        "a/b+c",
        "My Window",
        "Gjs_",
        "Gjs_a b",
    ] {
        assert_eq!(called(Toolkit::Gtk4, Role::Window, title), title);
    }
    assert_eq!(called(Toolkit::Gtk4, Role::Button, "CloseWindow"), "CloseWindow");
}

#[test]
fn what_is_in_a_window_of_gtk4_is_not_called_by_its_class() {
    let classes = [
        (Role::Row, "Gjs_SidebarRow"),
        (Role::Button, "Gjs_CharacterButton"),
        (Role::Generic, "Gjs_Sidebar"),
        (Role::TextBox, "EditorSourceView"),
        (Role::Row, "contacts+ContactRow"),
        (Role::List, "SidebarListBox"),
    ];
    for (role, class) in classes {
        assert_eq!(called(Toolkit::Gtk4, role, class), "", "{class}");
    }
    let labels = [
        (Role::Row, "GitHub"),
        (Role::Row, "a+b"),
        (Role::ListItem, "OpenStreetMap"),
        (Role::ListItem, "ContactRow"),
        (Role::TextBox, "LastName"),
        (Role::Button, "x+y"),
        (Role::Text, "EditorSourceView"),
        (Role::Row, "Gjs"),
    ];
    for (role, label) in labels {
        assert_eq!(called(Toolkit::Gtk4, role, label), label);
    }
}

#[test]
fn a_tool_bar_of_qt_has_no_mark_of_an_access_key_in_its_name() {
    assert_eq!(called(Toolkit::Qt, Role::ToolBar, "&Main toolbar"), "Main toolbar");
    assert_eq!(called(Toolkit::Qt, Role::ToolBar, "Cut && Paste &bar&"), "Cut & Paste bar");
    assert_eq!(called(Toolkit::Qt, Role::Button, "R&D"), "R&D");
}

#[test]
fn firefox_accepts_texts_and_leaves_the_field_as_it_was() {
    let field = handeye_core::NodeId::mint();
    let mut tree = Tree::new();
    tree.insert(handeye_core::Node {
        id: field,
        parent: None,
        children: Vec::new(),
        child_count: 0,
        role: Role::TextBox,
        native_role: Arc::from("entry"),
        name: Arc::from("Name"),
        description: Arc::from(""),
        states: States::EDITABLE,
        abilities: Abilities::EDITABLE_TEXT,
        details: handeye_core::KeptDetails::default(),
        owner: None,
        strangers: 0,
    });
    let set = NodeAction::SetText("Ada".to_owned());
    assert!(Toolkit::Gecko.only_shows(&tree, field, &set));
    assert!(!Toolkit::Gtk3.only_shows(&tree, field, &set));
    assert!(!Toolkit::Gecko.only_shows(&tree, field, &NodeAction::Focus));
}

#[test]
fn the_action_of_an_item_of_qt_is_a_part_of_a_click() {
    let toggle = NodeAction::Invoke(Some("Toggle".to_owned()));
    assert!(Toolkit::Qt.is_part_of_click(Role::ListItem, &toggle));
    assert!(Toolkit::Qt.is_part_of_click(Role::Cell, &toggle));
    assert!(!Toolkit::Qt.is_part_of_click(Role::CheckBox, &toggle));
    assert!(!Toolkit::Qt.is_part_of_click(Role::ListItem, &NodeAction::Invoke(None)), "Qt Quick");
    assert!(Toolkit::Qt.is_part_of_click(Role::ComboBox, &NodeAction::Invoke(None)));
    assert!(!Toolkit::Gtk3.is_part_of_click(Role::Cell, &toggle));
}

#[test]
fn the_list_of_a_combo_box_of_qt_shows_a_selection_only() {
    let mut tree = Tree::new();
    let above = [Role::ComboBox, Role::List, Role::ListItem].into_iter().fold(None, |above, role| {
        let id = NodeId::mint();
        tree.insert(Node::new(id, above, role, "Zenith"));
        Some(id)
    });
    let option = above.expect("the last one of three");
    let toggle = NodeAction::Invoke(Some("Toggle".to_owned()));
    assert!(Toolkit::Qt.only_shows(&tree, option, &toggle));
    assert!(!Toolkit::Gtk4.only_shows(&tree, option, &toggle));
    let alone = NodeId::mint();
    tree.insert(Node::new(alone, None, Role::ListItem, "Alone"));
    assert!(!Toolkit::Qt.only_shows(&tree, alone, &toggle));
}

#[test]
fn only_what_the_application_itself_has_is_a_window_of_qt() {
    let role_of = |toolkit: Toolkit, role, parent_role, is_named| {
        let place = ElementContext {
            role,
            embedded: false,
            parent_showing: true,
            parent_focused: false,
            parent_role: Some(parent_role),
        };
        toolkit.normalise_role(States::empty(), false, is_named, place)
    };
    let role = |toolkit, role, parent_role| role_of(toolkit, role, parent_role, true);
    assert_eq!(role(Toolkit::Qt, Role::Window, "application"), Role::Window);
    assert_eq!(role(Toolkit::Qt, Role::Generic, "application"), Role::Window, "a plain widget");
    assert_eq!(role_of(Toolkit::Qt, Role::Generic, "application", false), Role::Generic, "a hint");
    assert_eq!(role(Toolkit::Qt, Role::Menu, "application"), Role::Menu);
    assert_eq!(role(Toolkit::Qt, Role::Window, "frame"), Role::Group, "what has a border");
    assert_eq!(role(Toolkit::Gtk3, Role::Window, "frame"), Role::Window);
}

#[test]
fn qt_is_asked_for_kinds_and_descriptions_where_nothing_is_believed() {
    let of = |role, name| Node::new(NodeId::mint(), None, role, name);
    assert!(
        Toolkit::Qt.may_change_role(Role::Button, true) && !Toolkit::Qt.may_change_role(Role::Button, false)
    );
    assert!(Toolkit::Qt.may_change_role(Role::TextBox, false), "it may begin to hide what is typed");
    assert!(!Toolkit::Gtk3.may_change_role(Role::TextBox, true));
    assert!(
        Toolkit::Qt.may_have_another_description(&of(Role::Button, ""), false),
        "it may be called by its tooltip"
    );
    assert!(!Toolkit::Qt.may_have_another_description(&of(Role::Button, "Save"), false));
    assert!(Toolkit::Qt.may_have_another_description(&of(Role::Button, "Save"), true));
    assert!(!Toolkit::Qt.may_have_another_description(&of(Role::Group, ""), true));
}

#[test]
fn a_slider_of_gtk3_is_described_by_its_number() {
    let mut slider = Node::new(NodeId::mint(), None, Role::Slider, "");
    assert!(!Toolkit::Gtk3.describes_by_value(&slider));
    slider.description = Arc::from("40");
    assert!(Toolkit::Gtk3.describes_by_value(&slider) && !Toolkit::Gtk4.describes_by_value(&slider));
}
