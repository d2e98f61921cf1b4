//! Tests with drawn pages: rows of shapes like letters, and one black square by which places are compared.

use proptest::prelude::*;

use super::*;

const WIDTH: usize = 620;
const HEIGHT: usize = 800;
/// The left top corner of the square, and its side.
const MARK: (usize, usize, usize) = (500, 90, 24);

/// The next number of a sequence that looks like chance, below a limit.
fn next(state: &mut u64, limit: u64) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    ((*state >> 33) % limit) as usize
}

/// A page of text: letters on lines, some tall, a few with a tail, in words of different length.
fn page() -> Gray {
    let mut image = Gray::plain(WIDTH, HEIGHT, 245);
    let mut fill = |left: usize, top: usize, width: usize, height: usize| {
        for y in top..top + height {
            image.pixels_mut()[y * WIDTH + left..][..width].fill(20);
        }
    };
    let mut state = 7;
    for base in (60..HEIGHT - 60).step_by(20) {
        let mut x = 50;
        let end = WIDTH - 60 - next(&mut state, 160);
        while x < end {
            for _ in 0..2 + next(&mut state, 7) {
                let rise = if next(&mut state, 3) == 0 { 4 } else { 0 };
                let tail = if next(&mut state, 12) == 0 { 3 } else { 0 };
                let is_free = x + 10 < MARK.0 || base + 10 < MARK.1 || base > MARK.1 + MARK.2 + 30;
                if is_free && x < end {
                    // Legs with a bar above or below, and the stem of a tall letter.
                    let bar = if next(&mut state, 2) == 0 { 6 } else { 2 };
                    fill(x, base - 6, 2, 6 + tail);
                    fill(x + 4, base - 6 - rise, 2, 6 + rise);
                    fill(x + 2, base - bar, 2, 2);
                }
                x += 8;
            }
            x += 7;
        }
    }
    fill(MARK.0, MARK.1, MARK.2, MARK.2);
    image
}

fn middle_of_mark() -> (f64, f64) {
    let half = MARK.2 as f64 / 2.0;
    (MARK.0 as f64 + half, MARK.1 as f64 + half)
}

/// The middle of the black square: of the place with the darkest surroundings.
fn find_mark(image: &Gray, side: usize) -> (f64, f64) {
    let reach = side / 2;
    let mut sums = vec![0u64; (image.width() + 1) * (image.height() + 1)];
    let wide = image.width() + 1;
    for y in 0..image.height() {
        let mut row = 0;
        for x in 0..image.width() {
            row += u64::from(255 - image.at(x, y));
            sums[(y + 1) * wide + x + 1] = sums[y * wide + x + 1] + row;
        }
    }
    let darkness = |x: usize, y: usize| {
        sums[(y + reach) * wide + x + reach] + sums[(y - reach) * wide + x - reach]
            - sums[(y - reach) * wide + x + reach]
            - sums[(y + reach) * wide + x - reach]
    };
    let mut best: (u64, f64, f64, f64) = (0, 0.0, 0.0, 0.0);
    for y in reach..image.height() - reach {
        for x in reach..image.width() - reach {
            let dark = darkness(x, y);
            if dark > best.0 {
                best = (dark, x as f64, y as f64, 1.0);
            } else if dark == best.0 {
                best = (dark, best.1 + x as f64, best.2 + y as f64, best.3 + 1.0);
            }
        }
    }
    (best.1 / best.3, best.2 / best.3)
}

/// The page tilted and then turned, as a scanner may see it, and where the square is then.
fn scanned(tilt: f64, turn: Rotation) -> (Gray, (f64, f64)) {
    let upright = Placed::new((WIDTH as f64, HEIGHT as f64), turn, tilt, 1.0);
    let to_page = upright.to_view;
    let mark = to_page.inverse().unwrap().apply(middle_of_mark()).unwrap();
    (warp(&page(), upright.width, upright.height, &to_page), mark)
}

fn is_near(one: (f64, f64), other: (f64, f64), distance: f64) -> bool {
    (one.0 - other.0).hypot(one.1 - other.1) < distance
}

#[test]
fn a_good_page_comes_back_as_it_is() {
    let prepared = prepare(page(), 300.0, Instructions::default());
    assert_eq!(prepared.image, page());
    assert_eq!((prepared.to_source, prepared.turns[0]), (Projection::IDENTITY, Rotation::Upright));
    assert!(prepared.has_text && (prepared.dpi - 300.0).abs() < 0.1);
    let blank = prepare(Gray::plain(700, 900, 255), 300.0, Instructions::default());
    assert!(!blank.has_text && blank.image == Gray::plain(700, 900, 255));
}

/// What turned a page has to be turned back.
fn turned_back(turn: Rotation) -> Rotation {
    if turn.is_sideways() { turn.opposite() } else { turn }
}

#[test]
fn the_side_on_which_letters_stand_is_down() {
    for turn in [Rotation::Upright, Rotation::Clockwise, Rotation::Half, Rotation::Counterclockwise] {
        let prepared = prepare(scanned(0.0, turn).0, 300.0, Instructions::default());
        assert_eq!(prepared.turns[0], turned_back(turn));
        assert_eq!(prepared.image, page());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn a_turned_and_tilted_page_becomes_upright_and_its_places_lead_back(
        tilt in -10.0f64..10.0,
        turn in prop::sample::select(vec![Rotation::Upright, Rotation::Clockwise, Rotation::Half, Rotation::Counterclockwise]),
    ) {
        let (image, mark) = scanned(tilt.to_radians(), turn);
        let back = turned_back(turn);
        let prepared = prepare(image, 300.0, Instructions { turn: Some(back), closer: false });
        prop_assert!(prepared.turns[..2].contains(&back), "{:?}", prepared.turns);
        let found = find_mark(&prepared.image, MARK.2);
        let source = prepared.to_source.apply(found).unwrap();
        prop_assert!(is_near(source, mark, 2.0), "{:?} leads to {:?} instead of {:?}", found, source, mark);
        // The square is where it was on the page, seen from its middle: the page is straight again.
        let middle = (prepared.image.width() as f64 / 2.0, prepared.image.height() as f64 / 2.0);
        let (x, y) = middle_of_mark();
        let expected = (middle.0 + x - WIDTH as f64 / 2.0, middle.1 + y - HEIGHT as f64 / 2.0);
        prop_assert!(is_near(found, expected, 4.0), "{:?} instead of {:?}", found, expected);
    }

    #[test]
    fn any_image_is_prepared_within_the_limits(
        width in 1usize..90, height in 1usize..90, seed in any::<u64>(), dpi in 0.0f64..700.0, closer in any::<bool>(),
        turn in prop::option::of(prop::sample::select(vec![Rotation::Upright, Rotation::Clockwise, Rotation::Half])),
    ) {
        let mut state = seed;
        let pixels = (0..width * height).map(|_| next(&mut state, 256) as u8).collect();
        let image = Gray::new(width, height, pixels).unwrap();
        let prepared = prepare(image, dpi, Instructions { turn, closer });
        prop_assert!(prepared.image.long_side() <= MAX_SIDE);
        let corner = prepared.to_source.apply((0.5, 0.5)).unwrap();
        prop_assert!(corner.0 > -90.0 && corner.0 < 180.0 && corner.1 > -90.0 && corner.1 < 180.0);
    }
}

#[test]
fn a_sheet_seen_from_the_side_is_seen_from_above() {
    let corners = [(180.0, 120.0), (900.0, 60.0), (980.0, 1000.0), (90.0, 940.0)];
    let view = Projection::to_corners((WIDTH as f64, HEIGHT as f64), corners).unwrap();
    let to_page = view.inverse().unwrap();
    let mut photograph = warp(&page(), 1060, 1080, &to_page);
    for y in 0..1080 {
        for x in 0..1060 {
            let (u, v) = to_page.apply((x as f64 + 0.5, y as f64 + 0.5)).unwrap();
            if u < 0.0 || v < 0.0 || u >= WIDTH as f64 || v >= HEIGHT as f64 {
                photograph.pixels_mut()[y * 1060 + x] = 90 + ((x / 40 + y / 40) % 2) as u8 * 6;
            }
        }
    }
    let prepared = prepare(photograph.clone(), 300.0, Instructions::default());
    let mark = view.apply(middle_of_mark()).unwrap();
    let enlarged = (MARK.2 as f64 * prepared.image.width() as f64 / WIDTH as f64) as usize;
    let found = find_mark(&prepared.image, enlarged);
    assert!(is_near(prepared.to_source.apply(found).unwrap(), mark, 4.0));
    let share = |place: (f64, f64), size: (usize, usize)| (place.0 / size.0 as f64, place.1 / size.1 as f64);
    let size = (prepared.image.width(), prepared.image.height());
    let (found, expected) = (share(found, size), share(middle_of_mark(), (WIDTH, HEIGHT)));
    assert!(is_near(found, expected, 0.02), "{found:?} instead of {expected:?}");
}

/// What lies outside a sheet is cut off, so a page with a dark head is no sheet.
#[test]
fn a_dark_head_or_picture_is_not_cut_off() {
    let mut headed = page();
    headed.pixels_mut()[..WIDTH * 150].fill(40);
    let mut framed = page();
    for (at, pixel) in framed.pixels_mut().iter_mut().enumerate() {
        let (x, y) = (at % WIDTH, at / WIDTH);
        let is_frame = !(120..=WIDTH - 120).contains(&x) || !(150..=HEIGHT - 150).contains(&y);
        // White letters on a dark frame.
        if is_frame {
            *pixel = 245 - *pixel + 20;
        }
    }
    for image in [headed, framed] {
        let prepared = prepare(image.clone(), 300.0, Instructions::default());
        assert_eq!((prepared.image.width(), prepared.image.height()), (WIDTH, HEIGHT));
    }
}

#[test]
fn a_coarse_image_is_enlarged_up_to_the_limit() {
    let coarse = prepare(page(), 100.0, Instructions::default());
    assert_eq!((coarse.image.width(), coarse.image.height()), (WIDTH * 3, HEIGHT * 3));
    assert!((coarse.dpi - 300.0).abs() < 0.1);
    let found = find_mark(&coarse.image, MARK.2 * 3);
    assert!(is_near(coarse.to_source.apply(found).unwrap(), middle_of_mark(), 1.0));
    let long =
        prepare(Gray::plain(5000, 20, 255), 50.0, Instructions { closer: true, ..Instructions::default() });
    assert_eq!(long.image.width(), MAX_SIDE);
}

#[test]
fn a_shadow_is_brightened_and_a_second_look_is_closer() {
    let mut shaded = page();
    for (at, pixel) in shaded.pixels_mut().iter_mut().enumerate() {
        let light = 1.0 - 0.6 * ((at % WIDTH) as f64 / WIDTH as f64);
        *pixel = (f64::from(*pixel) * light) as u8;
    }
    let prepared = prepare(shaded, 300.0, Instructions::default());
    assert_eq!(prepared.to_source, Projection::IDENTITY);
    assert!(prepared.image.at(WIDTH - 20, 300) > 225 && prepared.image.at(20, 300) > 225);
    let closer = prepare(page(), 300.0, Instructions { closer: true, turn: Some(Rotation::Upright) });
    assert_eq!(closer.image.width(), (WIDTH as f64 * CLOSER) as usize);
}
