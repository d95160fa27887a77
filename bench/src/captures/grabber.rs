//! The floor: `XShmGetImage` of the whole screen and nothing else, and the fastest encoder.

use crate::Result;
use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use std::fs::File;
use std::os::unix::fs::FileExt;
use x11rb::connection::Connection;
use x11rb::protocol::shm::ConnectionExt as _;
use x11rb::protocol::xproto::ImageFormat;

/// Bytes of a pixel as the X server sends it.
const X_PIXEL: usize = 4;

/// Grabs the whole screen.
pub(super) struct Grabber {
    connection: x11rb::rust_connection::RustConnection,
    root: u32,
    segment: u32,
    memory: File,
    /// Of the screen.
    pub(super) size: (u16, u16),
}

impl Grabber {
    pub(super) fn new() -> Result<Self> {
        let (connection, screen) = x11rb::connect(None)?;
        let root = &connection.setup().roots[screen];
        let size = (root.width_in_pixels, root.height_in_pixels);
        let root = root.root;
        let memory = memfd_create("handeye-bench", MemfdFlags::CLOEXEC)?;
        ftruncate(&memory, (length(size)) as u64)?;
        let memory = File::from(memory);
        let segment = connection.generate_id()?;
        connection.shm_attach_fd(segment, memory.try_clone()?, false)?.check()?;
        Ok(Self { connection, root, segment, memory, size })
    }

    /// `XShmGetImage`.
    pub(super) fn grab(&mut self) -> Result<()> {
        let (width, height) = self.size;
        let format = ImageFormat::Z_PIXMAP.into();
        self.connection
            .shm_get_image(self.root, 0, 0, width, height, u32::MAX, format, self.segment, 0)?
            .reply()?;
        Ok(())
    }

    /// The screen's pixels as the server has them.
    pub(super) fn pixels(&mut self) -> Result<Vec<u8>> {
        self.grab()?;
        let mut pixels = vec![0; length(self.size)];
        self.memory.read_exact_at(&mut pixels, 0)?;
        Ok(pixels)
    }

    /// The same as red, green and blue.
    pub(super) fn rgb(&mut self) -> Result<Vec<u8>> {
        Ok(self.pixels()?.chunks_exact(X_PIXEL).flat_map(|pixel| [pixel[2], pixel[1], pixel[0]]).collect())
    }
}

fn length(size: (u16, u16)) -> usize {
    usize::from(size.0) * usize::from(size.1) * X_PIXEL
}

/// Length of the file of the fastest PNG encoder.
pub(super) fn fastest_png(rgb: &[u8], size: (u16, u16)) -> Result<usize> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, size.0.into(), size.1.into());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::Fastest);
    encoder.write_header()?.write_image_data(rgb)?;
    Ok(file.len())
}
