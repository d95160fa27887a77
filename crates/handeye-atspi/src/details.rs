//! Details: extents, values, texts, actions and identifiers, read for the elements that are asked for.

use super::call_error::CallError;
use super::object::ObjectKey;
use super::read_call::{
    ACCESSIBLE_ID, CHARACTER_COUNT, CURRENT_VALUE, GET_ACTIONS, GET_ATTRIBUTES, GET_EXTENTS, GET_TEXT,
    MAXIMUM_VALUE, MINIMUM_INCREMENT, MINIMUM_VALUE,
};
use super::reading::bounded;
use super::toolkit::Toolkit;
use super::wire::Wire;
use handeye_core::{
    Abilities, DetailKinds, Details, Extents, Node, NumericValue, Rect, Role, States, TextContent,
};
use std::sync::Arc;

/// Coordinates relative to the screen, in AT-SPI's numbering. The other kinds are wrong on Qt 5.
const SCREEN_COORDINATES: u32 = 0;
/// Where a text ends. GTK 4 answers with nothing to that.
const TO_ITS_END: i32 = -1;
/// Actions that an element can have. GTK 4 lists dozens for its window; nothing useful comes after these.
const MAX_ACTIONS: usize = 64;

/// Whether an element's text is worth reading: it holds what a user wrote or a document says, and not just its own label again.
pub(super) fn holds_text(node: &Node, toolkit: Toolkit) -> bool {
    let is_offered = node.abilities.contains(Abilities::EDITABLE_TEXT) && !toolkit.offers_to_edit_all();
    node.abilities.contains(Abilities::TEXT)
        && !node.states.contains(States::PROTECTED)
        && (is_offered
            || node.states.contains(States::EDITABLE)
            || matches!(node.role, Role::TextBox | Role::SearchBox | Role::SpinButton | Role::Cell)
            || (matches!(node.role, Role::Paragraph | Role::Heading | Role::Document | Role::StatusBar)
                && node.children.is_empty()
                && node.name.is_empty()))
}

/// Which of `wanted` need a call for this element. Extents always do: toolkits move elements without an event. Values and texts
/// do unless the toolkit's events keep them true (`values_trusted`).
pub(super) fn missing(
    node: &Node,
    toolkit: Toolkit,
    wanted: DetailKinds,
    values_trusted: bool,
) -> DetailKinds {
    let details = &node.details;
    let mut missing = DetailKinds::empty();
    missing.set(DetailKinds::EXTENTS, node.abilities.contains(Abilities::COMPONENT));
    missing.set(
        DetailKinds::VALUE,
        (details.value.is_unknown() || !values_trusted) && node.abilities.contains(Abilities::VALUE),
    );
    missing
        .set(DetailKinds::TEXT, (details.text.is_unknown() || !values_trusted) && holds_text(node, toolkit));
    missing.set(
        DetailKinds::ACTIONS,
        details.actions.is_unknown() && node.abilities.contains(Abilities::ACTION),
    );
    missing.set(DetailKinds::IDENTIFIER, details.identifier.is_unknown());
    missing & wanted
}

/// Reads `kinds` of an element; extents as the toolkit has them. What is not in `kinds` stays as it is in `node`.
pub(super) async fn read_details(
    wire: &Wire,
    key: &ObjectKey,
    node: &Node,
    kinds: DetailKinds,
    toolkit: Toolkit,
) -> Result<Details, CallError> {
    let mut details = Details::clone(&node.details);
    let (extents, value, text, actions, identifier) = futures_util::future::join5(
        when(kinds.contains(DetailKinds::EXTENTS), read_extents(wire, key, node, toolkit)),
        when(kinds.contains(DetailKinds::VALUE), read_value(wire, key, node)),
        when(kinds.contains(DetailKinds::TEXT), read_text(wire, key, node, toolkit)),
        when(kinds.contains(DetailKinds::ACTIONS), read_actions(wire, key, node, toolkit)),
        when(kinds.contains(DetailKinds::IDENTIFIER), read_identifier(wire, key, toolkit)),
    )
    .await;
    if let Some(extents) = extents {
        details.extents = extents?.map(Extents::OnScreen).into();
    }
    if let Some(value) = value {
        details.value = value?.into();
    }
    if let Some(text) = text {
        details.text = text?.into();
    }
    if let Some(actions) = actions {
        details.actions = actions?.into();
    }
    if let Some(identifier) = identifier {
        details.identifier = identifier?.into();
    }
    Ok(details)
}

async fn when<T>(wanted: bool, read: impl Future<Output = T>) -> Option<T> {
    if wanted { Some(read.await) } else { None }
}

/// An answer that an element may lack: only what ends all reading stays an error.
fn or_none<T>(result: Result<T, CallError>) -> Result<Option<T>, CallError> {
    match result {
        Err(error) if error.is_fatal() => Err(error),
        result => Ok(result.ok()),
    }
}

/// Place in the toolkit's own coordinates.
pub(super) async fn read_raw_extents(wire: &Wire, key: &ObjectKey) -> Result<Option<Rect>, CallError> {
    let extents = wire.call(key, &GET_EXTENTS, &SCREEN_COORDINATES).await;
    Ok(or_none(extents)?.and_then(|(x, y, width, height)| plausible(x, y, width, height)))
}

/// Toolkits answer for what is not drawn with (0,0,0,0), (-1,-1,-1,-1) or (-2147483648,-2147483648,1,1).
fn plausible(x: i32, y: i32, width: i32, height: i32) -> Option<Rect> {
    let (width, height) = (u32::try_from(width).ok()?, u32::try_from(height).ok()?);
    (width > 0 && height > 0 && x > -100_000 && y > -100_000).then(|| Rect::new(x, y, width, height))
}

/// Whether an area is that of an element which has got its place: GTK 3 reports a dot above the corner of the window until it has laid an
/// element out.
pub(super) fn is_laid_out(area: &Rect) -> bool {
    area.width > 1 || area.height > 1
}

async fn read_extents(
    wire: &Wire,
    key: &ObjectKey,
    node: &Node,
    toolkit: Toolkit,
) -> Result<Option<Rect>, CallError> {
    if !node.abilities.contains(Abilities::COMPONENT) {
        return Ok(None);
    }
    let extents = read_raw_extents(wire, key).await?;
    let extents = extents.filter(|area| toolkit != Toolkit::Gtk3 || is_laid_out(area));
    if extents.is_none() && toolkit == Toolkit::Gecko && node.is_showing() {
        // Firefox may answer its first question about an element with nothing.
        return read_raw_extents(wire, key).await;
    }
    Ok(extents)
}

async fn read_value(wire: &Wire, key: &ObjectKey, node: &Node) -> Result<Option<NumericValue>, CallError> {
    if !node.abilities.contains(Abilities::VALUE) {
        return Ok(None);
    }
    if let Some(known) = node.details.value.known() {
        let current = or_none(wire.property(key, &CURRENT_VALUE).await)?;
        return Ok(current.map(|current| NumericValue { current, ..*known }));
    }
    let (current, minimum, maximum, step) = futures_util::future::join4(
        wire.property(key, &CURRENT_VALUE),
        wire.property(key, &MINIMUM_VALUE),
        wire.property(key, &MAXIMUM_VALUE),
        wire.property(key, &MINIMUM_INCREMENT),
    )
    .await;
    Ok(or_none(current)?.map(|current| NumericValue {
        current,
        minimum: minimum.unwrap_or(0.0),
        maximum: maximum.unwrap_or(0.0),
        step: step.unwrap_or(0.0),
    }))
}

/// Reads part of a text. The end is always given as a number: GTK 4 answers "to the end" with nothing.
pub(super) async fn read_text_range(
    wire: &Wire,
    key: &ObjectKey,
    start: u32,
    max_chars: u32,
) -> Result<Option<(String, u32)>, CallError> {
    let Some(total) = or_none(wire.property(key, &CHARACTER_COUNT).await)? else {
        return Ok(None);
    };
    let total = u32::try_from(total).unwrap_or(0);
    let end = start.saturating_add(max_chars).min(total);
    if start >= end {
        return Ok(Some((String::new(), total)));
    }
    let range = (start as i32, end as i32);
    let text = or_none(wire.call(key, &GET_TEXT, &range).await)?;
    Ok(text.map(|mut text| {
        // An application may answer with more than was asked for.
        if let Some((end, _)) = text.char_indices().nth((end - start) as usize) {
            text.truncate(end);
        }
        (text, total)
    }))
}

/// Reads a whole text that is short, in one call; `None` where it is longer than the mirror keeps, or could not be read so.
async fn read_short_text(wire: &Wire, key: &ObjectKey) -> Result<Option<(String, u32)>, CallError> {
    let text = or_none(wire.call(key, &GET_TEXT, &(0, TO_ITS_END)).await)?;
    Ok(text.and_then(|text| {
        let total =
            u32::try_from(text.chars().count()).ok().filter(|total| *total <= TextContent::MAX_CHARS)?;
        Some((text, total))
    }))
}

async fn read_text(
    wire: &Wire,
    key: &ObjectKey,
    node: &Node,
    toolkit: Toolkit,
) -> Result<Option<TextContent>, CallError> {
    if !holds_text(node, toolkit) {
        return Ok(None);
    }
    let whole = if toolkit.has_plain_cells(node.role, node.abilities) {
        read_short_text(wire, key).await?
    } else {
        None
    };
    let text = match whole {
        Some(text) => Some(text),
        None => read_text_range(wire, key, 0, TextContent::MAX_CHARS).await?,
    };
    Ok(text.map(|(text, total_chars)| {
        // A text contains embedded objects as U+FFFC; they are children of their own.
        let shown = if text.contains('\u{FFFC}') { text.replace('\u{FFFC}', "") } else { text };
        TextContent { shown: Arc::from(shown), total_chars }
    }))
}

async fn read_actions(
    wire: &Wire,
    key: &ObjectKey,
    node: &Node,
    toolkit: Toolkit,
) -> Result<Option<Arc<[Arc<str>]>>, CallError> {
    if !node.abilities.contains(Abilities::ACTION) {
        return Ok(None);
    }
    if let Some(fixed) = toolkit.fixed_actions() {
        return Ok(Some(fixed.iter().map(|name| Arc::from(*name)).collect()));
    }
    let actions = or_none(wire.call(key, &GET_ACTIONS, &()).await)?;
    let named =
        |(name, _, _): &(String, String, String)| action_name(toolkit.normalise_action(node.abilities, name));
    Ok(actions.map(|actions| actions.iter().take(MAX_ACTIONS).map(named).collect()))
}

/// Firefox puts key bindings (";;") where the name belongs.
fn action_name(name: &str) -> Arc<str> {
    if name.contains(';') || name.contains('<') { Arc::from("") } else { bounded(name) }
}

async fn read_identifier(
    wire: &Wire,
    key: &ObjectKey,
    toolkit: Toolkit,
) -> Result<Option<Arc<str>>, CallError> {
    let identifier = match toolkit {
        Toolkit::Gecko | Toolkit::Chromium => or_none(wire.call(key, &GET_ATTRIBUTES, &()).await)?
            .and_then(|attributes| attributes.get("id").cloned()),
        _ => or_none(wire.property(key, &ACCESSIBLE_ID).await)?,
    };
    Ok(identifier.filter(|id| !id.is_empty()).map(|id| bounded(&id)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dot_is_no_place() {
        assert!(!is_laid_out(&Rect::new(19, 39, 1, 1)));
        assert!(is_laid_out(&Rect::new(20, 40, 1, 30)) && is_laid_out(&Rect::new(20, 40, 30, 1)));
    }
}
