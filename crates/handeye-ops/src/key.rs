//! `ax_key_press`: presses a key, alone or with modifiers.

use crate::answer::acted;
use crate::shared::{ActionOutput, Mode};
use async_trait::async_trait;
use clap::{Args, ValueEnum};
use handeye_act::confirm::Stroke;
use handeye_act::effect::Effect;
use handeye_act::locate::Located;
use handeye_act::press::can_invoke;
use handeye_act::targets::FRONTMOST;
use handeye_act::{Actor, Goal, KeyStroke, Request, SeatOf, ShownBy, focused, named, refused};
use handeye_call::call::Call;
use handeye_call::outcome::Outcome;
use handeye_core::{Chord, Invocation, Means, Modifier, NodeAction, Result, Role, Support, text};
use handeye_engine::{Engine, Meta, Operation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Presses a key.
pub struct KeyPress;

/// A modifier under one of its names.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
enum ModifierName {
    /// Super.
    Cmd,
    /// Control.
    Ctrl,
    /// Alt.
    Opt,
    /// Shift.
    Shift,
    /// Alt.
    Alt,
    /// Super.
    Super,
}

impl From<ModifierName> for Modifier {
    fn from(name: ModifierName) -> Self {
        match name {
            ModifierName::Ctrl => Self::Ctrl,
            ModifierName::Shift => Self::Shift,
            ModifierName::Opt | ModifierName::Alt => Self::Alt,
            ModifierName::Cmd | ModifierName::Super => Self::Super,
        }
    }
}

/// Which key, and where.
#[derive(Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// 'return', 'f5', 'a', 'ctrl+s'
    key: String,
    #[arg(long, help = "Application: name, alias or pid; without it the active window")]
    app: Option<String>,
    #[arg(long, value_enum, value_delimiter = ',')]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    modifiers: Vec<ModifierName>,
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    mode: Mode,
}

#[async_trait]
impl Operation for KeyPress {
    type Input = Input;
    type Output = ActionOutput;
    const META: Meta = Meta {
        tool: "ax_key_press",
        command: "key",
        title: "Send keyboard shortcut",
        description: "Without app: to the active window, mode focus",
        ..Meta::ACT
    };

    fn application(input: &Input) -> Option<&str> {
        input.app.as_deref()
    }

    async fn run(engine: &Engine, call: &Call, input: Input) -> Result<Outcome<ActionOutput>> {
        let chord = chord(&input)?;
        let symbol = engine.desk.platform.seats.user.key_symbol(&chord)?;
        let stroke = Stroke::of(&chord, symbol, shown(&chord));
        match input.mode {
            Mode::Background => in_background(engine, call, input.app.as_deref(), chord, stroke).await,
            Mode::Focus => on_keyboard(engine, call, input.app.as_deref(), chord, stroke).await,
        }
    }
}

fn chord(input: &Input) -> Result<Chord> {
    let mut chord = Chord::parse(&input.key)?;
    for modifier in input.modifiers.iter().copied().map(Modifier::from) {
        if !chord.modifiers.contains(&modifier) {
            chord.modifiers.push(modifier);
        }
    }
    Ok(chord)
}

fn shown(chord: &Chord) -> String {
    let modifiers = chord.modifiers.iter().map(|modifier| match modifier {
        Modifier::Ctrl => "ctrl+",
        Modifier::Shift => "shift+",
        Modifier::Alt => "alt+",
        Modifier::Super => "super+",
    });
    modifiers.chain([chord.key.as_str()]).collect()
}

/// Keys go to the focus of the seat; without it, only a key that means an action of the focused element can be delivered.
async fn in_background(
    engine: &Engine,
    call: &Call,
    app: Option<&str>,
    chord: Chord,
    stroke: Stroke,
) -> Result<Outcome<ActionOutput>> {
    let shown = shown(&chord);
    let presses =
        chord.modifiers.is_empty() && matches!(chord.key.as_str(), "return" | "enter" | "space" | " ");
    let why = if let Some(app) = app {
        let actor = Actor::begin(&engine.desk, call, app, ShownBy::AnyChange).await?;
        if presses
            && let Some(target) = focused(&actor).await?
            && takes_key(&target, &chord.key)
        {
            let report = actor.act(&Request::to(&target, NodeAction::Invoke(None), Goal::Press)).await?;
            let did = format!("Pressed {}, as {shown} on the focus", named(&target));
            return Ok(acted(&actor, &did, Some(&target), &report, None));
        }
        match actor.agent_seat(&[Means::Keys]).await {
            Support::Yes => {
                let key = KeyStroke { chord, stroke, activates: false, seat: SeatOf::Agent };
                return press(&actor, key).await;
            }
            Support::No(missing) => format!(
                "keys go to the window that has the focus, which the background mode leaves alone, and {}",
                missing.reason
            ),
        }
    } else {
        "without an application it is for the active window, which is the user's".to_owned()
    };
    let focus = Invocation::of("ax_key_press").with_some("app", app).with("key", shown).with("mode", "focus");
    let next = if app.is_some() {
        text![
            focus,
            " activates the window and presses it; ",
            Invocation::of("ax_click"),
            " on the menu item or button does the same in the background."
        ]
    } else {
        text![focus, " presses it there; with an app it is pressed in that application's window."]
    };
    Err(refused("the key", &why, next))
}

/// Whether the key does what the element's own action does.
fn takes_key(target: &Located, key: &str) -> bool {
    let node = &target.node;
    let by_both = matches!(node.role, Role::Button | Role::MenuItem);
    let by_space =
        matches!(node.role, Role::CheckBox | Role::ToggleButton | Role::Switch | Role::RadioButton);
    let by_return = node.role == Role::Link;
    let is_space = matches!(key, "space" | " ");
    can_invoke(node) && (by_both || (is_space && by_space) || (!is_space && by_return))
}

/// Presses the key in the application's window, or else in the active one, which need not be one that shows a tree.
async fn on_keyboard(
    engine: &Engine,
    call: &Call,
    app: Option<&str>,
    chord: Chord,
    stroke: Stroke,
) -> Result<Outcome<ActionOutput>> {
    let actor = match app {
        Some(app) => Actor::begin(&engine.desk, call, app, ShownBy::AnyChange).await?,
        None => match engine.desk.connect(FRONTMOST).await {
            Ok(app) => Actor::on(&engine.desk, call, app, ShownBy::AnyChange).await,
            Err(_) => return blind(engine, call, &chord, stroke).await,
        },
    };
    press(&actor, KeyStroke { chord, stroke, activates: app.is_some(), seat: SeatOf::User }).await
}

async fn press(actor: &Actor<'_>, key: KeyStroke) -> Result<Outcome<ActionOutput>> {
    let report = actor.act(&key).await?;
    let key = shown(&key.chord);
    let did = match report.aim.window_title() {
        Some(title) => format!("Pressed {key} in window \"{title}\""),
        None => format!("Pressed {key}"),
    };
    Ok(acted(actor, &did, None, &report, None))
}

async fn blind(engine: &Engine, call: &Call, chord: &Chord, stroke: Stroke) -> Result<Outcome<ActionOutput>> {
    engine.desk.press_blindly(call, chord, stroke).await?;
    let effect =
        Effect::unconfirmed("the active window shows no accessibility tree, so nothing can be observed");
    let text = text![
        format!("Pressed {}. Unconfirmed: {}. ", shown(chord), effect.evidence),
        Invocation::of("ax_screenshot"),
        " shows the screen."
    ];
    Ok(Outcome::new(text, ActionOutput { effect, element_ref: None, healed: None }))
}
