//! One definition, two faces: an operation is written once and offered as an MCP tool and as a CLI subcommand.

use crate::dialect::Dialect;
use crate::engine::Engine;
use crate::parameters;
use crate::toolset::Toolset;
use async_trait::async_trait;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use handeye_call::call::Call;
use handeye_call::outcome::{Answer, Outcome};
use handeye_core::{Error, ErrorCode, Invocation, Result, Text, text};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::any::Any;
use std::marker::PhantomData;
use std::sync::OnceLock;
use std::time::Duration;

/// What is known of an operation without running it.
#[expect(clippy::struct_excessive_bools, reason = "they are the hints of the protocol, each by itself")]
#[derive(Debug, Clone, Copy)]
pub struct Meta {
    /// Name of the MCP tool, for example `ax_get_tree`.
    pub tool: &'static str,
    /// Name of the CLI subcommand, for example `tree`.
    pub command: &'static str,
    /// Title for people.
    pub title: &'static str,
    /// What a model reads before it calls. Every word costs tokens in every conversation.
    pub description: &'static str,
    /// The parameter that names the application.
    pub application: &'static str,
    /// The parameters that name an element, by a query or a reference: a reference there names the application too.
    pub elements: &'static [&'static str],
    /// The group with which a server offers it or leaves it out.
    pub toolset: Toolset,
    /// Whether it leaves the desktop as it is.
    pub read_only: bool,
    /// Whether it may destroy something.
    pub destructive: bool,
    /// Whether doing it twice is the same as doing it once.
    pub idempotent: bool,
    /// Whether it reaches beyond this desktop.
    pub open_world: bool,
    /// How long a call may take when the client does not say. A call that waits adds its own waiting time.
    pub deadline: Duration,
    /// The call that gets what a too large answer left out.
    pub narrower: fn() -> Text,
    /// The field whose list is all that a script is after, if the fields are such a list.
    pub rows: Option<&'static str>,
    /// Whether it looks at the desktop, so that a later call gains from what was seen.
    pub looks_at_desktop: bool,
    /// Whose error codes its clients know.
    pub dialect: Dialect,
    /// Whether clients get the schema of its fields: not where the specification that its clients know describes
    /// them, as every word of it costs tokens in every conversation. The fields themselves are always sent.
    pub output_published: bool,
    /// Whether a client may have it run as a task: answered at once, asked for its result later.
    pub task: bool,
    /// Whether it makes pictures, so that the command line lets one choose the folder for them.
    pub pictures: bool,
    /// Whether it calls other operations. Such a one ends by itself when it is cancelled, with an account of what was done.
    pub composes: bool,
}

impl Meta {
    /// An operation that only looks, in the toolset `observe`; the rest is filled in with struct update syntax.
    pub const READ: Self = Self {
        tool: "",
        command: "",
        title: "",
        description: "",
        application: "app",
        elements: &[],
        toolset: Toolset::Observe,
        read_only: true,
        destructive: false,
        idempotent: true,
        open_world: false,
        deadline: Duration::from_secs(10),
        narrower: || "Ask for less: name one element with a query.".into(),
        rows: None,
        looks_at_desktop: true,
        dialect: Dialect::Handeye,
        output_published: true,
        task: false,
        pictures: false,
        composes: false,
    };

    /// An operation that acts on an application and may destroy something there, in the toolset `action`.
    pub const ACT: Self = Self {
        toolset: Toolset::Action,
        read_only: false,
        destructive: true,
        idempotent: false,
        narrower: || text![Invocation::of("ax_get_tree"), " shows the application as it is now."],
        ..Self::READ
    };
}

/// Something that handeye can do. Implement it on an empty struct, one file each; the line of its module lists it.
#[async_trait]
pub trait Operation: Send + Sync + 'static {
    /// Parameters: one struct for JSON (serde), its schema (schemars) and the command line (clap).
    /// Annotate it with `#[serde(deny_unknown_fields)]`. What is written as JSON is read as the same again.
    type Input: Serialize + DeserializeOwned + JsonSchema + Args + Send + 'static;
    /// Fields of the answer.
    type Output: Serialize + JsonSchema + Send;
    /// Name, description and annotations.
    const META: Meta;

    /// The application that the call names, for the policy and the audit log.
    fn application(_input: &Self::Input) -> Option<&str> {
        None
    }

    /// Whether the call names a file that is read or written.
    fn names_files(_input: &Self::Input) -> bool {
        false
    }

    /// How long a call may take where that can be configured.
    fn deadline(_engine: &Engine) -> Duration {
        Self::META.deadline
    }

    /// How long the call waits because it was asked to, on top of [`Operation::deadline`].
    fn waiting(_input: &Self::Input) -> Duration {
        Duration::ZERO
    }

    /// Does it. The gate has already checked the policy, and ends the call at its deadline or when it is cancelled:
    /// at any await this future may be dropped, so what must be undone (a held key) is undone by a guard.
    async fn run(engine: &Engine, call: &Call, input: Self::Input) -> Result<Outcome<Self::Output>>;
}

/// Parameters of something that runs, parsed and not yet used.
pub struct ParsedInput {
    /// The application that they name.
    pub application: Option<String>,
    /// How long the call waits because it was asked to.
    pub waiting: Duration,
    /// Whether they name a file that is read or written.
    pub names_files: bool,
    /// As what the policy judges it, if not as the operation that it is for.
    pub judged_as: Option<JudgedAs>,
    input: Box<dyn Any + Send>,
    written: fn(&(dyn Any + Send)) -> Value,
}

/// The call that something equals for the policy.
#[derive(Debug, Clone)]
pub struct JudgedAs {
    /// The operation.
    pub meta: &'static Meta,
    /// The application that it would name.
    pub application: Option<String>,
}

impl ParsedInput {
    /// Parameters that name no application and ask for no wait.
    pub fn of(input: impl Any + Send) -> Self {
        Self {
            application: None,
            waiting: Duration::ZERO,
            names_files: false,
            judged_as: None,
            input: Box::new(input),
            written: |_| Value::Null,
        }
    }

    /// The same parameters, which the policy judges as those of another call.
    #[must_use]
    pub fn judged_as(mut self, call: JudgedAs) -> Self {
        self.judged_as = Some(call);
        self
    }

    /// The parameters as JSON, as far as they have such a form.
    pub fn arguments(&self) -> Value {
        (self.written)(self.input.as_ref())
    }

    /// The parameters themselves.
    ///
    /// # Errors
    /// [`ErrorCode::Internal`] if they are those of something else.
    pub fn into_inner<T: Any>(self) -> Result<T> {
        let input = self.input.downcast::<T>();
        input.map(|input| *input).map_err(|_| Error::internal("parameters of another operation"))
    }
}

/// What the gate runs: an operation, or the reading of a resource.
#[async_trait]
pub trait Runnable: Send + Sync {
    /// Name, description and annotations.
    fn meta(&self) -> &'static Meta;
    /// How long a call may take, without what it was asked to wait.
    fn deadline(&self, engine: &Engine) -> Duration;
    /// Runs it. Call it through the gate only.
    async fn run(&self, engine: &Engine, call: &Call, input: ParsedInput) -> Result<Answer>;
}

/// An operation whose types are erased, as the registry holds it.
pub trait AnyOperation: Runnable {
    /// JSON schema of the parameters, as slim as it can be.
    fn input_schema(&self) -> Value;
    /// JSON schema of the fields of the answer, as slim as it can be.
    fn output_schema(&self) -> Value;
    /// The subcommand with its arguments.
    fn command(&self) -> Command;
    /// Parses JSON parameters; names every parameter that is missing, unknown or of the wrong type.
    fn parse_json(&self, arguments: Value) -> Result<ParsedInput>;
    /// Parses command line arguments.
    fn parse_arguments(&self, matches: &ArgMatches) -> Result<ParsedInput>;
    /// Command line arguments as JSON, for [`accept`](Self::accept) in another process.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidParameter`] if a value has no spelling in JSON, as a path that is no text.
    fn written(&self, matches: &ArgMatches) -> Result<Value>;
    /// Takes over what another process of this user has parsed: all that the command line takes, which is more than schemas have. Faults are
    /// named as by [`parse_json`](Self::parse_json).
    fn accept(&self, input: Value) -> Result<ParsedInput>;
}

/// Erases the types of an operation.
pub struct Erased<O> {
    /// The schema with its limits, made at the first call: parameters are checked against it.
    strict_schema: OnceLock<Value>,
    operation: PhantomData<fn() -> O>,
}

impl<O: Operation> Erased<O> {
    /// The operation, boxed for the registry.
    pub fn boxed() -> Box<dyn AnyOperation> {
        Box::new(Self { strict_schema: OnceLock::new(), operation: PhantomData })
    }

    fn read(matches: &ArgMatches) -> Result<O::Input> {
        O::Input::from_arg_matches(matches).map_err(|error| {
            let shown = error.to_string();
            Error::new(ErrorCode::InvalidParameter, shown.strip_prefix("error: ").unwrap_or(&shown))
        })
    }

    fn parsed(input: O::Input) -> ParsedInput {
        ParsedInput {
            application: O::application(&input).map(str::to_owned),
            waiting: O::waiting(&input),
            names_files: O::names_files(&input),
            judged_as: None,
            input: Box::new(input),
            written: |input| {
                let input = input.downcast_ref::<O::Input>();
                // What has no form in JSON, as a path that is no text, is left out.
                input.and_then(|input| serde_json::to_value(input).ok()).unwrap_or_default()
            },
        }
    }
}

#[async_trait]
impl<O: Operation> Runnable for Erased<O> {
    fn meta(&self) -> &'static Meta {
        const { &O::META }
    }

    fn deadline(&self, engine: &Engine) -> Duration {
        O::deadline(engine)
    }

    async fn run(&self, engine: &Engine, call: &Call, input: ParsedInput) -> Result<Answer> {
        let outcome = O::run(engine, call, input.into_inner()?).await?;
        let fields = serde_json::to_value(&outcome.fields).map_err(Error::internal)?;
        Ok(outcome.with_fields(fields))
    }
}

impl<O: Operation> AnyOperation for Erased<O> {
    fn input_schema(&self) -> Value {
        parameters::slim_schema::<O::Input>()
    }

    fn output_schema(&self) -> Value {
        parameters::slim_answer_schema::<O::Output>()
    }

    fn command(&self) -> Command {
        O::Input::augment_args(Command::new(O::META.command)).about(O::META.title).long_about(format!(
            "{}. {}",
            O::META.title,
            O::META.description
        ))
    }

    fn parse_json(&self, arguments: Value) -> Result<ParsedInput> {
        let arguments = if arguments.is_null() { Value::Object(serde_json::Map::new()) } else { arguments };
        let schema = self.strict_schema.get_or_init(parameters::strict_schema::<O::Input>);
        parameters::check(O::META.tool, schema, &arguments)?;
        let input: O::Input = serde_json::from_value(arguments)
            // The parser's own message may quote a value, and a value may be a password: it is not passed on.
            .map_err(|_| {
                Error::new(
                    ErrorCode::InvalidParameter,
                    format!("the parameters of {} do not fit its schema", O::META.tool),
                )
            })?;
        Ok(Self::parsed(input))
    }

    fn parse_arguments(&self, matches: &ArgMatches) -> Result<ParsedInput> {
        Self::read(matches).map(Self::parsed)
    }

    fn written(&self, matches: &ArgMatches) -> Result<Value> {
        let mut written = serde_json::to_value(Self::read(matches)?).map_err(|fault| {
            let message = format!("the arguments of {} cannot be written: {fault}", O::META.command);
            Error::new(ErrorCode::InvalidParameter, message)
        })?;
        leave_out_nothing(&mut written);
        Ok(written)
    }

    fn accept(&self, input: Value) -> Result<ParsedInput> {
        serde_json::from_value(input.clone())
            .map_or_else(|_| self.parse_json(input), |input| Ok(Self::parsed(input)))
    }
}

/// Takes out the fields that hold nothing.
fn leave_out_nothing(value: &mut Value) {
    if let Value::Object(fields) = value {
        fields.retain(|_, field| !field.is_null());
        fields.values_mut().for_each(leave_out_nothing);
    }
}
