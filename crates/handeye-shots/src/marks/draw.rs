//! Draws marks: a thin outline around each element and a label beside it.

use super::ink::Ink;
use super::mark::Mark;
use super::place::{Item, LINE_FROM, distance, grown, line, place};
use handeye_core::{Frame, InPicture, Point, Rect, Size};
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};

type Colour = [u8; 3];

/// White letters can be read on each of them (at least 4.5 : 1), and each differs clearly from the others.
const PALETTE: [Colour; 7] = [
    [0xC6, 0x1A, 0x1A],
    [0x0B, 0x5F, 0xC4],
    [0x0F, 0x76, 0x36],
    [0x8A, 0x2B, 0xC2],
    [0xA8, 0x4E, 0x00],
    [0x00, 0x73, 0x80],
    [0xBE, 0x18, 0x70],
];
const WHITE: Colour = [0xFF; 3];
/// The longer side of a picture that readers take as it is; a larger one is scaled down, so its labels have to be larger.
const READ_AT: f64 = 1568.0;
/// How far apart two marks must be to have one colour without being mistaken for each other, in heights of a label.
const APART: u32 = 4;

/// The letters of labels in one size.
#[derive(Clone, Copy)]
struct Face {
    raster: RasterHeight,
    /// Pixels of the picture for one of the font, in each direction.
    zoom: u32,
}

impl Face {
    /// The face for a picture of this size: letters look alike once the picture is at the size in which it is read.
    fn for_picture(size: Size) -> Self {
        let shrunk = f64::from(size.width.max(size.height)) / READ_AT;
        let (raster, zoom) = match shrunk {
            s if s <= 1.1 => (RasterHeight::Size16, 1),
            s if s <= 1.4 => (RasterHeight::Size20, 1),
            s if s <= 1.75 => (RasterHeight::Size24, 1),
            s if s <= 2.2 => (RasterHeight::Size16, 2),
            s if s <= 2.8 => (RasterHeight::Size20, 2),
            _ => (RasterHeight::Size24, 2),
        };
        Self { raster, zoom }
    }

    /// The rows of the raster that digits and lower case letters fill: the first and the one after the last.
    const fn rows(self) -> (u32, u32) {
        match self.raster {
            RasterHeight::Size16 => (2, 14),
            RasterHeight::Size20 => (3, 17),
            RasterHeight::Size24 => (4, 20),
        }
    }

    fn label(self, text: &str) -> Size {
        let letters = text.chars().count() as u32;
        let width = get_raster_width(FontWeight::Bold, self.raster) as u32;
        let (first, last) = self.rows();
        Size::new((letters * width + 4) * self.zoom, (last - first + 2) * self.zoom)
    }
}

/// Draws marks on a picture, at whatever scale. What it does not show is not marked.
pub fn draw(frame: &mut Frame, marks: &[Mark]) {
    if marks.is_empty() {
        return;
    }
    let size = frame.size();
    let face = Face::for_picture(size);
    let ring = face.zoom;
    let visible: Vec<(&Mark, Item)> = marks
        .iter()
        .filter_map(|mark| {
            let area = frame.pixels_of(mark.area)?;
            Some((mark, Item { area, label: face.label(&mark.reference) }))
        })
        .collect();
    let items: Vec<Item> = visible.iter().map(|(_, item)| *item).collect();
    let places = place(size, &items, 2 * ring, &Ink::of(frame));
    let colours = colours(&items);
    let mut canvas = Canvas { rgb: frame.rgb_mut(), size };
    // Large ones first, so that what lies in them is drawn over them.
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|index| {
        let area = items[*index].area;
        (std::cmp::Reverse(u64::from(area.width) * u64::from(area.height)), *index)
    });
    for &index in &order {
        canvas.outline(grown(items[index].area, 2 * ring), ring, WHITE, 150);
        canvas.outline(grown(items[index].area, ring), ring, colours[index], 255);
    }
    for &index in &order {
        if let Some(label) = places[index]
            && distance(&label, &grown(items[index].area, 2 * ring)) > LINE_FROM
        {
            canvas.connect(&label, &items[index].area, ring, colours[index]);
        }
    }
    for &index in &order {
        if let Some(label) = places[index] {
            canvas.label(label, &visible[index].0.reference, face, colours[index]);
        }
    }
}

/// A colour for each mark, none that a mark near it has, as long as there are enough.
fn colours(items: &[Item]) -> Vec<Colour> {
    let mut chosen: Vec<usize> = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let mut used = [0_usize; PALETTE.len()];
        for (other, colour) in items.iter().zip(&chosen) {
            if distance(&item.area, &other.area) < APART * item.label.height {
                used[*colour] += 1;
            }
        }
        // Starting elsewhere each time spreads the colours where none is near.
        let turn = |step: usize| (index + step) % PALETTE.len();
        let colour = (0..PALETTE.len()).map(turn).min_by_key(|colour| used[*colour]).unwrap_or_default();
        chosen.push(colour);
    }
    chosen.into_iter().map(|colour| PALETTE[colour]).collect()
}

struct Canvas<'a> {
    rgb: &'a mut [u8],
    size: Size,
}

impl Canvas<'_> {
    /// Lays a colour over a pixel; what lies outside of the picture is not drawn.
    fn pixel(&mut self, x: i32, y: i32, colour: Colour, opacity: u8) {
        let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else { return };
        if x >= self.size.width || y >= self.size.height {
            return;
        }
        let at = (y as usize * self.size.width as usize + x as usize) * 3;
        for (below, over) in self.rgb[at..at + 3].iter_mut().zip(colour) {
            let mixed = u32::from(*below) * u32::from(255 - opacity) + u32::from(over) * u32::from(opacity);
            *below = (mixed / 255) as u8;
        }
    }

    fn fill(&mut self, area: Rect<InPicture>, colour: Colour, opacity: u8) {
        let (right, bottom) =
            (area.right().min(self.size.width as i32), area.bottom().min(self.size.height as i32));
        for y in area.y.max(0)..bottom {
            for x in area.x.max(0)..right {
                self.pixel(x, y, colour, opacity);
            }
        }
    }

    /// Draws along the inside of a rectangle.
    fn outline(&mut self, area: Rect<InPicture>, width: u32, colour: Colour, opacity: u8) {
        let Rect { x, y, .. } = area;
        let by = width as i32;
        self.fill(Rect::new(x, y, area.width, width), colour, opacity);
        self.fill(Rect::new(x, area.bottom() - by, area.width, width), colour, opacity);
        let sides = area.height.saturating_sub(2 * width);
        self.fill(Rect::new(x, y + by, width, sides), colour, opacity);
        self.fill(Rect::new(area.right() - by, y + by, width, sides), colour, opacity);
    }

    /// Draws a line from a label to the nearest point of its element.
    fn connect(&mut self, label: &Rect<InPicture>, element: &Rect<InPicture>, width: u32, colour: Colour) {
        let (from, to) = line(label, element);
        let steps = from.x.abs_diff(to.x).max(from.y.abs_diff(to.y)).max(1) as i32;
        let along = |step: i32| {
            Point::<InPicture>::new(
                from.x + (to.x - from.x) * step / steps,
                from.y + (to.y - from.y) * step / steps,
            )
        };
        for step in 0..=steps {
            let Point { x, y, .. } = along(step);
            self.fill(Rect::new(x - 1, y - 1, width + 2, width + 2), WHITE, 150);
        }
        for step in 0..=steps {
            let Point { x, y, .. } = along(step);
            self.fill(Rect::new(x, y, width, width), colour, 255);
        }
    }

    /// Draws a plate with a light rim and white letters.
    fn label(&mut self, place: Rect<InPicture>, text: &str, face: Face, colour: Colour) {
        let zoom = face.zoom as i32;
        self.fill(place, colour, 255);
        self.outline(place, face.zoom.div_ceil(2), WHITE, 200);
        let (first, last) = face.rows();
        let mut left = place.x + 2 * zoom;
        for letter in text.chars() {
            let Some(raster) = get_raster(letter, FontWeight::Bold, face.raster) else { continue };
            for (row, line) in raster.rows().enumerate().take(last as usize).skip(first as usize) {
                for (column, ink) in line.iter().enumerate().filter(|(_, ink)| **ink > 0) {
                    let x = left + column as i32 * zoom;
                    let y = place.y + zoom + (row as i32 - first as i32) * zoom;
                    self.fill(Rect::new(x, y, face.zoom, face.zoom), WHITE, *ink);
                }
            }
            left += raster.width() as i32 * zoom;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(width: u32, height: u32, light: u8) -> Frame {
        Frame::new(Rect::new(0, 0, width, height), vec![light; (width * height * 3) as usize])
    }

    fn mark(number: usize, area: Rect) -> Mark {
        Mark { reference: format!("e{number}"), line: String::new(), area: area.into() }
    }

    fn pixel(frame: &Frame, at: Point<InPicture>) -> &[u8] {
        &frame.rgb()[(at.y as usize * frame.size().width as usize + at.x as usize) * 3..][..3]
    }

    #[test]
    fn the_letters_of_every_size_fit_their_rows() {
        for raster in [RasterHeight::Size16, RasterHeight::Size20, RasterHeight::Size24] {
            let (first, last) = Face { raster, zoom: 1 }.rows();
            for letter in "e0123456789".chars() {
                let letter = get_raster(letter, FontWeight::Bold, raster).expect("in the font");
                for (row, line) in letter.rows().enumerate() {
                    let inside = (first as usize..last as usize).contains(&row);
                    assert!(inside || line.iter().all(|ink| *ink < 64), "row {row} of {}", raster.val());
                }
            }
        }
    }

    #[test]
    fn white_letters_can_be_read_on_every_plate() {
        for colour in PALETTE {
            let linear = colour.map(|part| {
                let part = f64::from(part) / 255.0;
                if part <= 0.03928 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
            });
            let light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
            let contrast = 1.05 / (light + 0.05);
            assert!(contrast >= 4.5, "{colour:02x?} has {contrast}");
        }
    }

    #[test]
    fn middles_stay_and_outlines_show_on_light_and_dark_at_every_scale() {
        // A monitor left of the origin, as it is, at half and at twice its size.
        let shown = Rect::new(-800, 40, 800, 600);
        let areas = [Rect::new(-780, 60, 90, 30), Rect::new(-600, 300, 24, 24), Rect::new(-40, 600, 80, 80)];
        let marks: Vec<Mark> =
            areas.iter().enumerate().map(|(number, area)| mark(number + 1, *area)).collect();
        for light in [0x10, 0x80, 0xF8] {
            for (width, height) in [(800, 600), (400, 300), (1600, 1200)] {
                let bytes = frame(width, height, light).rgb().to_vec();
                let mut drawn = Frame::scaled(shown, Size::new(width, height), bytes);
                draw(&mut drawn, &marks);
                for area in areas {
                    let seen = area.intersection(&shown).expect("visible").center();
                    let at = Point::new(
                        (seen.x - shown.x) * width as i32 / 800,
                        (seen.y - shown.y) * height as i32 / 600,
                    );
                    assert_eq!(pixel(&drawn, at), [light; 3], "{area:?} at {at:?} of {width}x{height}");
                }
                let changed = drawn.rgb().chunks(3).filter(|pixel| *pixel != [light; 3]).count();
                assert!(changed > 3 * 100, "{changed} pixels");
            }
        }
    }

    #[test]
    fn what_the_picture_does_not_show_is_not_drawn() {
        let mut drawn = frame(100, 100, 7);
        let marks = [
            mark(1, Rect::new(100, 0, 50, 50)),
            mark(2, Rect::new(-50, -50, 50, 50)),
            mark(3, Rect::default()),
        ];
        draw(&mut drawn, &marks);
        assert_eq!(drawn, frame(100, 100, 7));
        // A label has no place on a picture smaller than itself; the outline still has.
        let mut tiny = frame(10, 8, 7);
        draw(&mut tiny, &[mark(123_456, Rect::new(3, 3, 2, 2))]);
        assert_ne!(tiny, frame(10, 8, 7));
    }

    #[test]
    fn neighbours_have_different_colours() {
        let items: Vec<Item> = (0..30)
            .map(|n| Item { area: Rect::new(n % 10 * 60, n / 10 * 100, 50, 20), label: Size::new(28, 14) })
            .collect();
        let colours = colours(&items);
        for pair in 0..29 {
            assert!(pair % 10 == 9 || colours[pair] != colours[pair + 1], "{pair}");
        }
    }
}
