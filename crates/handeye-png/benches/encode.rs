//! Time and size beside the `png` crate, both on one thread: `cargo bench -p handeye-png`.

#[path = "../src/samples.rs"]
pub mod samples;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use handeye_png::Picture;
use png::Compression;
use samples::{KINDS, Kind, rgb};
use std::hint::black_box;
use std::time::Duration;

const WIDTH: u32 = 1920;
const HEIGHT: u32 = 1080;

fn by_png_crate(pixels: &[u8], compression: Compression) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, WIDTH, HEIGHT);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(compression);
    let mut writer = encoder.write_header().expect("a header");
    writer.write_image_data(pixels).expect("pixels");
    writer.finish().expect("an end");
    file
}

fn by_handeye(pixels: &[u8]) -> Vec<u8> {
    Picture::new(WIDTH, HEIGHT, pixels).expect("a picture").to_png()
}

/// Encodes pixels.
type Encode = Box<dyn Fn(&[u8]) -> Vec<u8>>;

fn encode(criterion: &mut Criterion) {
    for kind in KINDS {
        let picture = match kind {
            Kind::Flat => "screen",
            Kind::Photograph => "photograph",
            Kind::Noise => "noise",
            Kind::Mixed => "half-and-half",
        };
        let pixels = rgb(kind, WIDTH, HEIGHT);
        let mut group = criterion.benchmark_group(picture);
        group
            .throughput(Throughput::Bytes(pixels.len() as u64))
            .sample_size(10)
            .measurement_time(Duration::from_secs(2));
        let encoders: [(&str, Encode); 4] = [
            ("handeye-png", Box::new(by_handeye)),
            ("png, fastest", Box::new(|pixels| by_png_crate(pixels, Compression::Fastest))),
            ("png, fast", Box::new(|pixels| by_png_crate(pixels, Compression::Fast))),
            ("png, default", Box::new(|pixels| by_png_crate(pixels, Compression::Balanced))),
        ];
        for (name, encode) in encoders {
            println!("{picture}, {name}: {} bytes", encode(&pixels).len());
            group.bench_with_input(BenchmarkId::from_parameter(name), &pixels, |bencher, pixels| {
                bencher.iter(|| encode(black_box(pixels)));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, encode);
criterion_main!(benches);
