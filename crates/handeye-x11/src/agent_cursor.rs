//! A cursor that shows where an agent acts: an arrow with a label, in a colour of its own for each of some agents.

use super::consents;
use super::drawing::{Colour, HIGH, Picture, area, create_overlay, ink, primary, unit, width_of};
use super::fault::Outcome;
use super::x_session::XSession;
use handeye_core::Point;
use x11rb::connection::Connection as _;
use x11rb::protocol::shape::{ConnectionExt as _, SK, SO};
use x11rb::protocol::xproto::{
    ClipOrdering, ConfigureWindowAux, ConnectionExt as _, Rectangle, StackMode, Window,
};

/// How the window is called, for other programs.
const TITLE: &str = "handeye acts here";
const CLASS: &[u8] = b"handeye-cursor\0handeye\0";

const EDGE: Colour = [0xff, 0xff, 0xff];
/// What agents have in turn: white letters can be read on all of them.
const COLOURS: [Colour; 6] = [
    [0x1a, 0x5f, 0xb4],
    [0xa5, 0x1d, 0x2d],
    [0x26, 0x6b, 0x3f],
    [0x61, 0x35, 0x83],
    [0x86, 0x4a, 0x00],
    [0x24, 0x1f, 0x31],
];

/// The arrow, whose point is its upper left corner: its edge (`X`) and what is inside (`.`).
const ARROW: [&str; 17] = [
    "X",
    "XX",
    "X.X",
    "X..X",
    "X...X",
    "X....X",
    "X.....X",
    "X......X",
    "X.......X",
    "X........X",
    "X.....XXXXX",
    "X..X..X",
    "X.X X..X",
    "XX  X..X",
    "X    X..X",
    "     X..X",
    "      XX",
];
/// Where the label begins, and how wide its edge is, in pixels of the letters.
const LABEL: (u16, u16) = (11, 12);
const MARGIN: u16 = 3;

/// Creates the cursor of the agent of that number. It is shown once it [follows](follow) the pointer, and the server removes it with the
/// connection.
pub(super) fn create(session: &XSession, number: u32) -> Outcome<Window> {
    if !session.extensions.shapes {
        consents::SHAPE.missing().require("no cursor can be shown for an agent")?;
    }
    let word = format!("AGENT {number}");
    let unit = unit(primary(session)?.scale);
    let label = (width_of(u16::try_from(word.len()).unwrap_or(u16::MAX)) + 2 * MARGIN, HIGH + 2 * MARGIN);
    let size = ((LABEL.0 + label.0) * unit, (LABEL.1 + label.1) * unit);
    let colour = COLOURS[(number.max(1) - 1) as usize % COLOURS.len()];
    let box_of_label = area(LABEL.0, LABEL.1, label.0, label.1, unit);
    let picture = Picture::new(session, size)?;
    picture.fill(EDGE, &[Rectangle { x: 0, y: 0, width: size.0, height: size.1 }])?;
    picture.fill(colour, &arrow(|part| part == '.', unit))?;
    picture.fill(colour, &[area(LABEL.0 + 1, LABEL.1 + 1, label.0 - 2, label.1 - 2, unit)])?;
    picture.fill(EDGE, &ink(&word, (LABEL.0 + MARGIN, LABEL.1 + MARGIN), unit))?;
    let window = session.connection.generate_id()?;
    create_overlay(session, window, size, picture, (TITLE, CLASS))?;
    let mut outline = arrow(|part| part != ' ', unit);
    outline.push(box_of_label);
    session
        .connection
        .shape_rectangles(SO::SET, SK::BOUNDING, ClipOrdering::UNSORTED, window, 0, 0, &outline)?
        .check()?;
    Ok(window)
}

/// Shows the cursor of this connection, if it has one, where the pointer is, above everything. Waits for nothing.
pub(super) fn follow(session: &XSession, pointer: Point) -> Outcome<()> {
    let Some(window) = session.cursor else { return Ok(()) };
    let place = ConfigureWindowAux::new().x(pointer.x).y(pointer.y).stack_mode(StackMode::ABOVE);
    session.connection.configure_window(window, &place)?;
    session.connection.map_window(window)?;
    Ok(())
}

/// Takes the cursor of this connection off the screen, if it has one.
pub(super) fn hide(session: &XSession) -> Outcome<()> {
    if let Some(window) = session.cursor {
        session.connection.unmap_window(window)?;
    }
    Ok(())
}

/// The pixels of the arrow that are wanted.
fn arrow(wanted: impl Fn(char) -> bool, unit: u16) -> Vec<Rectangle> {
    let mut pixels = Vec::new();
    for (row, y) in ARROW.iter().zip(0..) {
        let inked = row.chars().zip(0..).filter(|(part, _)| wanted(*part));
        pixels.extend(inked.map(|(_, x)| area(x, y, 1, 1, unit)));
    }
    pixels
}
