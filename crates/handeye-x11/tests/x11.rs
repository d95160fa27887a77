//! The X11 backend against a real X server, a real window manager and real GTK windows.

mod x11 {
    mod agent_seat;
    mod bed;
    mod clipboard;
    mod drawings;
    mod key_menus;
    mod keyboard_and_pointer;
    mod painter;
    mod pings;
    mod screen_stamps;
    mod seat_and_window_managers;
    mod seat_limits;
    mod window_parts;
    mod windows_and_pixels;
}
