//! An Ollama on this machine that nothing in the configuration names.

use crate::configuration::Entry;
use crate::http::{Http, Request};
use crate::provider::{self, Provider};
use reqwest::Url;
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use serde_json::{Value, json};
use std::net::IpAddr;
use std::time::Duration;

/// Where an Ollama listens by default.
const USUAL_PORT: u16 = 11_434;
/// How long looking may take altogether.
const LOOKING: Duration = Duration::from_millis(1_500);
/// Most models that are asked what they can do.
const MOST_MODELS: usize = 16;

/// Where an Ollama of this machine listens, by `OLLAMA_HOST`, the variable that it reads itself. `None` where that names another machine or
/// no address: nobody is asked who was not named.
pub fn ollama_address(host: Option<&str>) -> Option<String> {
    let host = host.map(str::trim).filter(|host| !host.is_empty()).unwrap_or("127.0.0.1");
    let with_scheme = if host.contains("://") { host.to_owned() } else { format!("http://{host}") };
    // `:8080` is this machine as well.
    let url = Url::parse(&with_scheme.replace("http://:", "http://127.0.0.1:")).ok()?;
    let name = url.host_str()?.trim_matches(['[', ']']).to_owned();
    let is_here = name == "localhost"
        || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback() || address.is_unspecified());
    // A URL without a port has that of its scheme, `http://127.0.0.1` as well as `127.0.0.1:80`: Ollama itself takes the former for its usual one.
    let port = url.port().unwrap_or(USUAL_PORT);
    (is_here && url.scheme() == "http").then(|| format!("http://127.0.0.1:{port}"))
}

/// The first model of an Ollama at `address` that can look at pictures. `None` if nothing answers there, or no model can.
pub(crate) async fn find(http: &Http, address: &str) -> Option<Entry> {
    let variable = |name: &str| (name == "HANDEYE_OLLAMA_BASE_URL").then(|| address.to_owned());
    let provider = provider::set_up("ollama", &variable).ok()?;
    let looked = tokio::time::timeout(LOOKING, first_that_sees(http, &provider)).await;
    let name = looked.ok()??;
    let model = provider.model(&name);
    tracing::info!(%model, address, "an Ollama of this machine is used: no other model is configured");
    Some(Entry { provider, model })
}

async fn first_that_sees(http: &Http, provider: &Provider) -> Option<String> {
    let listed = answer(http, provider.url(&["api", "tags"]), None).await?;
    let names = listed["models"].as_array()?.iter().filter_map(|model| model["name"].as_str());
    for name in names.take(MOST_MODELS) {
        let asked = json!({ "model": name });
        let about = answer(http, provider.url(&["api", "show"]), Some(&asked)).await;
        if about.is_some_and(|about| sees(&about)) {
            return Some(name.to_owned());
        }
    }
    None
}

/// Whether a model can look at pictures. An older Ollama does not list what a model can do, but that it has a projector.
fn sees(about: &Value) -> bool {
    let listed = about["capabilities"].as_array();
    listed.is_some_and(|all| all.iter().any(|one| one == "vision")) || about["projector_info"].is_object()
}

/// The JSON that is answered with success.
async fn answer(http: &Http, url: Url, question: Option<&Value>) -> Option<Value> {
    let headers = vec![(CONTENT_TYPE, HeaderValue::from_static("application/json"))];
    let body = question.map(|question| question.to_string().into_bytes());
    let received = http.send(Request { url, headers, body }, LOOKING).await.ok()?;
    received.status.is_success().then(|| serde_json::from_slice(&received.body).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_looked_at() {
        for (host, address) in [
            (None, Some("http://127.0.0.1:11434")),
            (Some(" "), Some("http://127.0.0.1:11434")),
            (Some("0.0.0.0:8080"), Some("http://127.0.0.1:8080")),
            (Some(":8080"), Some("http://127.0.0.1:8080")),
            (Some("http://localhost"), Some("http://127.0.0.1:11434")),
            (Some("[::1]:9"), Some("http://127.0.0.1:9")),
            (Some("10.0.0.7:11434"), None),
            (Some("gpu.example.org"), None),
            (Some("https://localhost"), None),
            (Some("http://user@"), None),
        ] {
            assert_eq!(ollama_address(host).as_deref(), address, "{host:?}");
        }
    }

    #[test]
    fn what_a_model_can_do_is_read_in_both_forms() {
        assert!(sees(&json!({ "capabilities": ["completion", "vision"] })));
        assert!(sees(&json!({ "projector_info": { "general.architecture": "clip" } })));
        assert!(!sees(&json!({ "capabilities": ["completion"], "projector_info": null })));
    }
}
