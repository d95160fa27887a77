//! Clicks with a pointer: the user's, or the caller's own.

use crate::answer::acted;
use crate::menu;
use crate::shared::{ActionOutput, ClickType};
use handeye_act::locate::Located;
use handeye_act::{Actor, Clicks, ElementGesture, Gesture, Opens, SeatOf, named};
use handeye_call::outcome::Outcome;
use handeye_core::{Argument, Button, Error, ErrorCode, Invocation, Means, Result, Support, Text, text};

/// Clicks with a pointer.
pub(super) async fn with_pointer(
    actor: &Actor<'_>,
    target: &Located,
    click: ClickType,
    seat: SeatOf,
) -> Result<Outcome<ActionOutput>> {
    let opens = match click {
        ClickType::Hover => Opens::UnderPointer,
        ClickType::Right => Opens::Menu,
        _ if seat == SeatOf::Agent && menu::is_opener(actor, &target.node).await? => Opens::Menu,
        _ => Opens::Nothing,
    };
    let report = actor.act(&ElementGesture { target, gesture: gesture(click), seat, opens }).await?;
    let point = report.aim.point;
    let did = format!("{} {} at ({}, {})", click.done(), named(target), point.x, point.y);
    Ok(acted(actor, &did, Some(target), &report, None))
}

/// What the pointer does for it.
pub(super) const fn gesture(click: ClickType) -> Gesture {
    let (button, count) = match click {
        ClickType::Single => (Button::Left, 1),
        ClickType::Double => (Button::Left, 2),
        ClickType::Triple => (Button::Left, 3),
        ClickType::Right => (Button::Right, 1),
        ClickType::Hover => return Gesture::Hover,
    };
    Gesture::Click(Clicks { button, count })
}

/// Whether the caller has a pointer of its own.
pub(super) async fn own_pointer(actor: &Actor<'_>) -> Support {
    actor.agent_seat(&[Means::Pointer]).await
}

/// What came of a click with the caller's own pointer.
pub(super) enum OwnPointer {
    /// It was made.
    Clicked(Box<Outcome<ActionOutput>>),
    /// Nothing was done, for this reason; with what helps.
    OutOfReach(Error),
}

/// Clicks with the caller's own pointer, where there is one and it reaches the element.
pub(super) async fn with_own_pointer(
    actor: &Actor<'_>,
    target: &Located,
    click: ClickType,
) -> Result<OwnPointer> {
    if let Support::No(missing) = own_pointer(actor).await {
        let focus = Invocation::of("ax_click").with("query", &*target.handle).with("mode", "focus");
        let error = Error::new(ErrorCode::Refused, missing.reason).with_next(text![focus, " clicks it."]);
        return Ok(OwnPointer::OutOfReach(error));
    }
    match with_pointer(actor, target, click, SeatOf::Agent).await {
        // Both arise before anything is pressed.
        Err(error) if matches!(error.code, ErrorCode::Refused | ErrorCode::WindowNotFound) => {
            Ok(OwnPointer::OutOfReach(error))
        }
        clicked => clicked.map(Box::new).map(OwnPointer::Clicked),
    }
}

/// The note on an element whose action was used where a click was asked for: it was selected, or its list was opened.
pub(super) fn got_no_click(why: &Error, opens: bool) -> Text {
    let mut note = if opens {
        let focus = Argument::new("mode", "focus").in_a_sentence();
        text![
            "Only a click with ",
            focus,
            " chooses from what opened, as no pointer of the agent's opened it: "
        ]
    } else {
        text!["The application got no click, which may do more than select: "]
    };
    note.push_str(&why.message);
    note.push_str(".");
    if let Some(next) = &why.next {
        note.push_str(" ");
        note.push(next.text());
    }
    note
}
