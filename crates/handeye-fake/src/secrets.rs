//! Secrets, in variables that only the fake desktop has.

use super::desktop::{FakeDesktop, lock};
use async_trait::async_trait;
use handeye_core::{Error, ErrorCode, Result, SecretPlace, SecretText, Secrets};

#[async_trait]
impl Secrets for FakeDesktop {
    async fn read(&self, place: &SecretPlace) -> Result<SecretText> {
        let SecretPlace::Variable(name) = place else {
            return Err(Error::new(ErrorCode::NotSupported, "variables alone hold secrets here"));
        };
        let variables = lock(&self.variables);
        let value =
            variables.get(name).ok_or_else(|| Error::new(ErrorCode::Io, "there is no such variable"))?;
        Ok(SecretText::new(value.as_str()))
    }
}
