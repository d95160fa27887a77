//! Has the input of the user, or of other agents, wait in the server, so that nobody else can take their devices meanwhile.

use super::claims::{Claim, is_taken_by_another};
use super::entry::{hold, release};
use super::fault::Outcome;
use super::users_turn::Answered;
use super::x_session::XSession;
use std::time::{Duration, Instant};
use x11rb::protocol::xinput::DeviceId;
use x11rb::protocol::xproto::{ConnectionExt as _, GrabMode};

/// What the client has that may have input wait.
const TURN: &str = "_HANDEYE_MAY_HOLD_INPUT";
/// What it has while input waits.
const HOLDS: &str = "_HANDEYE_HOLDS_INPUT";
/// How long another client may have input wait before this one goes on regardless.
const LASTS: Duration = Duration::from_secs(1);
/// Time between two looks at a device that another client has.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Input that waits. It has to be let go.
pub(super) struct HeldUp {
    devices: Vec<DeviceId>,
    turn: Claim,
    /// There while anything waits.
    holds: Option<Claim>,
}

impl HeldUp {
    /// Waits at most `patience` until no other client may have input wait; `None` if one may for longer. Nothing waits by this.
    pub(super) fn turn(session: &XSession, patience: Duration) -> Outcome<Option<Self>> {
        let turn = Claim::take_within(session, TURN, patience)?;
        Ok(turn.map(|turn| Self { devices: Vec::new(), turn, holds: None }))
    }

    /// Has the input of these devices wait; `None` if another client has one of them for longer than `patience`.
    pub(super) fn hold(
        session: &mut XSession,
        devices: &[DeviceId],
        patience: Duration,
    ) -> Outcome<Option<Self>> {
        let Some(mut held_up) = Self::turn(session, patience)? else { return Ok(None) };
        match held_up.take(session, devices, patience) {
            Ok(true) => Ok(Some(held_up)),
            other => {
                held_up.let_go(session)?;
                other.map(|_| None)
            }
        }
    }

    /// Has the input of all of these devices wait, or of none; returns false if another client has one of them for longer than `patience`.
    ///
    /// It is done where the user has pressed no key that the application has not worked off yet, as that may open a menu. Who types faster than
    /// it answers is not waited for any longer than `patience`.
    pub(super) fn take(
        &mut self,
        session: &mut XSession,
        devices: &[DeviceId],
        patience: Duration,
    ) -> Outcome<bool> {
        let until = Instant::now() + patience;
        loop {
            let keyboard = session.masters.as_ref().map(|masters| masters.users_keyboard);
            let keyboard = keyboard.filter(|keyboard| devices.contains(keyboard));
            let answered =
                keyboard.map(|keyboard| Answered::by_users_application(session, keyboard)).transpose()?;
            let claim = Claim::take(session, HOLDS)?;
            // Noted before anything of it can fail: the input goes on when it is let go.
            self.holds = claim;
            self.devices = devices.to_vec();
            let is_late = Instant::now() >= until;
            // As long as the server serves this connection only, an application that got a key just before cannot try for the devices.
            session.connection.grab_server()?;
            let held = hold_each_after(session, devices, answered.filter(|_| !is_late));
            session.connection.ungrab_server()?;
            session.sync()?;
            if held? {
                return Ok(true);
            }
            self.let_devices_go(session)?;
            if is_late {
                return Ok(false);
            }
            session.pause(LOOK_AGAIN)?;
        }
    }

    fn let_devices_go(&mut self, session: &XSession) -> Outcome<()> {
        release_each(session, &std::mem::take(&mut self.devices))?;
        self.holds.take().map_or(Ok(()), |claim| claim.give_up(session))
    }

    /// Has the input of one more device wait, where no other client has it.
    pub(super) fn add(&mut self, session: &XSession, device: DeviceId) -> Outcome<()> {
        if hold(session, device, GrabMode::SYNC)? {
            self.devices.push(device);
        }
        Ok(())
    }

    /// Lets all of it go on.
    pub(super) fn let_go(self, session: &XSession) -> Outcome<()> {
        let released = release_each(session, &self.devices);
        for claim in self.holds.into_iter().chain([self.turn]) {
            claim.give_up(session)?;
        }
        released
    }
}

/// Whether another client has input wait. What it has of anybody's devices is not a menu's then.
pub(super) fn is_held_up(session: &XSession) -> Outcome<bool> {
    is_taken_by_another(session, HOLDS)
}

/// Waits until no other client has input wait, for a second at most: what was pressed or moved meanwhile has arrived then.
pub(super) fn wait_until_let_go(session: &XSession) -> Outcome<()> {
    let until = Instant::now() + LASTS;
    while is_held_up(session)? && Instant::now() < until {
        session.pause(LOOK_AGAIN)?;
    }
    Ok(())
}

/// Takes all of the devices, or none: none too if the user has pressed or released a key since the application began to be asked.
fn hold_each_after(session: &XSession, devices: &[DeviceId], answered: Option<Answered>) -> Outcome<bool> {
    if !hold_each(session, devices)? {
        return Ok(false);
    }
    let holds = answered.map_or(Ok(true), |answered| answered.still_holds(session));
    if !matches!(holds, Ok(true)) {
        release_each(session, devices)?;
    }
    holds
}

/// Takes all of the devices, or none.
fn hold_each(session: &XSession, devices: &[DeviceId]) -> Outcome<bool> {
    let held =
        devices.iter().try_fold(true, |all, device| Ok(all && hold(session, *device, GrabMode::SYNC)?));
    if !matches!(held, Ok(true)) {
        release_each(session, devices)?;
    }
    held
}

/// Gives devices back. The server takes no notice for one that another client has.
fn release_each(session: &XSession, devices: &[DeviceId]) -> Outcome<()> {
    for device in devices {
        release(session, *device)?;
    }
    session.sync()
}
