//! What a client pays in tokens for what the server sends before anything is done: budgets, and the table in `docs/token-costs.md`.
//! `HANDEYE_WRITE_DOCS=1 cargo test -p handeye --test token_costs` writes that again.

mod support;

use serde_json::{Value, json};
use std::path::Path;
use support::{Server, handeye, modern};

/// Where the table is.
const TABLE: &str = "../../docs/token-costs.md";
/// Where the generated part of the page begins and ends.
const MARKS: [&str; 2] = ["<!-- begin: written by the test token_costs -->\n", "<!-- end -->\n"];

/// What may cost how much.
const BUDGETS: &[(&str, usize)] = &[
    ("tools, default, as a model gets them", 2_400),
    ("tools, all toolsets, as a model gets them", 6_500),
    ("tools, default, with output schemas", 3_500),
    ("tools, all toolsets, with output schemas", 9_000),
    ("tools, --read-only", 2_200),
    ("tools, --toolsets find,action", 2_200),
    ("instructions", 400),
    ("instructions, --read-only", 300),
    ("prompts", 1_000),
    ("longest prompt, without its state", 900),
    ("resources", 400),
    ("resource templates", 700),
    ("SKILL.md", 1_200),
];

struct Scale(tiktoken_rs::CoreBPE);

impl Scale {
    fn weigh(&self, text: &str) -> usize {
        self.0.encode_ordinary(text).len()
    }
}

fn ask(flags: &[&str], method: &str, params: &Value) -> Value {
    let mut server = Server::start_with(&mut handeye(), flags);
    let mut params = params.clone();
    params["_meta"] = modern();
    let answer = server.ask(method, params);
    assert!(answer["result"].is_object(), "{method}: {answer}");
    answer["result"].clone()
}

/// The cost of everything in [`BUDGETS`], in its order.
fn costs() -> Vec<usize> {
    let scale = Scale(tiktoken_rs::o200k_base().expect("the vocabulary is built in"));
    let list = |flags: &[&str], method: &str, key: &str| {
        scale.weigh(&ask(flags, method, &json!({}))[key].to_string())
    };
    // Of a tool, a model reads these three.
    let model = |flags: &[&str]| {
        let mut tools =
            ask(&[&["--client-profile", "model"], flags].concat(), "tools/list", &json!({}))["tools"].clone();
        for tool in tools.as_array_mut().expect("tools") {
            let fields = tool.as_object_mut().expect("a tool");
            fields.retain(|name, _| ["name", "description", "inputSchema"].contains(&name.as_str()));
        }
        scale.weigh(&tools.to_string())
    };
    let instructions = |flags: &[&str]| {
        let discovered = ask(flags, "server/discover", &json!({}));
        scale.weigh(discovered["instructions"].as_str().expect("instructions"))
    };
    let prompts = ask(&[], "prompts/list", &json!({}))["prompts"].clone();
    let longest = prompts.as_array().expect("prompts").iter().map(|prompt| {
        let required = prompt["arguments"].as_array().expect("arguments").iter();
        let arguments: serde_json::Map<String, Value> = required
            .map(|argument| argument["name"].as_str().expect("a name").to_owned())
            .filter(|name| !["dry_run", "output_format", "standard"].contains(&name.as_str()))
            .map(|name| {
                let value = if name == "include_a11y_audit" { "true" } else { "mousepad" };
                (name, value.into())
            })
            .collect();
        let got = ask(&[], "prompts/get", &json!({"name": prompt["name"], "arguments": arguments}));
        scale.weigh(got["messages"][0]["content"]["text"].as_str().expect("text"))
    });
    let skill = handeye().arg("skill").output().expect("it prints");
    vec![
        model(&[]),
        model(&["--toolsets", "all,script"]),
        list(&[], "tools/list", "tools"),
        list(&["--toolsets", "all,script"], "tools/list", "tools"),
        list(&["--read-only"], "tools/list", "tools"),
        list(&["--toolsets", "find,action"], "tools/list", "tools"),
        instructions(&[]),
        instructions(&["--read-only"]),
        scale.weigh(&prompts.to_string()),
        longest.max().expect("prompts"),
        list(&[], "resources/list", "resources"),
        list(&[], "resources/templates/list", "resourceTemplates"),
        scale.weigh(&support::stdout(&skill)),
    ]
}

#[test]
fn everything_stays_within_its_budget() {
    let costs = costs();
    assert_eq!(costs.len(), BUDGETS.len());
    let mut table = "| | tokens | budget |\n| --- | ---: | ---: |\n".to_owned();
    for ((name, budget), cost) in BUDGETS.iter().zip(&costs) {
        table.push_str(&format!("| {name} | {cost} | {budget} |\n"));
    }
    println!("{table}");
    for ((name, budget), cost) in BUDGETS.iter().zip(&costs) {
        assert!(cost <= budget, "{name}: {cost} tokens, the budget is {budget}");
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(TABLE);
    let page = std::fs::read_to_string(&path).expect("the page");
    let (before, rest) = page.split_once(MARKS[0]).expect("the mark of the beginning");
    let (written, after) = rest.split_once(MARKS[1]).expect("the mark of the end");
    if std::env::var_os("HANDEYE_WRITE_DOCS").is_some() {
        let page = format!("{before}{}{table}{}{after}", MARKS[0], MARKS[1]);
        std::fs::write(&path, page).expect("the page is written");
    } else {
        assert_eq!(written, table, "write it anew with HANDEYE_WRITE_DOCS=1");
    }
}
