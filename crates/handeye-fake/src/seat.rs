//! The pointer and the keyboard of a desktop in memory.

use super::desktop::{FakeDesktop, GRANT, lock};
use super::keys;
use async_trait::async_trait;
use handeye_core::{
    ActiveWindow, Button, Chord, ConnectedApp, Consent, Dismissal, DragWay, Error, ErrorCode, KeySymbol,
    NodeAction, Permit, Point, Result, Screen, Seat, SeatCapabilities, SeatState, Window, WindowId,
};
use std::time::Duration;

/// How long one key takes.
const KEY_TIME: Duration = Duration::from_millis(5);

impl FakeDesktop {
    /// As on a real screen, a click reaches what is on top.
    async fn check_reach(&self, at: Point, window: Option<WindowId>) -> Result<()> {
        let shown = self.shown().await?;
        let top = shown.iter().find(|shown| shown.frame().is_some_and(|frame| frame.contains(at)));
        let own = |top: &Window| {
            Some(top.id) == window || lock(&self.popups).iter().any(|popup| popup.id == top.id)
        };
        match top {
            Some(top) if window.is_some() && !own(top) => {
                Err(Error::new(ErrorCode::Refused, "another window is at this point"))
            }
            _ => Ok(()),
        }
    }
}

#[async_trait]
impl Seat for FakeDesktop {
    fn capabilities(&self) -> SeatCapabilities {
        lock(&self.seat_can).clone()
    }

    fn consents(&self) -> Vec<Consent> {
        vec![GRANT]
    }

    async fn state(&self) -> Result<SeatState> {
        let active_window = self.known_active();
        let pointer = (active_window != ActiveWindow::Unknown).then(|| Point::new(0, 0));
        Ok(SeatState { active_window, pointer })
    }

    async fn activate(&self, _: &Permit, window: WindowId) -> Result<()> {
        self.make_active(window);
        self.note("activate".to_owned());
        Ok(())
    }

    async fn dismiss(&self, _: &Permit, popup: WindowId) -> Result<Dismissal> {
        let mut popups = lock(&self.popups);
        let Some(open) = popups.iter().find(|open| open.id == popup) else { return Ok(Dismissal::Free) };
        if popups.iter().any(|other| other.pid != open.pid) {
            return Ok(Dismissal::Unsure);
        }
        popups.retain(|open| open.id != popup);
        drop(popups);
        lock(&self.dismissed).push(popup);
        Ok(Dismissal::Pressed)
    }

    async fn hover(&self, _: &Permit, at: Point, window: Option<WindowId>) -> Result<()> {
        self.check_reach(at, window).await?;
        self.note(format!("hover at {},{}", at.x, at.y));
        Ok(())
    }

    async fn click(
        &self,
        _: &Permit,
        at: Point,
        button: Button,
        count: u32,
        window: Option<WindowId>,
    ) -> Result<()> {
        self.check_reach(at, window).await?;
        self.note(format!("click {button:?} x{count} at {},{}", at.x, at.y));
        if let Some(app) = self.active_app()
            && let Some(hit) = app.element_at(at, None).await?
        {
            app.act(hit, &NodeAction::Focus)?;
            // Another button opens a menu for it, at most.
            if button == Button::Left {
                app.act(hit, &NodeAction::Invoke(None))?;
            }
        }
        Ok(())
    }

    async fn drag(&self, _: &Permit, way: DragWay, _: Option<WindowId>) -> Result<()> {
        let DragWay { from, to, duration, .. } = way;
        let duration_ms = duration.as_millis();
        self.note(format!("drag {},{} to {},{} in {duration_ms}", from.x, from.y, to.x, to.y));
        if let Some(app) = self.active_app()
            && let Some(hit) = app.element_at(from, None).await?
            && app.element_at(to, None).await? == Some(hit)
        {
            app.act(hit, &NodeAction::Invoke(None))?;
        }
        Ok(())
    }

    async fn wheel(&self, _: &Permit, at: Point, dx: i32, dy: i32, _: Option<WindowId>) -> Result<()> {
        self.note(format!("wheel {dx},{dy} at {},{}", at.x, at.y));
        if let Some(app) = self.active_app()
            && let Some(hit) = app.element_at(at, None).await?
        {
            keys::choose_next(&app, hit);
        }
        Ok(())
    }

    fn key_symbol(&self, chord: &Chord) -> Result<KeySymbol> {
        let mut characters = chord.key.chars();
        let symbol = match (chord.key.as_str(), characters.next(), characters.next()) {
            ("return" | "\n", ..) => 0xff0d,
            ("kp_enter", ..) => 0xff8d,
            ("space", ..) => 0x20,
            ("tab", ..) => 0xff09,
            ("delete", ..) => 0xffff,
            ("escape", ..) => 0xff1b,
            ("up", ..) => 0xff52,
            ("down", ..) => 0xff54,
            ("f4", ..) => 0xffc1,
            ("f5", ..) => 0xffc2,
            (_, Some(only), None) => only.into(),
            _ => return Err(Error::invalid_parameter("key", "there is no such key")),
        };
        Ok(KeySymbol(symbol))
    }

    async fn key(&self, _: &Permit, chord: &Chord, _: Option<WindowId>) -> Result<()> {
        self.note(format!("key {:?} {}", chord.modifiers, chord.key));
        if let Some(app) = self.active_app() {
            keys::press(&app, chord);
        }
        Ok(())
    }

    async fn type_text(&self, _: &Permit, text: &str, window: Option<WindowId>) -> Result<()> {
        self.note(format!("type {} characters", text.chars().count()));
        for character in text.chars() {
            tokio::time::sleep(KEY_TIME).await;
            if window.is_some() && *lock(&self.active) != window {
                return Err(Error::new(ErrorCode::ActionFailed, "another window took the focus"));
            }
            if let Some(app) = self.active_app() {
                keys::press(&app, &Chord::plain(character));
            }
        }
        Ok(())
    }
}
