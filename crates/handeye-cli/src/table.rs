//! Tables for people: what `list` prints without a format.

use serde_json::Value;

/// The longest cell that is padded, in characters; longer ones stand out on the right.
const WIDEST: usize = 48;

/// The answer of `list` as a table under its first line; `None` where it is no list.
pub(crate) fn of_list(text: &str, fields: &Value) -> Option<String> {
    let list = |key: &str| fields.get(key).and_then(Value::as_array);
    let rows = if let Some(applications) = list("application_list") {
        let head = row(["", "APPLICATION", "BUNDLE ID", "PID", "WINDOWS"]);
        std::iter::once(head).chain(applications.iter().map(application)).collect()
    } else {
        let windows = list("window_list")?;
        let has = |key: &str| windows.iter().any(|window| window.get(key).is_some());
        let mut columns = vec![("INDEX", "window_index"), ("TITLE", "window_title")];
        columns.extend([("ID", "window_id"), ("BOUNDS", "bounds"), ("ON SCREEN", "is_on_screen")]);
        columns.retain(|(_, key)| has(key));
        let head = columns.iter().map(|(name, _)| (*name).to_owned()).collect();
        let window = |window: &Value| columns.iter().map(|(_, key)| cell(&window[*key])).collect();
        std::iter::once(head).chain(windows.iter().map(window)).collect()
    };
    let title = text.lines().next().unwrap_or_default();
    Some(format!("{title}\n{}", aligned(rows)))
}

fn application(application: &Value) -> Vec<String> {
    let mark = if application["is_active"] == true { "*" } else { "" };
    row([
        mark,
        &cell(&application["app_name"]),
        &cell(&application["bundle_id"]),
        &cell(&application["pid"]),
        &cell(&application["window_count"]),
    ])
}

fn row<'a>(cells: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    cells.into_iter().map(str::to_owned).collect()
}

/// A value in one line.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_owned(),
        Value::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        Value::Object(bounds) => {
            let side = |key: &str| bounds.get(key).map(ToString::to_string).unwrap_or_default();
            format!("{}x{} at {},{}", side("w"), side("h"), side("x"), side("y"))
        }
        other => other.to_string(),
    }
}

fn aligned(rows: Vec<Vec<String>>) -> String {
    let length = |cell: &String| cell.chars().count().min(WIDEST);
    let columns = rows.first().map_or(0, Vec::len);
    let widths: Vec<usize> =
        (0..columns).map(|at| rows.iter().map(|row| length(&row[at])).max().unwrap_or(0)).collect();
    let line = |row: Vec<String>| {
        let cells: Vec<String> =
            row.into_iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        cells.join("  ").trim_end().to_owned()
    };
    rows.into_iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn applications_are_a_table() {
        let fields = json!({"application_list": [
            {"app_name": "Text\nEditor", "bundle_id": "org.gnome.TextEditor", "pid": 7, "is_active": true, "window_count": 2},
            {"app_name": "xterm", "bundle_id": "", "pid": 1234, "is_active": false, "window_count": 0},
        ]});
        assert_eq!(
            of_list("2 running applications:\n- …", &fields).expect("a list"),
            "2 running applications:\n\
             \u{20}  APPLICATION  BUNDLE ID             PID   WINDOWS\n\
             *  Text Editor  org.gnome.TextEditor  7     2\n\
             \u{20}  xterm                              1234  0"
        );
    }

    #[test]
    fn windows_have_the_columns_that_were_asked_for() {
        let window = json!({"window_title": "A", "window_index": 0});
        assert_eq!(
            of_list("1 window of x:", &json!({"window_list": [window]})).expect("a list"),
            "1 window of x:\nINDEX  TITLE\n0      A"
        );
        let window = json!({"window_title": "A", "window_index": 0, "window_id": 9, "is_on_screen": false,
                            "bounds": {"x": -1, "y": 2, "w": 3, "h": 4}});
        assert_eq!(
            of_list("1 window of x:", &json!({"window_list": [window]})).expect("a list"),
            "1 window of x:\nINDEX  TITLE  ID  BOUNDS       ON SCREEN\n0      A      9   3x4 at -1,2  no"
        );
    }

    #[test]
    fn what_is_no_list_is_no_table() {
        assert_eq!(of_list("--- status ---", &json!({})), None);
    }
}
