//! Who does the work.

/// The threads on which the strips of a picture are compressed.
///
/// The encoder starts no threads: how many a picture may take is for the program to decide. With the scoped threads of the standard library:
///
/// ```
/// use handeye_png::{Picture, Threads};
/// use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
///
/// struct Two;
///
/// impl Threads for Two {
///     fn for_each(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
///         let next = AtomicUsize::new(0);
///         let some = || while let index @ 0.. = next.fetch_add(1, Relaxed) && index < count { work(index) };
///         std::thread::scope(|scope| {
///             scope.spawn(some);
///             some();
///         });
///     }
/// }
///
/// let grey = vec![128; 2000 * 1000 * 3];
/// let picture = Picture::new(2000, 1000, &grey)?;
/// assert_eq!(picture.to_png_within(usize::MAX, &Two), Some(picture.to_png()));
/// # Ok::<(), handeye_png::Error>(())
/// ```
pub trait Threads {
    /// Calls `work` with each number of `0..count`, in any order and on any threads, and returns when all calls have returned. A
    /// number that is left out or repeated makes the encoder slower, and its file no other.
    fn for_each(&self, count: usize, work: &(dyn Fn(usize) + Sync));
}

/// The calling thread, and no other.
#[derive(Debug, Clone, Copy, Default)]
pub struct OneThread;

impl Threads for OneThread {
    fn for_each(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
        (0..count).for_each(work);
    }
}
