//! The bound of a look: the calls that it made, sent again without waiting for one answer before the next call, as many on their way as handeye
//! has. No mirror, no order, no text: answers are received and dropped.

use crate::Result;
use crate::called::Called;
use crate::floor_probe::{IN_FLIGHT, Link, bus, direct, runtime};
use futures_util::stream::{self, StreamExt};
use serde_json::json;
use std::path::Path;
use std::time::Instant;
use zbus::Message;

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
        stream::iter(&calls)
            .map(|called| send(&link, called))
            .buffer_unordered(IN_FLIGHT)
            // An element that has just gone answers with an error, which takes as long.
            .for_each(|_| async {})
            .await;
        println!("{}", json!({"bound_ms": begun.elapsed().as_secs_f64() * 1000.0}));
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
        _ => link.send(path, &long("Accessible"), member, &()).await,
    }
}
