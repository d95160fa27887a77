//! The callers of one desktop, each with an engine of its own: what one was given is unknown to the others.

use handeye_call::caller::Caller;
use handeye_engine::Engine;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Most callers for whom something is remembered while they ask for nothing.
const MOST: usize = 32;

/// The callers of one desktop. They share its connections with their mirrors, and how its applications behave; each has references, names,
/// looks, pictures and a journal of its own. When there are many, the one that was idle longest is forgotten: its references are then
/// unknown, as their numbers are never used again.
pub struct Callers {
    /// That of this process itself, of which one for another caller is made.
    own: Engine,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// How often an engine was asked for.
    clock: u64,
    callers: HashMap<Caller, Remembered>,
}

struct Remembered {
    engine: Engine,
    /// When its engine was asked for last.
    used: u64,
}

impl Remembered {
    /// Whether no call of this caller is under way, and nothing else that began for it.
    fn is_idle(&self) -> bool {
        Arc::strong_count(&self.engine.memory) == 1 && Arc::strong_count(&self.engine.desk.own) == 1
    }
}

impl Callers {
    /// The callers of the desktop that this process has with its `own` engine.
    pub fn new(own: Engine) -> Self {
        Self { own, known: Mutex::default() }
    }

    /// The engine of a caller: the one that it had before, if that is still remembered.
    pub fn engine(&self, caller: &Caller) -> Engine {
        let mut known = self.known();
        known.clock += 1;
        let now = known.clock;
        if let Some(remembered) = known.callers.get_mut(caller) {
            remembered.used = now;
            return remembered.engine.clone();
        }
        known.make_room();
        let engine = self.own.for_another_caller(caller.clone());
        known.callers.insert(caller.clone(), Remembered { engine: engine.clone(), used: now });
        engine
    }

    /// A poisoned lock is taken over: every change is one call that cannot leave it half done.
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    /// Forgets those that were idle longest until one more has room. Those at work stay: a service bounds its calls.
    fn make_room(&mut self) {
        while self.callers.len() >= MOST {
            let idle = self.callers.iter().filter(|(_, remembered)| remembered.is_idle());
            let Some(idlest) =
                idle.min_by_key(|(_, remembered)| remembered.used).map(|(caller, _)| caller.clone())
            else {
                return;
            };
            self.callers.remove(&idlest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_fake::FakeDesktop;

    fn caller(number: usize) -> Caller {
        Caller::of_socket(1000, &number.to_string()).expect("short")
    }

    fn is_known(callers: &Callers, number: usize) -> bool {
        callers.known().callers.contains_key(&caller(number))
    }

    #[test]
    fn the_idlest_caller_is_forgotten_and_one_at_work_is_not() {
        let callers = Callers::new(Engine::new(FakeDesktop::with([]).platform(), Caller::TERMINAL));
        let at_work = callers.engine(&caller(0));
        for number in 1..MOST {
            callers.engine(&caller(number));
        }
        callers.engine(&caller(1));
        callers.engine(&caller(MOST));
        assert!(is_known(&callers, 0) && is_known(&callers, 1) && !is_known(&callers, 2));
        assert!(Arc::ptr_eq(&at_work.memory, &callers.engine(&caller(0)).memory));
        drop(at_work);
        for number in MOST..=2 * MOST {
            callers.engine(&caller(number));
        }
        assert!(!is_known(&callers, 0));
        assert_eq!(callers.known().callers.len(), MOST);
    }

    #[test]
    fn callers_at_work_are_all_remembered() {
        let callers = Callers::new(Engine::new(FakeDesktop::with([]).platform(), Caller::TERMINAL));
        let at_work: Vec<Engine> = (1..=MOST + 5).map(|number| callers.engine(&caller(number))).collect();
        assert_eq!(callers.known().callers.len(), at_work.len());
        drop(at_work);
        callers.engine(&caller(999));
        assert_eq!(callers.known().callers.len(), MOST);
    }
}
