use super::*;
use crate::target::Choice;
use handeye_core::testing::{named, tree};
use handeye_core::{Node, NodeId, Role};
use handeye_flow::{file, writing};
use proptest::prelude::*;

fn target(query: &str, kind: Kind) -> Target {
    Target {
        app: "editor".to_owned(),
        query: query.to_owned(),
        kind,
        takes_requests: true,
        locator: None,
        option_of: None,
        option: None,
        in_menus: Vec::new(),
        is_typed: false,
        makes: Makes::Nothing,
    }
}

fn button(label: &str) -> Target {
    target(&format!("button \"{label}\""), Kind::Other)
}

/// The steps as `tool query value`, each field if it is there.
fn lines(mut script: Script) -> Vec<String> {
    let field = |step: &Step, name: &str| {
        step.args
            .get(name)
            .map(|value| format!(" {}", value.as_str().map_or_else(|| value.to_string(), str::to_owned)))
    };
    let steps = script.finish().steps;
    steps
        .iter()
        .map(|step| {
            let fields = ["query", "value", "text", "key", "click_type", "direction", "amount", "mode"];
            let fields: String = fields.into_iter().filter_map(|name| field(step, name)).collect();
            format!("{}{fields}", step.tool)
        })
        .collect()
}

fn click(script: &mut Script, target: &Target) {
    script.click(target.clone(), Button::Left, Instant::now());
}

#[test]
fn the_text_of_a_browser_is_typed() {
    let of_page = |query, kind| Target { is_typed: true, ..target(query, kind) };
    let name = of_page("textbox \"Name\"", Kind::Line);
    let mut script = Script::default();
    for held in ["Ad", "Ada"] {
        script.change(name.clone());
        script.holds(held.to_owned());
        script.close();
    }
    script.change(of_page("textbox \"Secret\"", Kind::Secret));
    script.change(of_page("checkbox \"Agree\"", Kind::Switch));
    script.holds("true".to_owned());
    script.change(of_page("spinbutton \"Count\"", Kind::Number));
    script.holds("7".to_owned());
    let steps = [
        "ax_type textbox \"Name\" Ada focus",
        "ax_type textbox \"Secret\" {{var.password_1}} focus",
        "ax_set_value checkbox \"Agree\" true",
        "ax_type spinbutton \"Count\" 7 focus",
    ];
    assert_eq!(lines(script), steps);
}

#[test]
fn a_text_is_one_step_with_what_the_field_holds_at_last() {
    let name = target("textbox \"Name\"", Kind::Line);
    let mut script = Script::default();
    click(&mut script, &name);
    for held in ["A", "Ad", "Add", "Ad", "Ada"] {
        script.change(name.clone());
        script.holds(held.to_owned());
        script.key("editor", &Chord::plain("backspace"), Some(&name));
        script.key("editor", &Chord::plain("left"), Some(&name));
        script.key("editor", &Chord::plain("tab"), Some(&name));
    }
    click(&mut script, &button("Save"));
    assert_eq!(lines(script), ["ax_set_value textbox \"Name\" Ada", "ax_click button \"Save\""]);
}

#[test]
fn a_password_is_a_variable_whatever_is_found_in_the_field() {
    let secret = target("textbox \"Secret\"", Kind::Secret);
    let mut script = Script::default();
    script.change(secret.clone());
    script.holds("hunter2".to_owned());
    script.key("editor", &Chord::plain("return"), Some(&secret));
    let lines = lines(script);
    assert_eq!(lines[0], "ax_set_value textbox \"Secret\" {{var.password_1}}");
    assert!(!lines.concat().contains("hunter2"));
}

#[test]
fn what_somebody_typed_is_no_placeholder() {
    let name = target("textbox \"Name\"", Kind::Line);
    let mut script = Script::default();
    script.change(name);
    script.holds("{{var.x}}".to_owned());
    assert_eq!(lines(script), ["ax_set_value textbox \"Name\" {{{{var.x}}"]);
}

#[test]
fn return_in_a_line_is_a_key_and_in_several_lines_a_part_of_the_text() {
    let (line, several) = (target("textbox \"Find\"", Kind::Line), target("textbox \"Notes\"", Kind::Lines));
    let mut script = Script::default();
    script.change(line.clone());
    script.holds("cats".to_owned());
    script.key("editor", &Chord::plain("return"), Some(&line));
    script.change(several.clone());
    script.key("editor", &Chord::plain("return"), Some(&several));
    script.holds("a\nb".to_owned());
    assert_eq!(
        lines(script),
        [
            "ax_set_value textbox \"Find\" cats",
            "ax_click textbox \"Find\" focus",
            "ax_key_press return focus",
            "ax_set_value textbox \"Notes\" a\nb"
        ]
    );
}

#[test]
fn two_fast_clicks_are_a_double_click_on_an_item_and_two_clicks_on_a_button() {
    let row = target("listitem \"a.txt\"", Kind::Other);
    let mut script = Script::default();
    for target in [&row, &row, &button("Count"), &button("Count")] {
        click(&mut script, target);
    }
    assert_eq!(
        lines(script),
        [
            "ax_click listitem \"a.txt\" double focus",
            "ax_click button \"Count\"",
            "ax_click button \"Count\""
        ]
    );
}

#[test]
fn what_only_opened_a_menu_or_a_list_is_no_step() {
    let mut script = Script::default();
    click(&mut script, &target("menu \"File\"", Kind::Opener));
    let item =
        Target { in_menus: vec!["menu \"File\"".to_owned()], ..target("menuitem \"About\"", Kind::Other) };
    click(&mut script, &item);
    click(&mut script, &target("combobox \"Size\"", Kind::List));
    let option = Target {
        option_of: Some(Choice {
            list: "combobox \"Size\"".to_owned(),
            locator: None,
            option: "Large".to_owned(),
        }),
        ..target("menuitem \"Large\"", Kind::Other)
    };
    click(&mut script, &option);
    assert_eq!(lines(script), ["ax_click menuitem \"About\"", "ax_set_value combobox \"Size\" Large"]);
}

#[test]
fn a_menu_whose_items_are_made_when_it_opens_is_opened_by_the_replay_too() {
    let mut script = Script::default();
    let opener = Target { makes: Makes::Items, ..target("menu \"View\"", Kind::Opener) };
    let in_menu = |query, kind| Target {
        in_menus: vec!["menu \"Zoom\"".to_owned(), "menu \"View\"".to_owned()],
        ..target(query, kind)
    };
    click(&mut script, &opener);
    click(&mut script, &target("menu \"Zoom\"", Kind::Opener));
    click(&mut script, &in_menu("menuitem \"Larger\"", Kind::Other));
    click(&mut script, &opener);
    click(&mut script, &in_menu("menuitemcheckbox \"List\"", Kind::Switch));
    assert_eq!(
        lines(script),
        [
            "ax_click menu \"View\"",
            "ax_click menuitem \"Larger\"",
            "ax_click menu \"View\"",
            "ax_click menuitemcheckbox \"List\""
        ]
    );
}

#[test]
fn what_is_typed_into_a_cell_is_typed_again_and_ends_with_its_key() {
    let cell = |name: &str| target(&format!("cell \"{name}\""), Kind::Other);
    let mut script = Script::default();
    click(&mut script, &cell("B5"));
    for (name, key) in [("B5", "return"), ("B6", "tab")] {
        let typed_into = cell(name).in_place();
        script.change(typed_into.clone());
        script.holds("=1+".to_owned());
        script.key("editor", &Chord::plain("backspace"), Some(&typed_into));
        script.holds("=1".to_owned());
        script.key("editor", &Chord::plain(key), Some(&typed_into));
    }
    script.change(cell("A1").in_place());
    assert_eq!(script.notes(), Vec::<String>::new());
    script.close();
    assert_eq!(script.notes(), ["keys outside of a text field, which are not recorded"]);
    assert_eq!(
        lines(script),
        [
            "ax_click cell \"B5\"",
            "ax_type cell \"B5\" =1 focus",
            "ax_key_press return focus",
            "ax_type cell \"B6\" =1 focus",
            "ax_key_press tab focus"
        ]
    );
}

#[test]
fn a_field_that_was_just_typed_into_is_not_clicked_for_the_key_that_follows() {
    let search = Target { is_typed: true, ..target("textbox \"Search\"", Kind::Line) };
    let mut script = Script::default();
    script.change(search.clone());
    script.holds("cats".to_owned());
    script.key("editor", &Chord::plain("return"), Some(&search));
    assert_eq!(lines(script), ["ax_type textbox \"Search\" cats focus", "ax_key_press return focus"]);
}

#[test]
fn an_option_that_is_not_below_its_list_is_chosen_in_the_list_that_was_opened() {
    let list = target("combobox \"Size\"", Kind::List);
    let option = Target {
        option: Some("Large".to_owned()),
        in_menus: vec!["role:menu".to_owned()],
        ..target("menuitem \"Large\"", Kind::Other)
    };
    let mut script = Script::default();
    click(&mut script, &list);
    click(&mut script, &option);
    assert_eq!(lines(script), ["ax_set_value combobox \"Size\" Large"]);
    let mut closed = Script::default();
    click(&mut closed, &list);
    click(&mut closed, &list);
    click(&mut closed, &option);
    let click_on = |query: &str| format!("ax_click {query}");
    let opened_and_closed = click_on("combobox \"Size\"");
    assert_eq!(lines(closed), [opened_and_closed.clone(), opened_and_closed, click_on("menuitem \"Large\"")]);
    let mut other = Script::default();
    click(&mut other, &list);
    click(&mut other, &button("Apply"));
    click(&mut other, &option);
    assert_eq!(
        lines(other),
        [click_on("combobox \"Size\""), click_on("button \"Apply\""), click_on("menuitem \"Large\"")]
    );
}

#[test]
fn switches_and_numbers_have_the_value_that_they_end_with() {
    let (agree, volume) =
        (target("checkbox \"Agree\"", Kind::Switch), target("slider \"Volume\"", Kind::Number));
    let mut script = Script::default();
    click(&mut script, &agree);
    script.holds("true".to_owned());
    click(&mut script, &agree);
    script.holds("false".to_owned());
    script.drag(volume.clone(), &volume);
    script.holds("40".to_owned());
    script.key("editor", &Chord::plain("right"), Some(&volume));
    script.holds("41".to_owned());
    assert_eq!(lines(script), ["ax_set_value checkbox \"Agree\" false", "ax_set_value slider \"Volume\" 41"]);
}

#[test]
fn notches_in_a_row_are_one_step_and_a_window_is_waited_for() {
    let list = target("list \"Items\"", Kind::Other);
    let mut script = Script::default();
    for _ in 0..3 {
        script.wheel(&list, 0, 1);
    }
    script.wheel(&list, 0, -1);
    click(&mut script, &button("Open"));
    script.window_opened("editor", "Open {{file}}");
    let flow = script.finish();
    let amounts: Vec<_> = flow.steps.iter().filter_map(|step| step.args.get("amount")).collect();
    assert_eq!(amounts, [300, 100]);
    let wait = flow.steps[2].wait_until.as_ref().expect("a wait");
    assert_eq!((wait.app.as_deref(), wait.window.as_deref()), (None, Some("Open {{{{file}}")));
}

#[test]
fn what_ended_the_recording_is_left_out() {
    let mut script = Script::default();
    click(&mut script, &button("Save"));
    let chord = Chord::parse("ctrl+c").expect("a chord");
    script.key("terminal", &chord, None);
    script.without_last_key(&chord);
    assert_eq!(lines(script), ["ax_click button \"Save\""]);
}

#[test]
fn every_step_about_an_element_has_what_it_is_recognized_by() {
    let tree = tree(
        "window \"Main\"\n  textbox \"Name\"\n  button \"Save\"\n  combobox \"Size\"\n    menuitem \"Large\"\n",
    );
    let of = |label: &str| Target::of("editor", &tree, named(&tree, label)).expect("it has a name");
    let mut script = Script::default();
    script.change(of("Name"));
    script.holds("Ada".to_owned());
    script.key("editor", &Chord::plain("f5"), None);
    click(&mut script, &of("Save"));
    click(&mut script, &of("Large"));
    script.drag(of("Save"), &of("Name"));
    let steps = script.finish().steps;
    let names: Vec<_> =
        steps.iter().map(|step| step.locator.as_ref().map(|print| print.name().to_string())).collect();
    assert_eq!(
        names.iter().map(Option::as_deref).collect::<Vec<_>>(),
        [Some("Name"), None, Some("Save"), Some("Size"), Some("Save")]
    );
}

#[test]
fn the_largest_recording_can_be_read_again() {
    let mut tree = tree("window \"Main\"\n");
    let window = named(&tree, "Main");
    for number in 0..600 {
        let label = format!("{number} {}", "Ä long text ".repeat(500));
        let node = Node::new(NodeId::mint(), Some(window), Role::Button, &label);
        handeye_core::testing::add(&mut tree, window, node);
    }
    let ids: Vec<NodeId> = tree.children(window).map(|node| node.id).collect();
    let mut script = Script::default();
    let survey = handeye_locator::Survey::new(&tree);
    for id in ids {
        let query = format!("button #{}", id.get());
        let locator = survey.fingerprint(id).map(Box::new);
        click(&mut script, &Target { locator, ..target(&query, Kind::Other) });
    }
    let flow = script.finish();
    assert_eq!(flow.steps.len(), MAX_STEPS);
    for text in [writing::yaml(&flow).expect("YAML"), writing::json(&flow).expect("JSON")] {
        let read = file::parse(&text).unwrap_or_else(|error| panic!("{} bytes: {error}", text.len()));
        assert_eq!(read.steps.len(), MAX_STEPS);
    }
}

/// Something that a user does.
#[derive(Debug, Clone)]
enum Deed {
    Click(usize, bool),
    Type(usize, String),
    Key(usize, usize),
    Drag(usize, usize),
    Wheel(usize, i32),
    Window(String),
}

fn deeds() -> impl Strategy<Value = Deed> {
    prop_oneof![
        (0usize..7, any::<bool>()).prop_map(|(at, right)| Deed::Click(at, right)),
        (0usize..7, "\\PC{0,12}").prop_map(|(at, held)| Deed::Type(at, held)),
        (0usize..7, 0usize..9).prop_map(|(at, key)| Deed::Key(at, key)),
        (0usize..7, 0usize..7).prop_map(|(from, to)| Deed::Drag(from, to)),
        (0usize..7, -1i32..2).prop_map(|(at, dy)| Deed::Wheel(at, dy)),
        "\\PC{1,10}".prop_map(Deed::Window),
    ]
}

proptest! {
    #[test]
    fn whatever_is_done_makes_a_workflow_that_can_be_read_and_tells_no_password(
        deeds in proptest::collection::vec(deeds(), 0..40)
    ) {
        let kinds = [Kind::Secret, Kind::Line, Kind::Lines, Kind::Switch, Kind::Number, Kind::List, Kind::Other];
        let targets: Vec<Target> = kinds.iter().map(|kind| target(&format!("button \"{kind:?}\""), *kind)).collect();
        let keys = ["return", "tab", "backspace", "left", "ctrl+v", "ctrl+c", "space", "f5", "alt+f4"];
        let mut script = Script::default();
        for deed in deeds {
            match deed {
                Deed::Click(at, right) => {
                    let button = if right { Button::Right } else { Button::Left };
                    script.click(targets[at].clone(), button, Instant::now());
                }
                Deed::Type(at, held) => {
                    script.change(targets[at].clone());
                    let held = if kinds[at] == Kind::Secret { "hunter2".to_owned() } else { held };
                    script.holds(held);
                }
                Deed::Key(at, key) => {
                    script.key("editor", &Chord::parse(keys[key]).expect("a chord"), Some(&targets[at]));
                }
                Deed::Drag(from, to) => script.drag(targets[from].clone(), &targets[to]),
                Deed::Wheel(at, dy) => script.wheel(&targets[at], 0, dy),
                Deed::Window(title) => script.window_opened("editor", &title),
            }
        }
        let flow = script.finish();
        let text = writing::yaml(&flow).expect("written");
        prop_assert!(!text.contains("hunter2"));
        if !flow.steps.is_empty() {
            let read = file::parse(&text).map_err(|error| error.to_string());
            prop_assert_eq!(read, Ok(flow), "{}", text);
        }
    }
}
