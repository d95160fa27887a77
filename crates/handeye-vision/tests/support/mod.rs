//! A question to providers whose environment is given.

#![allow(dead_code, reason = "every test file uses a part of it")]

use handeye_core::Result;
use handeye_core::vision::{EncodedPicture, ModelChoice, Reply, Vision};
use handeye_vision::{Environment, Providers, TimeLimit};
use std::collections::HashMap;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The key of every provider.
pub(crate) const KEY: &str = "sk-test-abcdefghijklmnop";
/// The bytes of the picture; no test decodes them.
pub(crate) const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n and so on";

/// The providers of `models`, all at `address`, with keys.
pub(crate) fn providers(models: &str, address: &str) -> Providers {
    with(models, &[], address)
}

/// The same with more variables, or others.
pub(crate) fn with(models: &str, more: &[(&str, &str)], address: &str) -> Providers {
    let mut variables: HashMap<String, String> = HashMap::new();
    for name in ["OPENAI", "ANTHROPIC", "GEMINI", "OLLAMA", "VLLM", "LMSTUDIO", "MINE"] {
        variables.insert(format!("HANDEYE_{name}_BASE_URL"), address.to_owned());
        variables.insert(format!("{name}_API_KEY"), KEY.to_owned());
    }
    variables.extend(more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    Providers::new(Environment {
        variable: "HANDEYE_AI_PROVIDERS".into(),
        models: models.split(',').map(str::trim).filter(|m| !m.is_empty()).map(str::to_owned).collect(),
        local: None,
        time_limit: variables
            .get("HANDEYE_AI_TIMEOUT")
            .map_or(TimeLimit::Usual, |text| TimeLimit::of_seconds(text.trim().parse().ok())),
        read: Box::new(move |name| variables.get(name).filter(|value| !value.is_empty()).cloned()),
    })
}

/// Asks the first available model.
pub(crate) async fn ask(providers: &Providers) -> Result<Reply> {
    let model = providers.choose(&ModelChoice::default()).await?;
    let picture = EncodedPicture { mime_type: "image/png", bytes: PICTURE.to_vec() };
    providers.ask(&model, Some(picture), "What is it?").await
}

/// Asks this model without looking whether it is available.
pub(crate) async fn ask_only(providers: &Providers, provider: &str) -> Result<Reply> {
    let choice = ModelChoice { provider: Some(provider.to_owned()), model: None };
    let model = providers.choose(&choice).await?;
    let picture = EncodedPicture { mime_type: "image/png", bytes: PICTURE.to_vec() };
    providers.ask(&model, Some(picture), "What is it?").await
}

/// A server of one port that answers every request with these bytes and then closes the connection.
pub(crate) async fn raw(answer: impl Into<Vec<u8>>) -> String {
    let (listener, answer) = (TcpListener::bind("127.0.0.1:0").await.expect("a port"), answer.into());
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move {
        while let Ok((mut connection, _)) = listener.accept().await {
            read_request(&mut connection).await;
            connection.write_all(&answer).await.expect("sent");
            connection.shutdown().await.expect("closed");
        }
    });
    address
}

/// Reads a request whole: its head, and as much of a body as that announces.
pub(crate) async fn read_request(connection: &mut TcpStream) {
    let mut request = Vec::new();
    let mut part = [0; 4096];
    loop {
        let read = connection.read(&mut part).await.expect("a request");
        request.extend_from_slice(&part[..read]);
        let text = String::from_utf8_lossy(&request).to_lowercase();
        let Some((head, _)) = text.split_once("\r\n\r\n") else {
            assert!(read > 0, "the request ended early");
            continue;
        };
        let length = head.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
        let length: usize = length.map_or(0, |text| text.trim().parse().expect("a length"));
        if read == 0 || request.len() >= head.len() + 4 + length {
            return;
        }
    }
}
