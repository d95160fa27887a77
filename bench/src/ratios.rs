//! The ratios of a run in a file for programs, beside the page. `cargo xtask bench --check` compares them with those of the last
//! committed run. They are ratios and no times, because the same machine is slower on some days than on others.

use crate::Result;
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::Path;

/// How many times longer something takes than handeye, in one quantity: it falls when handeye becomes slower.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// The part, by its name in `--only`.
    pub section: String,
    /// The application, or what else the row is about.
    pub application: String,
    /// What is divided by what, and when.
    pub quantity: String,
    /// With three digits after the point.
    #[serde(rename = "ratio")]
    pub times: f64,
    /// The commit that was measured.
    pub commit: String,
}

/// Writes the ratios of a run. Those of sections that were not measured this time stay.
pub fn write(path: &Path, measured: &[String], new: &[Ratio]) -> Result<()> {
    let before = match std::fs::read_to_string(path) {
        Ok(text) => serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?,
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(format!("{}: {error}", path.display()).into()),
    };
    Ok(std::fs::write(path, text(&merged(before, measured, new))?)?)
}

fn merged(mut ratios: Vec<Ratio>, measured: &[String], new: &[Ratio]) -> Vec<Ratio> {
    ratios.retain(|ratio| !measured.contains(&ratio.section));
    ratios.extend_from_slice(new);
    // The order of the file does not depend on the order of the runs; the rows of a section keep theirs.
    ratios.sort_by(|one, other| one.section.cmp(&other.section));
    ratios
}

/// One ratio a line, so that a difference of two runs can be read.
fn text(ratios: &[Ratio]) -> Result<String> {
    let lines: Vec<String> =
        ratios.iter().map(serde_json::to_string).collect::<std::result::Result<_, _>>()?;
    Ok(format!("[\n{}\n]\n", lines.join(",\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(section: &str, application: &str, commit: &str) -> Ratio {
        Ratio {
            section: section.into(),
            application: application.into(),
            quantity: "pyatspi ÷ handeye".into(),
            times: 10.0,
            commit: commit.into(),
        }
    }

    #[test]
    fn a_section_that_was_measured_is_replaced() {
        let before =
            vec![ratio("trees", "GTK 3", "a"), ratio("mcp", "GTK 3", "a"), ratio("mcp", "GTK 4", "a")];
        let now = merged(before, &["mcp".into()], &[ratio("mcp", "GTK 3", "b")]);
        assert_eq!(now, [ratio("mcp", "GTK 3", "b"), ratio("trees", "GTK 3", "a")]);
    }

    #[test]
    fn what_is_written_can_be_read() {
        let ratios = [ratio("mcp", "GTK 3", "a"), ratio("trees", "“7”", "b")];
        let text = text(&ratios).expect("JSON");
        assert_eq!(text.lines().count(), 4);
        assert_eq!(serde_json::from_str::<Vec<Ratio>>(&text).expect("JSON"), ratios);
    }
}
