//! What is listed as a table, for people at a terminal.

use super::{App, Bounds, Entry, Output};
use handeye_call::outcome::Table;

/// The table of a list; `None` where nothing is listed.
pub(super) fn of(fields: &Output) -> Option<Table> {
    let head = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    if let Some(apps) = &fields.application_list {
        let head = head(&["", "APPLICATION", "BUNDLE ID", "PID", "WINDOWS"]);
        return Some(Table { head, rows: apps.iter().map(application).collect() });
    }
    let windows = fields.window_list.as_ref()?;
    let columns: Vec<&Column> =
        COLUMNS.iter().filter(|(_, cell)| windows.iter().any(|window| cell(window).is_some())).collect();
    let row = |window: &Entry| columns.iter().map(|(_, cell)| cell(window).unwrap_or_default()).collect();
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    Some(Table { head: head(&names), rows: windows.iter().map(row).collect() })
}

/// A column of windows: its head, and its cell of one, if there is anything to say.
type Column = (&'static str, fn(&Entry) -> Option<String>);

const COLUMNS: [Column; 5] = [
    ("INDEX", |window| Some(window.window_index.to_string())),
    ("TITLE", |window| Some(one_line(&window.window_title))),
    ("ID", |window| window.window_id.map(|id| id.to_string())),
    ("BOUNDS", |window| window.bounds.as_ref().map(|Bounds { x, y, w, h }| format!("{w}x{h} at {x},{y}"))),
    ("ON SCREEN", |window| window.is_on_screen.map(|is| if is { "yes" } else { "no" }.to_owned())),
];

fn application(app: &App) -> Vec<String> {
    vec![
        if app.is_active { "*" } else { "" }.to_owned(),
        one_line(&app.app_name),
        one_line(&app.bundle_id),
        app.pid.map(|pid| pid.to_string()).unwrap_or_default(),
        app.window_count.to_string(),
    ]
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn app(name: &str, bundle_id: &str, is_active: bool) -> App {
        let (app_name, bundle_id) = (name.to_owned(), bundle_id.to_owned());
        App { app_name, bundle_id, pid: Some(7), is_active, window_count: 2 }
    }

    #[test]
    fn applications_are_a_table() {
        let apps = vec![app("Text\nEditor", "org.gnome.TextEditor", true), app("xterm", "", false)];
        let table = of(&Output { application_list: Some(apps), ..Output::default() }).expect("a list");
        assert_eq!(table.head, ["", "APPLICATION", "BUNDLE ID", "PID", "WINDOWS"]);
        assert_eq!(table.rows[0], ["*", "Text Editor", "org.gnome.TextEditor", "7", "2"]);
        assert_eq!(table.rows[1], ["", "xterm", "", "7", "2"]);
    }

    #[test]
    fn windows_have_the_columns_that_were_asked_for() {
        let table = |window_id, bounds, is_on_screen| {
            let window = Entry { window_title: "A".into(), window_index: 0, window_id, bounds, is_on_screen };
            of(&Output { window_list: Some(vec![window]), ..Output::default() }).expect("a list")
        };
        assert_eq!(table(None, None, None).head, ["INDEX", "TITLE"]);
        let whole = table(Some(9), Some(Bounds { x: -1, y: 2, w: 3, h: 4 }), Some(false));
        assert_eq!(whole.head, ["INDEX", "TITLE", "ID", "BOUNDS", "ON SCREEN"]);
        assert_eq!(whole.rows, [["0", "A", "9", "3x4 at -1,2", "no"]]);
    }

    #[test]
    fn what_is_no_list_is_no_table() {
        assert_eq!(of(&Output { server_status: Some("up".into()), ..Output::default() }), None);
    }
}
