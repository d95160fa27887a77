//! An element that the tree does not have, or of an application without a tree, in the picture of its window: a canvas, a game, a remote desktop.

use super::Output;
use crate::find_visual::{element, present, topmost};
use handeye_act::locate::Located;
use handeye_call::call::Call;
use handeye_call::outcome::Outcome;
use handeye_core::{Application, Error, ErrorCode, Result, States, Text};
use handeye_engine::Engine;
use handeye_query::{Query, Strategy};
use handeye_sight::visual::{self, Effort, SearchIn, Sought};

/// Looks for what a query means in the topmost window of the application.
///
/// # Errors
/// `missed`, where nobody is to look, or nobody sees it; the error says who looked. [`ErrorCode::InputRequired`] until the client's model
/// has answered.
pub(super) async fn find(
    engine: &Engine,
    call: &Call,
    application: &Application,
    query: &str,
    missed: Error,
) -> Result<Outcome<Output>> {
    let Some(effort) = engine.find_fallback.effort() else { return Err(missed) };
    let parsed = Query::parse(query, Strategy::Auto)?;
    let Some(words) = parsed.in_words() else { return Err(missed) };
    let sought = match look(engine, call, application, words, effort).await {
        Ok(sought) => sought,
        Err(error) if matches!(error.code, ErrorCode::InputRequired | ErrorCode::Cancelled) => {
            return Err(error);
        }
        Err(error) => return Err(nor_by_sight(missed, &error.message)),
    };
    let Some(hit) = &sought.hit else {
        let why: Vec<String> = sought.failures().into_iter().chain(sent(&sought)).collect();
        return Err(nor_by_sight(missed, &why.join("; ")));
    };
    let under = element(engine, call, application, &sought.picture, hit).await;
    let (strategy, title) = (hit.step.as_str(), hit.text.clone().unwrap_or_else(|| words.to_owned()));
    let (confidence, matches) = (hit.confidence, hit.others.len() + 1);
    let seen = present(engine, call, &sought, under.as_ref()).await?;
    let mut text = Text::from("Not in the accessibility tree, but in the picture of the window");
    if let Some(sent) = sent(&sought) {
        text.push_str(&format!("; {sent}"));
    }
    text.push_str(".\n");
    text.push(seen.text);
    let node = under.as_ref().map(|under| &under.node);
    let state = |state: States| node.map(|node| node.states.contains(state));
    let fields = Output {
        found: true,
        method: "visual",
        strategy,
        role: node.map_or_else(String::new, |node| node.role.to_string()),
        title,
        value: node.and_then(|node| super::shown_value(node)),
        position: seen.position,
        size: seen.size,
        enabled: node.map(|node| node.is_enabled()),
        focused: state(States::FOCUSED),
        element_ref: under.as_ref().and_then(Located::shown_reference).map(str::to_owned),
        healed: None,
        confidence: confidence.map(|sure| (sure * 100.0).round() / 100.0),
        matches,
        point: seen.point,
        screenshot: seen.screenshot,
        path: seen.path,
    };
    Ok(Outcome { notes: seen.notes, pictures: seen.pictures, ..Outcome::new(text, fields) })
}

async fn look(
    engine: &Engine,
    call: &Call,
    application: &Application,
    words: &str,
    effort: Effort,
) -> Result<Sought> {
    let window = topmost(engine, application).await?;
    visual::search(engine.eyes(), call, &format!("\"{words}\""), SearchIn::Window(window), effort).await
}

/// Where the picture went; `None` if it stayed on this machine.
fn sent(sought: &Sought) -> Option<String> {
    let recipients = sought.recipients();
    (!recipients.is_empty()).then(|| format!("the picture was sent to {}", recipients.join(" and ")))
}

fn nor_by_sight(mut missed: Error, why: &str) -> Error {
    missed.message = format!("{}; nor is it seen in the picture of the window: {why}", missed.message);
    missed
}
