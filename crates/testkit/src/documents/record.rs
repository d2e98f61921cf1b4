//! A clinical record of two pages as a clinic prints them: a letterhead, headings, bold labels, and visits.

use super::{Font, PageContent, Pdf};

/// A line of the record.
enum Line {
    Letterhead(&'static str, &'static str),
    Heading(&'static str),
    Pair(&'static str, &'static str),
    Text(&'static str),
    Foot(&'static str),
}

use Line::{Foot, Heading, Letterhead, Pair, Text};

const FIRST: &[Line] = &[
    Letterhead("Clínica Veterinaria Los Tilos", "Calle del Olmo, 14, 28015 Madrid"),
    Heading("Datos del paciente"),
    Pair("Paciente", "Luna"),
    Pair("Especie", "Conejo"),
    Pair("Raza", "Belier"),
    Pair("Sexo", "Hembra"),
    Pair("Fecha de nacimiento", "14/03/2019"),
    Pair("Peso", "2,1 kg"),
    Pair("Microchip", "941000024680135"),
    Pair("NHC", "2024-0173"),
    Heading("Datos del propietario"),
    Pair("Propietaria", "Carmen Ibáñez Soler"),
    Pair("Dirección", "Avenida de la Paz, 7, 28028 Madrid"),
    Heading("Visitas"),
    Pair("Fecha de visita", "12/02/2024"),
    Pair("Motivo", "come menos desde hace tres días"),
    Pair("Síntomas", "apatía y heces pequeñas"),
    Pair("Diagnóstico", "estasis gastrointestinal leve"),
    Pair("Medicación", "metoclopramida cada ocho horas durante cinco días"),
    Pair("Plan de tratamiento", "heno a voluntad y control en una semana"),
    Foot("Página 1 de 2"),
];

const SECOND: &[Line] = &[
    Pair("Fecha de visita", "19/02/2024"),
    Pair("Motivo", "control"),
    Pair("Peso", "2,2 kg"),
    Pair("Diagnóstico", "recuperación completa"),
    Pair("Procedimiento", "recorte de incisivos"),
    Text("La propietaria refiere que come con normalidad y está activa."),
    Pair("Veterinaria", "Elena Prats Vidal"),
    Foot("Página 2 de 2"),
];

/// The record as a PDF.
pub fn case_history() -> Vec<u8> {
    Pdf::of_pages(&[page(FIRST), page(SECOND)]).with_bold_font().file()
}

fn page(lines: &[Line]) -> String {
    let mut content = PageContent::default();
    let mut y = 800.0_f32;
    for line in lines {
        y -= draw(&mut content, line, y);
    }
    content.into_string()
}

/// Draws a line and returns the distance to the next one.
fn draw(content: &mut PageContent, line: &Line, y: f32) -> f32 {
    const BLUE: &str = "0.11 0.31 0.57";
    const BLACK: &str = "0.1 0.13 0.19";
    match line {
        Letterhead(name, address) => {
            content.operators(&format!("{BLUE} rg 0 {} 595 66 re f", y - 24.0));
            content.colored_text(Font::Bold, 17.0, (50.0, y + 12.0), "1 1 1", name);
            content.colored_text(Font::Regular, 10.0, (50.0, y - 6.0), "1 1 1", address);
            58.0
        }
        Heading(text) => {
            content.colored_text(Font::Bold, 12.0, (50.0, y - 8.0), BLUE, text);
            content.operators(&format!("0.8 0.83 0.88 RG 0.8 w 50 {0} m 545 {0} l S", y - 14.0));
            32.0
        }
        Pair(label, value) => {
            // The approximate width of the label in Helvetica-Bold.
            let width =
                label.chars().map(|letter| if "ilftI".contains(letter) { 3.2 } else { 6.1 }).sum::<f32>();
            content.colored_text(Font::Bold, 10.5, (50.0, y), BLACK, &format!("{label}:"));
            content.colored_text(Font::Regular, 10.5, (62.0 + width, y), BLACK, value);
            19.0
        }
        Text(text) => {
            content.colored_text(Font::Regular, 10.5, (50.0, y), BLACK, text);
            19.0
        }
        Foot(text) => {
            content.colored_text(Font::Regular, 8.0, (50.0, 40.0), "0.33 0.37 0.44", text);
            0.0
        }
    }
}
