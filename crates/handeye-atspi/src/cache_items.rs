//! The elements in the answer to `Cache.GetItems`, read one after the other and borrowed from the answer: there may be tens of thousands.

use super::marshalled::Reader;
use super::message::is_path;
use super::object::Reference;
use super::vocabulary::{ability_of, states_from_words};
use handeye_core::{Abilities, States};

/// What the answer is, by its types: object, application, parent, place in it, number of children, interfaces, name, role, description and states of each.
pub(super) const ITEMS: &str = "a((so)(so)(so)iiassusau)";

/// One element, as the toolkit reports it.
#[derive(Debug, Clone, Copy)]
pub(super) struct CacheItem<'a> {
    pub(super) object: Reference<'a>,
    pub(super) parent: Reference<'a>,
    /// Its place among the children of its parent; below 0 if it has none.
    pub(super) index: i32,
    /// Below 0 where the toolkit has not counted them.
    pub(super) child_count: i32,
    pub(super) abilities: Abilities,
    pub(super) name: &'a str,
    pub(super) role: u32,
    pub(super) description: &'a str,
    pub(super) states: States,
}

/// The answer is not what its signature claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Malformed;

/// The elements of an answer.
#[derive(Debug, Clone)]
pub(super) struct CacheItems<'a>(Reader<'a>);

impl<'a> CacheItems<'a> {
    /// The elements in a body of the type [`ITEMS`].
    ///
    /// # Errors
    /// [`Malformed`] if there is no such array.
    pub(super) fn of(mut body: Reader<'a>) -> Result<Self, Malformed> {
        body.array(8).map(Self).ok_or(Malformed)
    }

    fn item(&mut self) -> Option<CacheItem<'a>> {
        let Self(items) = self;
        let object = reference(items)?;
        reference(items)?;
        let parent = reference(items)?;
        let index = items.signed()?;
        let child_count = items.signed()?;
        let mut abilities = Abilities::empty();
        let mut interfaces = items.array(4)?;
        while !interfaces.is_at_end() {
            abilities |= ability_of(interfaces.text()?);
        }
        let name = items.text()?;
        let role = items.number()?;
        let description = items.text()?;
        let mut words = items.array(4)?;
        let mut states = [0; 2];
        for word in &mut states {
            if !words.is_at_end() {
                *word = words.number()?;
            }
        }
        let states = states_from_words(&states);
        Some(CacheItem { object, parent, index, child_count, abilities, name, role, description, states })
    }
}

impl<'a> Iterator for CacheItems<'a> {
    type Item = Result<CacheItem<'a>, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.align(8);
        if self.0.is_at_end() {
            return None;
        }
        let item = self.item();
        if item.is_none() {
            self.0.end();
        }
        Some(item.ok_or(Malformed))
    }
}

fn reference<'a>(items: &mut Reader<'a>) -> Option<Reference<'a>> {
    items.align(8);
    let bus = items.text()?;
    let path = items.text().filter(|path| is_path(path))?;
    Some(Reference { bus, path })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::RawReference;
    use crate::read_call::RawItem;
    use crate::vocabulary::abilities_from_interfaces;
    use proptest::prelude::*;
    use zbus::zvariant::serialized::Context;
    use zbus::zvariant::{Endian, OwnedObjectPath, Type, to_bytes};

    /// A reference to an object with a path of this name.
    fn raw_reference(bus: &str, name: &str) -> RawReference {
        RawReference {
            bus: bus.to_owned(),
            path: OwnedObjectPath::try_from(format!("/{name}")).expect("a path"),
        }
    }

    prop_compose! {
        fn items()(
            names in ("(:1\\.[0-9]{1,4})?", "[a-z0-9_]{1,40}", "[a-z]{1,20}"),
            numbers in any::<(i32, i32, u32)>(),
            interfaces in proptest::collection::vec("(org\\.a11y\\.atspi\\.)?(Action|Text|Image|[A-Z][a-z]{1,9})", 0..7),
            texts in ("\\PC{0,30}", "\\PC{0,12}"),
            states in proptest::collection::vec(any::<u32>(), 0..4),
        ) -> RawItem {
            let (bus, object, parent) = names;
            (
                raw_reference(&bus, &object),
                raw_reference(":1.2", "root"),
                raw_reference("", &parent),
                numbers.0,
                numbers.1,
                interfaces,
                texts.0,
                numbers.2,
                texts.1,
                states,
            )
        }
    }

    fn body(endian: Endian, items: &Vec<RawItem>) -> Vec<u8> {
        to_bytes(Context::new_dbus(endian, 0), items).expect("a body").bytes().to_vec()
    }

    #[test]
    fn the_type_is_that_of_the_call() {
        assert_eq!(Vec::<RawItem>::SIGNATURE.to_string(), ITEMS);
    }

    proptest! {
        #[test]
        fn elements_are_read_as_zvariant_writes_them(items in proptest::collection::vec(items(), 0..9), big in any::<bool>()) {
            let endian = if big { Endian::Big } else { Endian::Little };
            let body = body(endian, &items);
            let read: Result<Vec<CacheItem<'_>>, Malformed> =
                CacheItems::of(Reader::new(endian, &body)).and_then(Iterator::collect);
            let read = read.expect("elements");
            prop_assert_eq!(read.len(), items.len());
            for (read, item) in read.iter().zip(&items) {
                prop_assert_eq!((read.object.bus, read.object.path), (&*item.0.bus, item.0.path.as_str()));
                prop_assert_eq!((read.parent.bus, read.parent.path), (&*item.2.bus, item.2.path.as_str()));
                prop_assert_eq!((read.index, read.child_count, read.role), (item.3, item.4, item.7));
                prop_assert_eq!(read.abilities, abilities_from_interfaces(&item.5));
                prop_assert_eq!((read.name, read.description), (&*item.6, &*item.8));
                prop_assert_eq!(read.states, states_from_words(&item.9));
            }
        }

        /// What was cut or changed on its way is an error or other elements; the elements end in any case.
        #[test]
        fn anything_else_is_refused_or_read(
            items in proptest::collection::vec(items(), 0..5),
            changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
            cut in any::<prop::sample::Index>(),
            big in any::<bool>(),
        ) {
            let endian = if big { Endian::Big } else { Endian::Little };
            let mut body = body(endian, &items);
            for (at, byte) in changes {
                let at = at.index(body.len());
                body[at] = byte;
            }
            body.truncate(cut.index(body.len() + 1));
            if let Ok(mut read) = CacheItems::of(Reader::new(endian, &body)) {
                let errors = read.by_ref().filter(Result::is_err).count();
                prop_assert!(errors <= 1, "nothing follows an error");
                prop_assert!(read.next().is_none());
            }
        }
    }

    type Last<'a> = Result<Option<Result<CacheItem<'a>, Malformed>>, Malformed>;

    fn last(body: &[u8]) -> Last<'_> {
        CacheItems::of(Reader::new(Endian::Little, body)).map(Iterator::last)
    }

    fn one() -> RawItem {
        let root = || raw_reference(":1.2", "root");
        (
            raw_reference(":1.2", "a"),
            root(),
            root(),
            0,
            0,
            Vec::new(),
            "name".to_owned(),
            39,
            String::new(),
            vec![1, 2],
        )
    }

    #[test]
    fn an_answer_that_ends_within_an_element_is_malformed() {
        let whole = body(Endian::Little, &vec![one()]);
        assert!(matches!(last(&whole), Ok(Some(Ok(_)))));
        assert!(
            matches!(last(&whole[..whole.len() - 1]), Err(Malformed)),
            "the array is longer than the answer"
        );
        let mut shorter = whole[..whole.len() - 4].to_vec();
        let length = u32::try_from(shorter.len() - 8).expect("a short one");
        shorter[..4].copy_from_slice(&length.to_le_bytes());
        assert!(matches!(last(&shorter), Ok(Some(Err(Malformed)))));
    }

    #[test]
    fn a_path_that_is_none_and_a_text_with_an_end_in_it_are_malformed() {
        let whole = body(Endian::Little, &vec![one()]);
        for (text, other) in [("/a\0", "/\n\0"), ("name\0", "na\0e\0")] {
            let at =
                whole.windows(text.len()).position(|bytes| bytes == text.as_bytes()).expect("it is there");
            let mut changed = whole.clone();
            changed[at..at + text.len()].copy_from_slice(other.as_bytes());
            assert!(matches!(last(&changed), Ok(Some(Err(Malformed)))), "{other:?}");
        }
    }
}
