//! An engine on a platform in memory, and the gate before it.

pub(crate) use handeye_fake::{FakeApp, FakeDesktop, Manners, Reaction, insert, monitor};

use handeye_call::call::Call;
use handeye_call::caller::Caller;
use handeye_call::outcome::Answer;
use handeye_call::reader::Reader;
use handeye_core::{Error, ErrorCode, Result, WindowId};
use handeye_engine::{Engine, parameters};
use handeye_service::gate::Gate;
use handeye_service::registry;
use serde_json::Value;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, ThreadId};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// An engine on a fake desktop, and the gate before it.
pub(crate) struct Bench {
    pub(crate) desktop: Arc<FakeDesktop>,
    pub(crate) engine: Engine,
    pub(crate) gate: Gate,
    /// Where its screenshots go.
    pub(crate) screenshots: TempDir,
    /// Keeps other tests waiting meanwhile.
    pub(crate) _alone: Alone,
}

impl Bench {
    /// A desktop on which these applications run.
    pub(crate) fn with(apps: impl IntoIterator<Item = Arc<FakeApp>>) -> Self {
        let alone = Alone::begin();
        let desktop = FakeDesktop::with(apps);
        let mut engine = Engine::new(desktop.platform(), Caller::STDIO);
        let screenshots = TempDir::new().expect("a folder");
        engine.delivery.directory = screenshots.path().into();
        Self { desktop, engine, gate: Gate::default(), screenshots, _alone: alone }
    }

    /// Calls a tool as a client does.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Result<Answer> {
        self.call_with(tool, arguments, Call::new(Reader::MODEL, CancellationToken::new())).await
    }

    /// The same with a call of one's own.
    pub(crate) async fn call_with(&self, tool: &str, arguments: Value, call: Call) -> Result<Answer> {
        self.call_on(&self.engine, tool, arguments, call).await
    }

    /// The same with the engine of another caller.
    pub(crate) async fn call_on(
        &self,
        engine: &Engine,
        tool: &str,
        arguments: Value,
        call: Call,
    ) -> Result<Answer> {
        let operation = registry::by_tool(tool).expect("a tool of that name");
        let input = operation.parse_json(arguments)?;
        let answer = self.gate.call(engine, operation, input, call).await?;
        parameters::check(tool, &operation.output_schema(), &answer.fields).expect("an answer of its schema");
        Ok(answer)
    }

    /// Makes a window the active one of the user's seat.
    pub(crate) async fn bring_forward(&self, window: WindowId) -> Result<()> {
        let desk = &self.engine.desk;
        desk.bring_forward(desk.platform.seats.user.as_ref(), window).await
    }

    /// Calls a tool that has to fail with `code`.
    pub(crate) async fn fails(&self, tool: &str, arguments: Value, code: ErrorCode) -> Error {
        let error = self.call(tool, arguments).await.expect_err("an error");
        assert_eq!(error.code, code, "{error:?}");
        error
    }
}

/// One test at a time has a bench, however many it has. Pictures of a process take turns, and while a test waits for the turn that another test
/// has, a clock that is paused jumps to the next deadline.
pub(crate) struct Alone;

/// The test that has benches, by its thread, and how many.
static HOLDER: Mutex<Option<(ThreadId, usize)>> = Mutex::new(None);
static FREE: Condvar = Condvar::new();

impl Alone {
    /// Waits until no other test has a bench.
    fn begin() -> Self {
        let own = thread::current().id();
        let holder = HOLDER.lock().unwrap_or_else(PoisonError::into_inner);
        let is_taken =
            |holder: &mut Option<(ThreadId, usize)>| holder.is_some_and(|(thread, _)| thread != own);
        let mut holder = FREE.wait_while(holder, is_taken).unwrap_or_else(PoisonError::into_inner);
        *holder = Some((own, holder.map_or(0, |(_, count)| count) + 1));
        Self
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        let mut holder = HOLDER.lock().unwrap_or_else(PoisonError::into_inner);
        *holder = holder.and_then(|(thread, count)| (count > 1).then_some((thread, count - 1)));
        FREE.notify_all();
    }
}
