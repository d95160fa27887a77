//! The devices that an agent's connection presses with.

use x11rb::protocol::xinput::DeviceId;

/// A pair of masters.
#[derive(Debug, Clone)]
pub(super) struct SeatDevices {
    /// The pointer.
    pub(super) pointer: DeviceId,
    /// The keyboard.
    pub(super) keyboard: DeviceId,
    /// The keyboard of the user.
    pub(super) users_keyboard: DeviceId,
    /// The pointer of the user.
    pub(super) users_pointer: DeviceId,
}
