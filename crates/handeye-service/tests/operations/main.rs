//! Operations from outside: called through the gate, as a client does, on a desktop in memory.

mod acting;
mod aiming;
mod asking;
mod bench;
mod callers;
mod choosing;
mod confirming;
mod consent;
mod costs;
mod density;
mod finding;
mod focusing;
mod granting;
mod imaging;
mod journal;
mod looking;
mod marking;
mod policy;
mod routes;
mod seeing;
mod surviving;
mod typing;
mod unplaced;
mod window_pictures;
mod window_space;
mod wire;
