//! Trees for tests, written as the outlines that they give.
