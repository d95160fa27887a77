//! What an element is recognized by.

use crate::role_kind::is_frame;
use handeye_core::Role;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Most labels that a fingerprint remembers of what was beside its element.
pub(crate) const MAX_BESIDE: usize = 256;
/// How many labels before and after an element are compared.
pub(crate) const NEAR: usize = 2;
/// Most ancestors of a fingerprint that is read from a file.
const MAX_ANCESTORS: usize = 64;
/// Longest text of one, in bytes.
const MAX_TEXT: usize = 512;

/// What an element is to those inside of it. Shared by all of them, and linked to what it is in itself.
#[derive(Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) role: Role,
    pub(crate) name: Arc<str>,
    pub(crate) identifier: Option<Arc<str>>,
    /// Its number among the children of its parent that have its role, and how many those are.
    pub(crate) index: u16,
    pub(crate) count: u16,
    pub(crate) above: Option<Arc<Place>>,
}

/// What an element was when it was last seen: enough to recognize it in a later tree of its application.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Fingerprint {
    pub(crate) role: Role,
    pub(crate) name: Arc<str>,
    pub(crate) identifier: Option<Arc<str>>,
    pub(crate) description: Arc<str>,
    pub(crate) within: Option<Arc<Place>>,
    pub(crate) index: u16,
    pub(crate) count: u16,
    pub(crate) before: [Option<Arc<str>>; NEAR],
    pub(crate) after: [Option<Arc<str>>; NEAR],
    pub(crate) abilities: u32,
    pub(crate) children: u16,
    /// How many other elements had its role and name.
    pub(crate) namesakes: u16,
    pub(crate) record: u32,
    /// The roles of its siblings before and after it.
    pub(crate) sides: [Option<Role>; 2],
    /// Marks of what else was there, sorted.
    pub(crate) beside: Arc<[u16]>,
}

impl Fingerprint {
    /// What the element was.
    pub fn role(&self) -> Role {
        self.role
    }

    /// Its name.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Its label: its name, or else its description.
    pub fn label(&self) -> &str {
        if self.name.is_empty() { &self.description } else { &self.name }
    }

    /// Whether it was in a dialog or a document with a title.
    pub(crate) fn is_in_frame(&self) -> bool {
        self.ancestors().any(|place| is_frame(place.role) && !place.name.is_empty())
    }

    /// What it was in, the nearest first.
    pub(crate) fn ancestors(&self) -> impl Iterator<Item = &Place> {
        std::iter::successors(self.within.as_deref(), |place| place.above.as_deref())
    }
}

/// A fingerprint as a file has it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    role: String,
    #[serde(default, skip_serializing_if = "str::is_empty")]
    name: Arc<str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<Arc<str>>,
    #[serde(default, skip_serializing_if = "str::is_empty")]
    description: Arc<str>,
    /// Its number among its siblings of the role, and how many those are.
    at: [u16; 2],
    /// Its ancestors, the nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    path: Vec<WrittenPlace>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    before: Vec<Arc<str>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    after: Vec<Arc<str>>,
    #[serde(default)]
    abilities: u32,
    #[serde(default)]
    children: u16,
    #[serde(default)]
    namesakes: u16,
    #[serde(default)]
    record: u32,
    #[serde(default)]
    sides: [Option<String>; 2],
    /// Four hexadecimal digits for each mark.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    beside: String,
}

/// Role, number, count, name and identifier.
#[derive(Serialize, Deserialize)]
struct WrittenPlace(String, u16, u16, Arc<str>, Option<Arc<str>>);

impl From<Fingerprint> for Written {
    fn from(print: Fingerprint) -> Self {
        let labels = |side: &[Option<Arc<str>>]| side.iter().flatten().map(cut).collect();
        let path = print.ancestors().take(MAX_ANCESTORS).map(|place| {
            WrittenPlace(
                written_role(place.role),
                place.index,
                place.count,
                cut(&place.name),
                place.identifier.as_ref().map(cut),
            )
        });
        Self {
            role: written_role(print.role),
            path: path.collect(),
            before: labels(&print.before),
            after: labels(&print.after),
            beside: written_marks(&print.beside),
            id: print.identifier.as_ref().map(cut),
            at: [print.index, print.count],
            abilities: print.abilities,
            children: print.children,
            namesakes: print.namesakes,
            record: print.record,
            sides: print.sides.map(|side| side.map(written_role)),
            name: cut(&print.name),
            description: cut(&print.description),
        }
    }
}

/// A text as a file has it: the beginning of a long one.
fn cut(text: &Arc<str>) -> Arc<str> {
    let Some(end) = (0..=MAX_TEXT).rev().find(|end| text.is_char_boundary(*end)) else {
        return Arc::from("");
    };
    if text.len() <= MAX_TEXT { Arc::clone(text) } else { text[..end].into() }
}

impl TryFrom<Written> for Fingerprint {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        if written.path.len() > MAX_ANCESTORS {
            return Err(format!("'path' has more than {MAX_ANCESTORS} elements"));
        }
        let paths = written.path.iter().flat_map(|place| std::iter::once(&place.3).chain(&place.4));
        let own = [&written.name, &written.description].into_iter().chain(&written.id);
        if own.chain(&written.before).chain(&written.after).chain(paths).any(|text| text.len() > MAX_TEXT * 8)
        {
            return Err(format!("a text has more than {} bytes", MAX_TEXT * 8));
        }
        let mut within = None;
        for WrittenPlace(role, index, count, name, identifier) in written.path.into_iter().rev() {
            let place = Place { role: read_role(&role)?, name, identifier, index, count, above: within };
            within = Some(Arc::new(place));
        }
        let [before, after] = &written.sides;
        let read_side = |side: &Option<String>| side.as_deref().map(read_role).transpose();
        Ok(Self {
            sides: [read_side(before)?, read_side(after)?],
            role: read_role(&written.role)?,
            name: written.name,
            identifier: written.id,
            description: written.description,
            within,
            index: written.at[0],
            count: written.at[1],
            before: side(written.before),
            after: side(written.after),
            abilities: written.abilities,
            children: written.children,
            namesakes: written.namesakes,
            record: written.record,
            beside: marks(&written.beside)?,
        })
    }
}

fn side(labels: Vec<Arc<str>>) -> [Option<Arc<str>>; NEAR] {
    let mut labels = labels.into_iter();
    std::array::from_fn(|_| labels.next())
}

fn written_marks(marks: &[u16]) -> String {
    let digit = |mark: u16, place: u32| char::from_digit(u32::from(mark >> (place * 4)) & 15, 16);
    marks
        .iter()
        .flat_map(|mark| [3, 2, 1, 0].into_iter().filter_map(move |place| digit(*mark, place)))
        .collect()
}

fn marks(text: &str) -> Result<Arc<[u16]>, String> {
    if !text.is_ascii() || !text.len().is_multiple_of(4) || text.len() > MAX_BESIDE * 4 {
        return Err(format!("'beside' is not up to {MAX_BESIDE} times four hexadecimal digits"));
    }
    let marks = (0..text.len() / 4).map(|at| u16::from_str_radix(&text[at * 4..at * 4 + 4], 16));
    let mut marks: Vec<u16> =
        marks.collect::<Result<_, _>>().map_err(|fault| format!("'beside': {fault}"))?;
    marks.sort_unstable();
    Ok(marks.into())
}

/// A name of a role that no other role has.
fn written_role(role: Role) -> String {
    role.atspi_names().first().or(role.ax_names().first()).copied().unwrap_or(role.aria()).to_owned()
}

fn read_role(name: &str) -> Result<Role, String> {
    let named = Role::ALL.iter().copied().find(|role| written_role(*role) == name);
    named.ok_or_else(|| "'role' is not one that handeye writes".to_owned())
}
