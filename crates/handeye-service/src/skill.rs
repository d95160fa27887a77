//! The skill: how an agent uses handeye from a shell. One file, for the Skills extension and for `handeye skill`.

/// The file, with its frontmatter.
pub const SKILL_MD: &str = include_str!("../../../skills/handeye/SKILL.md");
/// Its name.
pub const NAME: &str = "handeye";
/// Where the extension serves it.
pub const URI: &str = "skill://handeye/SKILL.md";
/// What it is for, as its frontmatter says.
pub const DESCRIPTION: &str = "See and drive applications on the Linux desktop from a shell - read their element trees, click, type, set values, press keys, take screenshots. Use it to operate, test or read a graphical program when there is no API or command line for the job.";
/// Its licence, as its frontmatter says.
pub const LICENSE: &str = "MIT OR Apache-2.0";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frontmatter_says_the_same() {
        let (frontmatter, _) = SKILL_MD
            .strip_prefix("---\n")
            .and_then(|rest| rest.split_once("\n---\n"))
            .expect("a frontmatter");
        let lines: Vec<&str> = frontmatter.lines().collect();
        assert_eq!(
            lines,
            [format!("name: {NAME}"), format!("description: {DESCRIPTION}"), format!("license: {LICENSE}")]
        );
        assert!(DESCRIPTION.len() <= 1_024, "the limit of the Agent Skills format");
    }

    #[test]
    fn it_is_short() {
        let tokens =
            tiktoken_rs::o200k_base().expect("the vocabulary is built in").encode_ordinary(SKILL_MD).len();
        println!("SKILL.md: {tokens} tokens");
        assert!(tokens < 1_200, "{tokens}");
    }
}
