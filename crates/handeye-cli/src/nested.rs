//! The elements of an outline as nested objects, for scripts.

use crate::spelling::Speller;
use handeye_tree::outline::Element;
use serde_json::{Value, json};

/// The elements, each in the one above it: `role`, `name`, `states`, `value` and `children` where there are any, and as `notes`
/// the sentences about parts that are not shown.
pub(crate) fn nested(elements: &[Element], speller: &Speller<'_>) -> Vec<Value> {
    let mut open: Vec<(u32, Value)> = Vec::new();
    let mut roots = Vec::new();
    for element in elements {
        while open.last().is_some_and(|(above, _)| *above >= element.depth) {
            close(&mut open, &mut roots);
        }
        open.push((element.depth, object(element, speller)));
    }
    while !open.is_empty() {
        close(&mut open, &mut roots);
    }
    roots
}

/// Puts the innermost open element into the one around it.
fn close(open: &mut Vec<(u32, Value)>, roots: &mut Vec<Value>) {
    let Some((_, done)) = open.pop() else { return };
    match open.last_mut() {
        Some((_, parent)) => match parent.get_mut("children") {
            Some(Value::Array(children)) => children.push(done),
            _ => parent["children"] = json!([done]),
        },
        None => roots.push(done),
    }
}

fn object(element: &Element, speller: &Speller<'_>) -> Value {
    let Element { depth: _, role, name, reference, owner, states, value, notes } = element;
    let mut object = json!({ "role": role });
    for (key, text) in [("name", name), ("ref", reference), ("owner", owner), ("value", value)] {
        if let Some(text) = text {
            object[key] = text.as_str().into();
        }
    }
    if !states.is_empty() {
        object["states"] = json!(states);
    }
    if !notes.is_empty() {
        object["notes"] = notes.iter().map(|note| speller.text(note)).collect();
    }
    object
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::{Invocation, text};
    use handeye_service::registry;

    fn element(depth: u32, role: &'static str, name: Option<&str>) -> Element {
        Element {
            depth,
            role: role.into(),
            name: name.map(str::to_owned),
            reference: None,
            owner: None,
            states: Vec::new(),
            value: None,
            notes: Vec::new(),
        }
    }

    #[test]
    fn a_tree_is_nested() {
        let call = Invocation::of("ax_get_tree").with("root_query", "e4").compact();
        let elements = [
            Element { states: vec!["active".into()], ..element(0, "window", Some("Untitled")) },
            Element {
                states: vec!["focused".into(), "multiline".into()],
                value: Some("x\ny".into()),
                reference: Some("e3".into()),
                ..element(1, "textbox", Some("a \" [ref=e9]"))
            },
            Element { notes: vec![text!["… 498 more rows: ", call]], ..element(1, "list", None) },
            element(2, "listitem", Some("a.txt")),
            Element { owner: Some("shell".into()), ..element(1, "button", Some("OK")) },
        ];
        assert_eq!(
            nested(&elements, &Speller::new(registry::by_command("tree").expect("a command"), None)),
            [json!({"role": "window", "name": "Untitled", "states": ["active"], "children": [
                {"role": "textbox", "name": "a \" [ref=e9]", "states": ["focused", "multiline"], "value": "x\ny", "ref": "e3"},
                {"role": "list", "children": [{"role": "listitem", "name": "a.txt"}],
                 "notes": ["… 498 more rows: `handeye tree --root e4`"]},
                {"role": "button", "name": "OK", "owner": "shell"},
            ]})]
        );
    }
}
