//! Reads the pixels of a drawable.

use super::fault::Outcome;
use super::pixels::PixelLayout;
use super::shared_memory::SharedMemory;
use super::stamps::stamped;
use super::x_session::XSession;
use handeye_core::{Error, ErrorCode, Frame, Rect, Stamp};
use x11rb::connection::Connection;
use x11rb::protocol::shm::ConnectionExt as _;
use x11rb::protocol::xproto::{ConnectionExt as _, Drawable, ImageFormat, Visualid, Visualtype};

/// Bytes that are read and converted at a time: small enough to stay in the processor's cache.
const BAND: usize = 256 * 1024;
/// Bytes of a picture from which on a second thread saves more time than it costs.
const WORTH_A_THREAD: usize = 2 * 1024 * 1024;
/// All bits of a pixel.
const ALL_PLANES: u32 = !0;

/// The pixels of `part` of a drawable (in its own coordinates, wholly inside of it) as RGB.
pub(super) fn rgb(
    session: &mut XSession,
    drawable: Drawable,
    visual: Visualid,
    part: Rect,
) -> Outcome<Vec<u8>> {
    let (layout, depth) = layout(session, visual)?;
    let (x, y) = (coordinate(part.x)?, coordinate(part.y)?);
    let (width, height) = (length(part.width)?, length(part.height)?);
    let stride = layout.stride(usize::from(width));
    let size = stride * usize::from(height);
    let mut rgb = vec![0; usize::from(width) * usize::from(height) * 3];

    prepare_memory(session, size)?;
    if let Some(memory) = &session.capture.memory {
        let format = ImageFormat::Z_PIXMAP.into();
        let reply = session
            .connection
            .shm_get_image(drawable, x, y, width, height, ALL_PLANES, format, memory.segment(), 0)?
            .reply()?;
        require_depth(depth, reply.depth)?;
        let stored = Stored { memory, layout, width: width.into(), stride, size };
        stored
            .read_into(&mut rgb)
            .map_err(|error| failed(format!("the shared picture could not be read: {error}")))?;
    } else {
        let reply = session
            .connection
            .get_image(ImageFormat::Z_PIXMAP, drawable, x, y, width, height, ALL_PLANES)?
            .reply()?;
        require_depth(depth, reply.depth)?;
        if reply.data.len() < size {
            return Err(failed("the X server sent fewer pixels than were asked for").into());
        }
        layout.convert_rows(width.into(), &reply.data, &mut rgb);
    }
    Ok(rgb)
}

/// A picture that the server wrote into shared memory.
struct Stored<'a> {
    memory: &'a SharedMemory,
    layout: PixelLayout,
    /// Pixels of a row.
    width: usize,
    /// Bytes from one row to the next.
    stride: usize,
    /// Bytes of the picture.
    size: usize,
}

impl Stored<'_> {
    /// Its pixels as RGB, of a large picture in two halves at the same time.
    fn read_into(&self, rgb: &mut [u8]) -> std::io::Result<()> {
        let rows = self.size / self.stride;
        let has_cores = std::thread::available_parallelism().is_ok_and(|cores| cores.get() > 1);
        let first = if self.size > WORTH_A_THREAD && has_cores { rows / 2 } else { rows };
        let (upper, lower) = rgb.split_at_mut(first * self.width * 3);
        if lower.is_empty() {
            return self.read_rows(0, upper);
        }
        std::thread::scope(|scope| {
            let other = std::thread::Builder::new().spawn_scoped(scope, || self.read_rows(first, lower))?;
            let one = self.read_rows(0, upper);
            one.and(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        })
    }

    /// The rows from `first` on, as many as fit into `rgb`.
    fn read_rows(&self, first: usize, rgb: &mut [u8]) -> std::io::Result<()> {
        let rows_at_a_time = (BAND / self.stride).max(1);
        let mut band = vec![0; rows_at_a_time * self.stride];
        for (index, target) in rgb.chunks_mut(rows_at_a_time * self.width * 3).enumerate() {
            let rows = target.len() / (self.width * 3);
            let source = &mut band[..rows * self.stride];
            self.memory.read((first + index * rows_at_a_time) * self.stride, source)?;
            self.layout.convert_rows(self.width, source, target);
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

/// The pixels of a part of the screen, one for each unit of it.
pub(super) struct Pixels {
    /// The part.
    pub(super) area: Rect,
    /// `area.width * area.height * 3` bytes.
    pub(super) rgb: Vec<u8>,
    /// What was drawn last before they were read; `None` where that is not known, or they are not as the server has them.
    pub(super) stamp: Option<Stamp>,
}

impl From<Pixels> for Frame {
    fn from(pixels: Pixels) -> Self {
        Self::new(pixels.area, pixels.rgb).taken_after(pixels.stamp)
    }
}

/// Captures a part of the desktop as it is seen, which has to lie on it.
pub(super) fn part_of_desktop(session: &mut XSession, area: Rect) -> Outcome<Pixels> {
    let (root, visual) = (session.root(), session.screen.root_visual);
    let (rgb, stamp) = stamped(session, root, |session| rgb(session, root, visual, area))?;
    Ok(Pixels { area, rgb, stamp })
}
