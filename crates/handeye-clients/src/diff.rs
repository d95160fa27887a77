//! A change as people read it: the lines that differ, with some around them.

/// Lines that are shown before and after.
const AROUND: usize = 3;

/// The change from one text to another, in the form of `diff -u`. What differs is shown as one piece.
pub(crate) fn unified(path: &str, before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let same = |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| {
        pairs.take_while(|(one, other)| one == other).count()
    };
    let head = same(&mut old.iter().zip(&new));
    let tail = same(&mut old[head..].iter().rev().zip(new[head..].iter().rev()));
    let from = head.saturating_sub(AROUND);
    let rest = tail.min(AROUND);
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);
    let range = |start: usize, end: usize| {
        let count = end + rest - start;
        format!("{},{count}", if count == 0 { start } else { start + 1 })
    };
    let mut text =
        format!("--- {path}\n+++ {path}\n@@ -{} +{} @@\n", range(from, old_end), range(from, new_end));
    let pieces = [
        (' ', &old[from..head]),
        ('-', &old[head..old_end]),
        ('+', &new[head..new_end]),
        (' ', &old[old_end..old_end + rest]),
    ];
    for (mark, lines) in pieces {
        for line in lines {
            text.push_str(&format!("{mark}{line}\n"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::unified;

    #[test]
    fn what_differs_is_shown_with_some_lines_around_it() {
        let before = "a\nb\nc\nd\ne\nf\ng\nh\n";
        let after = "a\nb\nc\nd\nnew\ne\nf\ng\nh\n";
        assert_eq!(
            unified("p", before, after),
            "--- p\n+++ p\n@@ -2,6 +2,7 @@\n b\n c\n d\n+new\n e\n f\n g\n"
        );
        assert_eq!(unified("p", "", "x\n"), "--- p\n+++ p\n@@ -0,0 +1,1 @@\n+x\n");
    }
}
