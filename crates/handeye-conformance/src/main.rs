//! handeye's server with what the official conformance suite wants to find in it. Never shipped.
//!
//! The suite calls tools, prompts and resources by names of its own. [`Fixtures`] answers to these and hands everything else to
//! the real [`Server`], over the real HTTP stack, so that what is checked is handeye. Prints the address that it
//! serves at, and serves until SIGINT or SIGTERM. Clients need the server's token, unless it is started with `--without-token`.

#![allow(deprecated, reason = "what older revisions have is checked as well")]

mod answer;
mod data;
mod fault;
mod fixtures;
mod handler;
mod prompts;
mod question;
mod questions;
mod resources;
mod tasks;
mod tools;

use fixtures::Fixtures;
use handeye_auth::Guard;
use handeye_call::caller::Caller;
use handeye_core::{Error, NoRules, Result, Rules};
use handeye_engine::Engine;
use handeye_mcp::{HttpServer, NewSession, Place, Server};
use handeye_service::gate::Gate;
use handeye_service::toolbox::{Selection, Toolbox};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

/// Lets everybody in: the suite has no token. The product has no such flag.
const WITHOUT_TOKEN: &str = "--without-token";

#[tokio::main]
async fn main() -> Result<()> {
    let guard = if std::env::args().any(|word| word == WITHOUT_TOKEN) {
        Guard::open()
    } else {
        Guard::of_token(handeye_cli::http_token()?.0)
    };
    let http = HttpServer::bind(Place::here(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))).await?;
    let stop = handeye_cli::cancelled_by_signal()?;
    let server = Server::new(
        &Engine::new(
            handeye_linux::platform(&(Arc::new(NoRules) as Arc<dyn Rules>), false),
            Caller::HTTP_TOKEN,
        ),
        Arc::new(Gate::default()),
        &Toolbox::of(&Selection::default())?,
    );
    let fixtures = Fixtures::new(server).map_err(Error::internal)?;
    println!("{}", http.url());
    let of_caller = move |_: &Caller| -> NewSession<Fixtures> {
        let fixtures = fixtures.clone();
        Box::new(move || fixtures.for_session())
    };
    http.serve(guard, of_caller, stop).await
}
