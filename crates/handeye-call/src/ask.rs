//! The typed questions of a call.

use crate::call::Call;
use crate::client::{Ask, Fields, Form, Page, Question, Reply, Root, Sampled, Sampling, cannot_be_asked};
use handeye_core::{Error, ErrorCode, Result};

impl Call {
    /// Asks the client's person to fill in a form; `key` and `about` are those of a [`Question`].
    ///
    /// # Errors
    /// [`ErrorCode::NotSupported`] if this client shows no forms, [`ErrorCode::Declined`] if the person declined or closed the form;
    /// others as [`Client::ask`](crate::client::Client::ask) has them.
    pub async fn fill_in(&self, key: &str, about: &str, form: Form) -> Result<Fields> {
        if !self.client.capabilities().form {
            return Err(cannot_be_asked("to show a form"));
        }
        let reply = self.client.ask(question(key, about, Ask::Form(form.clone()))).await?;
        form.read(&accepted(reply)?)
    }

    /// Asks the client to send its person to a page. Returns when the person agreed to open it, which does not show what was done there.
    ///
    /// # Errors
    /// As [`Call::fill_in`].
    pub async fn visit(&self, key: &str, page: Page) -> Result<()> {
        if !self.client.capabilities().url {
            return Err(cannot_be_asked("to open a page"));
        }
        accepted(self.client.ask(question(key, "", Ask::Page(page))).await?).map(drop)
    }

    /// Asks the client's model. `about` stands for the question where a reply may come in another run of the operation: what is shown to
    /// the model is not part of it.
    ///
    /// # Errors
    /// [`ErrorCode::NotSupported`] if this client does not offer its model, or its model takes no tools; others as
    /// [`Client::ask`](crate::client::Client::ask) has them.
    pub async fn sample(&self, key: &str, about: &str, sampling: Sampling) -> Result<Sampled> {
        let capabilities = self.client.capabilities();
        if !capabilities.sampling {
            return Err(cannot_be_asked("for its model's opinion"));
        }
        if !sampling.tools.is_empty() && !capabilities.sampling_tools {
            return Err(cannot_be_asked("to give its model tools"));
        }
        match self.client.ask(question(key, about, Ask::Sampling(sampling))).await? {
            Reply::Sampled(sampled) => Ok(sampled),
            Reply::Declined | Reply::Dismissed => Err(declined()),
            Reply::Accepted(_) | Reply::Roots(_) => Err(another_question()),
        }
    }

    /// Asks the client for the folders that it works in.
    ///
    /// # Errors
    /// [`ErrorCode::NotSupported`] if this client does not list them; others as [`Client::ask`](crate::client::Client::ask) has them.
    pub async fn roots(&self, key: &str) -> Result<Vec<Root>> {
        if !self.client.capabilities().roots {
            return Err(cannot_be_asked("for its folders"));
        }
        match self.client.ask(question(key, "", Ask::Roots)).await? {
            Reply::Roots(roots) => Ok(roots),
            Reply::Accepted(_) | Reply::Declined | Reply::Dismissed | Reply::Sampled(_) => {
                Err(another_question())
            }
        }
    }
}

fn question(key: &str, about: &str, ask: Ask) -> Question {
    Question { key: key.to_owned(), about: about.to_owned(), ask }
}

fn accepted(reply: Reply) -> Result<serde_json::Map<String, serde_json::Value>> {
    match reply {
        Reply::Accepted(filled) => Ok(filled),
        Reply::Declined | Reply::Dismissed => Err(declined()),
        Reply::Sampled(_) | Reply::Roots(_) => Err(another_question()),
    }
}

fn declined() -> Error {
    Error::new(ErrorCode::Declined, "the question was declined: nothing was done")
        .with_next("Do not ask again for the same; ask the person what to do instead.")
}

fn another_question() -> Error {
    Error::internal("a reply to another kind of question")
}
