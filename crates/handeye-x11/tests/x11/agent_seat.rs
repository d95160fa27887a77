//! Seats of agents beside that of the user, as applications and another client of the server see them.

use super::bed::{Bed, PATIENCE, Recorder, keeper, permit, seat_and_stacking};
use super::painter::{Canvas, Painter};
use handeye_core::{AgentSeats, Button, Chord, ErrorCode, OpenMenus, Point, Rect, Seat, Window};
use handeye_x11::{X11AgentSeats, X11Desktop};
use std::sync::Arc;
use std::time::{Duration, Instant};
use x11rb::protocol::xinput::ConnectionExt as _;

/// Every character of it is on no key of the layout, or needs Shift.
const TEXT: &str = "Né 漢字😀 \"Q\"";

/// A window of the user that has the focus, and one of an application that an agent acts in.
pub(crate) struct Scene {
    desktop: X11Desktop,
    user: Recorder,
    target: Recorder,
    pub(crate) window: Window,
}

pub(crate) async fn scene(bed: &Bed) -> Scene {
    let desktop = bed.desktop();
    let target = bed.recorder(&desktop, "target", &["--text", "--at", "420,60"]).await;
    let user = bed.recorder(&desktop, "user", &["--text", "--at", "40,320"]).await;
    let own = bed.window(&desktop, "user").await;
    desktop.activate(&permit(), own.id).await.expect("it becomes active");
    let window = bed.window(&desktop, "target").await;
    Scene { desktop, user, target, window }
}

impl Scene {
    pub(crate) fn middle(&self) -> Point {
        self.window.content().expect("placed").center()
    }

    /// Waits until the text of the target is this.
    async fn wait_for_text(&self, expected: &str) {
        let until = Instant::now() + PATIENCE;
        while self.target.text() != expected {
            assert!(Instant::now() < until, "typed:    {expected}\nreceived: {}", self.target.text());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

pub(crate) fn seats(bed: &Bed) -> X11AgentSeats {
    X11AgentSeats::new(Some(bed.display.clone()), keeper())
}

/// The names of the pointers that the server has beside that of the user, as another client lists them.
pub(crate) fn pointers(bed: &Bed) -> Vec<String> {
    let (connection, _) = x11rb::connect(Some(&bed.display)).expect("the server answers");
    let masters: u16 = 1;
    let devices = connection.xinput_xi_query_device(masters).expect("sent").reply().expect("listed").infos;
    let names = devices.iter().map(|device| String::from_utf8_lossy(&device.name).into_owned());
    names.filter(|name| name.starts_with("handeye") && name.ends_with("pointer")).collect()
}

fn wait_until_removed(bed: &Bed) {
    bed.wait("the seat to be removed", || pointers(bed).is_empty().then_some(()));
}

pub(crate) fn wait_until_rested(bed: &Bed, seat: &dyn Seat) {
    bed.wait("the seat to rest", || {
        tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(seat.rest(OpenMenus::Stay)))
            .then_some(())
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_types_any_text_while_the_user_is_elsewhere() {
    let bed = Bed::managed();
    let scene = scene(&bed).await;
    let before = seat_and_stacking(&scene.desktop).await;
    let seat = seats(&bed).seat();
    assert_eq!(pointers(&bed), Vec::<String>::new(), "nothing is made before the first action");
    seat.click(&permit(), scene.middle(), Button::Left, 1, Some(scene.window.id)).await.expect("clicked");
    seat.type_text(&permit(), TEXT, Some(scene.window.id)).await.expect("typed");
    scene.wait_for_text(TEXT).await;
    let all = Chord::parse("ctrl+a").expect("a chord");
    seat.key(&permit(), &all, Some(scene.window.id)).await.expect("pressed");
    seat.type_text(&permit(), "x", Some(scene.window.id)).await.expect("typed");
    scene.wait_for_text("x").await;
    assert_eq!(seat_and_stacking(&scene.desktop).await, before);
    assert_eq!(scene.user.text(), "", "what is typed for the agent reaches no window of the user");
    assert_eq!(pointers(&bed), ["handeye seat 1 pointer"]);
    drop(seat);
    wait_until_removed(&bed);
    assert_eq!(seat_and_stacking(&scene.desktop).await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_agents_type_side_by_side() {
    let bed = Bed::managed();
    let scene = scene(&bed).await;
    let other =
        bed.recorder(&scene.desktop, "other", &["--text", "--at", "60,40", "--size", "200x150"]).await;
    let second = bed.window(&scene.desktop, "other").await;
    let made = seats(&bed);
    let (one, two) = (made.seat(), made.seat());
    // None of it is on a key: both need the spare keys.
    let (text, others) = ("漢字日本語かな", "Приветмирφβγ");
    let (permit, own) = (permit(), second.content().expect("placed").center());
    one.click(&permit, scene.middle(), Button::Left, 1, Some(scene.window.id)).await.expect("clicked");
    two.click(&permit, own, Button::Left, 1, Some(second.id)).await.expect("clicked");
    let (first, last) = tokio::join!(
        one.type_text(&permit, text, Some(scene.window.id)),
        two.type_text(&permit, others, Some(second.id))
    );
    first.expect("typed");
    last.expect("typed");
    scene.wait_for_text(text).await;
    bed.wait("the other text", || (other.text() == others).then_some(()));
    assert_eq!(pointers(&bed).len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_covered_point_is_not_pressed_and_an_uncovered_one_takes_keys() {
    let bed = Bed::managed();
    let scene = scene(&bed).await;
    let seat = seats(&bed).seat();
    let _cover = bed.recorder(&scene.desktop, "cover", &["--at", "500,100", "--size", "120x100"]).await;
    let cover = bed.window(&scene.desktop, "cover").await;
    let point = cover.content().expect("placed").center();
    let refusal = seat
        .click(&permit(), point, Button::Left, 1, Some(scene.window.id))
        .await
        .expect_err("another window is there");
    assert_eq!(refusal.code, ErrorCode::Refused);
    assert!(refusal.message.contains("window \"cover\""), "{}", refusal.message);
    seat.type_text(&permit(), "past it", Some(scene.window.id)).await.expect("typed beside the cover");
    scene.wait_for_text("past it").await;
    let _wall = bed.recorder(&scene.desktop, "wall", &["--at", "400,20", "--size", "390x400"]).await;
    bed.window(&scene.desktop, "wall").await;
    let refusal = seat.type_text(&permit(), "lost", Some(scene.window.id)).await.expect_err("it is covered");
    assert_eq!(refusal.code, ErrorCode::Refused);
    assert!(refusal.message.contains("window \"wall\" covers"), "{}", refusal.message);
}

#[tokio::test(flavor = "multi_thread")]
async fn behind_a_locked_screen_nothing_is_pressed_and_the_seat_stays() {
    let bed = Bed::managed();
    let scene = scene(&bed).await;
    let seat = seats(&bed).seat();
    seat.type_text(&permit(), "before", Some(scene.window.id)).await.expect("typed");
    scene.wait_for_text("before").await;
    let locker = Painter::new(&bed);
    locker.lock_screen();
    let clicked = seat.click(&permit(), scene.middle(), Button::Left, 1, Some(scene.window.id)).await;
    let typed = seat.type_text(&permit(), "meanwhile", Some(scene.window.id)).await;
    for refusal in [clicked.expect_err("it is covered"), typed.expect_err("it is covered")] {
        assert_eq!(refusal.code, ErrorCode::Refused, "{}", refusal.message);
    }
    assert!(!seat.rest(OpenMenus::Stay).await, "the locker has the user's devices");
    drop(locker);
    seat.type_text(&permit(), " after", Some(scene.window.id)).await.expect("typed");
    scene.wait_for_text("before after").await;
    wait_until_rested(&bed, seat.as_ref());
}

#[tokio::test(flavor = "multi_thread")]
async fn clicks_of_the_user_s_seat_wait_for_the_removal_of_an_agent_s() {
    let bed = Bed::managed();
    let scene = scene(&bed).await;
    let seat = seats(&bed).seat();
    let own = bed.window(&scene.desktop, "user").await;
    let corner = |window: &Window| {
        let content = window.content().expect("placed");
        Point::new(content.x + 10, content.y + 10)
    };
    let places = [(corner(&own), own.id), (corner(&scene.window), scene.window.id)];
    let permit = permit();
    for _ in 0..5 {
        seat.click(&permit, scene.middle(), Button::Left, 1, Some(scene.window.id)).await.expect("clicked");
        let resting = {
            let seat = Arc::clone(&seat);
            tokio::spawn(async move { seat.rest(OpenMenus::Stay).await })
        };
        for (place, window) in places.iter().cycle().take_while(|_| !resting.is_finished()) {
            let clicked = scene.desktop.click(&permit, *place, Button::Left, 1, Some(*window)).await;
            clicked.expect("its pointer arrives, later");
        }
        resting.await.expect("it has ended");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_seat_stays_while_an_application_hangs() {
    let bed = Bed::managed();
    let scene = scene(&bed).await;
    let hanging = Painter::new(&bed);
    hanging.show_hanging(Canvas::new(Rect::new(20, 20, 60, 60), 0));
    let seat = seats(&bed).seat();
    seat.click(&permit(), scene.middle(), Button::Left, 1, Some(scene.window.id)).await.expect("clicked");
    // An application that does not answer may die of the removal, also if nobody acted in it.
    assert!(!seat.rest(OpenMenus::Stay).await, "it is not removed");
    assert_eq!(pointers(&bed), ["handeye seat 1 pointer"]);
    drop(hanging);
    wait_until_rested(&bed, seat.as_ref());
    assert_eq!(pointers(&bed), Vec::<String>::new());
    seat.type_text(&permit(), "again", Some(scene.window.id)).await.expect("it is made again");
    scene.wait_for_text("again").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn applications_survive_the_removal_of_seats_while_the_focus_wanders() {
    let bed = Bed::managed();
    let scene = scene(&bed).await;
    let windows = [scene.window.id, bed.window(&scene.desktop, "user").await.id];
    let done = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let wandering = {
        let (desktop, done) = (bed.desktop(), Arc::clone(&done));
        tokio::spawn(async move {
            for window in windows.iter().cycle() {
                if done.load(std::sync::atomic::Ordering::Relaxed) {
                    return;
                }
                desktop.activate(&permit(), *window).await.expect("it becomes active");
            }
        })
    };
    let made = seats(&bed);
    for _ in 0..10 {
        let seat = made.seat();
        seat.click(&permit(), scene.middle(), Button::Left, 1, Some(scene.window.id)).await.expect("clicked");
        drop(seat);
        wait_until_removed(&bed);
    }
    done.store(true, std::sync::atomic::Ordering::Relaxed);
    wandering.await.expect("it ends");
    for title in ["target", "user"] {
        bed.window(&scene.desktop, title).await;
    }
}
