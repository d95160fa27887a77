//! What a script gets: the JSON shapes that the command line promises.

use crate::nested::nested;
use crate::spelling::Speller;
use handeye_call::outcome::{Answer, Outline};
use handeye_engine::Dialect;
use handeye_engine::Meta;
use serde_json::{Map, Value};

/// The fields of an answer in the shape that `--format json` promises: applications and windows are an array, a tree is
/// a root with `children`; everything else is as the tool answers it.
pub(crate) fn for_scripts(meta: &Meta, mut answer: Answer, speller: &Speller<'_>) -> Value {
    if let Some(rows) = meta.rows.and_then(|rows| answer.fields.get_mut(rows)).filter(|rows| rows.is_array())
    {
        return rows.take();
    }
    match answer.outline {
        Some(Outline::Elements(elements)) => {
            answer.fields["children"] = nested(&elements, speller).into();
        }
        Some(Outline::Changes(lines)) => {
            answer.fields["changes"] = lines.iter().map(|line| speller.text(line)).collect();
        }
        None => {}
    }
    answer.fields
}

/// The fields of an answer as `data` of `--json-output`: in the commands of Peekaboo as its command line has them (1.1.2,
/// sections II.B and II.C), which is not quite as its tools do; everything else as `--format json` promises.
pub(crate) fn for_peekaboo(meta: &Meta, answer: Answer, speller: &Speller<'_>) -> Value {
    let mut fields = for_scripts(meta, answer, speller);
    if let Value::Object(fields) = &mut fields
        && meta.dialect == Dialect::Peekaboo
    {
        rename(fields, "application_list", "applications");
        rename(fields, "window_list", "windows");
        for window in fields.get_mut("windows").and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(Value::Object(bounds)) = window.get_mut("bounds") {
                rename(bounds, "w", "width");
                rename(bounds, "h", "height");
            }
        }
    }
    fields
}

fn rename(object: &mut Map<String, Value>, from: &str, to: &str) {
    if let Some(value) = object.remove(from) {
        object.insert(to.to_owned(), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_call::outcome::Outcome;
    use handeye_core::text;
    use handeye_service::registry;
    use serde_json::json;

    const ROWS: Meta = Meta { rows: Some("apps"), ..Meta::READ };

    fn speller() -> Speller<'static> {
        Speller::new(registry::by_command("find").expect("a command"), None)
    }

    #[test]
    fn scripts_get_arrays_and_trees() {
        let shaped = |meta: &Meta, answer: Answer| for_scripts(meta, answer, &speller());
        assert_eq!(shaped(&ROWS, Outcome::new("", json!({"apps": [1], "count": 1}))), json!([1]));
        assert_eq!(shaped(&ROWS, Outcome::new("", json!({"app": 1}))), json!({"app": 1}));
        assert_eq!(shaped(&Meta::READ, Outcome::new("", json!({"apps": [1]}))), json!({"apps": [1]}));
        let of = |outline| Outcome { outline: Some(outline), ..Outcome::new("", json!({"shown": 1})) };
        assert_eq!(
            shaped(&Meta::READ, of(Outline::Elements(Vec::new()))),
            json!({"shown": 1, "children": []})
        );
        assert_eq!(
            shaped(&Meta::READ, of(Outline::Changes(vec![text!["- menu \"File\""]]))),
            json!({"shown": 1, "changes": ["- menu \"File\""]})
        );
    }

    #[test]
    fn peekaboo_1_1_2_ii_c_lists_have_the_names_of_its_command_line() {
        let list = Meta { dialect: Dialect::Peekaboo, ..Meta::READ };
        let shaped = |fields: Value| for_peekaboo(&list, Outcome::new("", fields), &speller());
        assert_eq!(shaped(json!({"application_list": [{"pid": 1}]})), json!({"applications": [{"pid": 1}]}));
        assert_eq!(
            shaped(json!({
                "window_list": [{"window_title": "A", "bounds": {"x": 1, "y": 2, "w": 3, "h": 4}}, {"window_title": "B"}],
                "target_application_info": {"pid": 1},
            })),
            json!({
                "windows": [
                    {"window_title": "A", "bounds": {"x": 1, "y": 2, "width": 3, "height": 4}},
                    {"window_title": "B"},
                ],
                "target_application_info": {"pid": 1},
            })
        );
        let apps = for_peekaboo(&ROWS, Outcome::new("", json!({"apps": [1]})), &speller());
        assert_eq!(apps, json!([1]), "as --format json");
    }
}
