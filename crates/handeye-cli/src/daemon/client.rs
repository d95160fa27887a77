//! The command's side: finds the daemon or starts it, and has it do what was asked.

use super::build::Build;
use super::channel::{ALIVE, ANSWER, Channel, SHORT};
use super::endpoint::{Endpoint, Lock};
use crate::person::Person;
use handeye_call::outcome::Answer;
use handeye_core::Error;
use handeye_service::wire::{
    CallAnswer, CallRequest, Hello, PersonReply, PersonThere, Reply, Request, ShownAnswer, Status,
};
use serde_json::Value;
use std::fs::Metadata;
use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::pin::Pin;
use std::time::Duration;
use tokio::net::UnixStream;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

/// What every command calls itself: the commands of one user on one desktop are one caller.
const COMMANDS: &str = "handeye";
/// How long a daemon that runs may take to greet.
const GREETING: Duration = Duration::from_secs(1);
/// How long one that was just started may take.
const FIRST_GREETING: Duration = Duration::from_secs(5);
/// How long one of another build may take to make room.
const LEAVING: Duration = Duration::from_secs(2);
/// After how long without a sign of life a daemon counts as dead: several times that between two signs.
const SILENCE: Duration = Duration::from_secs(5);
/// How long the bytes of a picture may take.
const PICTURE: Duration = Duration::from_secs(30);
/// How often it is tried again when others start or end a daemon in the same moment.
const TRIES: usize = 5;
/// How long a cancelled call may take to put things back, and its answer to come.
const CLEAN_UP: Duration = Duration::from_millis(1_500);

/// Starts a daemon at a place, which listens on the given socket. Returns as soon as its process is there.
pub type Launch = fn(&Endpoint, OwnedFd) -> io::Result<()>;

/// Makes the folder of a place, if it is missing, and refuses one that others can enter.
pub type Prepare = fn(&Path) -> handeye_core::Result<()>;

/// What came of an attempt to have the daemon do something.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// It did; the result, and what it logged.
    Answered(Box<Result<Answer, Error>>, Vec<String>),
    /// It did not begin, and this is why: the command has to work alone.
    Unavailable(String),
    /// It began, its end was not reported, and this is why.
    Lost(String),
}

/// What a command asks for.
pub(crate) struct Asked<'a> {
    /// The name of the operation's tool.
    pub(crate) operation: &'static str,
    /// Its parameters, as [`CallRequest`] has them.
    pub(crate) input: Value,
    /// Its settings, as the binary reads them on the other side.
    pub(crate) settings: Value,
    /// How long it may take, if the user set it.
    pub(crate) limit: Option<Duration>,
    /// Whether the answer is the bytes of its first picture.
    pub(crate) picture: bool,
    /// Whether what is logged meanwhile is wanted too.
    pub(crate) logs: bool,
    /// Who can be asked meanwhile, if anybody, and whether that is unproven to be a person.
    pub(crate) person: Option<(&'a dyn Person, bool)>,
}

/// What commands and their daemon have from the program that they are a part of, and from its operating system.
#[derive(Debug, Clone, Copy)]
pub struct Program {
    /// Makes the folder of a daemon's place.
    pub prepare: Prepare,
    /// Starts a daemon.
    pub launch: Launch,
    /// The very file that this process runs, even if another one has its name by now.
    pub file: fn() -> io::Result<Metadata>,
}

/// A command in search of its daemon.
pub struct Client<'a> {
    /// Where the daemon of this session listens.
    pub endpoint: &'a Endpoint,
    /// What the command is a part of.
    pub program: Program,
}

/// What a connection led to.
enum Met {
    /// A daemon of this build.
    Own(Channel),
    /// A daemon of another build.
    Stranger(Channel),
    /// Nobody, or one that is just ending.
    Nobody,
}

impl Client<'_> {
    /// Has the daemon run a command; starts it if there is none, replaces it if it is of another build.
    pub(crate) async fn call(&self, asked: Asked<'_>, cancelled: &CancellationToken) -> Outcome {
        let mut channel = match self.reach().await {
            Ok(channel) => channel,
            Err(error) => return Outcome::Unavailable(error.to_string()),
        };
        let request = Request::Call(Box::new(CallRequest {
            operation: asked.operation.to_owned(),
            input: asked.input,
            caller: COMMANDS.into(),
            budget: None,
            settings: asked.settings,
            limit_ms: asked.limit.map(|limit| u64::try_from(limit.as_millis()).unwrap_or(u64::MAX)),
            picture: asked.picture,
            logs: asked.logs,
            person: asked.person.map(|(_, unproven)| PersonThere { unproven }),
        }));
        let person = asked.person.map(|(person, _)| person);
        match timeout(SILENCE, channel.write(&request, b"")).await {
            Ok(Ok(())) => converse(&mut channel, cancelled, person)
                .await
                .unwrap_or_else(|error| Outcome::Lost(error.to_string())),
            Ok(Err(error)) => Outcome::Lost(error.to_string()),
            Err(_elapsed) => Outcome::Lost("it does not listen".into()),
        }
    }

    /// Starts the daemon if there is none, replaces it if it is of another build. Returns its status.
    pub(super) async fn start(&self) -> io::Result<Status> {
        let mut channel = self.reach().await?;
        status_over(&mut channel).await
    }

    /// A connection to a daemon of this build, which is started if there is none.
    async fn reach(&self) -> io::Result<Channel> {
        for _ in 0..TRIES {
            match self.meet(GREETING).await? {
                Met::Own(channel) => return Ok(channel),
                Met::Stranger(channel) => {
                    dismiss(channel).await?;
                    continue;
                }
                Met::Nobody => {}
            }
            let Some(lock) = self.lock().await? else { continue };
            // Somebody else may have started one meanwhile.
            match self.meet(GREETING).await? {
                Met::Own(channel) => return Ok(channel),
                Met::Stranger(channel) => {
                    // It needs the lock to go.
                    drop(lock);
                    dismiss(channel).await?;
                    continue;
                }
                Met::Nobody => {}
            }
            // The socket is there before the process is: from here on, every command finds it.
            let listener = self.endpoint.listen(&lock)?;
            (self.program.launch)(self.endpoint, listener.into())?;
            drop(lock);
            return match self.meet(FIRST_GREETING).await? {
                Met::Own(channel) => Ok(channel),
                Met::Stranger(_) | Met::Nobody => Err(io::Error::other("it ended at once")),
            };
        }
        Err(io::Error::other("others start and end it again and again"))
    }

    /// Takes the lock of the place; `None` if its folder went with a daemon that ended in this moment.
    async fn lock(&self) -> io::Result<Option<Lock>> {
        (self.program.prepare)(self.endpoint.folder()).map_err(|error| io::Error::other(error.message))?;
        let endpoint = self.endpoint.clone();
        match tokio::task::spawn_blocking(move || endpoint.lock()).await.map_err(io::Error::other)? {
            Ok(lock) => Ok(Some(lock)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The daemon that runs at a place, whatever its build; `None` if there is none.
    pub(super) async fn status(&self) -> io::Result<Option<Status>> {
        match self.meet(GREETING).await? {
            Met::Own(mut channel) | Met::Stranger(mut channel) => status_over(&mut channel).await.map(Some),
            Met::Nobody => Ok(None),
        }
    }

    /// Asks the daemon at a place to end and waits for that, as long as its calls take. Whether there was one.
    pub(super) async fn stop(&self, patience: Duration) -> io::Result<bool> {
        let mut channel = match self.meet(GREETING).await? {
            Met::Own(channel) | Met::Stranger(channel) => channel,
            Met::Nobody => return Ok(false),
        };
        let end = async {
            channel.write(&Request::Stop, b"").await?;
            while channel.read::<Reply>(SHORT).await?.is_some() {}
            Ok(true)
        };
        timeout(patience, end).await.unwrap_or_else(|_| Err(ErrorKind::TimedOut.into()))
    }

    /// Connects and listens for the greeting.
    async fn meet(&self, patience: Duration) -> io::Result<Met> {
        let greeted = async {
            let mut channel = match UnixStream::connect(self.endpoint.socket()).await {
                Ok(stream) => Channel::new(stream)?,
                Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) => {
                    return Ok(Met::Nobody);
                }
                Err(error) => return Err(error),
            };
            match channel.read::<Hello>(SHORT).await {
                Ok(Some(hello)) if Build::of(&(self.program.file)()?).is(&hello.build) => {
                    Ok(Met::Own(channel))
                }
                Ok(Some(_)) => Ok(Met::Stranger(channel)),
                Err(error) if error.kind() == ErrorKind::InvalidData => Err(error),
                Ok(None) | Err(_) => Ok(Met::Nobody),
            }
        };
        timeout(patience, greeted).await.unwrap_or_else(|_| Err(io::Error::other("it does not answer")))
    }
}

/// Asks a daemon of another build to make room, and waits until its socket is gone.
async fn dismiss(mut channel: Channel) -> io::Result<()> {
    let gone = async {
        channel.write(&Request::Stop, b"").await?;
        channel.read::<Reply>(SHORT).await
    };
    timeout(LEAVING, gone)
        .await
        .map_err(|_| io::Error::other("a daemon of another build does not end"))?
        .map(|_| ())
}

async fn status_over(channel: &mut Channel) -> io::Result<Status> {
    let asked = async {
        channel.write(&Request::Status, b"").await?;
        channel.read::<Reply>(SHORT).await
    };
    match timeout(GREETING, asked).await {
        Ok(Ok(Some(Reply::Status(status)))) => Ok(status),
        Ok(Err(error)) => Err(error),
        Ok(Ok(_)) => Err(io::Error::new(ErrorKind::InvalidData, "it reports no status")),
        Err(_elapsed) => Err(ErrorKind::TimedOut.into()),
    }
}

/// A question that the person has not answered yet: its number and the reply to come.
type OpenQuestion<'a> = Pin<Box<dyn Future<Output = (u32, PersonReply)> + Send + 'a>>;

/// Waits for the answer, and has the person answer the questions that come before it.
async fn converse(
    channel: &mut Channel,
    cancelled: &CancellationToken,
    person: Option<&dyn Person>,
) -> io::Result<Outcome> {
    let (mut is_wanted, mut is_overdue) = (true, false);
    let mut deadline = Instant::now() + SILENCE;
    let mut question: Option<OpenQuestion<'_>> = None;
    loop {
        let answered = async {
            match &mut question {
                Some(question) => question.await,
                None => std::future::pending().await,
            }
        };
        let reply = tokio::select! {
            biased;
            reply = channel.read::<Reply>(ANSWER) => reply?,
            () = cancelled.cancelled(), if is_wanted => {
                is_wanted = false;
                question = None;
                deadline = Instant::now() + CLEAN_UP;
                channel.write(&Request::Cancel, b"").await?;
                continue;
            }
            (number, reply) = answered => {
                question = None;
                channel.write(&Request::PersonReply { number, reply }, b"").await?;
                continue;
            }
            () = tokio::time::sleep_until(deadline) => {
                if is_wanted && !is_overdue {
                    // It may have been stopped itself, and what the daemon sent meanwhile is still to be read.
                    is_overdue = true;
                    deadline = Instant::now() + ALIVE;
                    continue;
                }
                let why = if is_wanted { "it does not respond" } else { "it does not end the call" };
                return Err(io::Error::new(ErrorKind::TimedOut, why));
            }
        };
        match reply {
            Some(Reply::Alive) if is_wanted => {
                is_overdue = false;
                deadline = Instant::now() + SILENCE;
            }
            Some(Reply::Alive) => {}
            Some(Reply::Ask(asked)) => {
                question = person.filter(|_| is_wanted).map(|person| -> OpenQuestion<'_> {
                    let patience = Duration::from_millis(asked.patience_ms);
                    Box::pin(async move { (asked.number, person.answer(asked.shown, patience).await) })
                });
            }
            Some(Reply::Answer(answer)) => {
                let CallAnswer { result, logs } = *answer;
                let result = match result {
                    Ok(shown) => Ok(received(channel, shown).await?),
                    Err(error) => Err(error),
                };
                return Ok(Outcome::Answered(Box::new(result), logs));
            }
            Some(_) => return Err(io::Error::new(ErrorKind::InvalidData, "it misunderstood")),
            None => return Err(io::Error::new(ErrorKind::UnexpectedEof, "it ended")),
        }
    }
}

/// The answer with the picture that follows it.
async fn received(channel: &mut Channel, shown: ShownAnswer) -> io::Result<Answer> {
    let mut picture = None;
    if let Some(count) = shown.picture_bytes {
        let bytes = timeout(PICTURE, channel.read_bytes(count)).await;
        picture = Some(bytes.unwrap_or_else(|_| Err(ErrorKind::TimedOut.into()))?);
    }
    Ok(shown.with_picture(picture))
}
