//! Notices whether anything was drawn in the windows of a process, by the Damage extension.
//!
//! What is drawn under another window is reported only where the server keeps the pixels of covered windows, as it does for a compositor and in a private desktop. So of a
//! process with a window of which not all can be seen, nothing is known.

use super::drawing_state::{Drawings, Process, Top};
use super::fault::{Outcome, Vanished};
use super::redirection::{Stack, has_pixels_of_its_own};
use super::stack::popups;
use super::windows::{list, toplevels};
use super::x_session::XSession;
use handeye_core::Rect;
use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::damage::{ConnectionExt as _, ReportLevel};
use x11rb::protocol::xfixes::ConnectionExt as _;
use x11rb::protocol::xproto::{ChangeWindowAttributesAux, ConnectionExt as _, EventMask, Window};

/// For how long windows are watched that nobody asks about.
const UNASKED: Duration = Duration::from_secs(60);
/// What blinks at one place and is no larger is the mark where text is typed, in pixels.
const CARET: (u32, u32) = (4, 64);

/// The number of the last thing that was drawn or rearranged in the windows of a process. Two equal ones mean that nothing was in between. `None`
/// where not all that is drawn can be noticed.
pub(super) fn last_drawn(session: &mut XSession, process: u32) -> Outcome<Option<u64>> {
    if !session.extensions.damage || !session.extensions.fixes {
        return Ok(None);
    }
    let mut drawings = std::mem::take(&mut session.drawings);
    let last = drawings.last_drawn(session, process);
    session.drawings = drawings;
    last
}

/// Takes what the server has announced, and ends the watch if nobody asks any more. Returns whether it goes on.
pub(super) fn tend(session: &mut XSession) -> Outcome<bool> {
    let mut drawings = std::mem::take(&mut session.drawings);
    let goes_on = drawings.tend(session);
    session.drawings = drawings;
    goes_on
}

impl Drawings {
    fn last_drawn(&mut self, session: &XSession, process: u32) -> Outcome<Option<u64>> {
        self.begin(session)?;
        if !self.processes.contains_key(&process) {
            self.is_outdated = true;
        }
        self.processes.entry(process).or_default().asked = Some(Instant::now());
        self.take_announced(session)?;
        if self.is_outdated {
            self.arrange(session)?;
        }
        let known = self.processes.get(&process).filter(|known| known.is_known);
        Ok(known.map(|known| known.last))
    }

    fn tend(&mut self, session: &XSession) -> Outcome<bool> {
        let is_asked = |known: &Process| known.asked.is_some_and(|asked| asked.elapsed() < UNASKED);
        if self.processes.values().any(is_asked) {
            self.take_announced(session)?;
            return Ok(true);
        }
        self.end(session)?;
        Ok(false)
    }

    fn begin(&mut self, session: &XSession) -> Outcome<()> {
        if self.region.is_some() {
            return Ok(());
        }
        announce_of_root(session, EventMask::SUBSTRUCTURE_NOTIFY | EventMask::PROPERTY_CHANGE)?;
        let region = session.connection.generate_id()?;
        session.connection.xfixes_create_region(region, &[])?;
        self.region = Some(region);
        Ok(())
    }

    fn end(&mut self, session: &XSession) -> Outcome<()> {
        announce_of_root(session, EventMask::NO_EVENT)?;
        for (_, top) in std::mem::take(&mut self.tops) {
            session.connection.damage_destroy(top.damage)?.check().if_there()?;
        }
        if let Some(region) = self.region.take() {
            session.connection.xfixes_destroy_region(region)?;
        }
        self.processes.clear();
        session.sync()?;
        session.drain_events()
    }

    /// Takes what the server has announced so far.
    fn take_announced(&mut self, session: &XSession) -> Outcome<()> {
        // The server takes turns: at the second answer it has served all clients that had sent something before the first question.
        session.sync()?;
        session.sync()?;
        while let Some(event) = session.connection.poll_for_event()? {
            match event {
                Event::DamageNotify(event) => {
                    if let Some(top) = self.tops.get_mut(&event.drawable) {
                        top.is_drawn = true;
                    }
                }
                Event::PropertyNotify(event) => {
                    let lists = [session.atoms._NET_CLIENT_LIST, session.atoms._NET_CLIENT_LIST_STACKING];
                    self.is_outdated |= lists.contains(&event.atom);
                }
                Event::MapNotify(_)
                | Event::UnmapNotify(_)
                | Event::ConfigureNotify(_)
                | Event::CirculateNotify(_)
                | Event::ReparentNotify(_) => {
                    // What was covered meanwhile was drawn unseen.
                    self.is_outdated = true;
                    self.processes.values_mut().for_each(Process::note_drawn);
                }
                _ => {}
            }
        }
        let drawn: Vec<Window> =
            self.tops.iter().filter(|(_, top)| top.is_drawn).map(|(window, _)| *window).collect();
        for window in drawn {
            self.look_where_drawn(session, window)?;
        }
        Ok(())
    }

    /// Has the server report again what is drawn in a window from now on, and counts what was, unless a caret blinked.
    fn look_where_drawn(&mut self, session: &XSession, window: Window) -> Outcome<()> {
        let (Some(region), Some(top)) = (self.region, self.tops.get_mut(&window)) else { return Ok(()) };
        top.is_drawn = false;
        let subtracted = session.connection.damage_subtract(top.damage, x11rb::NONE, region)?;
        let fetched = session.connection.xfixes_fetch_region(region)?;
        let is_there = subtracted.check().if_there()?.is_some();
        let area = fetched.reply()?.extents;
        let area = Rect::new(area.x.into(), area.y.into(), area.width.into(), area.height.into());
        let is_small = is_there && area.width <= CARET.0 && area.height <= CARET.1;
        let blinks = is_small && top.small == Some(area);
        top.small = is_small.then_some(area);
        if !blinks && let Some(process) = self.processes.get_mut(&top.process) {
            process.note_drawn();
        }
        Ok(())
    }

    /// Looks which windows the processes have, and whether all of them can be seen.
    fn arrange(&mut self, session: &XSession) -> Outcome<()> {
        self.is_outdated = false;
        let mut windows = list(session)?;
        windows.extend(popups(session)?);
        let stack = Stack::read(session)?;
        let own: Vec<(Window, u32)> = windows
            .iter()
            .filter_map(|window| Some((u32::try_from(window.id.number()).ok()?, window.pid?)))
            .filter(|(_, process)| self.processes.contains_key(process))
            .collect();
        let ids: Vec<Window> = own.iter().map(|(window, _)| *window).collect();
        let tops = toplevels(session, &ids)?;
        let mut known: HashMap<u32, bool> = HashMap::new();
        let mut held: HashMap<Window, u32> = HashMap::new();
        for (window, process) in own {
            let top = tops.get(&window).copied();
            let area = top.and_then(|top| stack.area_of(top));
            let is_seen = match top.zip(area) {
                Some((top, area)) => stack.shows(top, area) || has_pixels_of_its_own(session, top)?,
                // It is minimized, or on another virtual desktop, and nothing of it is drawn.
                None => false,
            };
            *known.entry(process).or_insert(true) &= is_seen;
            held.extend(top.map(|top| (top, process)));
        }
        self.watch(session, &held)?;
        for (process, state) in &mut self.processes {
            let is_known = known.get(process).copied().unwrap_or(false);
            if !is_known || !state.is_known {
                state.note_drawn();
            }
            state.is_known = is_known;
        }
        self.processes.retain(|process, state| {
            known.contains_key(process) || state.asked.is_some_and(|asked| asked.elapsed() < UNASKED)
        });
        Ok(())
    }

    /// Watches these windows, each of a process, and no others.
    fn watch(&mut self, session: &XSession, held: &HashMap<Window, u32>) -> Outcome<()> {
        let gone: HashSet<Window> =
            self.tops.keys().copied().filter(|window| !held.contains_key(window)).collect();
        for top in gone.iter().filter_map(|window| self.tops.remove(window)) {
            session.connection.damage_destroy(top.damage)?.check().if_there()?;
            self.processes.get_mut(&top.process).map(Process::note_drawn);
        }
        for (window, process) in held {
            if self.tops.contains_key(window) {
                continue;
            }
            let damage = session.connection.generate_id()?;
            let created = session.connection.damage_create(damage, *window, ReportLevel::NON_EMPTY)?;
            if created.check().if_there()?.is_some() {
                let top = Top { damage, process: *process, is_drawn: false, small: None };
                self.tops.insert(*window, top);
            } else {
                self.is_outdated = true;
            }
            self.processes.get_mut(process).map(Process::note_drawn);
        }
        Ok(())
    }
}

fn announce_of_root(session: &XSession, mask: EventMask) -> Outcome<()> {
    let attributes = ChangeWindowAttributesAux::new().event_mask(mask);
    session.connection.change_window_attributes(session.root(), &attributes)?;
    Ok(())
}
