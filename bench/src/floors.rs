//! The floors: what one call costs at least.

use crate::Result;
use crate::applications::{Running, Started};
use crate::options::Options;
use crate::report::{Report, ms};
use crate::samples::{Series, probe};
use std::process::Command;

/// Measures single calls to every application.
pub fn measure(options: &Options, running: &Running, report: &mut Report) -> Result<()> {
    let mut rows = vec![
        ["Application", "one call, bus", "one call, direct", "`GetItems`, bus", "`GetItems`, direct"]
            .map(str::to_owned)
            .to_vec(),
    ];
    for Started { known: application, app, .. } in running.started() {
        let mut series = Series::default();
        for _ in 0..options.rounds {
            let fields = probe(Command::new(std::env::current_exe()?).args(["probe", "calls", app]))?;
            series.add(&fields);
        }
        let mut row = vec![application.title.to_owned()];
        row.extend(
            ["bus_call_ms", "direct_call_ms", "bus_items_ms", "direct_items_ms"]
                .map(|name| ms(series.median(name))),
        );
        rows.push(row);
    }
    report.section("Floors of the accessibility bus");
    report.say("One round trip (`GetRole` of the application), and the bulk load of everything, where the toolkit has it.");
    report.table(&rows);
    Ok(())
}
