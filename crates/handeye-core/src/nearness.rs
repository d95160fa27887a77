//! How alike two names are, in order to suggest the one that was meant.

/// The names nearest to `wanted`, nearest first, at most `limit`; those that have nothing in common with it are left out.
pub fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>, limit: usize) -> Vec<&'a str> {
    /// Nothing has a longer name, and to compare it would take its time.
    const LONGEST: usize = 500;
    if wanted.len() > LONGEST {
        return Vec::new();
    }
    let wanted = wanted.to_lowercase();
    let mut scored: Vec<(usize, &str)> = names
        .into_iter()
        .filter_map(|name| {
            let lower = name.to_lowercase();
            let related = !wanted.is_empty() && (lower.contains(&wanted) || wanted.contains(&lower));
            let distance = distance(&wanted, &lower);
            (related || distance <= tolerance(&wanted)).then_some((distance, name))
        })
        .collect();
    scored.sort_unstable();
    scored.dedup();
    scored.into_iter().take(limit).map(|(_, name)| name).collect()
}

/// How many slips still suggest the same name.
fn tolerance(name: &str) -> usize {
    (name.chars().count() / 3).max(1)
}

/// How near a name comes to what was typed; the smaller the nearer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Nearness {
    /// It is the beginning.
    Beginning,
    /// It is the beginning of a later word.
    Word,
    /// It is a part.
    Part,
    /// It is the whole, with so many slips.
    Slips(usize),
}

impl Nearness {
    /// How near `wanted` comes to `name`, both in lower case, without slips.
    pub fn of(wanted: &str, name: &str) -> Option<Self> {
        if name.starts_with(wanted) {
            return Some(Self::Beginning);
        }
        if name.split(|c: char| !c.is_alphanumeric()).any(|word| word.starts_with(wanted)) {
            return Some(Self::Word);
        }
        name.contains(wanted).then_some(Self::Part)
    }
}

/// The names that `typed` may be a part of, the likeliest first and otherwise in their order; if there are none, those whose
/// beginning it is but for a slip.
pub fn ranked(typed: &str, names: impl IntoIterator<Item = String>) -> Vec<String> {
    /// Most names that are compared letter by letter, which is slow.
    const COMPARED: usize = 1_000;
    /// Most slips that are forgiven; with more, it is another word.
    const FORGIVEN: usize = 3;
    let typed = typed.trim().to_lowercase();
    let mut near = Vec::new();
    let mut far = Vec::new();
    for name in names {
        match Nearness::of(&typed, &name.to_lowercase()) {
            Some(nearness) => near.push((nearness, name)),
            None if far.len() < COMPARED => far.push(name),
            None => {}
        }
    }
    if near.is_empty() && typed.chars().count() > 2 {
        near = far
            .into_iter()
            .filter_map(|name| {
                let length = typed.chars().count();
                let lower = name.to_lowercase();
                let beginning: String = lower.chars().take(length).collect();
                let slips = distance(&typed, &beginning).min(distance(&typed, &lower));
                (slips <= tolerance(&typed).min(FORGIVEN)).then_some((Nearness::Slips(slips), name))
            })
            .collect();
    }
    near.sort_by_key(|(nearness, _)| *nearness);
    near.into_iter().map(|(_, name)| name).collect()
}

/// Number of characters to insert, delete, replace or swap with a neighbour to get from `a` to `b`.
/// Only the first characters of very long names are compared.
pub fn distance(a: &str, b: &str) -> usize {
    const COMPARED: usize = 64;
    let beginning = |text: &str| text.chars().take(COMPARED).collect::<String>();
    strsim::osa_distance(&beginning(a), &beginning(b))
}

/// How alike two texts are, from 0 (nothing in common) to 1 (the same). Words count by themselves too: "Save file" is near to "Save".
pub fn similarity(wanted: &str, label: &str) -> f64 {
    let whole = strsim::normalized_damerau_levenshtein(wanted, label);
    let best_word = label
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.len() > 2)
        .flat_map(|word| wanted.split(|c: char| !c.is_alphanumeric()).map(move |part| (word, part)))
        .filter(|(_, part)| part.len() > 2)
        .map(|(word, part)| strsim::normalized_damerau_levenshtein(part, word))
        .fold(0.0, f64::max);
    // One word of several says less than the whole.
    whole.max(best_word * 0.8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_ranks_names() {
        let names = ["Open Recent", "Save As", "Save", "Autosave", "File > Save", "Über"].map(str::to_owned);
        let found = |typed: &str| ranked(typed, names.clone());
        assert_eq!(found(""), names);
        assert_eq!(found("SAVE"), ["Save As", "Save", "File > Save", "Autosave"]);
        assert_eq!(found("rec"), ["Open Recent"]);
        assert_eq!(found("über"), ["Über"]);
        assert_eq!(found("svae"), ["Save As", "Save"]);
        assert!(found("zzz").is_empty() && found("x").is_empty());
        assert!(found(&"(".repeat(200)).is_empty());
    }

    #[test]
    fn a_slip_is_recognised_and_a_stranger_is_not() {
        assert_eq!(distance("mousepad", "muosepad"), 1);
        assert_eq!(nearest("querry", ["app", "query", "mode"], 3), ["query"]);
        assert!(nearest("zzz", ["app", "query"], 3).is_empty());
        assert!(nearest("", ["app", "query"], 3).is_empty());
        assert_eq!(nearest("get_tree", ["ax_find", "ax_get_tree", "ax_type"], 3), ["ax_get_tree"]);
    }
}
