//! Tables for people, with columns that stand below each other.

use handeye_call::outcome::Table;

/// The longest cell that is padded, in characters; longer ones stand out on the right.
const WIDEST: usize = 48;

/// A table under its title.
pub(crate) fn under(title: &str, Table { head, rows }: Table) -> String {
    format!("{title}\n{}", aligned(std::iter::once(head).chain(rows).collect()))
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

    #[test]
    fn columns_stand_below_each_other() {
        let row = |cells: [&str; 5]| cells.map(str::to_owned).to_vec();
        let table = Table {
            head: row(["", "APPLICATION", "BUNDLE ID", "PID", "WINDOWS"]),
            rows: vec![
                row(["*", "Text Editor", "org.gnome.TextEditor", "7", "2"]),
                row(["", "xterm", "", "1234", "0"]),
            ],
        };
        assert_eq!(
            under("2 running applications:", table),
            "2 running applications:\n\
             \u{20}  APPLICATION  BUNDLE ID             PID   WINDOWS\n\
             *  Text Editor  org.gnome.TextEditor  7     2\n\
             \u{20}  xterm                              1234  0"
        );
    }
}
