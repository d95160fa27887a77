//! A PNG encoder for screenshots: as fast as the fastest general encoders, with files as small as those of zlib at its default level.
//!
//! A [`Picture`] is 8-bit RGB. [`Picture::to_png`] encodes it on the calling thread; [`Picture::to_png_within`] on the threads that the
//! caller provides, and gives up as soon as the file would be larger than the caller wants it. [`Picture::to_png_after`] takes over what a
//! picture has in common with one that was encoded before.
//!
//! ```
//! use handeye_png::{OneThread, Picture};
//!
//! let white = vec![255; 640 * 480 * 3];
//! let picture = Picture::new(640, 480, &white)?;
//! let file = picture.to_png();
//! assert!(file.starts_with(b"\x89PNG\r\n\x1a\n") && file.len() < 2000);
//! assert_eq!(picture.to_png_within(1_000_000, &OneThread), Some(file));
//! assert_eq!(picture.to_png_within(10, &OneThread), None);
//! # Ok::<(), handeye_png::Error>(())
//! ```
//!
//! # How it works
//!
//! The rows are cut into strips of about 1 MiB, which depend on no other: each is filtered, compressed and forgotten while it is in the
//! processor's cache. The filter of a row follows from how many of its bytes change to the right and downwards. The
//! compressor looks for repetitions where a picture has them (one pixel to the left, one row above, and one place by hash). It writes
//! dynamic Huffman blocks and no others.
//!
//! The same pixels always give the same bytes, whichever threads did the work.
//!
//! # Limits
//!
//! A side has 1 to [`MAX_SIDE`] pixels. Besides the result, the encoder allocates about twice the size of a strip for each thread;
//! a strip has at least one row.

/// The examples of the README, which are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod budget;
mod container;
mod deflate;
mod encode;
mod filter;
mod huffman;
mod picture;
#[cfg(any(test, feature = "samples"))]
pub mod samples;
mod strips;
mod threads;

pub use huffman::code_lengths;
pub use picture::{Error, MAX_SIDE, Picture};
pub use strips::{Earlier, Strips};
pub use threads::{OneThread, Threads};
