//! What a model pays: tokens of the tool list and of outlines, counted with o200k.

use crate::Result;
use crate::applications::{Running, Started};
use crate::mcp_client::{Client, text_of};
use crate::options::Options;
use crate::report::{Report, verdict};
use serde_json::json;
use tiktoken_rs::CoreBPE;

const TOOL_LIST: usize = 4000;
const UNCHANGED: usize = 20;
const LARGEST: usize = 8000;

/// Counts tokens with the vocabulary o200k.
pub struct Tokenizer(CoreBPE);

impl Tokenizer {
    /// Reads the vocabulary, which takes a moment.
    pub fn new() -> Result<Self> {
        Ok(Self(tiktoken_rs::o200k_base()?))
    }

    /// Tokens of a text.
    pub fn count(&self, text: &str) -> usize {
        self.0.encode_ordinary(text).len()
    }
}

/// Counts tokens.
pub fn measure(options: &Options, running: &Running, report: &mut Report) -> Result<()> {
    let tokenizer = Tokenizer::new()?;
    let count = |text: &str| tokenizer.count(text);
    let mut client = Client::start(options)?;
    let tools = client.request("tools/list", &json!({}))?;
    let listed = count(&tools["tools"].to_string());
    let mut rows = vec![["", "tokens", "budget", ""].map(str::to_owned).to_vec()];
    let mut row = |what: String, tokens: usize, budget: usize| {
        rows.push(vec![what, tokens.to_string(), budget.to_string(), verdict(tokens <= budget).to_owned()]);
    };
    let number = tools["tools"].as_array().map_or(0, Vec::len);
    row(format!("tool list, {number} tools"), listed, TOOL_LIST);
    for Started { known: application, app, .. } in running.started() {
        let arguments = json!({"app": app});
        let tree = client.tool("ax_get_tree", &arguments)?;
        let text = text_of(&tree);
        let tokens =
            count(&text) + tree.get("structuredContent").map_or(0, |fields| count(&fields.to_string()));
        row(format!("{}: first look, {} lines", application.title, text.lines().count()), tokens, LARGEST);
        let look = tree["structuredContent"]["look"].as_str().ok_or("a look without a name")?;
        let again = text_of(&client.tool("ax_get_tree", &json!({"app": app, "since": look}))?);
        row(format!("{}: `since` that look, nothing changed", application.title), count(&again), UNCHANGED);
    }
    report.section("Tokens");
    report.say("Text and fields of an answer together, o200k. The budgets of a 260-element window and of every tool are held by tests.");
    report.table(&rows);
    Ok(())
}
