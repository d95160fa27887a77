//! Types text exactly, whatever the keyboard layout, and presses keys with modifiers.
//!
//! What the layout has is typed on its own key. Everything else is put on spare keys, a batch at a time.
//! Applications read a changed mapping some time after they were notified of it, and would take keys for something else
//! if it changed again under them: so each batch waits until the application has worked off the one before.

use super::abandoned::Abandoned;
use super::aim::Aim;
use super::consents;
use super::fault::{Fault, Outcome};
use super::keyboard::{Keymap, Loans, Stroke, keep_keys_under_pointer, press, undisturbed};
use super::keys::{symbol_of_character, symbol_of_key};
use super::ping::{Pong, answers_pings, ping, pingable};
use super::user_activity::wait_for_user;
use super::windows::{active, id_of};
use super::x_session::XSession;
use handeye_core::{Advice, Chord, Consent, Error, ErrorCode, Invocation, Modifier, Result, WindowId, text};
use std::time::Duration;
use x11rb::protocol::xproto::{ConnectionExt as _, Window};
use xkeysym::Keysym;

/// Longest text that is typed, in characters; longer ones take minutes and hold up the seat.
pub(super) const MAX_TEXT: usize = 10_000;
/// Characters that are typed before the application is asked whether it keeps up.
const BATCH: usize = 100;
/// Characters that are sent after it was made sure that they reach the window that is meant: as many can go astray when another one takes
/// the keyboard at that moment.
const SENT_AT_A_TIME: usize = 16;
/// How long an application may take to work off a batch.
const PATIENCE: Duration = Duration::from_millis(2_500);
/// How long a toolkit takes to read a changed mapping after it knows of it.
const SETTLE: Duration = Duration::from_millis(25);
/// The same for an application that cannot be asked whether it knows.
const SETTLE_UNASKED: Duration = Duration::from_millis(80);

/// The symbols that enter `text`, or why it cannot be typed. Nothing of the text goes into the error.
pub(super) fn symbols_of_text(text: &str) -> Result<Vec<u32>> {
    let text = text.replace("\r\n", "\n");
    let length = text.chars().count();
    if length > MAX_TEXT {
        let message = format!("{length} characters are too many to type by keys; the most is {MAX_TEXT}");
        return Err(Error::new(ErrorCode::TooLarge, message).with_next(text![
            "Set the text of the element instead (",
            Invocation::of("ax_set_value"),
            "), or type it in parts."
        ]));
    }
    text.chars()
        .enumerate()
        .map(|(place, character)| {
            symbol_of_character(character).ok_or_else(|| {
                let why = format!("character {} (U+{:04X}) has no key", place + 1, u32::from(character));
                Error::invalid_parameter("text", why).with_next(text![
                    "Leave out control characters; press keys such as escape with ",
                    Invocation::of("ax_key_press"),
                    "."
                ])
            })
        })
        .collect()
}

/// Types the symbols into `window`. Stops when the caller has left, or another window has taken the keyboard.
pub(super) fn type_symbols(
    session: &mut XSession,
    symbols: &[u32],
    window: Option<WindowId>,
    caller: &dyn Abandoned,
) -> Outcome<()> {
    require_test_input(session)?;
    if symbols.is_empty() {
        return Ok(());
    }
    let aim = Aim::of_keys(session, window)?;
    let keymap = Keymap::read_without_loans(session)?;
    undisturbed(session, &keymap, |session| {
        let mut loans = Loans::new(&keymap);
        let typed = type_batches(session, symbols, aim, &keymap, &mut loans, caller);
        let released = session.guard.let_go(|held| held.keys.clear());
        let given_back = loans.give_back(session);
        typed.and(released).and(given_back)
    })
}

/// Whether there is such a key; its modifiers are valid by their type.
pub(super) fn symbol_of_chord(chord: &Chord) -> Result<u32> {
    symbol_of_key(&key_of(chord))
}

/// Presses a key with its modifiers and releases them all.
pub(super) fn press_chord(session: &mut XSession, chord: &Chord, window: Option<WindowId>) -> Outcome<()> {
    let symbol = symbol_of_key(&key_of(chord))?;
    require_test_input(session)?;
    let aim = Aim::of_keys(session, window)?;
    let keymap = Keymap::read_without_loans(session)?;
    let held =
        chord.modifiers.iter().map(|modifier| keymap.modifier(*modifier)).collect::<Outcome<Vec<_>>>()?;
    undisturbed(session, &keymap, |session| {
        let mut loans = Loans::new(&keymap);
        let pressed = (|| {
            let stroke = stroke_for(symbol, &keymap, &mut loans)?.ok_or_else(no_spare_key)?;
            let lent = loans.publish(session)?;
            if lent {
                settle(session, aim, true)?;
            }
            let mut codes = held.clone();
            if stroke.shifted && !chord.modifiers.contains(&Modifier::Shift) {
                codes.push(keymap.modifier(Modifier::Shift)?);
            }
            codes.push(stroke.code);
            check_keyboard(session, aim, 0, 1)?;
            session.guard.hold(|held| held.keys.clone_from(&codes))?;
            for code in &codes {
                press(session, *code, true)?;
            }
            for code in codes.iter().rev() {
                press(session, *code, false)?;
            }
            session.sync()?;
            session.guard.let_go(|held| held.keys.clear())?;
            if lent { settle(session, aim, true) } else { Ok(()) }
        })();
        let given_back = loans.give_back(session);
        pressed.and(given_back)
    })
}

/// Presses Escape, in whatever has the keyboard.
pub(super) fn press_escape(session: &mut XSession) -> Outcome<()> {
    let keymap = Keymap::read(session)?;
    let Some(escape) = keymap.stroke(Keysym::Escape.raw()) else { return Ok(()) };
    if session.masters.is_some() && is_over_active(session)? {
        // It would be for the user's own window.
        return Ok(());
    }
    session.guard.hold(|held| held.keys = vec![escape.code])?;
    press(session, escape.code, true)?;
    press(session, escape.code, false)?;
    session.sync()?;
    session.guard.let_go(|held| held.keys.clear())
}

/// Whether the pointer of this connection is over the active window.
fn is_over_active(session: &XSession) -> Outcome<bool> {
    match active(session)? {
        Some(window) => Ok(Aim::at(id_of(window))?.pointer_is_elsewhere(session)?.is_none()),
        None => Ok(false),
    }
}

/// The key of a chord. With a modifier, a letter means its key and not its capital: Shift is named where it is meant.
fn key_of(chord: &Chord) -> String {
    let single = chord.key.chars().count() == 1;
    if single && !chord.modifiers.is_empty() { chord.key.to_lowercase() } else { chord.key.clone() }
}

fn type_batches(
    session: &mut XSession,
    symbols: &[u32],
    aim: Option<Aim>,
    keymap: &Keymap,
    loans: &mut Loans,
    caller: &dyn Abandoned,
) -> Outcome<()> {
    let shift = keymap.modifier(Modifier::Shift)?;
    let mut rest = symbols;
    while !rest.is_empty() {
        let mut batch = next_batch(rest, keymap, loans)?;
        if batch.is_empty() {
            // All spare keys have symbols of earlier batches, which are processed by now.
            loans.recall();
            batch = next_batch(rest, keymap, loans)?;
        }
        if batch.is_empty() {
            return Err(no_spare_key().into());
        }
        if loans.publish(session)? {
            settle(session, aim, true)?;
        }
        for part in batch.chunks(SENT_AT_A_TIME) {
            if caller.is_abandoned() {
                let why = "the caller left while its text was being typed";
                return Err(Error::new(ErrorCode::Cancelled, why).into());
            }
            check_keyboard(session, aim, symbols.len() - rest.len(), symbols.len())?;
            strike(session, part, shift)?;
            rest = &rest[part.len()..];
        }
        settle(session, aim, loans.are_in_use())
            .map_err(|fault| with_progress(fault, symbols.len() - rest.len()))?;
    }
    Ok(())
}

/// As many strokes as can be typed with one mapping.
fn next_batch(symbols: &[u32], keymap: &Keymap, loans: &mut Loans) -> Outcome<Vec<Stroke>> {
    let mut batch = Vec::new();
    for symbol in symbols.iter().take(BATCH) {
        match stroke_for(*symbol, keymap, loans)? {
            Some(stroke) => batch.push(stroke),
            None => break,
        }
    }
    Ok(batch)
}

/// The stroke on the layout, else on a lent key; `None` if all spare keys are lent to others.
fn stroke_for(symbol: u32, keymap: &Keymap, loans: &mut Loans) -> Outcome<Option<Stroke>> {
    if let Some(stroke) = keymap.stroke(symbol) {
        return Ok(Some(stroke));
    }
    if !loans.are_possible() {
        return Err(no_spare_key().into());
    }
    Ok(loans.lend(symbol).map(|code| Stroke { code, shifted: false }))
}

fn strike(session: &mut XSession, batch: &[Stroke], shift: u8) -> Outcome<()> {
    session.guard.hold(|held| held.keys = keys_of(batch, shift))?;
    for stroke in batch {
        if stroke.shifted {
            press(session, shift, true)?;
        }
        press(session, stroke.code, true)?;
        press(session, stroke.code, false)?;
        if stroke.shifted {
            press(session, shift, false)?;
        }
    }
    session.sync()
}

/// Makes sure that the next key reaches the window that is meant, after `sent` of `total` characters.
fn check_keyboard(session: &XSession, aim: Option<Aim>, sent: usize, total: usize) -> Outcome<()> {
    keep_keys_under_pointer(session)?;
    if let Some(aim) = aim {
        wait_for_user(session, aim)
            .map_err(|fault| if sent > 0 { with_progress(fault, sent) } else { fault })?;
    }
    let elsewhere = aim.map(|aim| aim.keyboard_is_elsewhere(session)).transpose()?.flatten();
    let Some(holder) = elsewhere else { return Ok(()) };
    let error = if sent == 0 {
        Error::new(ErrorCode::Refused, format!("no key was pressed: {holder} has the keyboard by now"))
            .with_next("Close what took the focus, then try again.")
    } else {
        let (sent, total) = (grouped(sent), grouped(total));
        let message = format!("{sent} of {total} characters were typed, then {holder} took the focus");
        Error::new(ErrorCode::ActionFailed, message).with_next(
            Advice::from(format!("Up to {SENT_AT_A_TIME} of the last of them may have gone there.")).and(
                text!["Read what has arrived (", Invocation::of("ax_get_value"), "), then type the rest."],
            ),
        )
    };
    Err(error.into())
}

/// A number with a comma after each thousand.
fn grouped(number: usize) -> String {
    if number < 1000 {
        number.to_string()
    } else {
        format!("{},{:03}", grouped(number / 1000), number % 1000)
    }
}

/// The keys that a batch presses, each once.
fn keys_of(batch: &[Stroke], shift: u8) -> Vec<u8> {
    let mut keys: Vec<u8> = batch.iter().map(|stroke| stroke.code).collect();
    keys.sort_unstable();
    keys.dedup();
    if batch.iter().any(|stroke| stroke.shifted) {
        keys.insert(0, shift);
    }
    keys
}

/// Waits until the application with the keyboard has worked off what it got; when the mapping
/// changed (`remapped`), also until it has read the new one.
fn settle(session: &mut XSession, aim: Option<Aim>, remapped: bool) -> Outcome<()> {
    let pong = match addressee(session, aim)? {
        Some(window) => ping(session, window, PATIENCE)?,
        None => Pong::NotSpoken,
    };
    match (pong, remapped) {
        (Pong::Came, true) => session.pause(SETTLE),
        (Pong::NotSpoken, true) => session.pause(SETTLE_UNASKED),
        (Pong::Came | Pong::NotSpoken, false) => Ok(()),
        (Pong::Missed, _) => Err(Error::new(
            ErrorCode::AppNotResponding,
            format!(
                "the application with the keyboard did not process its keys within {} ms",
                PATIENCE.as_millis()
            ),
        )
        .with_next("It seems to be stopped or busy: read its text before typing on.")
        .into()),
    }
}

/// The window whose application gets the keys; `None` if none is known.
fn addressee(session: &XSession, aim: Option<Aim>) -> Outcome<Option<Window>> {
    if let Some(aim) = aim
        && (session.masters.is_some() || answers_pings(session, aim.window())?)
    {
        return Ok(Some(aim.window()));
    }
    // By the server before the window manager, which knows of a new focus some time later: the mapping would change under an application that
    // nobody has waited for.
    let focus = session.connection.get_input_focus()?.reply()?.focus;
    match pingable(session, focus)? {
        Some(window) => Ok(Some(window)),
        None => active(session),
    }
}

fn with_progress(fault: Fault, sent: usize) -> Fault {
    match fault {
        Fault::Refused(error) => {
            Fault::Refused(Box::new(error.with_found([format!("{sent} characters were sent")])))
        }
        other => other,
    }
}

fn no_spare_key() -> Error {
    Error::new(
        ErrorCode::NotSupported,
        "a character is not on the keyboard layout, and the layout has no spare key for it",
    )
    .with_next(text![
        "Set the text of the element instead (",
        Invocation::of("ax_set_value"),
        "), or switch to a layout that has the character."
    ])
}

/// Refuses where the server takes no synthetic input.
pub(super) fn require_test_input(session: &XSession) -> Outcome<()> {
    if session.extensions.test_input && session.extensions.keyboard {
        return Ok(());
    }
    let Consent { name, without, obtain, .. } = consents::SYNTHETIC_INPUT;
    Err(Error::new(ErrorCode::InputUnavailable, format!("{without}: it lacks {name}"))
        .with_next(obtain())
        .into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_checked_before_the_first_key() {
        assert_eq!(symbols_of_text("a\r\n\té").expect("can be typed"), [0x61, 0xff0d, 0xff09, 0xe9]);
        let control = symbols_of_text("secret\u{1b}").expect_err("no key");
        assert_eq!(control.code, ErrorCode::InvalidParameter);
        assert!(control.message.contains("character 7 (U+001B)") && !control.message.contains("secret"));
        assert_eq!(
            symbols_of_text(&"x".repeat(MAX_TEXT + 1)).expect_err("too long").code,
            ErrorCode::TooLarge
        );
    }

    #[test]
    fn thousands_are_separated() {
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_016), "1,016");
        assert_eq!(grouped(1_002_800), "1,002,800");
    }

    #[test]
    fn a_letter_in_a_chord_means_its_key() {
        let chord = |text: &str| key_of(&Chord::parse(text).expect("valid"));
        assert_eq!(chord("ctrl+S"), "s");
        assert_eq!(chord("S"), "S");
        assert_eq!(chord("ctrl++"), "+");
    }
}
