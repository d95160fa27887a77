//! What reaches a provider, and what its answers mean.

mod support;

use handeye_core::ErrorCode;
use handeye_core::vision::{EncodedPicture, Model, ModelChoice, Vision};
use serde_json::{Value, json};
use support::{KEY, PICTURE, ask, ask_only, providers, with};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

/// The picture in base64.
fn data() -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(PICTURE)
}

/// A server that answers every POST with `answer`, and every GET that it is up.
async fn server(answer: Value) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(method("GET"))
        .respond_with(ResponseTemplate::new(200).set_body_json(json!({})))
        .mount(&server)
        .await;
    Mock::given(method("POST"))
        .respond_with(ResponseTemplate::new(200).set_body_json(answer))
        .mount(&server)
        .await;
    server
}

/// The question that reached it, and its JSON.
async fn question(server: &MockServer) -> (Request, Value) {
    let requests = server.received_requests().await.expect("recorded");
    let post = requests.into_iter().find(|request| request.method.as_str() == "POST").expect("a question");
    let body = post.body_json().expect("JSON");
    (post, body)
}

fn header(request: &Request, name: &str) -> String {
    request.headers.get(name).map(|value| value.to_str().expect("text").to_owned()).unwrap_or_default()
}

fn openai(text: &Value) -> Value {
    json!({"choices": [{"finish_reason": "stop", "message": {"content": text}}]})
}

#[tokio::test]
async fn openai_is_asked_by_chat_completions() {
    let server = server(openai(&json!("A cat."))).await;
    let reply = ask(&providers("openai/gpt-4o", &format!("{}/v1", server.uri()))).await.expect("an answer");
    assert_eq!((reply.text.as_str(), reply.complete), ("A cat.", true));
    let (request, body) = question(&server).await;
    assert_eq!(request.url.path(), "/v1/chat/completions");
    assert_eq!(header(&request, "authorization"), format!("Bearer {KEY}"));
    assert_eq!(header(&request, "content-type"), "application/json");
    assert_eq!(
        body,
        json!({"model": "gpt-4o", "messages": [{"role": "user", "content": [
            {"type": "text", "text": "What is it?"},
            {"type": "image_url", "image_url": {"url": format!("data:image/png;base64,{}", data())}},
        ]}]})
    );
}

#[tokio::test]
async fn anthropic_is_asked_by_messages() {
    let answer = json!({"stop_reason": "end_turn", "content": [
        {"type": "thinking", "thinking": "hm", "text": "no"}, {"type": "text", "text": "A "}, {"type": "text", "text": "cat."}]});
    let server = server(answer).await;
    let reply = ask(&providers("anthropic/claude-x", &server.uri())).await.expect("an answer");
    assert_eq!(reply.text, "A cat.");
    let (request, body) = question(&server).await;
    assert_eq!(request.url.path(), "/v1/messages");
    assert_eq!(header(&request, "x-api-key"), KEY);
    assert_eq!(header(&request, "anthropic-version"), "2023-06-01");
    assert_eq!(header(&request, "authorization"), "");
    assert_eq!(body["model"], "claude-x");
    assert!(body["max_tokens"].as_u64().is_some_and(|limit| limit >= 1024));
    assert_eq!(
        body["messages"],
        json!([{"role": "user", "content": [
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data()}},
            {"type": "text", "text": "What is it?"},
        ]}])
    );
}

#[tokio::test]
async fn gemini_is_asked_by_generate_content_with_the_key_in_a_header() {
    let answer = json!({"candidates": [{"finishReason": "STOP", "content": {"parts": [
        {"text": "thinking", "thought": true}, {"text": "A cat."}]}}]});
    let server = server(answer).await;
    let reply = ask(&providers("google/gemini-x", &server.uri())).await.expect("an answer");
    assert_eq!(reply.text, "A cat.");
    let (request, body) = question(&server).await;
    assert_eq!(request.url.path(), "/v1beta/models/gemini-x:generateContent");
    assert_eq!(request.url.query(), None);
    assert_eq!(header(&request, "x-goog-api-key"), KEY);
    assert_eq!(
        body,
        json!({"contents": [{"role": "user", "parts": [
            {"inline_data": {"mime_type": "image/png", "data": data()}}, {"text": "What is it?"}]}]})
    );
}

#[tokio::test]
async fn ollama_is_asked_by_generate_without_a_key() {
    let server = server(json!({"response": "A cat.", "done": true, "done_reason": "stop"})).await;
    let reply = ask(&providers("ollama/qwen2.5vl:7b", &server.uri())).await.expect("an answer");
    assert_eq!(reply.text, "A cat.");
    let (request, body) = question(&server).await;
    assert_eq!(request.url.path(), "/api/generate");
    assert_eq!(header(&request, "authorization"), "");
    assert_eq!(
        body,
        json!({"model": "qwen2.5vl:7b", "prompt": "What is it?", "images": [data()], "stream": false})
    );
}

#[tokio::test]
async fn a_compatible_server_gets_the_whole_name_of_its_model_and_a_key_only_if_it_has_one() {
    let server = server(openai(&json!([{"type": "text", "text": "A cat."}]))).await;
    // A name that ends like an option of another interface stays what it is.
    let model = "mine/Qwen/qwen-vl-max:high";
    assert_eq!(ask(&providers(model, &server.uri())).await.expect("an answer").text, "A cat.");
    let (request, body) = question(&server).await;
    assert_eq!(
        (request.url.path(), &body["model"]),
        ("/v1/chat/completions", &json!("Qwen/qwen-vl-max:high"))
    );
    assert_eq!(header(&request, "authorization"), "");
    server.reset().await;
    Mock::given(method("POST"))
        .respond_with(ResponseTemplate::new(200).set_body_json(openai(&json!("yes"))))
        .mount(&server)
        .await;
    let keyed = with(model, &[("HANDEYE_MINE_API_KEY", KEY)], &server.uri());
    ask_only(&keyed, "mine").await.expect("an answer");
    assert_eq!(header(&question(&server).await.0, "authorization"), format!("Bearer {KEY}"));
}

#[tokio::test]
async fn a_cut_off_answer_is_kept_and_reported() {
    for (provider, answer) in [
        ("openai", json!({"choices": [{"finish_reason": "length", "message": {"content": "A c"}}]})),
        ("anthropic", json!({"stop_reason": "max_tokens", "content": [{"type": "text", "text": "A c"}]})),
        (
            "gemini",
            json!({"candidates": [{"finishReason": "MAX_TOKENS", "content": {"parts": [{"text": "A c"}]}}]}),
        ),
        ("ollama", json!({"response": "A c", "done": true, "done_reason": "length"})),
    ] {
        let server = server(answer).await;
        let reply = ask(&providers(provider, &server.uri())).await.expect("an answer");
        assert_eq!((reply.text.as_str(), reply.complete), ("A c", false), "{provider}");
    }
}

#[tokio::test]
async fn an_empty_answer_is_an_error() {
    for (provider, answer) in [
        ("openai", openai(&Value::Null)),
        ("openai", openai(&json!(" \n"))),
        ("openai", json!({"choices": [{"finish_reason": "length", "message": {"content": ""}}]})),
        ("anthropic", json!({"stop_reason": "end_turn", "content": []})),
        ("gemini", json!({"candidates": [{"finishReason": "STOP", "content": {"role": "model"}}]})),
        ("ollama", json!({"response": "", "done": true})),
    ] {
        let server = server(answer).await;
        let error = ask(&providers(provider, &server.uri())).await.expect_err("empty");
        assert_eq!(error.code, ErrorCode::ProviderFailed);
        assert!(error.message.starts_with(&format!("{provider} gave an empty answer")), "{}", error.message);
    }
}

#[tokio::test]
async fn a_refusal_is_reported_with_its_reason() {
    for (provider, answer, reason) in [
        (
            "openai",
            json!({"choices": [{"finish_reason": "stop", "message": {"content": null, "refusal": "I can't."}}]}),
            "I can't.",
        ),
        (
            "openai",
            json!({"choices": [{"finish_reason": "content_filter", "message": {"content": "A"}}]}),
            "content filter",
        ),
        ("anthropic", json!({"stop_reason": "refusal", "content": []}), "declined"),
        ("gemini", json!({"promptFeedback": {"blockReason": "SAFETY"}}), "SAFETY"),
        ("gemini", json!({"candidates": [{"finishReason": "IMAGE_SAFETY"}]}), "IMAGE_SAFETY"),
    ] {
        let server = server(answer).await;
        let error = ask(&providers(provider, &server.uri())).await.expect_err("a refusal");
        assert_eq!(error.code, ErrorCode::ProviderRefused, "{}", error.message);
        assert!(
            error.message.starts_with(&format!("{provider}/")) && error.message.contains(reason),
            "{}",
            error.message
        );
    }
}

#[tokio::test]
async fn auto_takes_the_first_that_is_available() {
    let up = server(openai(&json!("yes"))).await;
    let broken = MockServer::start().await;
    Mock::given(path("/api/tags")).respond_with(ResponseTemplate::new(503)).mount(&broken).await;
    let providers = with(
        "openai/no-key,ollama/broken,vllm/down,lmstudio/good,gemini/later",
        &[
            ("OPENAI_API_KEY", ""),
            ("HANDEYE_OLLAMA_BASE_URL", &broken.uri()),
            ("HANDEYE_VLLM_BASE_URL", "http://127.0.0.1:1"),
        ],
        &up.uri(),
    );
    let chosen = providers.choose(&ModelChoice::default()).await.expect("one is up");
    assert_eq!(chosen.to_string(), "lmstudio/good");
    // Within some seconds no provider is asked again.
    providers.choose(&ModelChoice::default()).await.expect("one is up");
    assert_eq!(broken.received_requests().await.expect("recorded").len(), 1);
    assert_eq!(up.received_requests().await.expect("recorded").len(), 1);
}

#[tokio::test]
async fn an_asked_model_goes_to_the_chosen_provider() {
    let providers = providers("openai/gpt-4o,anthropic/claude-x", "http://127.0.0.1:1");
    let choose = async |provider: Option<&str>, model: Option<&str>| {
        let choice = ModelChoice { provider: provider.map(str::to_owned), model: model.map(str::to_owned) };
        providers.choose(&choice).await.map(|model| model.to_string())
    };
    assert_eq!(choose(None, Some("gpt-5")).await.expect("a model"), "openai/gpt-5");
    assert_eq!(choose(Some("auto"), None).await.expect("a model"), "openai/gpt-4o");
    assert_eq!(choose(Some("Claude"), None).await.expect("a model"), "anthropic/claude-x");
    assert_eq!(choose(Some("anthropic"), Some("other")).await.expect("a model"), "anthropic/other");
    let error = choose(Some("gemini"), None).await.expect_err("not enabled");
    assert_eq!(
        error.message,
        "Provider 'gemini' is not enabled in server's HANDEYE_AI_PROVIDERS configuration."
    );
    assert_eq!(error.code, ErrorCode::AnalysisUnavailable);
}

#[tokio::test]
async fn when_none_is_available_each_ones_reason_is_reported() {
    let providers = with("openai,ollama/m,bad entry,vllm/x", &[("OPENAI_API_KEY", "")], "http://127.0.0.1:1");
    let error = providers.choose(&ModelChoice::default()).await.expect_err("none");
    assert_eq!(
        error.message,
        "No configured AI providers in HANDEYE_AI_PROVIDERS are currently operational."
    );
    let found = error.found.join("\n");
    for part in [
        "openai/gpt-4o: OPENAI_API_KEY is not set",
        "ollama/m: http://127.0.0.1:1: the connection was refused",
        "'bad entry' is ignored",
    ] {
        assert!(found.contains(part), "{part} in {found}");
    }
    let error = with("", &[], "http://127.0.0.1:1").choose(&ModelChoice::default()).await.expect_err("none");
    assert_eq!(
        error.message,
        "AI analysis not configured on this server. Set the HANDEYE_AI_PROVIDERS environment variable."
    );
}

#[tokio::test]
async fn a_provider_without_its_key_is_not_asked() {
    let providers = with("openai", &[("OPENAI_API_KEY", "")], "http://127.0.0.1:1");
    let error = ask_only(&providers, "openai").await.expect_err("no key");
    assert_eq!(error.code, ErrorCode::AnalysisUnavailable);
    assert_eq!(error.message, "openai cannot be asked: OPENAI_API_KEY is not set");
}

#[tokio::test]
async fn a_model_of_nobody_is_not_asked() {
    let model = Model { provider: "gemini".into(), name: "x".into() };
    let picture = EncodedPicture { mime_type: "image/png", bytes: PICTURE.to_vec() };
    let error = providers("openai", "http://127.0.0.1:1")
        .ask(&model, Some(picture), "?")
        .await
        .expect_err("not enabled");
    assert_eq!(error.code, ErrorCode::AnalysisUnavailable);
}
