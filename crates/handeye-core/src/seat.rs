//! Seats, each a pointer and a keyboard, and input into one application alone.

use crate::{Button, Chord, Consent, KeySymbol, NodeId, Permit, Point, Result, SeatState, Support, WindowId};
use async_trait::async_trait;
use std::sync::Arc;
use std::time::Duration;

/// The seats of a desktop.
#[derive(Clone)]
pub struct Seats {
    /// The user's own. What is done with it is seen and felt by the user: only for `mode: focus`.
    pub user: Arc<dyn Seat>,
    /// Those of agents, beside it.
    pub agents: Arc<dyn AgentSeats>,
}

/// Makes seats for agents. What is done with one is neither seen nor felt at the user's: that has its own pointer, keyboard and focus.
#[async_trait]
pub trait AgentSeats: Send + Sync {
    /// One more seat. Nothing is made on the desktop before its first action, and all of it is removed when it rests or is dropped, as soon as no
    /// application is at work. Its
    /// [`capabilities`](Seat::capabilities) say what it can do here; it has no focus, and each action names its window.
    fn seat(&self) -> Arc<dyn Seat>;

    /// Makes one for a moment and moves its pointer. Returns what there is to say of it, in a sentence.
    ///
    /// # Errors
    /// Where there can be none, its input does not reach it, or something of the user's moved with it.
    async fn check(&self) -> Result<String>;
}

/// By what a seat reaches an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Means {
    /// Moving the pointer and clicking.
    Pointer,
    /// Moving the pointer with a button held.
    Drag,
    /// The wheel.
    Wheel,
    /// Single keys with modifiers.
    Keys,
    /// Text, whatever the layout of the keyboard.
    Text,
    /// Making a window the one that receives the keyboard.
    Activation,
}

/// What a seat can do and knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeatCapabilities {
    /// Moving the pointer and clicking.
    pub pointer: Support,
    /// Moving the pointer with a button held.
    pub drag: Support,
    /// The wheel.
    pub wheel: Support,
    /// Single keys with modifiers.
    pub keys: Support,
    /// Text, whatever the layout of the keyboard.
    pub text: Support,
    /// Making a window the one that receives the keyboard: [`Seat::activate`].
    pub activation: Support,
    /// Which window receives the keyboard: [`SeatState::active_window`].
    pub active_window: Support,
}

impl SeatCapabilities {
    /// Those of a seat that can do everything.
    pub const ALL: Self = Self {
        pointer: Support::Yes,
        drag: Support::Yes,
        wheel: Support::Yes,
        keys: Support::Yes,
        text: Support::Yes,
        activation: Support::Yes,
        active_window: Support::Yes,
    };

    /// Fails where the seat has not these means.
    ///
    /// # Errors
    /// [`ErrorCode::Refused`](crate::ErrorCode::Refused) with the reason.
    pub fn require(&self, means: Means) -> Result<()> {
        match means {
            Means::Pointer => self.pointer.require("the pointer cannot click"),
            Means::Drag => self.drag.require("the pointer cannot drag"),
            Means::Wheel => self.wheel.require("the wheel cannot be turned"),
            Means::Keys => self.keys.require("no key can be pressed"),
            Means::Text => self.text.require("no text can be typed"),
            Means::Activation => self.activation.require("no window can be brought forward"),
        }
    }
}

/// How an application takes the input of an agent's seat, by its toolkit and as it was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OnAgentSeat {
    /// Whether it takes no keys of the user while an agent has a keyboard.
    pub deafens: bool,
    /// Why it takes no input of such a seat without harm to the user, as the end of a sentence; `None` where it does.
    pub refusal: Option<&'static str>,
    /// Whether it asks for its window to be the active one when that is pressed in, unless it believes that it is.
    pub activates_itself: bool,
    /// What a menu or another popup takes that the seat opens.
    pub popups: Takes,
    /// What a drag takes, from the press or from where it starts to the drop.
    pub drags: Takes,
}

/// Whose keyboard and pointer an application takes for what an agent's seat does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// Those of that seat, or none.
    Own,
    /// Those of the user too, if they are free. It does the same without them.
    UsersIfFree,
    /// Those of the user too. It does nothing without them.
    Users,
}

/// The way of a drag, by the left button.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DragWay {
    /// Where it is pressed, in screen coordinates.
    pub from: Point,
    /// Where it is released, in screen coordinates.
    pub to: Point,
    /// How long the way takes.
    pub duration: Duration,
    /// What the application takes for it. What it takes of the user's only if it is free, it does not get from an agent's seat: what the user
    /// does while the drag starts arrives a moment later.
    pub takes: Takes,
}

impl OnAgentSeat {
    /// An application that leaves the user's seat alone.
    pub const APART: Self = Self {
        deafens: false,
        refusal: None,
        activates_itself: false,
        popups: Takes::Own,
        drags: Takes::Own,
    };
}

/// Input into one application alone: no pointer moves that anybody sees, no window comes forward, the focus of the desktop stays where it is.
/// What an application takes only with one of these is not supported here: Chromium brings its window forward at a press of the button.
#[async_trait]
pub trait ApplicationInput: Send + Sync {
    /// Whether elements can be clicked.
    fn clicks(&self) -> Support;

    /// Clicks an element `count` times, as its source knows where it is; a place on the screen is not needed.
    async fn click(&self, permit: &Permit, node: NodeId, button: Button, count: u32) -> Result<()>;
}

/// What came of [`Seat::dismiss`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dismissal {
    /// The client that holds the keyboard got an Escape.
    Pressed,
    /// Nobody holds the keyboard, or the popup is gone: no key was pressed, and none is needed.
    Free,
    /// Another application shows a popup too, so it is not sure who holds the keyboard: no key was pressed.
    Unsure,
}

/// What becomes of the menus that a seat has open when it is to rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenMenus {
    /// They stay, and the seat does not rest.
    Stay,
    /// They are closed.
    Close,
}

/// A pointer and a keyboard, with the window that has that keyboard: each seat has its own.
///
/// `window` is the one that is meant. Right before each press it is made sure that it reaches this window, or a popup or a dialog of it that
/// does not shut it off; where it would not, nothing is sent, and that is [`ErrorCode::Refused`](crate::ErrorCode::Refused), or
/// [`ErrorCode::ActionFailed`](crate::ErrorCode::ActionFailed) with the part that was done. Without a window, keys are for the
/// one that has the keyboard at the first of them, and buttons for whatever lies there.
#[async_trait]
pub trait Seat: Send + Sync {
    /// What it can do here, and why not the rest. Code that dispatches asks first; what a seat cannot do is an error of its methods nevertheless.
    fn capabilities(&self) -> SeatCapabilities;

    /// What has to be given from outside so that it works fully.
    fn consents(&self) -> Vec<Consent>;

    /// Gives up what it has on the desktop until its next action. Returns whether it has nothing there then: an application may hold it for a
    /// menu that stays, or be busy. Nothing for the user's seat.
    async fn rest(&self, _menus: OpenMenus) -> bool {
        true
    }

    /// Its active window and its pointer, as far as they are known.
    async fn state(&self) -> Result<SeatState>;

    /// Whether this seat's pointer was used in a window a moment ago, as by a click that makes it the active one. False where that is not known.
    async fn was_chosen(&self, _window: WindowId) -> Result<bool> {
        Ok(false)
    }

    /// Makes a window the active one of this seat and waits until it is (of the user's seat: only for `mode: focus`).
    async fn activate(&self, permit: &Permit, window: WindowId) -> Result<()>;

    /// Closes a menu or another popup that holds the keyboard of this seat, by an Escape that reaches the holder and no other client: it
    /// is pressed while nobody can take or give back the keyboard. The one key that background mode may press on the user's seat.
    async fn dismiss(&self, permit: &Permit, popup: WindowId) -> Result<Dismissal>;

    /// Moves the pointer to `at` and waits a moment for what the application shows while it is there, such as a tooltip.
    async fn hover(&self, permit: &Permit, at: Point, window: Option<WindowId>) -> Result<()>;

    /// Moves the pointer to `at` and clicks `count` times.
    async fn click(
        &self,
        permit: &Permit,
        at: Point,
        button: Button,
        count: u32,
        window: Option<WindowId>,
    ) -> Result<()>;

    /// As [`click`](Self::click), where that opens a menu or another popup. No application gets the user's keyboard and pointer
    /// while it opens; what the user does meanwhile arrives a moment later. Of the user's seat it is a click like any other.
    async fn click_for_popup(
        &self,
        permit: &Permit,
        at: Point,
        button: Button,
        count: u32,
        window: Option<WindowId>,
    ) -> Result<()> {
        self.click(permit, at, button, count, window).await
    }

    /// Has an application believe that its window has the keyboard focus, or has it no more, so that it does not ask for it
    /// ([`OnAgentSeat::activates_itself`]). Where the window has it, nothing is done; the user's seat has no need of it.
    async fn feign_focus(&self, _permit: &Permit, _window: WindowId, _has: bool) -> Result<()> {
        Ok(())
    }

    /// Presses the left button, moves, releases. The button is released on every way out.
    async fn drag(&self, permit: &Permit, way: DragWay, window: Option<WindowId>) -> Result<()>;

    /// Turns the wheel at `at`; positive `dy` scrolls down, positive `dx` right, in notches.
    async fn wheel(
        &self,
        permit: &Permit,
        at: Point,
        dx: i32,
        dy: i32,
        window: Option<WindowId>,
    ) -> Result<()>;

    /// The symbol of a key, without pressing it; [`ErrorCode::InvalidParameter`](crate::ErrorCode::InvalidParameter) if there is no
    /// such key.
    fn key_symbol(&self, chord: &Chord) -> Result<KeySymbol>;

    /// Presses and releases a key with its modifiers. Modifiers are released on every way out.
    async fn key(&self, permit: &Permit, chord: &Chord, window: Option<WindowId>) -> Result<()>;

    /// Types text exactly, whatever the keyboard layout, or refuses before the first key.
    async fn type_text(&self, permit: &Permit, text: &str, window: Option<WindowId>) -> Result<()>;
}
