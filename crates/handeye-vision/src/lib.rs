//! Answers questions about pictures: AI providers behind the trait of `handeye-core`.
