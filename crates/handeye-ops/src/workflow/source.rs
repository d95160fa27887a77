//! Where a workflow comes from: its steps are parameters of the call, or in a file that it names.

use crate::{folders, input_file};
use handeye_call::call::Call;
use handeye_core::{Error, ErrorCode, Result};
use handeye_engine::Engine;
use handeye_flow::definition::Flow;
use handeye_flow::{Step, file};
use serde_json::{Map, Value};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// The parameter.
const PARAMETER: &str = "file";
/// How the name of such a file ends: a call must not have any file read and shown in an error.
const ENDINGS: [&str; 3] = ["yaml", "yml", "json"];

/// What a call says of its workflow.
pub(super) struct Given {
    pub(super) steps: Vec<Step>,
    pub(super) file: Option<String>,
    pub(super) name: Option<String>,
    pub(super) variables: Map<String, Value>,
}

impl Given {
    /// The workflow, and what distinguishes the file that it was read from: it may be another one when the call goes on after a question.
    ///
    /// # Errors
    /// A file that is none or cannot be read; steps beside a file.
    pub(super) async fn workflow(self, engine: &Engine, call: &Call) -> Result<(Flow, Option<u64>)> {
        let Self { steps, file, name, variables } = self;
        let Some(path) = file else {
            return Ok((Flow { name, variables, steps, ..Flow::default() }, None));
        };
        if !steps.is_empty() {
            return Err(Error::invalid_parameter(PARAMETER, "has the steps: 'steps' cannot stand beside it"));
        }
        check_ending(&path)?;
        let here = engine.delivery.working_directory.clone();
        let path: PathBuf = folders::found(call, &here, path).await?.into();
        let title = path.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned);
        let bytes = input_file::read(here, path, PARAMETER, input_file::WORKFLOW).await?;
        let text = String::from_utf8(bytes)
            .map_err(|_| Error::new(ErrorCode::InvalidParameter, "the workflow is not UTF-8"))?;
        let mut flow = file::parse(&text)?;
        flow.variables.extend(variables);
        flow.name = name.or(flow.name).or(title);
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        Ok((flow, Some(hasher.finish())))
    }
}

fn check_ending(path: &str) -> Result<()> {
    let ending = Path::new(path).extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    if ENDINGS.iter().any(|known| known.eq_ignore_ascii_case(ending)) {
        return Ok(());
    }
    Err(Error::invalid_parameter(PARAMETER, "is no workflow: its name ends in .yaml, .yml or .json"))
}
