//! Rules on windows in memory, each with a defect and without.

use super::{audit, questions};
use crate::report::Report;
use crate::rule::Standard;
use crate::view::Subject;
use handeye_core::platform::Links;
use handeye_core::testing::{named, tree};
use handeye_core::{Abilities, Detail, Extents, Frame, InWindow, NodeId, Place, Rect, Role, States, Tree};
use proptest::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;

/// A window in memory, with what its toolkit says of labels and keys.
struct Window {
    tree: Tree,
    links: HashMap<NodeId, Links>,
    frame: Option<Frame>,
    scale: f64,
}

impl Window {
    /// The elements of an outline, one below the other: 100 by 30 pixels each, all of which can be focused.
    fn of(outline: &str) -> Self {
        let mut tree = tree(outline);
        let all: Vec<NodeId> =
            tree.root().map(|root| tree.descendants(root).map(|node| node.id).collect()).unwrap_or_default();
        for (at, id) in (0_i32..).zip(all) {
            tree.update(id, |node| {
                let area = if node.role.is_window() || node.role == Role::Application {
                    Rect::new(0, 0, 1_000, 1_000)
                } else {
                    Rect::new(10, 10 + 60 * at, 100, 30)
                };
                node.details.extents = Detail::Known(Extents::OnScreen(area));
                if crate::view::is_control(node.role) {
                    node.states.insert(States::FOCUSABLE);
                }
            });
        }
        Self { tree, links: HashMap::new(), frame: None, scale: 1.0 }
    }

    fn put(mut self, name: &str, x: i32, y: i32, width: u32, height: u32) -> Self {
        let id = named(&self.tree, name);
        self.tree.update(id, |node| {
            node.details.extents = Detail::Known(Extents::OnScreen(Rect::new(x, y, width, height)));
        });
        self
    }

    fn edit(mut self, name: &str, change: impl FnOnce(&mut handeye_core::Node)) -> Self {
        let id = named(&self.tree, name);
        self.tree.update(id, change);
        self
    }

    fn report(&self, standard: Standard) -> Report {
        let root = self.tree.windows().next().map_or_else(NodeId::mint, |window| window.id);
        let mut links: HashMap<NodeId, Links> =
            questions(&self.tree, root).into_iter().map(|id| (id, Links::default())).collect();
        links.extend(self.links.clone());
        let subject = Subject {
            tree: &self.tree,
            root,
            title: "",
            place: Some(Place::bare(Rect::new(0, 0, 1_000, 1_000))),
            frame: self.frame.as_ref(),
            scale: self.scale,
            links: &links,
        };
        audit(&subject, &[standard], &mut |_| {})
    }

    /// The rules that fail, each with the name of its element.
    fn fails(&self) -> Vec<String> {
        let report = self.report(Standard::WcagAa);
        let name = |id| self.tree.get(id).map_or("", |node| &*node.name);
        report.issues.iter().map(|issue| format!("{} {}", issue.rule.id, name(issue.node))).collect()
    }
}

#[test]
fn what_has_no_name_is_found_unless_something_labels_it() {
    let window =
        Window::of("window \"W\"\n  button\n  button \"Save\"\n  link\n  textbox \"Name\"\n  menuitem");
    assert_eq!(window.fails(), ["control-name ", "control-name ", "link-name "]);
    let mut labelled = Window::of("window \"W\"\n  textbox\n  text \"Name\"").put("Name", 500, 700, 50, 20);
    assert_eq!(labelled.fails(), ["control-name "]);
    let (label, field) = (named(&labelled.tree, "Name"), named(&labelled.tree, ""));
    labelled.links.insert(field, Links { labelled_by: vec![label], ..Links::default() });
    assert!(labelled.fails().is_empty());
    assert_eq!(Window::of("window\n  button \"Go\"").fails(), ["window-title "]);
    let content = Window::of("window \"W\"\n  button\n    text \"Save\"");
    assert!(content.fails().is_empty(), "its content names it: {:?}", content.fails());
}

#[test]
fn a_label_beside_a_nameless_field_is_to_be_connected() {
    let row = |x, y| {
        Window::of("window \"W\"\n  text \"City\"\n  textbox")
            .put("City", x, y, 60, 20)
            .put("", 100, 100, 200, 30)
    };
    assert_eq!(row(30, 105).fails(), ["label-relation "], "left of it");
    assert_eq!(row(100, 70).fails(), ["label-relation "], "above it");
    assert_eq!(row(310, 105).fails(), ["control-name "], "right of it");
    assert_eq!(row(30, 400).fails(), ["control-name "], "elsewhere");
}

#[test]
fn a_control_that_nothing_reaches_by_keyboard_is_found() {
    let outline = "window \"W\"\n  button \"Stop\"\n  button \"Go\"\n  toolbar\n    button \"Bold\"";
    let off = |name| Window::of(outline).edit(name, |node| node.states.remove(States::FOCUSABLE));
    assert_eq!(off("Go").fails(), ["keyboard Go"]);
    assert!(off("Bold").fails().is_empty(), "a tool bar is moved through by arrows");
    let mut with_key = off("Go");
    let go = named(&with_key.tree, "Go");
    with_key.links.insert(go, Links { keys: vec!["<Alt>g".into()], ..Links::default() });
    assert!(with_key.fails().is_empty());
    let disabled = off("Go").edit("Go", |node| node.states.remove(States::ENABLED));
    assert!(disabled.fails().is_empty());
    let silent =
        Window::of("window \"W\"\n  button \"Go\"").edit("Go", |node| node.states.remove(States::FOCUSABLE));
    assert!(silent.fails().is_empty(), "a toolkit that reports nothing about the focus");
}

#[test]
fn an_area_that_is_pressed_needs_the_role_of_a_control() {
    let area = |action: &str| {
        Window::of("window \"W\"\n  group \"Card\"").edit("Card", |node| {
            node.states.insert(States::FOCUSABLE);
            node.abilities.insert(Abilities::ACTION);
            node.details.actions = Detail::Known(Arc::from([Arc::from(action)]));
        })
    };
    assert_eq!(area("click").fails(), ["control-role Card"]);
    assert!(area("showContextMenu").fails().is_empty());
}

#[test]
fn small_targets_fail_only_where_they_are_crowded_and_by_logical_pixels() {
    let outline = "window \"W\"\n  button \"One\"\n  button \"Two\"";
    let pair = |gap: i32| Window::of(outline).put("One", 100, 100, 16, 16).put("Two", 116 + gap, 100, 16, 16);
    assert_eq!(pair(1).fails(), ["target-size One", "target-size Two"]);
    assert!(pair(20).fails().is_empty(), "room around them");
    let sharp = |scale| {
        let window = Window::of(outline).put("One", 100, 100, 40, 40).put("Two", 141, 100, 40, 40);
        Window { scale, ..window }
    };
    assert!(sharp(1.0).fails().is_empty());
    assert_eq!(sharp(2.0).fails().len(), 2, "20 logical pixels");
    let enhanced = Window::of(outline).report(Standard::WcagAaa);
    assert_eq!(enhanced.issues.iter().filter(|issue| issue.rule.id == "target-size-enhanced").count(), 2);
}

#[test]
fn an_order_that_contradicts_the_page_is_found() {
    let page = |y| {
        Window::of(
            "window \"W\"\n  document \"D\"\n    button \"One\"\n    button \"Two\"\n    button \"Three\"",
        )
        .put("D", 0, 0, 900, 900)
        .put("One", 10, 100, 100, 30)
        .put("Two", 10, y, 100, 30)
        .put("Three", 300, 20, 100, 30)
    };
    assert!(page(150).fails().is_empty(), "a second column begins at the top");
    assert_eq!(page(50).fails(), ["focus-order Two"]);
}

#[test]
fn names_without_meaning_and_names_that_are_not_unique_are_found() {
    let outline =
        "window \"W\"\n  button \"...\"\n  button \"Browse\"\n  button \"Browse\"\n  button \"_Apply\"";
    assert_eq!(
        Window::of(outline).fails(),
        ["name-meaning ...", "name-unique Browse", "name-mnemonic _Apply"]
    );
    let images = Window::of("window \"W\"\n  img \"a.png\"\n  img").put("", 500, 500, 200, 200);
    assert_eq!(images.fails(), ["image-name a.png", "image-name "]);
}

#[test]
fn contrast_is_measured_where_a_text_is() {
    let striped = |text: u8| {
        let rgb = (0..1_000_000_u32).flat_map(|at| {
            let (x, y) = (at % 1_000, at / 1_000);
            let ink = (104..116).contains(&y) && (12..100).contains(&x) && x % 6 < 2;
            [if ink { text } else { 255 }; 3]
        });
        let frame = Frame::new(Rect::new(0, 0, 1_000, 1_000), rgb.collect());
        let window = Window::of("window \"W\"\n  text \"Remark\"").put("Remark", 10, 100, 100, 20);
        Window { frame: Some(frame), ..window }
    };
    assert_eq!(striped(0xb0).fails(), ["contrast Remark"]);
    assert!(striped(0x70).fails().is_empty());
    let off = striped(0xb0).edit("Remark", |node| node.states.remove(States::ENABLED));
    let report = off.report(Standard::WcagAa);
    assert_eq!((report.issues.len(), report.unmeasured.disabled), (0, 1));
    let hidden = striped(0xb0).put("Remark", 2_000, 100, 100, 20).report(Standard::WcagAa);
    assert_eq!((hidden.issues.len(), hidden.unmeasured.out_of_sight), (0, 1));
    let blind = Window { frame: None, ..striped(0xb0) }.report(Standard::WcagAa);
    assert_eq!((blind.issues.len(), blind.unmeasured.no_picture), (0, 1));
}

/// Lines of an outline with random roles, names and depths.
fn outlines() -> impl Strategy<Value = String> {
    let line = (0..6_usize, 0..Role::ALL.len(), "[ -~é\u{e000}]{0,12}");
    prop::collection::vec(line, 0..60).prop_map(|lines| {
        let mut text = "window \"W\"\n".to_owned();
        for (depth, role, name) in lines {
            let name = name.replace(['"', '[', ']', ':'], "");
            text.push_str(&format!("{}{} \"{name}\"\n", "  ".repeat(depth + 1), Role::ALL[role].aria()));
        }
        text
    })
}

proptest! {
    #[test]
    fn random_windows_have_a_score_and_end_no_audit(
        outline in outlines(),
        areas in prop::collection::vec((any::<i32>(), -50..900_i32, 0..3_000_u32, any::<u32>(), any::<u64>(), 0..3_u8), 60),
        scale in prop_oneof![Just(0.0), Just(f64::NAN), Just(1.0), Just(2.0)],
        pixels in any::<bool>(),
    ) {
        let mut window = Window::of(&outline);
        let all: Vec<NodeId> = window.tree.nodes().map(|node| node.id).collect();
        for (id, (x, y, width, height, states, space)) in all.iter().zip(areas) {
            window.tree.update(*id, |node| {
                node.states = States::from_bits_truncate(states) | States::SHOWING;
                node.abilities.insert(Abilities::ACTION);
                node.details.extents = match space {
                    0 => Detail::Absent,
                    1 => Detail::Known(Extents::OnScreen(Rect::new(x, y, width, height))),
                    _ => Detail::Known(Rect::<InWindow>::new(x % 900, y, width, height % 400).into()),
                };
            });
        }
        window.scale = scale;
        window.frame = pixels.then(|| Frame::new(Rect::new(0, 0, 100, 100), vec![7; 30_000]));
        let report = window.report(Standard::WcagAaa);
        prop_assert!(report.score() <= 100);
        prop_assert_eq!(report.passed(), report.score() == 100);
        let markdown = crate::markdown::write(&report, &outline, &[Standard::WcagAaa]);
        prop_assert!(markdown.lines().filter(|line| line.starts_with("| ")).all(|line| line.ends_with(" |")));
        let sarif = crate::sarif::write(&report, "app", &outline, &[Standard::WcagAaa]);
        prop_assert_eq!(sarif["runs"][0]["results"].as_array().map(Vec::len), Some(report.issues.len()));
    }
}
