//! Tests with forms whose fields have names.

use quire_testkit::documents::Pdf;

use super::*;

/// The values of a PDF whose form has these fields. Further objects are numbered from 6.
fn values(fields: &str, objects: &[&str]) -> Vec<(String, String)> {
    let mut pdf = Pdf::of_pages(&[String::new()]);
    for object in objects {
        pdf.object(*object);
    }
    pdf.replace(1, format!("<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [{fields}] >> >>"));
    let pdf = crate::pdf::PdfFile::open(pdf.file()).unwrap();
    let values = form_data(&pdf.pdf).map(|data| data.values).unwrap_or_default();
    values.into_iter().map(|value| (value.term, value.text)).collect()
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn fields_have_their_whole_name_and_their_value_in_the_order_of_the_file() {
    let found = values(
        "6 0 R << /FT /Ch /T (species) /V [(felina) (canina)] >> << /FT /Tx /T (empty) >>",
        &[
            "<< /T (owner) /FT /Tx /Kids [7 0 R << /T (town) /V (  Otero\\n Alto ) >>] >>",
            "<< /T (name) /V <FEFF0041006E00610020004900F1> /Kids [<< /Subtype /Widget /Rect [0 0 9 9] >>] >>",
        ],
    );
    let expected =
        pairs(&[("owner.name", "Ana Iñ"), ("owner.town", "Otero Alto"), ("species", "felina canina")]);
    assert_eq!(found, expected);
}

#[test]
fn checkboxes_and_radio_buttons_have_the_state_that_they_stand_for() {
    let found = values(
        "<< /FT /Btn /T (castrated) /V /Yes >> << /FT /Btn /T (vaccinated) /V /Off >> << /FT /Btn /T (shown) /AS /On >> \
         << /FT /Btn /Ff 32768 /T (sex) /V /hembra /Kids [<< /AS /Off >> << /AS /hembra >>] >> \
         << /FT /Btn /Ff 65536 /T (send) /V /Yes >>",
        &[],
    );
    let expected = [("castrated", "Yes"), ("vaccinated", "Off"), ("shown", "On"), ("sex", "hembra")];
    assert_eq!(found, pairs(&expected), "a push button has no state");
}

#[test]
fn passwords_signatures_and_fields_without_a_name_are_left_out() {
    let fields = "<< /FT /Tx /T (key) /Ff 8192 /V (secret) >> << /FT /Sig /T (signed) /V (x) >> << /FT /Tx /V (x) >> \
                  << /FT /Tx /T (kept) /TU (El  nombre) /V (s\\355) >> null 7";
    assert_eq!(values(fields, &[]), pairs(&[("kept", "s\u{ed}")]));
}

#[test]
fn hostile_trees_end() {
    let own_kid = values("6 0 R", &["<< /T (a) /FT /Tx /V (x) /Kids [6 0 R 6 0 R] >>"]);
    assert!(own_kid.len() <= MAX_VALUES);
    let nested = "<< /T (a) /Kids [".repeat(60) + "<< /T (b) /FT /Tx /V (x) >>" + &"] >>".repeat(60);
    assert!(values(&nested, &[]).len() <= 1);
    let long = format!("<< /T ({}) /FT /Tx /V ({}) >>", "n".repeat(2000), "v".repeat(5000));
    let found = values(&long.repeat(300), &[]);
    assert!(found.len() < 300 && found[0].0.len() == MAX_NAME && found[0].1.len() == MAX_VALUE_CHARS);
}
