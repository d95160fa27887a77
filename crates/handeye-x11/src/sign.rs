//! The sign on the screen while what the user does is watched: a red dot and a word in a corner of the primary monitor.
//!
//! Its connection is the one that has the context of the RECORD extension: when that ends, however it ends, the server removes both. Who takes the sign away
//! ends the recording.

use super::consents;
use super::drawing::{Colour, HIGH, Picture, area, create_overlay, ink, primary, unit, width_of};
use super::fault::{Fault, Outcome};
use super::x_session::XSession;
use handeye_core::{Error, ErrorCode, Monitor};
use std::cell::Cell;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::randr::{ConnectionExt as _, NotifyMask};
use x11rb::protocol::xproto::{
    ChangeWindowAttributesAux, ConfigureWindowAux, ConnectionExt as _, EventMask, Place, Rectangle,
    StackMode, Window,
};

/// How the window is called, for other programs.
const TITLE: &str = "handeye records";
const CLASS: &[u8] = b"handeye-recording\0handeye\0";

const GROUND: Colour = [0x1c, 0x1c, 0x1c];
const EDGE: Colour = [0x90, 0x90, 0x90];
const DOT: Colour = [0xe0, 0x1b, 0x24];
const INK: Colour = [0xff, 0xff, 0xff];

const WORD: &str = "RECORDING";

/// Sizes, in pixels of the word; one of them is some pixels of the screen.
const DIAMETER: u16 = 9;
const MARGIN: u16 = 4;
const WIDTH: u16 = MARGIN + DIAMETER + MARGIN + width_of(WORD.len() as u16) + MARGIN;
const HEIGHT: u16 = MARGIN + DIAMETER + MARGIN;
/// How far it is from the edges of the monitor.
const DISTANCE: u16 = 6;

/// The sign, which is shown for as long as this lives.
pub(super) struct Sign {
    session: XSession,
    window: Window,
    /// Width and height, in pixels.
    size: (u16, u16),
    ascent: Cell<Ascent>,
}

impl Sign {
    /// Shows it. Where the server has no shapes of what takes input it is refused, and so is the recording: the sign would take the clicks at
    /// its place, and nobody is recorded without it. Every server of these days has them.
    pub(super) fn show(display: Option<&str>) -> Outcome<Self> {
        let session = XSession::open(display)?;
        if !session.extensions.shapes {
            consents::SHAPE.missing().require("nothing can be recorded")?;
        }
        let monitor = primary(&session)?;
        let unit = unit(monitor.scale);
        let sign = Self {
            window: session.connection.generate_id()?,
            size: (WIDTH * unit, HEIGHT * unit),
            session,
            ascent: Cell::new(Ascent::default()),
        };
        sign.listen()?;
        sign.create(unit)?;
        sign.place(&monitor, unit)?;
        sign.session.connection.map_window(sign.window)?.check()?;
        Ok(sign)
    }

    /// The connection that ends with the sign.
    pub(super) const fn session(&self) -> &XSession {
        &self.session
    }

    /// Has windows that come over it and changes of monitors announced.
    fn listen(&self) -> Outcome<()> {
        let (connection, root) = (&self.session.connection, self.session.root());
        let children = ChangeWindowAttributesAux::new().event_mask(EventMask::SUBSTRUCTURE_NOTIFY);
        connection.change_window_attributes(root, &children)?.check()?;
        if self.session.extensions.monitors {
            connection
                .randr_select_input(root, NotifyMask::SCREEN_CHANGE | NotifyMask::CRTC_CHANGE)?
                .check()?;
        }
        Ok(())
    }

    /// Makes the window with its picture.
    fn create(&self, unit: u16) -> Outcome<()> {
        let (width, height) = self.size;
        let picture = Picture::new(&self.session, self.size)?;
        picture.fill(EDGE, &[Rectangle { x: 0, y: 0, width, height }])?;
        picture.fill(GROUND, &[area(1, 1, WIDTH - 2, HEIGHT - 2, unit)])?;
        picture.fill(DOT, &dot(unit))?;
        picture.fill(INK, &word(unit))?;
        create_overlay(&self.session, self.window, self.size, picture, (TITLE, CLASS))
    }

    /// Puts it into the lower right corner of a monitor, above everything: windows have their buttons and menus elsewhere.
    fn place(&self, monitor: &Monitor, unit: u16) -> Outcome<()> {
        let corner = |start: i32, length: u32, own: u16| {
            let end = start.saturating_add_unsigned(length);
            end.saturating_sub(i32::from(own) + i32::from(DISTANCE * unit)).max(start)
        };
        let area = monitor.area;
        let place = ConfigureWindowAux::new()
            .x(corner(area.x, area.width, self.size.0))
            .y(corner(area.y, area.height, self.size.1))
            .stack_mode(StackMode::ABOVE);
        self.session.connection.configure_window(self.window, &place)?;
        Ok(())
    }

    /// Keeps it where it can be seen: to be called when the server has something to read, and now and then. Does not wait for anything
    /// unless a monitor has changed.
    pub(super) fn tend(&self) -> Outcome<()> {
        let now = Instant::now();
        let mut ascent = self.ascent.get();
        let mut are_monitors_new = false;
        while let Some(event) = self.session.connection.poll_for_event()? {
            match event {
                Event::RandrScreenChangeNotify(_) | Event::RandrNotify(_) => are_monitors_new = true,
                Event::Error(error) => return Err(Fault::Rejected(Box::new(error))),
                other if self.is_taken_by(&other) => {
                    return Err(Error::new(ErrorCode::Refused, "the sign was taken off the screen").into());
                }
                other if self.is_covered_by(&other) => ascent.covered(now),
                _ => {}
            }
        }
        if are_monitors_new {
            let monitor = primary(&self.session)?;
            self.place(&monitor, unit(monitor.scale))?;
        } else if ascent.is_due(now) {
            let up = ConfigureWindowAux::new().stack_mode(StackMode::ABOVE);
            self.session.connection.configure_window(self.window, &up)?;
        }
        self.ascent.set(ascent);
        self.session.connection.flush()?;
        Ok(())
    }

    /// Whether somebody has removed it.
    const fn is_taken_by(&self, event: &Event) -> bool {
        match event {
            Event::UnmapNotify(news) => news.window == self.window,
            Event::DestroyNotify(news) => news.window == self.window,
            _ => false,
        }
    }

    /// Whether a window is above it now that was not. There is no other way to get there: what is put above a window that is above it
    /// already changes nothing.
    fn is_covered_by(&self, event: &Event) -> bool {
        match event {
            Event::ConfigureNotify(news) => news.above_sibling == self.window,
            Event::CreateNotify(news) => news.window != self.window,
            Event::ReparentNotify(news) => news.parent == self.session.root(),
            Event::CirculateNotify(news) => news.place == Place::ON_TOP,
            _ => false,
        }
    }
}

impl AsFd for Sign {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.session.connection.stream().as_fd()
    }
}

/// When it comes to the top again. Something else may keep itself on top too, a screen saver or the sign of another recording: the two take
/// turns ever more slowly.
#[derive(Debug, Clone, Copy, Default)]
struct Ascent {
    due: Option<Instant>,
    last: Option<Instant>,
    pause: Duration,
}

impl Ascent {
    const SHORTEST: Duration = Duration::from_millis(100);
    const LONGEST: Duration = Duration::from_secs(2);

    fn covered(&mut self, now: Instant) {
        if self.due.is_some() {
            return;
        }
        let is_soon = |last| now.duration_since(last) < (self.pause * 2).max(Self::SHORTEST);
        self.pause =
            if self.last.is_some_and(is_soon) { (self.pause * 2).min(Self::LONGEST) } else { Self::SHORTEST };
        self.due = Some(now + self.pause);
    }

    fn is_due(&mut self, now: Instant) -> bool {
        let is_due = self.due.is_some_and(|due| due <= now);
        if is_due {
            (self.due, self.last) = (None, Some(now));
        }
        is_due
    }
}

/// The dot, row by row. An arc of the server has a pixel too many at its top and left.
fn dot(unit: u16) -> Vec<Rectangle> {
    let Rectangle { x, y, width: size, .. } = area(MARGIN, MARGIN, DIAMETER, DIAMETER, unit);
    // How far the middle of the nth pixel is from the middle of the dot, in half pixels, squared.
    let apart = |n: u16| u32::from((2 * n + 1).abs_diff(size)).pow(2);
    let mut rows = Vec::new();
    for (row, y) in (0..size).zip(y..) {
        let is_outside = |column: &u16| apart(*column) + apart(row) > u32::from(size).pow(2);
        let (indent, x) =
            (0..size / 2).zip(x..).find(|(column, _)| !is_outside(column)).unwrap_or((size / 2, x));
        rows.push(Rectangle { x, y, width: size - 2 * indent, height: 1 });
    }
    rows
}

/// Where the word has ink.
fn word(unit: u16) -> Vec<Rectangle> {
    ink(WORD, (MARGIN + DIAMETER + MARGIN, (HEIGHT - HIGH) / 2), unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_that_keep_themselves_on_top_take_turns_ever_more_slowly() {
        let mut ascent = Ascent::default();
        let mut now = Instant::now();
        let mut waited = Vec::new();
        for _ in 0..8 {
            ascent.covered(now);
            let due = ascent.due.expect("it comes up again");
            assert!(!ascent.is_due(now));
            assert!(ascent.is_due(due));
            waited.push(due.duration_since(now).as_millis());
            now = due + Duration::from_millis(1);
        }
        assert_eq!(waited, [100, 200, 400, 800, 1600, 2000, 2000, 2000]);
        ascent.covered(now + Duration::from_secs(30));
        assert_eq!(ascent.pause, Ascent::SHORTEST, "one window that opens is not a contest");
    }

    #[test]
    fn the_dot_is_as_high_as_it_is_wide_and_the_same_from_each_side() {
        for unit in [2, 3, 5] {
            let rows = dot(unit);
            let widths: Vec<u16> = rows.iter().map(|row| row.width).collect();
            assert_eq!(widths.len(), usize::from(DIAMETER * unit));
            assert_eq!(widths.iter().max(), Some(&(DIAMETER * unit)));
            assert!(widths.iter().eq(widths.iter().rev()), "{widths:?}");
            let middles = rows.iter().map(|row| 2 * row.x.unsigned_abs() + row.width);
            assert!(middles.clone().all(|middle| Some(middle) == middles.clone().next()), "{rows:?}");
        }
    }

    #[test]
    fn the_word_is_within_the_sign() {
        for scale in [0.5, 1.0, 1.5, 2.0, 10.0] {
            let unit = unit(scale);
            for ink in word(unit) {
                let end = |start: i16, length: u16| u32::from(start.unsigned_abs()) + u32::from(length);
                assert!(end(ink.x, ink.width) <= u32::from((WIDTH - MARGIN) * unit), "{ink:?} at {scale}");
                assert!(end(ink.y, ink.height) <= u32::from((HEIGHT - MARGIN) * unit), "{ink:?} at {scale}");
            }
        }
    }
}
