//! What is seen in a picture: answers to questions about it, and the place of something that is described in words. No accessibility tree is
//! looked at here.

pub mod analysis;
pub mod visual;
