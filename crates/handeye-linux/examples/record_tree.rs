//! Writes what the one application of a private desktop shows as [`handeye_core::testing::recorded`] text.
//! `tests/corpus/record.py` records the corpus of `handeye-insight` with it.

use handeye_core::testing::recorded;
use handeye_core::{DetailKinds, Error, ErrorCode, Result, Scope};
use std::time::{Duration, Instant};

/// Longest time that an application may take to answer and to show something.
const PATIENCE: Duration = Duration::from_secs(20);

#[tokio::main]
async fn main() -> Result<()> {
    let platform = handeye_linux::platform(&(std::sync::Arc::new(handeye_core::NoRules) as _), false);
    let scope = Scope { root: None, hidden: false, details: DetailKinds::TEXT.union(DetailKinds::VALUE) };
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        let listed = platform.accessibility.applications().await?;
        for application in &listed {
            // One that is still starting is asked again.
            let Ok(app) = platform.accessibility.connect(application).await else { continue };
            let Ok(tree) = app.refresh(scope).await else { continue };
            if tree.windows().any(|window| window.is_showing()) {
                println!("{}", recorded::write(&tree).trim_end());
                return Ok(());
            }
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    Err(Error::new(ErrorCode::AppNotFound, "no application shows a window with a tree"))
}
