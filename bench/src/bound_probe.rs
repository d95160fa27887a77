//! The bound of a look: the calls that it made, sent again without waiting for one answer before the next call, as many on their way as handeye
//! has. No mirror, no order, no text: answers are received and dropped.

use crate::Result;
use crate::called::Called;
use crate::floor_probe::{IN_FLIGHT, Link, bus, direct, runtime};
use futures_util::stream::{self, StreamExt};
use serde_json::json;
use std::path::Path;
use std::time::{Duration, Instant};
use zbus::Message;

/// How long all calls may take.
const DEADLINE: Duration = Duration::from_mins(1);
const CACHE: &str = "/org/a11y/atspi/cache";

/// Sends the calls in a file to the application that got them, and prints how long that took. The connection to the application, which is not
/// counted, is a direct one where it offers that.
pub fn run(calls: &str) -> Result<()> {
    let calls: Vec<Called> = serde_json::from_slice(&std::fs::read(Path::new(calls))?)?;
    let application = calls.first().ok_or("no calls")?.application.clone();
    runtime()?.block_on(async {
        let over_bus = Link::new(bus().await?, &application);
        let link = direct(&over_bus).await.unwrap_or(over_bus);
        let begun = Instant::now();
        let sent = stream::iter(&calls).map(|called| send(&link, called)).buffer_unordered(IN_FLIGHT);
        let failed = sent.filter(|answer| std::future::ready(answer.is_err())).count();
        let failed = tokio::time::timeout(DEADLINE, failed).await?;
        let taken = begun.elapsed().as_secs_f64() * 1000.0;
        // Elements come and go. Where more are gone, these are not the calls of the look any more.
        if failed * 20 > calls.len() {
            return Err(format!("{failed} of {} calls failed", calls.len()).into());
        }
        println!("{}", json!({"bound_ms": taken}));
        Ok(())
    })
}

/// Sends one call. The log has no arguments: a text is asked for its first 100 characters, and what has a number for the first.
async fn send(link: &Link, Called { path, member, .. }: &Called) -> zbus::Result<Message> {
    let long = |interface: &str| format!("org.a11y.atspi.{interface}");
    let property = async |interface: &str| {
        let of = (long(interface), member.as_str());
        link.send(path, "org.freedesktop.DBus.Properties", "Get", &of).await
    };
    match member.as_str() {
        "GetItems" => link.send(CACHE, &long("Cache"), member, &()).await,
        "GetExtents" => link.send(path, &long("Component"), member, &0_u32).await,
        "GetText" => link.send(path, &long("Text"), member, &(0_i32, 100_i32)).await,
        "GetActions" => link.send(path, &long("Action"), member, &()).await,
        "GetApplicationBusAddress" => link.send(path, &long("Application"), member, &()).await,
        "GetChildAtIndex" => link.send(path, &long("Accessible"), member, &0_i32).await,
        "GetSelectedChild" => link.send(path, &long("Selection"), member, &0_i32).await,
        "GetColumnAtIndex" | "GetRowAtIndex" => link.send(path, &long("Table"), member, &0_i32).await,
        "GetAccessibleAt" => link.send(path, &long("Table"), member, &(0_i32, 0_i32)).await,
        "GetAccessibleAtPoint" => link.send(path, &long("Component"), member, &(0_i32, 0_i32, 0_u32)).await,
        "ToolkitName" | "Version" => property("Application").await,
        "CaretOffset" | "CharacterCount" => property("Text").await,
        "CurrentValue" | "MaximumValue" | "MinimumIncrement" | "MinimumValue" => property("Value").await,
        "AccessibleId" | "ChildCount" | "Description" | "Name" | "Parent" => property("Accessible").await,
        "GetRole" | "GetState" | "GetInterfaces" | "GetAttributes" | "GetRelationSet" | "GetChildren"
        | "GetIndexInParent" => link.send(path, &long("Accessible"), member, &()).await,
        _ => Err(zbus::Error::Failure(format!("{member} is not known here"))),
    }
}
