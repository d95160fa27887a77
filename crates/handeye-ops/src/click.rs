//! `ax_click`: clicks an element, in the background unless asked otherwise.

use crate::answer::{acted, unchanged};
use crate::menu;
use crate::pointer_click::{OwnPointer, got_no_click, own_pointer, with_own_pointer, with_pointer};
use crate::shared::{ActionOutput, ClickType, Mode};
use crate::target::target;
use async_trait::async_trait;
use clap::Args;
use handeye_act::effect::Effect;
use handeye_act::locate::Located;
use handeye_act::{
    Actor, ApplicationClick, Clicks, Goal, OwnClick, Request, SeatOf, ShownBy, named, press, refused,
    user_elsewhere,
};
use handeye_call::call::Call;
use handeye_call::outcome::Outcome;
use handeye_core::{
    ActiveWindow, Argument, Button, DetailKinds, Error, Invocation, Node, NodeAction, NodeId, Result, Role,
    States, Support, Takes, Tree, text,
};
use handeye_engine::{Engine, Meta, Operation};
use handeye_tree::describe::quote;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Clicks an element.
pub struct Click;

/// What to click and how.
#[derive(Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Query or reference
    query: String,
    #[arg(long, default_value = "frontmost", help = "Application: name, alias or pid")]
    app: String,
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    click_type: ClickType,
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    mode: Mode,
}

#[async_trait]
impl Operation for Click {
    type Input = Input;
    type Output = ActionOutput;
    const META: Meta = Meta {
        tool: "ax_click",
        command: "click",
        title: "Click UI element",
        description: "Returns what changed",
        elements: &["query"],
        ..Meta::ACT
    };

    fn application(input: &Input) -> Option<&str> {
        Some(&input.app)
    }

    async fn run(engine: &Engine, call: &Call, input: Input) -> Result<Outcome<ActionOutput>> {
        let actor = Actor::begin(&engine.desk, call, &input.app, ShownBy::AnyChange).await?;
        let target = target(engine, &actor, &input.query).await?;
        if input.click_type != ClickType::Hover {
            check_enabled(&target, "the click")?;
        }
        match input.mode {
            Mode::Background => in_background(&actor, &target, input.click_type).await,
            Mode::Focus => with_pointer(&actor, &target, input.click_type, SeatOf::User).await,
        }
    }
}

/// A greyed out element takes nothing in either mode.
pub(super) fn check_enabled(target: &Located, what: &str) -> Result<()> {
    if !target.node.is_greyed_out() {
        return Ok(());
    }
    Err(refused(
        what,
        &format!("{} is disabled", named(target)),
        text!["First do what enables it: ", Invocation::of("ax_get_tree"), " shows the window as it is."],
    ))
}

/// Clicks without pointer and focus, or refuses.
pub(super) async fn in_background(
    actor: &Actor<'_>,
    target: &Located,
    click: ClickType,
) -> Result<Outcome<ActionOutput>> {
    if click == ClickType::Single && takes_caret(&target.node) {
        return put_caret(actor, target).await;
    }
    let Some((node, action)) = background_action(actor, target, click).await? else {
        return without_action(actor, target, click).await;
    };
    let application = actor.app.application();
    let opens = click == ClickType::Right || menu::is_opener(actor, &node).await?;
    if opens && let Some(user) = user_elsewhere(actor.desk, application).await {
        // What is opened by request takes the user's keyboard; what an agent's pointer opens is the agent's.
        let needs_users = click != ClickType::Right && actor.app.on_agent_seat().popups == Takes::Users;
        // A menu within a menu that is closed is nowhere on the screen.
        let can_be_reached = node.is_showing();
        return match own_pointer(actor).await {
            Support::Yes if can_be_reached && !needs_users => {
                with_pointer(actor, target, click, SeatOf::Agent).await
            }
            _ => Err(menu::refusal(actor, target, node.id, click, &user).await?),
        };
    }
    let mut left_out = None;
    if actor.app.is_part_of_click(node.id, &action) {
        match with_own_pointer(actor, target, click).await? {
            OwnPointer::Clicked(outcome) => return Ok(*outcome),
            OwnPointer::OutOfReach(why) if actor.app.only_shows(node.id, &action) => return Err(why),
            OwnPointer::OutOfReach(why) => left_out = Some(why),
        }
    }
    let does_act = if actor.app.only_shows(node.id, &action) {
        reported_late(actor, node.id, click).await?
    } else {
        Some((node, action))
    };
    let Some((node, action)) = does_act else {
        if let OwnClick::Taken(own) = own_click(actor, target, click) {
            return by_own_input(actor, target, click, &own).await;
        }
        return match own_pointer(actor).await {
            Support::Yes => with_pointer(actor, target, click, SeatOf::Agent).await,
            Support::No(_) => Err(only_shown(target)),
        };
    };
    by_action(actor, target, click, &AsAction { node, action, opens, left_out }).await
}

/// A click as what the element offers.
struct AsAction {
    /// What is asked: the element, or what is around it.
    node: Node,
    action: NodeAction,
    opens: bool,
    /// Why there is no whole click, where the action does a part of it.
    left_out: Option<Error>,
}

/// Clicks by an action of the element.
async fn by_action(
    actor: &Actor<'_>,
    target: &Located,
    click: ClickType,
    by: &AsAction,
) -> Result<Outcome<ActionOutput>> {
    let AsAction { node, action, opens, left_out } = by;
    let note = left_out.as_ref().map(|why| got_no_click(why, *opens));
    if note.is_some() && !opens && node.states.contains(States::SELECTED) {
        // The action would take it out of the selection.
        let effect = Effect::confirmed("it was selected already");
        let mut outcome = unchanged(&format!("Selected {}", named(target)), target, effect);
        outcome.notes.extend(note);
        return Ok(outcome);
    }
    let is_pick = matches!(action, NodeAction::Select { .. });
    let hint = text![
        if is_pick { "If it should: " } else { "If it should have: " },
        Invocation::of("ax_click").with("query", &*target.handle).with("mode", "focus"),
        "."
    ];
    // The first click of a double click selects, and what opens an item may look at the selection.
    let selects = click == ClickType::Double && node.states.contains(States::SELECTABLE) && !is_pick;
    let request = Request {
        node,
        goal: if is_pick { Goal::Picked } else { Goal::Press },
        first: selects.then_some(NodeAction::Select { extend: false }),
        closes_menu: !is_pick && menu::is_item(node.role) && !*opens,
        secret: None,
        ..Request::to(target, action.clone(), Goal::Press)
    };
    let report = actor.act(&request).await?;
    let did = match click {
        _ if note.is_some() && !opens => "Selected",
        _ if is_pick => "Clicked",
        click => click.done(),
    };
    let mut outcome = acted(actor, &format!("{did} {}", named(target)), Some(target), &report, Some(hint));
    if is_pick && press::double(node).is_some() {
        let double = Argument::new("click_type", "double").in_a_sentence();
        outcome.notes.push(text!["It was selected, not opened: ", double, " opens it."]);
    }
    outcome.notes.extend(note);
    Ok(outcome)
}

/// Clicks an element that offers no action by a click of its own application, or refuses.
async fn without_action(
    actor: &Actor<'_>,
    target: &Located,
    click: ClickType,
) -> Result<Outcome<ActionOutput>> {
    let own = own_click(actor, target, click);
    let mut why_not = match own {
        OwnClick::Taken(own) => return by_own_input(actor, target, click, &own).await,
        OwnClick::Missing(missing) => format!(", and no click of its own: {}", missing.reason),
        OwnClick::None => String::new(),
    };
    if !matches!(click, ClickType::Right | ClickType::Hover)
        && actor.app.on_agent_seat().popups == Takes::Users
        && menu::is_opener(actor, &target.node).await?
        && let Some(user) = user_elsewhere(actor.desk, actor.app.application()).await
    {
        return Err(menu::refusal(actor, target, target.node.id, click, &user).await?);
    }
    match own_pointer(actor).await {
        Support::Yes => return with_pointer(actor, target, click, SeatOf::Agent).await,
        Support::No(missing) => why_not.push_str(&format!("; {}", missing.reason)),
    }
    Err(refused(
        "the click",
        &format!("{} offers no action for a {} in the background{why_not}", named(target), word(click)),
        text![
            Invocation::of("ax_click")
                .with("query", &*target.handle)
                .with_some("click_type", parameter(click))
                .with("mode", "focus"),
            " uses the real pointer."
        ],
    ))
}

/// The error for a choice that the application shows and does not act on.
fn only_shown(target: &Located) -> Error {
    refused(
        "the click",
        &format!("{} shows a choice that is made in the background, but does not act on it", named(target)),
        text![
            Invocation::of("ax_set_value"),
            " with the combo box as query and ",
            Argument::new("value", quote(target.node.label())),
            " chooses it; anything else takes ",
            Invocation::of("ax_click").with("mode", "focus"),
            "."
        ],
    )
}

/// The click that the application takes for itself. A menu that a right click opens would take the user's keyboard.
fn own_click<'a>(actor: &Actor<'_>, target: &'a Located, click: ClickType) -> OwnClick<'a> {
    let count = match click {
        ClickType::Single => 1,
        ClickType::Double => 2,
        ClickType::Triple => 3,
        ClickType::Right | ClickType::Hover => return OwnClick::None,
    };
    ApplicationClick::on(actor.app.as_ref(), target, Clicks { button: Button::Left, count })
}

/// Clicks by the input that the application takes for itself.
async fn by_own_input(
    actor: &Actor<'_>,
    target: &Located,
    click: ClickType,
    own: &ApplicationClick<'_>,
) -> Result<Outcome<ActionOutput>> {
    let report = actor.act(own).await?;
    let hint = text![
        "If it should have: ",
        Invocation::of("ax_click").with("query", &*target.handle).with("mode", "focus"),
        "."
    ];
    Ok(acted(actor, &format!("{} {}", click.done(), named(target)), Some(target), &report, Some(hint)))
}

/// Whether a click puts the caret into the element; its action, if it has one, means Return instead.
const fn takes_caret(node: &Node) -> bool {
    matches!(node.role, Role::TextBox | Role::SearchBox | Role::SpinButton)
}

/// Puts the caret into a text field of the active window. In any other window the toolkit would activate that (GTK does),
/// and the background mode leaves the focus alone.
async fn put_caret(actor: &Actor<'_>, target: &Located) -> Result<Outcome<ActionOutput>> {
    let window = actor.desk.window_for(actor.app.as_ref(), Some(target.node.id)).await?;
    let seat = &actor.desk.platform.seats.user;
    let active = seat.state().await?.active_window;
    if active != ActiveWindow::Window(window.id) {
        if own_pointer(actor).await.is_there() {
            return with_pointer(actor, target, ClickType::Single, SeatOf::Agent).await;
        }
        let why = match seat.capabilities().active_window {
            Support::No(missing) if active == ActiveWindow::Unknown => {
                format!("whether its window is the active one is not known: {}", missing.reason)
            }
            _ => "its window is not the active one".to_owned(),
        };
        return Err(refused(
            "the click",
            &format!("{} takes the focus with a click, and {why}", named(target)),
            text![
                Invocation::of("ax_type").with("query", &*target.handle),
                " types into it without the focus; ",
                Invocation::of("ax_click").with("query", &*target.handle).with("mode", "focus"),
                " gives it the focus."
            ],
        ));
    }
    let did = format!("Clicked {}", named(target));
    if target.node.states.contains(States::FOCUSED) {
        let effect = Effect::confirmed("it had the focus already, nothing had to be done");
        return Ok(unchanged(&did, target, effect));
    }
    let report = actor.act(&Request::to(target, NodeAction::Focus, Goal::Focus)).await?;
    Ok(acted(actor, &did, Some(target), &report, None))
}

/// What does the same as a click, and on which element; `None` if nothing does.
async fn background_action(
    actor: &Actor<'_>,
    target: &Located,
    click: ClickType,
) -> Result<Option<(Node, NodeAction)>> {
    let node = &target.node;
    let Some(does) = action_of(click) else { return Ok(None) };
    if let Some(action) = does(node) {
        return Ok(is_offered(&target.tree, node.id, &action).then(|| ((**node).clone(), action)));
    }
    if click == ClickType::Right {
        return Ok(None);
    }
    // A label inside of a button, a link or a row: the click means that.
    let around: Vec<NodeId> = target
        .tree
        .ancestors(node.id)
        .take(NEAR)
        .take_while(|ancestor| !ancestor.role.is_window())
        .filter(|ancestor| ancestor.role.is_interactive())
        .map(|ancestor| ancestor.id)
        .collect();
    if around.is_empty() {
        return Ok(None);
    }
    let tree = actor.app.reread(&around, DetailKinds::ACTIONS).await?;
    let mut around = around.iter().filter_map(|id| tree.get(*id));
    Ok(around.find_map(|ancestor| {
        let action = does(ancestor).filter(|action| is_offered(&tree, ancestor.id, action))?;
        Some(((**ancestor).clone(), action))
    }))
}

/// Whether something offers to do this. A tree of Qt does not offer to select its cells, though they are selectable.
fn is_offered(tree: &Tree, id: NodeId, action: &NodeAction) -> bool {
    !matches!(action, NodeAction::Select { .. }) || tree.selector_of(id).is_some()
}

/// What does the same as a click on an element, by what the element offers; `None` where nothing does.
fn action_of(click: ClickType) -> Option<fn(&Node) -> Option<NodeAction>> {
    match click {
        ClickType::Single => Some(press::single),
        ClickType::Double => Some(press::double),
        ClickType::Right => Some(press::right),
        ClickType::Triple | ClickType::Hover => None,
    }
}

/// The action that an element offers a moment after it was first asked for any, if the application does more than show its result.
/// Firefox offers none of a page's actions until a client has asked for one.
async fn reported_late(
    actor: &Actor<'_>,
    id: NodeId,
    click: ClickType,
) -> Result<Option<(Node, NodeAction)>> {
    for _ in 0..LATE_LOOKS {
        tokio::time::sleep(BETWEEN_LATE_LOOKS).await;
        let tree = actor.app.reread(&[id], DetailKinds::ACTIONS).await?;
        let Some(node) = tree.get(id) else { break };
        let action = action_of(click).and_then(|does| does(node));
        if let Some(action) = action.filter(|action| !actor.app.only_shows(id, action)) {
            return Ok(Some(((**node).clone(), action)));
        }
    }
    Ok(None)
}

/// How often an element is asked once more for its actions.
const LATE_LOOKS: usize = 4;
/// How long it is given in between.
const BETWEEN_LATE_LOOKS: Duration = Duration::from_millis(50);

/// How far above a label the button or link that it belongs to may be.
const NEAR: usize = 3;

const fn word(click: ClickType) -> &'static str {
    match click {
        ClickType::Single => "click",
        ClickType::Double => "double click",
        ClickType::Right => "right click",
        ClickType::Triple => "triple click",
        ClickType::Hover => "hover",
    }
}

/// What the call says of it, where it is not what is clicked anyway.
const fn parameter(click: ClickType) -> Option<&'static str> {
    match click {
        ClickType::Single => None,
        ClickType::Double => Some("double"),
        ClickType::Right => Some("right"),
        ClickType::Triple => Some("triple"),
        ClickType::Hover => Some("hover"),
    }
}
