//! Reads the pixels of a drawable.

use super::fault::Outcome;
use super::pixels::PixelLayout;
use super::shared_memory::SharedMemory;
use super::x_session::XSession;
use handeye_core::{Error, ErrorCode, Rect};
use std::ops::Range;
use x11rb::connection::Connection;
use x11rb::protocol::shm::ConnectionExt as _;
use x11rb::protocol::xproto::{ConnectionExt as _, Drawable, ImageFormat, Visualid, Visualtype};

/// Bytes that are read and converted at a time: small enough to stay in the processor's cache.
const BAND: usize = 256 * 1024;
/// Bytes of a picture from which on a second thread saves more time than it costs.
const WORTH_A_THREAD: usize = 2 * 1024 * 1024;
/// All bits of a pixel.
const ALL_PLANES: u32 = !0;
/// Where the pixels of a part may begin in shared memory, in bytes.
const ALIGNMENT: usize = 64;
/// Bytes of a pixel of a picture.
const PIXEL: usize = 3;

/// The pixels of `area` of a drawable (in its own coordinates, wholly inside of it) as RGB.
pub(super) fn rgb(
    session: &mut XSession,
    drawable: Drawable,
    visual: Visualid,
    area: Rect,
) -> Outcome<Vec<u8>> {
    let mut rgb = vec![0; area.width as usize * area.height as usize * PIXEL];
    read_parts(session, (drawable, visual), area, &[area], &mut rgb)?;
    Ok(rgb)
}

/// Reads the pixels of `parts` of an area into `rgb`, the picture of that area; what is between them stays. All are in the coordinates of the
/// drawable; the parts lie wholly inside of the area, and that inside of the drawable.
pub(super) fn read_parts(
    session: &mut XSession,
    (drawable, visual): (Drawable, Visualid),
    area: Rect,
    parts: &[Rect],
    rgb: &mut [u8],
) -> Outcome<()> {
    let (layout, depth) = layout(session, visual)?;
    let mut size = 0;
    let mut wanted = Vec::with_capacity(parts.len());
    for part in parts {
        let part = Part::new(*part, area, layout, size)?;
        size = part.end().next_multiple_of(ALIGNMENT);
        wanted.push(part);
    }
    prepare_memory(session, size)?;
    let connection = &session.connection;
    if let Some(memory) = &session.capture.memory {
        let ask = |part: &Part| {
            let Part { x, y, width, height, offset, .. } = *part;
            let format = ImageFormat::Z_PIXMAP.into();
            // A picture has less than 4 GiB, as its coordinates have 16 bits.
            let (planes, segment, offset) = (ALL_PLANES, memory.segment(), offset as u32);
            connection.shm_get_image(drawable, x, y, width, height, planes, format, segment, offset)
        };
        let asked = wanted.iter().map(ask).collect::<Result<Vec<_>, _>>()?;
        for (part, asked) in wanted.iter().zip(asked) {
            require_depth(depth, asked.reply()?.depth)?;
            let read = |offset: usize, bytes: &mut [u8]| memory.read(offset, bytes);
            part.read_into(rgb, read)
                .map_err(|error| failed(format!("the shared picture could not be read: {error}")))?;
        }
        return Ok(());
    }
    for part in &wanted {
        let Part { x, y, width, height, offset: start, .. } = *part;
        let format = ImageFormat::Z_PIXMAP;
        let reply = connection.get_image(format, drawable, x, y, width, height, ALL_PLANES)?.reply()?;
        require_depth(depth, reply.depth)?;
        let read = |offset: usize, bytes: &mut [u8]| {
            let sent = reply.data.get(offset - start..offset - start + bytes.len());
            bytes.copy_from_slice(sent.ok_or(std::io::ErrorKind::UnexpectedEof)?);
            Ok(())
        };
        part.read_into(rgb, read)
            .map_err(|_| failed("the X server sent fewer pixels than were asked for"))?;
    }
    Ok(())
}

/// A part of a drawable that is read: where the server puts its pixels, and where they belong in a picture.
struct Part {
    x: i16,
    y: i16,
    width: u16,
    height: u16,
    layout: PixelLayout,
    /// Where its bytes begin as the server has them.
    offset: usize,
    /// Bytes of a row as the server has them.
    stride: usize,
    /// Bytes of the picture before its first pixel.
    start: usize,
    /// Bytes of a row of the picture.
    row: usize,
}

impl Part {
    fn new(part: Rect, area: Rect, layout: PixelLayout, offset: usize) -> Outcome<Self> {
        let (x, y) = (coordinate(part.x)?, coordinate(part.y)?);
        let (width, height) = (length(part.width)?, length(part.height)?);
        let row = area.width as usize * PIXEL;
        let (left, top) = (part.x.abs_diff(area.x) as usize, part.y.abs_diff(area.y) as usize);
        let (stride, start) = (layout.stride(width.into()), top * row + left * PIXEL);
        Ok(Self { x, y, width, height, layout, offset, stride, start, row })
    }

    /// Where its bytes end as the server has them.
    fn end(&self) -> usize {
        self.offset + self.size()
    }

    fn size(&self) -> usize {
        self.stride * usize::from(self.height)
    }

    /// Puts its pixels into the picture, of a large part in two halves at the same time. `read` reads the server's bytes from an offset on.
    fn read_into(
        &self,
        rgb: &mut [u8],
        read: impl Fn(usize, &mut [u8]) -> std::io::Result<()> + Sync,
    ) -> std::io::Result<()> {
        let rows = usize::from(self.height);
        let has_cores = || std::thread::available_parallelism().is_ok_and(|cores| cores.get() > 1);
        let first = if self.size() > WORTH_A_THREAD && has_cores() { rows / 2 } else { rows };
        let (upper, lower) = rgb[self.start..].split_at_mut(self.length_of(first));
        if first == rows {
            return self.read_rows(0..rows, upper, &read);
        }
        // Between two rows of the part is what the picture has beside it.
        let lower = &mut lower[self.row - usize::from(self.width) * PIXEL..];
        std::thread::scope(|scope| {
            let other = std::thread::Builder::new()
                .spawn_scoped(scope, || self.read_rows(first..rows, lower, &read))?;
            let one = self.read_rows(0..first, upper, &read);
            one.and(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        })
    }

    /// Bytes of the picture from the first pixel of so many rows of the part to the last one.
    fn length_of(&self, rows: usize) -> usize {
        rows.checked_sub(1).map_or(0, |before| before * self.row + usize::from(self.width) * PIXEL)
    }

    /// Puts these rows into the picture, of which `rgb` begins with the first pixel of the first of them.
    fn read_rows(
        &self,
        rows: Range<usize>,
        rgb: &mut [u8],
        read: impl Fn(usize, &mut [u8]) -> std::io::Result<()>,
    ) -> std::io::Result<()> {
        let width = usize::from(self.width);
        let rows_at_a_time = (BAND / self.stride).max(1);
        let mut band = vec![0; rows_at_a_time.min(rows.len()) * self.stride];
        let bands = rgb[..self.length_of(rows.len())].chunks_mut(rows_at_a_time * self.row);
        for (target, first) in bands.zip(rows.step_by(rows_at_a_time)) {
            let source = &mut band[..target.len().div_ceil(self.row) * self.stride];
            read(self.offset + first * self.stride, source)?;
            for (source, target) in source.chunks_exact(self.stride).zip(target.chunks_mut(self.row)) {
                self.layout.convert_rows(width, source, &mut target[..width * PIXEL]);
            }
        }
        Ok(())
    }
}

/// Makes or enlarges the session's shared memory so that `size` bytes fit; leaves none where there can be none.
fn prepare_memory(session: &mut XSession, size: usize) -> Outcome<()> {
    let fits = session.capture.memory.as_ref().is_some_and(|memory| memory.len() >= size);
    if fits || !session.extensions.shared_memory {
        return Ok(());
    }
    if let Some(small) = session.capture.memory.take() {
        small.detach(&session.connection)?;
    }
    session.capture.memory = SharedMemory::new(&session.connection, size)?;
    // What did not work once will not work for the next picture either.
    session.extensions.shared_memory = session.capture.memory.is_some();
    Ok(())
}

/// How pictures of a visual lie in memory, and their depth.
fn layout(session: &XSession, visual: Visualid) -> Outcome<(PixelLayout, u8)> {
    let setup = session.connection.setup();
    let found =
        session.screen.allowed_depths.iter().find_map(|depth| {
            Some((depth.depth, depth.visuals.iter().find(|known| known.visual_id == visual)?))
        });
    let Some((depth, kind)) = found else {
        return Err(failed("the X server does not say how its pixels are coloured").into());
    };
    layout_of(setup, depth, kind).map(|layout| (layout, depth)).ok_or_else(|| {
        failed(format!("pixels of depth {depth} and class {:?} cannot be read as colours", kind.class))
            .with_next("Run the X server with a depth of 16, 24 or 30 bits.")
            .into()
    })
}

fn layout_of(setup: &x11rb::protocol::xproto::Setup, depth: u8, kind: &Visualtype) -> Option<PixelLayout> {
    let format = setup.pixmap_formats.iter().find(|format| format.depth == depth)?;
    PixelLayout::new(kind, format.bits_per_pixel, format.scanline_pad, setup.image_byte_order)
}

fn require_depth(expected: u8, found: u8) -> Outcome<()> {
    if expected == found {
        return Ok(());
    }
    Err(failed(format!("the picture has {found} bits a pixel, its window says {expected}")).into())
}

fn coordinate(value: i32) -> Outcome<i16> {
    i16::try_from(value)
        .map_err(|_| failed(format!("coordinate {value} is beyond what X11 can express")).into())
}

fn length(value: u32) -> Outcome<u16> {
    u16::try_from(value).map_err(|_| failed(format!("length {value} is beyond what X11 can express")).into())
}

/// The pixels could not be read; `why` is the sentence.
pub(super) fn failed(why: impl Into<String>) -> Error {
    Error::new(ErrorCode::CaptureFailed, why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use x11rb::protocol::xproto::ImageOrder;

    fn layout() -> PixelLayout {
        let visual =
            Visualtype { red_mask: 0xff_0000, green_mask: 0xff00, blue_mask: 0xff, ..Default::default() };
        PixelLayout::new(&visual, 32, 32, ImageOrder::LSB_FIRST).expect("known")
    }

    /// Puts a part of a drawable, whose pixels have the colour of their place, into a black picture.
    fn put(area: Rect, part: Rect) -> Vec<u8> {
        let mut rgb = vec![0; area.width as usize * area.height as usize * PIXEL];
        let wanted = Part::new(part, area, layout(), ALIGNMENT).expect("small");
        let bytes: Vec<u8> = (0..part.height)
            .flat_map(|y| (0..part.width).map(move |x| colour(part.x as u32 + x, part.y as u32 + y)))
            .flat_map(|[red, green, blue]| [blue, green, red, 0])
            .collect();
        let read = |offset: usize, target: &mut [u8]| {
            target.copy_from_slice(&bytes[offset - ALIGNMENT..][..target.len()]);
            Ok(())
        };
        wanted.read_into(&mut rgb, read).expect("read");
        rgb
    }

    fn colour(x: u32, y: u32) -> [u8; PIXEL] {
        [(x % 250) as u8 + 1, (y % 250) as u8 + 1, (x / 250 + y / 250) as u8]
    }

    fn check(area: Rect, part: Rect) {
        let rgb = put(area, part);
        for (at, pixel) in rgb.chunks_exact(PIXEL).enumerate() {
            let (x, y) = (at as u32 % area.width + area.x as u32, at as u32 / area.width + area.y as u32);
            let is_inside = part.contains(handeye_core::Point::new(x as i32, y as i32));
            let expected = if is_inside { colour(x, y) } else { [0; PIXEL] };
            assert_eq!(pixel, expected, "{x},{y}");
        }
    }

    #[test]
    fn a_large_part_is_put_into_its_place_by_two_threads() {
        check(Rect::new(3, 5, 1300, 700), Rect::new(10, 20, 1200, 640));
        check(Rect::new(0, 0, 1200, 640), Rect::new(0, 0, 1200, 640));
    }

    proptest! {
        #[test]
        fn a_part_is_put_into_its_place_and_nothing_else_changes(
            (left, top, right, bottom) in (0_u32..9, 0_u32..9, 0_u32..9, 0_u32..9),
            (width, height) in (1_u32..70, 1_u32..70),
        ) {
            let area = Rect::new(7, 9, left + width + right, top + height + bottom);
            check(area, Rect::new(7 + left as i32, 9 + top as i32, width, height));
        }
    }
}
