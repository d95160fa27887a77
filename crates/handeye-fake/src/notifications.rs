//! The notifications of a desktop in memory.

use super::desktop::{FakeDesktop, lock};
use async_trait::async_trait;
use handeye_core::{Changes, Notification, Notifications, Result};

impl FakeDesktop {
    /// The process `pid` notifies the user.
    pub fn notify(&self, pid: u32, title: &str, body: &str) {
        self.notify_through(&[pid], title, body);
    }

    /// The first of `processes` notifies the user; each was started by the next one.
    pub fn notify_through(&self, processes: &[u32], title: &str, body: &str) {
        let mut notifications = lock(&self.notifications);
        let number = notifications.len() as u64 + 1;
        notifications.push(Notification {
            number,
            id: u32::try_from(number).unwrap_or(u32::MAX),
            processes: processes.to_vec(),
            on_behalf_of: None,
            title: title.to_owned(),
            body: body.to_owned(),
        });
        drop(notifications);
        self.notification_count.send_replace(number);
    }
}

#[async_trait]
impl Notifications for FakeDesktop {
    async fn begin(&self) -> Result<()> {
        Ok(())
    }

    fn latest(&self) -> u64 {
        *self.notification_count.borrow()
    }

    async fn seen_after(&self, number: u64) -> Result<Vec<Notification>> {
        Ok(lock(&self.notifications).iter().filter(|seen| seen.number > number).cloned().collect())
    }

    fn changes(&self) -> Changes {
        self.notification_count.subscribe()
    }
}
