//! The page view: boxes of the fields, text of the pages, zoom.

use quire_testkit::browser::Tab;
use serde_json::{Value, json};

use super::{document, open_review, pick, row, show, shown};
use crate::test_env::TestEnv;

const SCENE: &[(&str, &str)] = &[];

/// The page and position of the selected box, whether it is in view, and the share of dark pixels under it.
const PLACE: &str = "(() => {
  const rect = document.querySelector('.box.selected'), sheet = rect.closest('.page'), img = sheet.querySelector('img')
  const [box, edge, view] = [rect, img, document.getElementById('pages')].map((e) => e.getBoundingClientRect())
  const points = Number(sheet.dataset.width) / edge.width
  const canvas = Object.assign(document.createElement('canvas'), { width: img.naturalWidth, height: img.naturalHeight })
  const brush = canvas.getContext('2d')
  brush.drawImage(img, 0, 0)
  const dots = img.naturalWidth / edge.width
  const data = brush.getImageData((box.x - edge.x) * dots, (box.y - edge.y) * dots, box.width * dots, box.height * dots).data
  let dark = 0
  for (let at = 0; at < data.length; at += 4) if (data[at] < 100) dark += 1
  return {
    page: Number(sheet.dataset.page), x: (box.x - edge.x) * points, y: (box.y - edge.y) * points,
    isInView: box.top >= view.top && box.bottom <= view.bottom, ink: dark / (data.length / 4),
  }
})()";

/// Waits until the box of the selected field is in view on that page, and asserts that it covers the words of the field.
pub(in crate::pages) fn assert_box_covers_words(tab: &mut Tab, stored: &Value, key: &str, page: u32) {
    tab.until(&format!(
        "(() => {{ const r = document.querySelector('#page-{page} .box.selected')?.getBoundingClientRect(); \
         const v = document.getElementById('pages').getBoundingClientRect(); \
         return r && r.top >= v.top && r.bottom <= v.bottom }})()"
    ));
    tab.until(&format!("document.querySelector('#page-{page} img').naturalWidth > 0"));
    let place = tab.eval(PLACE);
    let field = crate::record::field(&stored["data"], key);
    let word = &field["evidence"]["boxes"][0];
    let off = |side: &str, of: &str| (place[side].as_f64().unwrap() - word[of].as_f64().unwrap()).abs();
    assert_eq!((&place["page"], &place["isInView"]), (&json!(page), &json!(true)), "{key}: {place}");
    assert!(off("x", "x0") < 2.5 && off("y", "y0") < 2.5, "{key}: {place} {word}");
    assert!(place["ink"].as_f64().unwrap() > 0.03, "{key} covers no text: {place}");
    assert_eq!(tab.text(&format!("{} .snippet q", row(key))), field["evidence"]["snippet"].as_str().unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn selecting_a_field_shows_its_box_on_the_right_page_over_its_words() {
    let env = TestEnv::on_sqlite(SCENE);
    let server = env.cli.serve();
    let document = document(&env, &server).await;
    let mut tab = open_review(&server, document);
    let stored = super::stored(&server, document);
    for (key, page) in [("vet_name", 2), ("owner_name", 1)] {
        pick(&mut tab, key);
        assert_box_covers_words(&mut tab, &stored, key, page);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_box_shows_the_name_of_its_field_and_selects_it() {
    let env = TestEnv::on_sqlite(SCENE);
    let server = env.cli.serve();
    let document = document(&env, &server).await;
    let mut tab = open_review(&server, document);
    let box_of = "#page-1 .box:nth-of-type(1)";
    tab.until_seen("#page-1 [data-text] span");
    tab.hover(box_of);
    tab.until_text("#box-name", "Name · Veterinary clinic");
    tab.click_through(box_of);
    tab.until(&format!("document.querySelector('{}.selected')", row("clinic_name")));
}

#[tokio::test(flavor = "multi_thread")]
async fn sections_have_the_schemas_order_and_titles() {
    let env = TestEnv::on_sqlite(SCENE);
    let server = env.cli.serve();
    let document = document(&env, &server).await;
    let mut tab = open_review(&server, document);
    tab.set_language("es");
    show(&mut tab, document);
    let sections = "[...document.querySelectorAll('.section h2')].map((e) => e.textContent).join('|')";
    assert_eq!(
        tab.eval(sections),
        "Centro Veterinario|Paciente|Propietario|Visitas|Notas internas|Otros campos detectados|Información del informe"
    );
    let visits = "[...document.querySelectorAll('.visit h3')].map((e) => e.textContent).join('|')";
    assert_eq!(tab.eval(visits), "12/02/2024|19/02/2024");
    assert_eq!((shown(&mut tab, "pet_name"), shown(&mut tab, "notes")), ("Luna".to_owned(), "—".to_owned()));
    tab.until_text(".nothing", "Sin otros campos detectados");
    tab.until_text(&format!("{} .value", row("procedure")), "Sin elementos");
    tab.hover(&format!("{} .dot", row("pet_name")));
    tab.until(&format!(
        "/^Confianza \\d+ % \\((Alta|Media|Baja)\\)/.test(document.querySelector('{} .dot').title)",
        row("pet_name")
    ));
    let body = tab.text("body").to_lowercase();
    for word in ["pending_review", "governance", "reviewer"] {
        assert!(!body.contains(word), "{word}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_text_of_the_pages_can_be_selected_and_found() {
    let env = TestEnv::on_sqlite(SCENE);
    let server = env.cli.serve();
    let document = document(&env, &server).await;
    let mut tab = open_review(&server, document);
    tab.press("f");
    tab.type_text("recorte de inc");
    tab.until_text("#find-count", "1 of 1");
    assert_eq!(tab.eval("document.querySelector('.current').closest('.page').dataset.page"), "2");
    tab.eval("getSelection().selectAllChildren(document.querySelector('#page-1 [data-text]'))");
    let selected = tab.eval("getSelection().toString()").as_str().unwrap().to_owned();
    assert!(selected.contains("Carmen Ibáñez Soler"), "{selected}");
    // The text layer has the same position as the box.
    let apart = tab.eval(
        "(() => { const word = [...document.querySelectorAll('#page-1 [data-text] span')].find((e) => e.textContent === 'Carmen '); \
         const box = [...document.querySelectorAll('#page-1 .box')].find((e) => e.dataset.row === document.querySelector('[data-key=owner_name]').id); \
         const [w, b] = [word, box].map((e) => e.getBoundingClientRect()); return Math.abs(w.left - b.left) + Math.abs(w.bottom - b.bottom) })()",
    );
    assert!(apart.as_f64().unwrap() < 12.0, "{apart}");
}

#[tokio::test(flavor = "multi_thread")]
async fn zoom_works_and_the_splitter_position_is_remembered() {
    let env = TestEnv::on_sqlite(SCENE);
    let server = env.cli.serve();
    let document = document(&env, &server).await;
    let mut tab = open_review(&server, document);
    let width = "document.querySelector('.page').offsetWidth";
    let fits = tab.eval(width).as_f64().unwrap();
    tab.press("+");
    tab.until_text("#zoom", "110 %");
    assert!((tab.eval(width).as_f64().unwrap() / fits - 1.1).abs() < 0.01);
    for _ in 0..12 {
        tab.press("-");
    }
    tab.until_text("#zoom", "50 %");
    tab.press("0");
    tab.until_text("#zoom", "100 %");
    let left = "document.querySelector('.paper').offsetWidth";
    let before = tab.eval(left).as_f64().unwrap();
    tab.eval("document.getElementById('splitter').focus()");
    tab.press("ArrowLeft");
    assert!((before - tab.eval(left).as_f64().unwrap() - 40.0).abs() <= 1.0);
    show(&mut tab, document);
    assert!((before - tab.eval(left).as_f64().unwrap() - 40.0).abs() <= 1.0, "it is remembered");
    tab.eval("document.getElementById('splitter').focus()");
    tab.press("Home");
    assert!((before - tab.eval(left).as_f64().unwrap()).abs() <= 1.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_gets_no_controls_that_change_anything() {
    let env = TestEnv::on_sqlite(SCENE);
    let server = env.cli.serve();
    let document = document(&env, &server).await;
    let key = env.cli.run_ok(&["keys", "create", "--name", "reader", "--role", "read"]);
    let key = key.lines().flat_map(str::split_whitespace).find(|word| word.starts_with("quire_")).unwrap();
    crate::test_env::wait_until(async || server.send("GET /documents", "", "").status == 401).await;
    for part in ["", "/work"] {
        let head = format!("Accept: text/html\r\nAuthorization: Bearer {key}\r\n");
        let page = server.send(&format!("GET /app/documents/{document}{part}"), &head, "");
        let page = String::from_utf8(page.body).unwrap();
        assert!(page.contains("data-key=\"pet_name\"") && page.contains("id=\"next\""), "{page}");
        for control in ["id=\"mark\"", "id=\"add\"", "data-add-to", "data-delete-visit", "data-reprocess"] {
            assert!(!page.contains(control), "{control}");
        }
    }
}
