//! Memory that the X server writes pictures into.
//!
//! The memory is an anonymous file whose descriptor the server gets: it maps the file and writes, this side reads with
//! `pread`. That copies once more than mapping it here too, but needs no unsafe code, and the copy goes
//! through the processor's cache band by band.

use super::fault::Outcome;
use super::stream::PatientStream;
use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use std::fs::File;
use std::io::Result;
use std::os::unix::fs::FileExt;
use x11rb::connection::Connection;
use x11rb::errors::ReplyError;
use x11rb::protocol::shm::{ConnectionExt as _, Seg};
use x11rb::rust_connection::RustConnection;

/// Memory shared with the X server.
pub(super) struct SharedMemory {
    file: File,
    segment: Seg,
    len: usize,
}

impl SharedMemory {
    /// Memory for `len` bytes; `None` if the server cannot share memory with this process (it is remote, say).
    pub(super) fn new(connection: &RustConnection<PatientStream>, len: usize) -> Outcome<Option<Self>> {
        let file = match anonymous_file(len) {
            Ok(file) => file,
            Err(error) => {
                tracing::debug!(%error, "no anonymous file for sharing pictures with the X server");
                return Ok(None);
            }
        };
        let for_server = match file.try_clone() {
            Ok(descriptor) => descriptor,
            Err(error) => {
                tracing::debug!(%error, "the descriptor of the shared memory cannot be duplicated");
                return Ok(None);
            }
        };
        let segment = connection.generate_id()?;
        let attached =
            connection.shm_attach_fd(segment, std::os::fd::OwnedFd::from(for_server), false)?.check();
        match attached {
            Ok(()) => Ok(Some(Self { file, segment, len })),
            Err(ReplyError::X11Error(error)) => {
                tracing::debug!(?error, "the X server does not share memory with this process");
                Ok(None)
            }
            Err(ReplyError::ConnectionError(error)) => Err(error.into()),
        }
    }

    /// The server's name for it.
    pub(super) fn segment(&self) -> Seg {
        self.segment
    }

    /// Size in bytes.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Reads what the server wrote, from `offset` on.
    pub(super) fn read(&self, offset: usize, bytes: &mut [u8]) -> Result<()> {
        self.file.read_exact_at(bytes, offset as u64)
    }

    /// Gives the server's part of it back.
    pub(super) fn detach(self, connection: &RustConnection<PatientStream>) -> Outcome<()> {
        connection.shm_detach(self.segment)?;
        Ok(())
    }
}

fn anonymous_file(len: usize) -> Result<File> {
    let descriptor = memfd_create("handeye-capture", MemfdFlags::CLOEXEC)?;
    ftruncate(&descriptor, len as u64)?;
    Ok(File::from(descriptor))
}
