//! What the server says of itself: name, version, website, and a picture.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{Icon, Implementation};

/// The picture, part of the answer: a client shows it without a network.
const ICON: &str = include_str!("icon.svg");

/// As clients show it to people.
pub(crate) fn implementation() -> Implementation {
    let mut implementation = Implementation::new("handeye", env!("CARGO_PKG_VERSION"));
    implementation.title = Some("handeye: eyes and hands on a real desktop".into());
    implementation.description = Some(
        "Reads and operates desktop applications by their accessibility trees, in the background, and reports what really changed."
            .into(),
    );
    implementation.website_url = Some(env!("CARGO_PKG_REPOSITORY").into());
    let mut icon = Icon::new(format!("data:image/svg+xml;base64,{}", STANDARD.encode(ICON.trim_end())));
    icon.mime_type = Some("image/svg+xml".into());
    icon.sizes = Some(vec!["any".into()]);
    implementation.icons = Some(vec![icon]);
    implementation
}
