//! The resources of the fixtures.

use crate::fixtures::Fixtures;
use rmcp::model::{CacheScope, ReadResourceResult, Reference, ResourceContents};
use serde_json::json;

impl Fixtures {
    /// What a URI leads to, if it is one of the fixtures'.
    pub(crate) fn fixture_resource(&self, uri: &str) -> Option<ReadResourceResult> {
        let contents = self.data.contents.get(uri).cloned().or_else(|| from_template(uri))?;
        Some(ReadResourceResult::new(vec![contents]).with_ttl_ms(0).with_cache_scope(CacheScope::Private))
    }

    /// Whether a completion is asked for a fixture.
    pub(crate) fn is_fixture(&self, asked: &Reference) -> bool {
        match asked {
            Reference::Prompt(prompt) => self.data.prompts.iter().any(|known| known.name == prompt.name),
            Reference::Resource(resource) => resource.uri.starts_with("test://"),
            _ => false,
        }
    }
}

/// `test://template/{id}/data`.
fn from_template(uri: &str) -> Option<ResourceContents> {
    let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
    let text = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
    Some(ResourceContents::text(text.to_string(), uri).with_mime_type("application/json"))
}
