//! The providers: which there are, where they listen, which key they want.

use crate::secret::Key;
use crate::wire::Protocol;
use handeye_core::vision::Model;
use reqwest::Url;

/// Reads a variable of the environment; `None` if it is not set.
pub type ReadVariable<'a> = dyn Fn(&str) -> Option<String> + Send + Sync + 'a;

/// A provider that handeye knows by name.
struct Known {
    name: &'static str,
    aliases: &'static [&'static str],
    protocol: Protocol,
    /// Where it listens; `None` where only the user can know.
    base_url: Option<&'static str>,
    /// The variable with its key, where that has a name of its own, and it cannot be asked without.
    key_variable: Option<&'static str>,
    /// Where a person gets such a key.
    key_page: Option<&'static str>,
    /// The model that is asked where none is named.
    model: Option<&'static str>,
}

impl Known {
    /// A server on this machine that speaks the protocol of `OpenAI`.
    const fn compatible(name: &'static str, base_url: Option<&'static str>) -> Self {
        Self {
            name,
            aliases: &[],
            protocol: Protocol::OpenAi,
            base_url,
            key_variable: None,
            key_page: None,
            model: None,
        }
    }
}

const KNOWN: [Known; 9] = [
    Known {
        name: "openai",
        aliases: &[],
        protocol: Protocol::OpenAi,
        base_url: Some("https://api.openai.com/v1"),
        key_variable: Some("OPENAI_API_KEY"),
        key_page: Some("https://platform.openai.com/api-keys"),
        model: Some("gpt-4o"),
    },
    Known {
        name: "anthropic",
        aliases: &["claude"],
        protocol: Protocol::Anthropic,
        base_url: Some("https://api.anthropic.com/v1"),
        key_variable: Some("ANTHROPIC_API_KEY"),
        key_page: Some("https://console.anthropic.com/settings/keys"),
        model: Some("claude-sonnet-4-5"),
    },
    Known {
        name: "gemini",
        aliases: &["google"],
        protocol: Protocol::Gemini,
        base_url: Some("https://generativelanguage.googleapis.com/v1beta"),
        key_variable: Some("GEMINI_API_KEY"),
        key_page: Some("https://aistudio.google.com/apikey"),
        model: Some("gemini-2.5-flash"),
    },
    Known {
        name: "ollama",
        aliases: &[],
        protocol: Protocol::Ollama,
        base_url: Some("http://localhost:11434"),
        key_variable: None,
        key_page: None,
        model: Some("llava:latest"),
    },
    Known::compatible("lmstudio", Some("http://localhost:1234/v1")),
    Known::compatible("vllm", Some("http://localhost:8000/v1")),
    Known::compatible("llamacpp", Some("http://localhost:8080/v1")),
    Known::compatible("mlx", Some("http://localhost:8080/v1")),
    Known::compatible("openai_compatible", None),
];

/// Where a provider listens and how it is asked.
#[derive(Debug, Clone)]
pub(crate) struct Provider {
    /// Its name, for example `openai`.
    pub(crate) name: String,
    /// What it speaks.
    pub(crate) protocol: Protocol,
    /// Where it listens. Holds no user name, no password and no query.
    pub(crate) base: Url,
    /// The variable that its key comes from.
    pub(crate) key_variable: String,
    /// Its key.
    pub(crate) key: Option<Key>,
    /// Whether it requires a key: then the key shows whether it is available, else a request does.
    pub(crate) needs_key: bool,
    /// Where a person gets such a key.
    pub(crate) key_page: Option<&'static str>,
    /// The model that is asked where none is named.
    pub(crate) default_model: Option<&'static str>,
}

/// The name under which a provider is known: lower case, aliases resolved.
pub(crate) fn canonical(name: &str) -> String {
    let name = name.trim().to_lowercase();
    match KNOWN.iter().find(|known| known.aliases.contains(&name.as_str())) {
        Some(known) => known.name.to_owned(),
        None => name,
    }
}

/// The provider of that canonical name as the environment sets it up, or why there is none.
pub(crate) fn set_up(name: &str, variable: &ReadVariable<'_>) -> Result<Provider, String> {
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-') {
        return Err("it names no provider (letters, digits, - and _)".to_owned());
    }
    let known = KNOWN.iter().find(|known| known.name == name);
    let base_variable = address_variable(name);
    let given = variable(&base_variable);
    let protocol = known.map_or(Protocol::OpenAi, |known| known.protocol);
    let base = match (&given, known.and_then(|known| known.base_url)) {
        (Some(given), _) => base_url(given, protocol).map_err(|why| format!("{base_variable} {why}"))?,
        (None, Some(usual)) => base_url(usual, protocol)?,
        (None, None) if known.is_some() => return Err(format!("{base_variable} is not set")),
        (None, None) => {
            return Err(format!(
                "no provider is called {name}; if it is an OpenAI-compatible server, set {base_variable}"
            ));
        }
    };
    let own_key = known.and_then(|known| known.key_variable);
    let key_variable =
        own_key.map_or_else(|| format!("HANDEYE_{}_API_KEY", in_variables(name)), str::to_owned);
    Ok(Provider {
        name: name.to_owned(),
        protocol,
        base,
        key: variable(&key_variable).as_deref().and_then(Key::new),
        key_variable,
        needs_key: own_key.is_some(),
        key_page: known.and_then(|known| known.key_page),
        default_model: known.and_then(|known| known.model),
    })
}

/// The variable that says where the provider listens.
fn address_variable(name: &str) -> String {
    format!("HANDEYE_{}_BASE_URL", in_variables(name))
}

/// The name as the names of variables contain it.
fn in_variables(name: &str) -> String {
    name.to_uppercase().replace('-', "_")
}

/// Reads an address. The version at the end of every path of a provider may be left out.
fn base_url(text: &str, protocol: Protocol) -> Result<Url, String> {
    let mut url = Url::parse(text.trim()).map_err(|fault| format!("is not a URL: {fault}"))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err("is not an http or https URL".to_owned());
    }
    // They would come up wherever the address is shown.
    if !url.username().is_empty() || url.password().is_some() || url.query().is_some() {
        return Err(
            "contains a user name, a password or a query; a key belongs in its own variable".to_owned()
        );
    }
    url.set_fragment(None);
    if matches!(url.path(), "" | "/") {
        url.set_path(protocol.version());
    }
    Ok(url)
}

impl Provider {
    /// Its address without the path, for messages.
    pub(crate) fn address(&self) -> String {
        self.base.origin().ascii_serialization()
    }

    /// The URL of `segments` below its address.
    pub(crate) fn url(&self, segments: &[&str]) -> Url {
        let mut url = self.base.clone();
        // An http URL always has path segments.
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        url
    }

    /// The variable that says where it listens.
    pub(crate) fn address_variable(&self) -> String {
        address_variable(&self.name)
    }

    /// The model of that name at this provider.
    pub(crate) fn model(&self, name: &str) -> Model {
        Model { provider: self.name.clone(), name: name.to_owned() }
    }

    /// The header that carries the key; `None` without a key.
    pub(crate) fn authorization(&self) -> Option<(&'static str, Option<reqwest::header::HeaderValue>)> {
        let (name, scheme) = self.protocol.key_header();
        self.key.as_ref().map(|key| (name, key.header(scheme)))
    }
}
