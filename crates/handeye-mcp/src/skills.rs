//! The Skills extension (SEP-2640): how to use handeye from a shell, for agents that would rather do that than call tools.

use handeye_core::screen_text;
use handeye_service::skill::{DESCRIPTION, LICENSE, NAME, SKILL_MD, URI};
use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, GetSkillResult, ListSkillsResult, ReadResourceResult, ResourceContents, Skill,
    SkillFrontmatter, SkillResource, SkillResources,
};

/// The skill is compiled in, so a client may keep it for as long as this process lives.
const TTL_MS: u64 = 3_600_000;

/// `skills/list`
pub(crate) fn list() -> ListSkillsResult {
    ListSkillsResult::with_all_items(vec![skill()]).with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Public)
}

/// `skills/get`
pub(crate) fn get(uri: &str) -> Result<GetSkillResult, ErrorData> {
    if uri == URI {
        return Ok(GetSkillResult::new(skill()).with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Public));
    }
    let shown = screen_text::line(uri, 120);
    Err(ErrorData::invalid_params(format!("there is no skill '{shown}'; there is {URI}"), None))
}

/// The file of the skill, if `uri` is its.
pub(crate) fn read(uri: &str) -> Option<ReadResourceResult> {
    let contents = || ResourceContents::text(SKILL_MD, URI).with_mime_type("text/markdown");
    (uri == URI).then(|| {
        ReadResourceResult::new(vec![contents()]).with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Public)
    })
}

fn skill() -> Skill {
    let frontmatter = SkillFrontmatter::new(NAME, DESCRIPTION).with_field("license", LICENSE);
    let file = SkillResource::from_bytes(URI, SKILL_MD.as_bytes());
    Skill::new(URI, frontmatter, SkillResources::Files(vec![file]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_skill_keeps_the_rules_of_the_extension() {
        skill().validate().expect("sound");
        assert!(get(URI).is_ok() && get("skill://handeye/OTHER.md").is_err());
        assert!(read(URI).is_some() && read("skill://handeye/").is_none());
    }
}
