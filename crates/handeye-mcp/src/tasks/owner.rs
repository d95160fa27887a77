//! Whose a task is.

use handeye_call::caller::Caller;

/// Who may ask for a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Owner {
    caller: Caller,
    /// The session that it belongs to, whose end is its own.
    session: Option<u64>,
}

impl Owner {
    /// The client of this session, and no other.
    pub(crate) const fn session(caller: Caller, number: u64) -> Self {
        Self { caller, session: Some(number) }
    }

    /// This caller, wherever it knows the id of the task: since 2026-07-28 a server knows no sessions.
    pub(crate) const fn bearer(caller: Caller) -> Self {
        Self { caller, session: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_belongs_to_one_caller_and_in_older_revisions_to_one_session() {
        assert_eq!(Owner::bearer(Caller::STDIO), Owner::bearer(Caller::STDIO));
        assert_ne!(Owner::bearer(Caller::STDIO), Owner::bearer(Caller::HTTP_TOKEN));
        assert_ne!(Owner::session(Caller::HTTP_TOKEN, 1), Owner::session(Caller::HTTP_TOKEN, 2));
        assert_ne!(Owner::session(Caller::HTTP_TOKEN, 1), Owner::bearer(Caller::HTTP_TOKEN));
    }
}
