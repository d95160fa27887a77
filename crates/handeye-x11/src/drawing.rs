//! The few pictures that this client shows: areas of one colour, and words in capital letters.

use super::fault::Outcome;
use super::monitors;
use super::x_session::XSession;
use handeye_core::{Error, Monitor};
use x11rb::connection::Connection as _;
use x11rb::protocol::shape::{ConnectionExt as _, SK, SO};
use x11rb::protocol::xproto::{
    AtomEnum, ChangeGCAux, ClipOrdering, ConnectionExt as _, CreateGCAux, CreateWindowAux, Gcontext, Pixmap,
    PropMode, Rectangle, Window, WindowClass,
};
use x11rb::wrapper::ConnectionExt as _;
use x11rb::{COPY_DEPTH_FROM_PARENT, COPY_FROM_PARENT};

/// Sizes of a letter, in its own pixels; one of them is some pixels of the screen.
const LETTER: u16 = 5;
const STEP: u16 = LETTER + 1;
pub(super) const HIGH: u16 = 7;

/// A colour in red, green and blue.
pub(super) type Colour = [u8; 3];

/// A picture that is being drawn.
pub(super) struct Picture<'s> {
    session: &'s XSession,
    pixmap: Pixmap,
    pen: Gcontext,
}

impl<'s> Picture<'s> {
    /// An empty picture of that width and height, in pixels.
    pub(super) fn new(session: &'s XSession, (width, height): (u16, u16)) -> Outcome<Self> {
        let connection = &session.connection;
        let (pixmap, pen) = (connection.generate_id()?, connection.generate_id()?);
        connection
            .create_pixmap(session.screen.root_depth, pixmap, session.root(), width, height)?
            .check()?;
        connection.create_gc(pen, pixmap, &CreateGCAux::new())?.check()?;
        Ok(Self { session, pixmap, pen })
    }

    /// Fills areas with a colour.
    pub(super) fn fill(&self, colour: Colour, areas: &[Rectangle]) -> Outcome<()> {
        let connection = &self.session.connection;
        let [red, green, blue] = colour.map(|part| u16::from(part) * 0x101);
        let found =
            connection.alloc_color(self.session.screen.default_colormap, red, green, blue)?.reply()?;
        connection.change_gc(self.pen, &ChangeGCAux::new().foreground(found.pixel))?;
        connection.poly_fill_rectangle(self.pixmap, self.pen, areas)?;
        Ok(())
    }

    fn finish(self) -> Outcome<Pixmap> {
        self.session.connection.free_gc(self.pen)?;
        Ok(self.pixmap)
    }
}

/// Creates a window that shows a picture, bypasses the window manager and lets every click through: nothing that looks for windows or popups
/// counts it. The picture is its background, so the server draws it without being asked.
pub(super) fn create_overlay(
    session: &XSession,
    window: Window,
    size: (u16, u16),
    picture: Picture<'_>,
    (title, class): (&str, &[u8]),
) -> Outcome<()> {
    let connection = &session.connection;
    let picture = picture.finish()?;
    let looks = CreateWindowAux::new().override_redirect(1).background_pixmap(picture);
    connection
        .create_window(
            COPY_DEPTH_FROM_PARENT,
            window,
            session.root(),
            0,
            0,
            size.0,
            size.1,
            0,
            WindowClass::INPUT_OUTPUT,
            COPY_FROM_PARENT,
            &looks,
        )?
        .check()?;
    connection.free_pixmap(picture)?;
    connection.shape_rectangles(SO::SET, SK::INPUT, ClipOrdering::UNSORTED, window, 0, 0, &[])?.check()?;
    let (atoms, replace) = (&session.atoms, PropMode::REPLACE);
    connection.change_property8(replace, window, AtomEnum::WM_CLASS, AtomEnum::STRING, class)?;
    connection.change_property8(replace, window, AtomEnum::WM_NAME, AtomEnum::STRING, title.as_bytes())?;
    connection.change_property8(replace, window, atoms._NET_WM_NAME, atoms.UTF8_STRING, title.as_bytes())?;
    Ok(())
}

/// The monitor that such windows are made for.
pub(super) fn primary(session: &XSession) -> Outcome<Monitor> {
    let first = monitors::list(session)?.into_iter().next();
    first.ok_or_else(|| Error::internal("the screen has no monitor").into())
}

/// How many pixels of the screen, in each direction, one of a letter has on a monitor of this scale.
pub(super) fn unit(scale: f64) -> u16 {
    (2..=8).rev().find(|unit| f64::from(*unit) <= 2.0 * scale).unwrap_or(2)
}

/// An area in pixels of the screen.
pub(super) fn area(x: u16, y: u16, width: u16, height: u16, unit: u16) -> Rectangle {
    // What is drawn is a few hundred pixels wide at most.
    let start = |place: u16| i16::try_from(place * unit).unwrap_or(i16::MAX);
    Rectangle { x: start(x), y: start(y), width: width * unit, height: height * unit }
}

/// How wide a word is, in pixels of its letters.
pub(super) const fn width_of(letters: u16) -> u16 {
    letters * STEP - 1
}

/// Where a word has ink, from the place of its upper left corner on, in pixels of its letters.
pub(super) fn ink(word: &str, (left, top): (u16, u16), unit: u16) -> Vec<Rectangle> {
    let mut ink = Vec::new();
    for (letter, start) in word.chars().zip((left..).step_by(usize::from(STEP))) {
        for (row, y) in rows(letter).iter().zip(top..) {
            let inked = (0..LETTER).filter(|column| row >> (LETTER - 1 - column) & 1 == 1);
            ink.extend(inked.map(|column| area(start + column, y, 1, 1, unit)));
        }
    }
    ink
}

/// The pixels of a letter from the top row down, a bit for each, as a server need not have fonts. Empty for a letter of no word that is shown.
const fn rows(letter: char) -> [u8; HIGH as usize] {
    match letter {
        'A' => [0b01110, 0b10001, 0b10001, 0b11111, 0b10001, 0b10001, 0b10001],
        'C' => [0b01110, 0b10001, 0b10000, 0b10000, 0b10000, 0b10001, 0b01110],
        'D' => [0b11110, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b11110],
        'E' => [0b11111, 0b10000, 0b10000, 0b11110, 0b10000, 0b10000, 0b11111],
        'G' => [0b01110, 0b10001, 0b10000, 0b10111, 0b10001, 0b10001, 0b01110],
        'I' => [0b01110, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110],
        'N' => [0b10001, 0b11001, 0b10101, 0b10011, 0b10001, 0b10001, 0b10001],
        'O' => [0b01110, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01110],
        'R' => [0b11110, 0b10001, 0b10001, 0b11110, 0b10100, 0b10010, 0b10001],
        'T' => [0b11111, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100],
        '0' => [0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110],
        '1' => [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110],
        '2' => [0b01110, 0b10001, 0b00001, 0b00010, 0b00100, 0b01000, 0b11111],
        '3' => [0b11111, 0b00010, 0b00100, 0b00010, 0b00001, 0b10001, 0b01110],
        '4' => [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010],
        '5' => [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110],
        '6' => [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110],
        '7' => [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000],
        '8' => [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110],
        '9' => [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100],
        _ => [0; HIGH as usize],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_as_wide_as_its_letters() {
        for (word, letters) in [("RECORDING", 9), ("AGENT 10", 8)] {
            let right = ink(word, (0, 0), 1).iter().map(|pixel| pixel.x.unsigned_abs() + 1).max();
            assert_eq!(right, Some(width_of(letters)));
        }
        assert_eq!([1.0, 1.5, 2.0].map(unit), [2, 3, 4]);
    }

    #[test]
    fn every_letter_that_is_shown_has_pixels() {
        assert!("RECORDINGAGENT0123456789".chars().all(|letter| rows(letter) != [0; 7]));
    }
}
