//! The keyboard as the server has it: the symbols of its keys, and a way to press them undisturbed.

use super::claims::{Claim, is_taken_by_another};
use super::fault::Outcome;
use super::keys::character_of_symbol;
use super::x_session::{OWN_KEYBOARD, XSession};
use handeye_core::{Error, ErrorCode, Modifier};
use std::collections::HashMap;
use std::time::Duration;
use x11rb::connection::Connection;
use x11rb::protocol::xinput::{ConnectionExt as _, DeviceId};
use x11rb::protocol::xkb::{ConnectionExt as _, Group, KeySymMap, MapPart, SetMapAux, SetMapFlags, VMod};
use x11rb::protocol::xproto::{
    ConnectionExt as _, KEY_PRESS_EVENT, KEY_RELEASE_EVENT, Keycode, ModMask, Window,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use xkeysym::Keysym;

/// Every modifier.
const ALL_MODIFIERS: u16 = 0xff;
/// The key type of one level, which every server has at this place.
const ONE_LEVEL: u8 = 0;
/// The focus of a keyboard whose keys go to the window under its pointer.
const POINTER_ROOT: Window = 1;
/// What the client has that lends spare keys.
const LENDING: &str = "_HANDEYE_LENDS_KEYS";
/// How long another client may lend keys before this one gives up.
const LENDING_WITHIN: Duration = Duration::from_secs(5);

/// The same before keys of an ended client are taken back: the process that waits for it gives up after 3 s.
const TAKEN_BACK_WITHIN: Duration = Duration::from_secs(2);

/// A key, and whether Shift must be held for what is wanted of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stroke {
    pub(super) code: Keycode,
    pub(super) shifted: bool,
}

/// The symbols of the keys.
#[derive(Debug, Default)]
pub(super) struct Keymap {
    by_symbol: HashMap<u32, Stroke>,
    by_character: HashMap<char, Stroke>,
    /// Keys without a symbol, which can be lent to what is on no key.
    spare: Vec<Keycode>,
    /// Keys that act as modifiers.
    modifiers: Vec<Keycode>,
    /// The keyboard of an agent, which has modifiers of its own.
    own: Option<Box<Keymap>>,
}

impl Keymap {
    /// As [`read`](Self::read), at a time when no other client lends keys: what is on one of those may be gone a moment later.
    pub(super) fn read_without_loans(session: &XSession) -> Outcome<Self> {
        let keymap = Self::read(session)?;
        if !is_taken_by_another(session, LENDING)? {
            return Ok(keymap);
        }
        let claim = Claim::take_within(session, LENDING, LENDING_WITHIN)?.ok_or_else(others_lend)?;
        let keymap = Self::read(session);
        claim.give_up(session)?;
        keymap
    }

    /// Asks the server for the mapping of the keyboard that is pressed on. Applications know the symbols of the user's keyboard alone, so
    /// those are looked up there for an agent's too.
    pub(super) fn read(session: &XSession) -> Outcome<Self> {
        let own = Self::of_connection(session)?;
        match &session.masters {
            Some(masters) => {
                let users = Self::of_device(session, masters.users_keyboard)?;
                Ok(Self { own: Some(Box::new(own)), ..users })
            }
            None => Ok(own),
        }
    }

    /// The mapping of a keyboard by its number.
    fn of_device(session: &XSession, keyboard: DeviceId) -> Outcome<Self> {
        let setup = session.connection.setup();
        let (first, last) = (setup.min_keycode, setup.max_keycode);
        let device = u8::try_from(keyboard).map_err(Error::internal)?;
        let count = last - first + 1;
        let mapping = session.connection.xinput_get_device_key_mapping(device, first, count)?;
        let modifiers = session.connection.xinput_get_device_modifier_mapping(device)?;
        let (mapping, modifiers) = (mapping.reply()?, modifiers.reply()?);
        Ok(Self::new(first, mapping.keysyms_per_keycode, &mapping.keysyms, &modifiers.keymaps))
    }

    fn of_connection(session: &XSession) -> Outcome<Self> {
        let setup = session.connection.setup();
        let (first, last) = (setup.min_keycode, setup.max_keycode);
        let mapping = session.connection.get_keyboard_mapping(first, last - first + 1)?;
        let modifiers = session.connection.get_modifier_mapping()?;
        let (mapping, modifiers) = (mapping.reply()?, modifiers.reply()?);
        Ok(Self::new(first, mapping.keysyms_per_keycode, &mapping.keysyms, &modifiers.keycodes))
    }

    fn new(first: Keycode, width: u8, symbols: &[u32], modifiers: &[Keycode]) -> Self {
        let modifiers: Vec<Keycode> = modifiers.iter().copied().filter(|code| *code != 0).collect();
        let mut keymap = Self { modifiers, ..Self::default() };
        let keys: Vec<(Keycode, &[u32])> =
            (first..=Keycode::MAX).zip(symbols.chunks_exact(usize::from(width.max(1)))).collect();
        // Plain symbols first: what needs no Shift is to be typed without. Columns beyond belong to other groups.
        for (column, shifted) in [(0, false), (1, true)] {
            for (code, symbols) in &keys {
                let Some(symbol) = symbols.get(column).copied().filter(|symbol| *symbol != 0) else {
                    continue;
                };
                let stroke = Stroke { code: *code, shifted };
                keymap.by_symbol.entry(symbol).or_insert(stroke);
                if let Some(character) = character_of_symbol(symbol)
                    && !keymap.modifiers.contains(code)
                {
                    keymap.by_character.entry(character).or_insert(stroke);
                }
            }
        }
        keymap.spare = keys
            .iter()
            .filter(|(code, symbols)| {
                symbols.iter().all(|symbol| *symbol == 0) && !keymap.modifiers.contains(code)
            })
            .map(|(code, _)| *code)
            .collect();
        keymap
    }

    /// How to enter what `symbol` means, if a key has it.
    pub(super) fn stroke(&self, symbol: u32) -> Option<Stroke> {
        let by_character =
            || character_of_symbol(symbol).and_then(|character| self.by_character.get(&character));
        by_character().or_else(|| self.by_symbol.get(&symbol)).copied()
    }

    /// The key that acts as a modifier.
    pub(super) fn modifier(&self, modifier: Modifier) -> Outcome<Keycode> {
        if let Some(own) = &self.own {
            return own.modifier(modifier);
        }
        let candidates = match modifier {
            Modifier::Ctrl => [Keysym::Control_L, Keysym::Control_R],
            Modifier::Shift => [Keysym::Shift_L, Keysym::Shift_R],
            Modifier::Alt => [Keysym::Alt_L, Keysym::Meta_L],
            Modifier::Super => [Keysym::Super_L, Keysym::Super_R],
        };
        let bearing = |symbol: Keysym| self.by_symbol.get(&symbol.raw()).map(|stroke| stroke.code);
        candidates.into_iter().filter_map(bearing).find(|code| self.modifiers.contains(code)).ok_or_else(
            || {
                Error::new(ErrorCode::NotSupported, format!("the keyboard has no {modifier:?} key"))
                    .with_next("Set a keyboard layout that has one, for example `setxkbmap us`.")
                    .into()
            },
        )
    }

    /// The keys that act as modifiers on the keyboard that is pressed on.
    fn modifiers(&self) -> &[Keycode] {
        self.own.as_ref().map_or(&self.modifiers, |own| &own.modifiers)
    }
}

/// Has the keys of an agent go to the window under its pointer: no window manager is notified of a focus then. An application that is pressed in
/// may have set another one.
pub(super) fn keep_keys_under_pointer(session: &XSession) -> Outcome<()> {
    let Some(masters) = &session.masters else { return Ok(()) };
    let focus =
        session.connection.xinput_xi_set_focus(POINTER_ROOT, x11rb::CURRENT_TIME, masters.keyboard)?;
    Ok(focus.check()?)
}

/// Presses (or releases) a key.
pub(super) fn press(session: &XSession, code: Keycode, down: bool) -> Outcome<()> {
    let kind = if down { KEY_PRESS_EVENT } else { KEY_RELEASE_EVENT };
    session.connection.xtest_fake_input(kind, code, x11rb::CURRENT_TIME, x11rb::NONE, 0, 0, 0)?;
    Ok(())
}

/// Does `work` while nothing else is held or locked on the keyboard: Caps Lock, Num Lock and another layout are
/// switched off, held modifiers released, and all of it put back on every way out.
pub(super) fn undisturbed<T>(
    session: &mut XSession,
    keymap: &Keymap,
    work: impl FnOnce(&mut XSession) -> Outcome<T>,
) -> Outcome<T> {
    let state = session.connection.xkb_get_state(OWN_KEYBOARD)?;
    let pressed = session.connection.query_keymap()?;
    let (state, pressed) = (state.reply()?, pressed.reply()?.keys);
    let locked = state.locked_mods != ModMask::default() || state.locked_group != Group::M1;
    let is_down = |code: Keycode| pressed[usize::from(code / 8)] & (1 << (code % 8)) != 0;
    let held: Vec<Keycode> = keymap.modifiers().iter().copied().filter(|code| is_down(*code)).collect();

    if locked {
        let unlocked = Some((u16::from(state.locked_mods), u8::from(state.locked_group)));
        session.guard.hold(|held| held.unlocked = unlocked)?;
        lock(session, ModMask::default(), Group::M1)?;
    }
    for code in &held {
        press(session, *code, false)?;
    }
    let worked = work(session);
    for code in &held {
        press(session, *code, true)?;
    }
    if locked {
        lock(session, state.locked_mods, state.locked_group)?;
    }
    session.sync()?;
    session.guard.let_go(|held| held.unlocked = None)?;
    worked
}

pub(super) fn lock(session: &XSession, modifiers: ModMask, group: Group) -> Outcome<()> {
    session.connection.xkb_latch_lock_state(
        OWN_KEYBOARD,
        ALL_MODIFIERS.into(),
        modifiers,
        true,
        group,
        ModMask::default(),
        false,
        0,
    )?;
    Ok(())
}

/// Spare keys, lent to symbols that are on no key.
pub(super) struct Loans {
    free: Vec<Keycode>,
    lent: HashMap<u32, Keycode>,
    /// Lent, but not sent to the server yet.
    unpublished: Vec<(Keycode, u32)>,
    /// Every key whose change was sent to the server.
    touched: Vec<Keycode>,
    /// The right to lend keys, which one client has at a time.
    claim: Option<Claim>,
}

impl Loans {
    pub(super) fn new(keymap: &Keymap) -> Self {
        // Taken from the end, so the order is turned.
        let free = keymap.spare.iter().rev().copied().collect();
        Self { free, lent: HashMap::new(), unpublished: Vec::new(), touched: Vec::new(), claim: None }
    }

    /// Whether there is any key to lend.
    pub(super) fn are_possible(&self) -> bool {
        !self.free.is_empty() || !self.lent.is_empty()
    }

    /// Whether any key is lent at the moment.
    pub(super) fn are_in_use(&self) -> bool {
        !self.lent.is_empty()
    }

    /// The key that has `symbol` from the next [`publish`](Self::publish) on; `None` if all are lent to others.
    pub(super) fn lend(&mut self, symbol: u32) -> Option<Keycode> {
        if let Some(code) = self.lent.get(&symbol) {
            return Some(*code);
        }
        let code = self.free.pop()?;
        self.lent.insert(symbol, code);
        self.unpublished.push((code, symbol));
        Some(code)
    }

    /// Takes all keys back, to be lent again. They keep their symbols until then.
    pub(super) fn recall(&mut self) {
        self.free.extend(self.lent.drain().map(|(_, code)| code));
        self.free.sort_unstable_by(|a, b| b.cmp(a));
        self.unpublished.clear();
    }

    /// Sends new loans to the server; returns whether there were any.
    pub(super) fn publish(&mut self, session: &mut XSession) -> Outcome<bool> {
        let news = std::mem::take(&mut self.unpublished);
        if self.claim.is_none() && !news.is_empty() {
            let claim = Claim::take_within(session, LENDING, LENDING_WITHIN)?;
            self.claim = Some(claim.ok_or_else(others_lend)?);
        }
        self.touched.extend(news.iter().map(|(code, _)| code));
        self.touched.sort_unstable();
        self.touched.dedup();
        session.guard.hold(|held| held.lent.clone_from(&self.touched))?;
        assign(session, &news)?;
        Ok(!news.is_empty())
    }

    /// Leaves the keys as they were found: bearing nothing.
    pub(super) fn give_back(self, session: &mut XSession) -> Outcome<()> {
        let given_back = blank(session, &self.touched)
            .and_then(|()| session.sync())
            .and_then(|()| session.guard.let_go(|held| held.lent.clear()));
        let given_up = self.claim.map_or(Ok(()), |claim| claim.give_up(session));
        given_back.and(given_up)
    }
}

fn others_lend() -> Error {
    let message = "others type characters that are on no key, and there is one set of spare keys for all";
    Error::new(ErrorCode::Timeout, message).with_next("Wait until they are done, then try again.")
}

/// Removes the symbols of keys that an ended client had lent, when nobody else lends any. Where others do for long, they may have lent these.
pub(super) fn take_back(session: &XSession, keys: &[Keycode]) -> Outcome<()> {
    if keys.is_empty() {
        return Ok(());
    }
    let Some(claim) = Claim::take_within(session, LENDING, TAKEN_BACK_WITHIN)? else { return Ok(()) };
    let taken_back = blank(session, keys).and_then(|()| session.sync());
    taken_back.and(claim.give_up(session))
}

/// Removes the symbols of keys.
fn blank(session: &XSession, keys: &[Keycode]) -> Outcome<()> {
    let symbols: Vec<(Keycode, u32)> = keys.iter().map(|code| (*code, 0)).collect();
    assign(session, &symbols)
}

/// Assigns symbols to keys (0: nothing) in one request: each makes every application read the mapping again.
///
/// The spare keys are scattered, so the keys between them are sent along as they are.
fn assign(session: &XSession, symbols: &[(Keycode, u32)]) -> Outcome<()> {
    let codes = || symbols.iter().map(|(code, _)| *code);
    let (Some(first), Some(last)) = (codes().min(), codes().max()) else { return Ok(()) };
    let count = last - first + 1;
    let (no_part, no_modifiers) = (MapPart::from(0_u8), VMod::from(0_u8));
    let map = session
        .connection
        .xkb_get_map(
            session.shared_keyboard(),
            no_part,
            MapPart::KEY_SYMS,
            0,
            0,
            first,
            count,
            0,
            0,
            0,
            0,
            no_modifiers,
            0,
            0,
            0,
            0,
            0,
            0,
        )?
        .reply()?;
    let mut keys = map.map.syms_rtrn.unwrap_or_default();
    for (code, symbol) in symbols {
        if let Some(key) = keys.get_mut(usize::from(code - first)) {
            *key = bearing(*symbol);
        }
    }
    let total = keys.iter().map(|key| key.syms.len()).sum::<usize>() as u16;
    let (lowest, highest) = (map.min_key_code, map.max_key_code);
    let values = SetMapAux::new().syms(keys);
    let no_flags = SetMapFlags::from(0_u8);
    session.connection.xkb_set_map(
        session.shared_keyboard(),
        no_flags,
        lowest,
        highest,
        0,
        0,
        first,
        count,
        total,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        no_modifiers,
        &values,
    )?;
    Ok(())
}

/// A key of one group and one level, which gives the same whatever is held or locked; none for no symbol.
fn bearing(symbol: u32) -> KeySymMap {
    let symbols: Vec<u32> = (symbol != 0).then_some(symbol).into_iter().collect();
    let one = u8::from(symbol != 0);
    KeySymMap { kt_index: [ONE_LEVEL; 4], group_info: one, width: one, syms: symbols }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keymap() -> Keymap {
        let modifiers = [11, 0];
        // Keys 8 to 12: a/A, 1/!, nothing, Shift, Greek alpha by its old symbol.
        let symbols = [0x61, 0x41, 0x31, 0x21, 0, 0, 0xffe1, 0, 0x7e1, 0x7c1];
        Keymap::new(8, 2, &symbols, &modifiers)
    }

    #[test]
    fn characters_are_found_on_their_keys() {
        let keymap = keymap();
        assert_eq!(keymap.stroke('a'.into()), Some(Stroke { code: 8, shifted: false }));
        assert_eq!(keymap.stroke('!'.into()), Some(Stroke { code: 9, shifted: true }));
        // By its Unicode symbol, though the layout has the old one.
        assert_eq!(keymap.stroke(0x0100_03b1), Some(Stroke { code: 12, shifted: false }));
        assert_eq!(keymap.stroke('é'.into()), None);
        assert_eq!(keymap.spare, [10]);
        assert!(matches!(keymap.modifier(Modifier::Shift), Ok(11)));
        assert!(keymap.modifier(Modifier::Ctrl).is_err());
    }

    #[test]
    fn a_spare_key_is_lent_to_one_symbol_at_a_time() {
        let mut loans = Loans::new(&keymap());
        assert_eq!(loans.lend(1), Some(10));
        assert_eq!(loans.lend(1), Some(10));
        assert_eq!(loans.lend(2), None);
        loans.recall();
        assert_eq!(loans.lend(2), Some(10));
    }
}
