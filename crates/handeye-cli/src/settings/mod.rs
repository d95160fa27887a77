//! The settings that come from a flag, the environment or the configuration file, in one table: the code, the help and the
//! documentation read it.

mod flag;
pub(crate) mod foreign;
mod in_force;
mod lookup;
mod origin;
mod reading;
mod setting;
mod shown;
mod table;
mod value;

pub(crate) use flag::given;
pub use in_force::{InForce, in_force, no_settings, text_of};
pub use lookup::{SetBy, is_of_calls, load, variable};
pub use origin::Origin;
pub use setting::{About, AnySetting, Kind, Setting};
pub use table::*;
pub use value::Value;

/// Every setting as it is called and described, in the order of the documentation.
pub fn abouts() -> impl Iterator<Item = &'static About> {
    ALL.iter().map(|setting| setting.about())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;
    use handeye_act::confirm::Confirm;
    use handeye_call::client::PATIENCE_WITH_PEOPLE;
    use handeye_engine::capture::CaptureSettings;
    use handeye_shots::delivery::Delivery;
    use std::collections::HashSet;

    #[test]
    fn flags_variables_and_keys_name_one_setting_each() {
        for names in [
            abouts().map(|setting| setting.variable).collect::<Vec<_>>(),
            abouts().filter_map(|setting| setting.flag).collect(),
            abouts().filter_map(|setting| setting.key).collect(),
        ] {
            assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len(), "{names:?}");
        }
    }

    /// What the default of a setting is as a value.
    fn default<T>(setting: &Setting<T>) -> Result<T, String> {
        (setting.reader)(&setting.about.default.into())
    }

    #[test]
    fn the_documented_defaults_are_the_real_ones() {
        let (delivery, captures) = (Delivery::default(), CaptureSettings::default());
        assert_eq!(default(&SCREENSHOT_DIR), Ok(delivery.directory));
        assert_eq!(default(&IMAGE_RESPONSES), Ok(delivery.responses));
        assert_eq!(default(&SCREENSHOT_KEEP), Ok(delivery.keep));
        assert_eq!(default(&SCREENSHOT_TTL), Ok(delivery.temporary_life));
        assert_eq!(default(&CAPTURE_TIMEOUT), Ok(captures.deadline));
        assert_eq!(default(&CONFIRM), Ok(Confirm::default()));
        assert_eq!(default(&ASK_TIMEOUT), Ok(PATIENCE_WITH_PEOPLE));
        assert_eq!(default(&FORMAT), Ok(Format::default()));
        assert_eq!(default(&PORT), Ok(crate::http::DEFAULT_PORT));
        assert_eq!(default(&BIND), Ok(crate::http::DEFAULT_ADDRESS));
        assert_eq!(default(&AUDIT_LOG_MAX), Ok(handeye_ledger::Settings::LARGEST));
        assert_eq!(default(&AUDIT_LOG_KEEP), Ok(None));
        assert_eq!(default(&DAEMON_IDLE), Ok(crate::daemon::IDLE));
        assert_eq!(default(&PICTURE_LIMIT), Ok(handeye_shots::delivery::Room::USUAL));
        let limits = handeye_service::limits::Limits::default();
        assert_eq!(default(&SECURITY_MODE), Ok(handeye_core::SecurityMode::default()));
        for (setting, value) in [
            (RATE_LIMIT_RPS, limits.per_second),
            (RATE_LIMIT_RPM, limits.per_minute),
            (CONCURRENCY, limits.at_a_time),
            (VLM_RATE_LIMIT, limits.models_per_minute),
            (SCRIPT_RATE_LIMIT, limits.scripts_per_minute),
            (QUESTION_RATE_LIMIT, limits.questions_per_minute),
        ] {
            assert_eq!(default(&setting), Ok(value), "{}", setting.about.variable);
        }
        for off in
            [CONSOLE_LOGGING, READ_ONLY, SHOW_CURSOR, TRUST_TERMINAL, NO_DAEMON, NO_INPUT, BEHIND_PROXY]
        {
            assert_eq!(default(&off), Ok(false), "{}", off.about.variable);
        }
    }

    #[test]
    fn every_setting_but_a_secret_has_a_key() {
        for setting in abouts() {
            let of_a_provider = setting.variable.ends_with("_API_KEY");
            let is_secret = of_a_provider || setting.variable == HTTP_TOKEN.about.variable;
            assert_eq!(setting.kind == Kind::Secret, is_secret, "{}", setting.variable);
            let is_the_file = setting.variable == CONFIG.about.variable;
            assert_eq!(setting.key.is_none(), of_a_provider || is_the_file, "{}", setting.variable);
        }
    }
}
