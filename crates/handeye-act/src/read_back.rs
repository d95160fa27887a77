//! Effects that show in the target itself, which is read again after the action.

use super::actor::named;
use super::observation::Observation;
use crate::effect::Effect;
use crate::locate::Located;
use handeye_core::{Error, ErrorCode, Invocation, Node, NumericValue, Result, States, text};
use std::sync::Arc;

/// An item after a click that selects it.
pub(super) fn picked(before: &Node, now: Option<&Arc<Node>>) -> Effect {
    match now {
        Some(now) if now.states.contains(States::SELECTED) => {
            Effect::confirmed(if before.states.contains(States::SELECTED) {
                "it is selected, as it was"
            } else {
                "it is selected now"
            })
        }
        _ => Effect::unconfirmed("it does not say that it is selected"),
    }
}

/// An element that was to be selected or not.
pub(super) fn selected(now: Option<&Arc<Node>>, wanted: bool) -> Effect {
    let word = if wanted { "selected" } else { "unselected" };
    match now {
        Some(now) if now.states.contains(States::SELECTED) == wanted => {
            Effect::confirmed(format!("it is now {word}"))
        }
        _ => Effect::unconfirmed(format!("it does not say that it is {word}")),
    }
}

/// Whether a switch is on; `None` when it is neither on nor off.
pub fn is_on(states: States) -> Option<bool> {
    if states.contains(States::MIXED) {
        None
    } else {
        Some(states.intersects(States::CHECKED | States::PRESSED))
    }
}

/// A switch that was to be on or off.
pub(super) fn switched(observation: &Observation, now: Option<&Arc<Node>>, wanted: bool) -> Effect {
    let word = if wanted { "on" } else { "off" };
    match now.map(|node| is_on(node.states)) {
        Some(now) if now == Some(wanted) => Effect::confirmed(format!("it is now {word}")),
        Some(_) => Effect::unconfirmed(format!("it is not {word}")),
        None if observation.is_change() => Effect::of(observation),
        None => Effect::unconfirmed("it is gone, so its state cannot be read back"),
    }
}

/// A number that was set.
///
/// # Errors
/// [`ErrorCode::ActionFailed`] if the application accepted it and the element holds what it held before.
pub(super) fn number(
    target: &Located,
    wanted: f64,
    before: Option<&NumericValue>,
    now: Option<NumericValue>,
) -> Result<Effect> {
    match now {
        Some(now) if (now.current - wanted).abs() <= tolerance(&now) => {
            Ok(Effect::confirmed(format!("its value is now {}", now.current)))
        }
        Some(now) if before.is_some_and(|before| before.current.to_bits() == now.current.to_bits()) => {
            let message = format!(
                "the application accepted the value, but {} still holds {}",
                named(target),
                now.current
            );
            Err(Error::new(ErrorCode::ActionFailed, message).with_next(text![
                "Try the keys of the element: ",
                Invocation::of("ax_key_press").with("mode", "focus"),
                "."
            ]))
        }
        Some(now) => Ok(Effect::unconfirmed(format!("its value is now {}, not {wanted}", now.current))),
        None => Ok(Effect::unconfirmed("its value cannot be read back")),
    }
}

/// How far the value may be from what was asked: a slider snaps to its steps.
fn tolerance(value: &NumericValue) -> f64 {
    let range = (value.maximum - value.minimum).abs();
    let rounding = if range.is_finite() { range * 1e-6 } else { 0.0 };
    (value.step.abs() / 2.0).max(rounding).max(1e-9)
}

/// A scroll bar that was to move.
pub(super) fn moved(before: &NumericValue, now: Option<NumericValue>) -> Effect {
    match now {
        Some(now) if (now.current - before.current).abs() > f64::EPSILON => Effect::confirmed(format!(
            "the scroll bar moved from {} to {} of {}",
            rounded(before.current),
            rounded(now.current),
            rounded(now.maximum)
        )),
        Some(_) => Effect::unconfirmed("the scroll bar did not move"),
        None => Effect::unconfirmed("the scroll bar cannot be read back"),
    }
}

/// To two decimal places, for a sentence.
pub fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}
