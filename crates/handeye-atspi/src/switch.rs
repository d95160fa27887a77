//! The switch that programs look at when they start: without it, some of them show no tree.

use handeye_core::Consent;

/// `org.a11y.Status IsEnabled` of the session.
pub(super) const SWITCH: Consent = Consent {
    name: "org.a11y.Status IsEnabled",
    without: "Firefox, Chromium and Qt 6 applications started now expose no tree",
    obtain: || {
        "Switch it on with `busctl --user set-property org.a11y.Bus /org/a11y/bus org.a11y.Status IsEnabled b true` and \
        restart them."
            .into()
    },
    keep: "Turn it on with `gdbus call --session --dest org.a11y.Bus --object-path /org/a11y/bus --method \
        org.freedesktop.DBus.Properties.Set org.a11y.Status IsEnabled '<true>'` (to stay: `gsettings set \
        org.gnome.desktop.interface toolkit-accessibility true`), then restart Firefox, Chromium and Qt 6 applications: they \
        look at it only when they start.",
    steps: "\
1. Install at-spi2-core and log in again.\n\
2. Turn the switch on: busctl --user set-property org.a11y.Bus /org/a11y/bus org.a11y.Status IsEnabled b true (GNOME keeps it \
with: gsettings set org.gnome.desktop.interface toolkit-accessibility true).\n\
3. Start the applications again; Qt with QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1, Chromium and Electron with \
--force-renderer-accessibility, Firefox with GNOME_ACCESSIBILITY=1.\n\
4. handeye doctor says what is still missing.",
    probe: "accessibility_switch",
};

/// The sentence while it is off.
pub(super) fn is_off() -> String {
    format!("{} is off: {}. {}", SWITCH.name, SWITCH.without, (SWITCH.obtain)())
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_is_said_in_one_line_what_to_do() {
        assert_eq!(
            super::is_off(),
            "org.a11y.Status IsEnabled is off: Firefox, Chromium and Qt 6 applications started now expose no tree. Switch it on \
             with `busctl --user set-property org.a11y.Bus /org/a11y/bus org.a11y.Status IsEnabled b true` and restart them."
        );
    }
}
