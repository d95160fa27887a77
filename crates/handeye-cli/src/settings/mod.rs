//! The settings that come from a flag, the environment or the configuration file, in one table: the code, the help and the
//! documentation read it.

mod lookup;
mod reading;
mod setting;
mod table;

pub use lookup::{Source, is_of_calls, load, variable};
pub use reading::{list, switch};
pub use setting::{Kind, Setting};
pub use table::*;

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn flags_variables_and_keys_name_one_setting_each() {
        for names in [
            ALL.iter().map(|setting| setting.variable).collect::<Vec<_>>(),
            ALL.iter().filter_map(|setting| setting.flag).collect(),
            ALL.iter().filter_map(|setting| setting.key).collect(),
        ] {
            assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len(), "{names:?}");
        }
    }

    #[test]
    fn every_setting_but_a_secret_has_a_key() {
        for setting in ALL {
            let secret = setting.variable.ends_with("_API_KEY");
            let is_the_file = setting.variable == CONFIG.variable;
            assert_eq!(setting.key.is_none(), secret || is_the_file, "{}", setting.variable);
        }
    }

    #[test]
    fn switches_and_lists_are_read_as_people_write_them() {
        assert_eq!((switch("Yes"), switch(" off ")), (Ok(true), Ok(false)));
        assert!(switch("maybe").is_err() && switch("").is_err());
        assert_eq!(list(" a, b,,c ,"), ["a", "b", "c"]);
        assert!(list(" , ").is_empty());
    }
}
