//! `ax_key_press`: presses a key, alone or with modifiers.

use crate::act::{ShownBy, Turn, named, refused};
use crate::call::Call;
use crate::confirm::{self, Confirm, Gesture};
use crate::effect::Effect;
use crate::engine::Engine;
use crate::expectation::{Expected, KeyEffect};
use crate::focus::Seat;
use crate::locate::Located;
use crate::operation::{Meta, Operation, Outcome};
use crate::ops::press::can_invoke;
use crate::ops::shared::{ActionOutput, Mode};
use crate::ops::type_text::focused;
use async_trait::async_trait;
use clap::{Args, ValueEnum};
use handeye_core::{Chord, Modifier, NodeAction, Result, Role};
use schemars::JsonSchema;
use serde::Deserialize;

/// Presses a key.
pub struct KeyPress;

/// A modifier under one of its names.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema, ValueEnum)]
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
#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// 'return', 'f5', 'a', 'ctrl+s'
    key: String,
    /// Omit for the active window
    #[arg(long)]
    app: Option<String>,
    #[arg(long, value_enum, value_delimiter = ',')]
    #[serde(default)]
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
        description: "Needs mode focus, but for return and space on a focused button",
        ..Meta::ACT
    };

    fn application(input: &Input) -> Option<&str> {
        input.app.as_deref()
    }

    async fn run(engine: &Engine, call: &Call, input: Input) -> Result<Outcome<ActionOutput>> {
        let chord = chord(&input)?;
        engine.platform.input.check_key(&chord)?;
        match (input.mode, &input.app) {
            (Mode::Background, app) => in_background(engine, call, app.as_deref(), &chord).await,
            (Mode::Focus, Some(app)) => in_application(engine, call, app, &chord).await,
            (Mode::Focus, None) => in_active_window(engine, call, &chord).await,
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
    chord: &Chord,
) -> Result<Outcome<ActionOutput>> {
    let presses =
        chord.modifiers.is_empty() && matches!(chord.key.as_str(), "return" | "enter" | "space" | " ");
    if let Some(app) = app.filter(|_| presses) {
        let turn = Turn::begin(engine, call, app, ShownBy::AnyChange).await?;
        if let Some(target) = focused(&turn).await?
            && takes_key(&target, &chord.key)
        {
            before_key(&turn, chord).await?;
            let observation =
                turn.perform(target.node.id, &NodeAction::Invoke(None), Expected::Press).await?;
            let effect = Effect::of(&observation);
            let did = format!("Pressed {}, as {} on the focus", named(&target), shown(chord));
            return Ok(turn.answer(&did, Some(&target), Some(&observation), effect, None));
        }
    }
    let application = app.map(|app| format!("app: \"{app}\", ")).unwrap_or_default();
    Err(refused(
        "the key",
        "keys go to the window that has the focus, which the background mode leaves alone",
        format!(
            "ax_key_press with {application}key: \"{}\", mode: \"focus\" activates the window and presses it; \
             ax_click on the menu item or button does the same in the background.",
            shown(chord)
        ),
    ))
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

/// Asks before a key that may destroy something, judged by what has the focus.
async fn before_key(turn: &Turn<'_>, chord: &Chord) -> Result<()> {
    let only_shift = chord.modifiers.iter().all(|modifier| *modifier == Modifier::Shift);
    let gesture = match chord.key.as_str() {
        "return" | "enter" if chord.modifiers.is_empty() => Gesture::Return,
        "space" | " " if chord.modifiers.is_empty() => Gesture::Press,
        "delete" if only_shift => Gesture::Delete,
        _ => return Ok(()),
    };
    if turn.engine.confirm == Confirm::Never {
        return Ok(());
    }
    match focused(turn).await? {
        Some(target) => confirm::before(turn, target.node.id, gesture).await,
        None => Ok(()),
    }
}

async fn in_application(
    engine: &Engine,
    call: &Call,
    app: &str,
    chord: &Chord,
) -> Result<Outcome<ActionOutput>> {
    let turn = Turn::begin(engine, call, app, ShownBy::AnyChange).await?;
    before_key(&turn, chord).await?;
    let seat = Seat::take(&turn, None).await?;
    let baseline = turn.baseline(None, Expected::Key(KeyEffect::of(chord))).await?;
    let observation = baseline.observe_input(call, engine.platform.input.key(chord, None)).await?;
    let effect = Effect::of(&observation);
    let did = format!("Pressed {} in window \"{}\"", shown(chord), seat.window.title);
    Ok(turn.answer(&did, None, Some(&observation), effect, None))
}

/// Without an application the key goes to whatever has the focus, which need not be one that shows a tree.
async fn in_active_window(engine: &Engine, call: &Call, chord: &Chord) -> Result<Outcome<ActionOutput>> {
    if let Ok(app) = engine.connect(crate::targets::FRONTMOST).await {
        let turn = Turn::on(engine, call, app, ShownBy::AnyChange).await;
        before_key(&turn, chord).await?;
        let _seat = engine.memory.lock_seat().await;
        let baseline = turn.baseline(None, Expected::Key(KeyEffect::of(chord))).await?;
        let observation = baseline.observe_input(call, engine.platform.input.key(chord, None)).await?;
        let effect = Effect::of(&observation);
        return Ok(turn.answer(&format!("Pressed {}", shown(chord)), None, Some(&observation), effect, None));
    }
    let _seat = engine.memory.lock_seat().await;
    engine.platform.input.key(chord, None).await?;
    let effect =
        Effect::unconfirmed("the active window shows no accessibility tree, so nothing can be observed");
    let text = format!(
        "Pressed {}. Unconfirmed: {}. ax_screenshot shows the screen.",
        shown(chord),
        effect.evidence
    );
    Ok(Outcome::new(text, ActionOutput { effect, element_ref: None, healed: None }))
}
