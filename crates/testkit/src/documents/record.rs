//! A clinical record as a clinic prints them: a letterhead, headings, labels in bold, a visit to each block, two pages.

use std::fmt::Write as _;

use super::Pdf;
use super::pdf::winansi;

/// What stands on a line.
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

/// The record, as a PDF.
pub fn case_history() -> Vec<u8> {
    let contents = [drawn(FIRST), drawn(SECOND)];
    let mut pdf = Pdf::of_pages(&contents);
    let bold =
        pdf.object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>");
    for page in [4, 6] {
        let stream = page + 1;
        pdf.replace(
            page,
            format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {stream} 0 R \
                 /Resources << /Font << /F 3 0 R /B {bold} 0 R >> >> >>"
            ),
        );
    }
    pdf.file()
}

fn drawn(lines: &[Line]) -> String {
    let mut content = String::new();
    let mut y = 800.0_f32;
    for line in lines {
        y -= write(&mut content, line, y);
    }
    content
}

/// Writes a line, and says how far down the next one stands.
fn write(content: &mut String, line: &Line, y: f32) -> f32 {
    match line {
        Letterhead(name, place) => {
            writeln!(content, "0.11 0.31 0.57 rg 0 {} 595 66 re f", y - 24.0).unwrap();
            show(content, "B", 17.0, (50.0, y + 12.0), "1 1 1", name);
            show(content, "F", 10.0, (50.0, y - 6.0), "1 1 1", place);
            58.0
        }
        Heading(text) => {
            show(content, "B", 12.0, (50.0, y - 8.0), "0.11 0.31 0.57", text);
            writeln!(content, "0.8 0.83 0.88 RG 0.8 w 50 {} m 545 {} l S", y - 14.0, y - 14.0).unwrap();
            32.0
        }
        Pair(label, value) => {
            // Helvetica-Bold is a little over half as wide as it is high.
            let wide =
                label.chars().map(|letter| if "ilftI".contains(letter) { 3.2 } else { 6.1 }).sum::<f32>();
            show(content, "B", 10.5, (50.0, y), "0.1 0.13 0.19", &format!("{label}:"));
            show(content, "F", 10.5, (62.0 + wide, y), "0.1 0.13 0.19", value);
            19.0
        }
        Text(text) => {
            show(content, "F", 10.5, (50.0, y), "0.1 0.13 0.19", text);
            19.0
        }
        Foot(text) => {
            show(content, "F", 8.0, (50.0, 40.0), "0.33 0.37 0.44", text);
            0.0
        }
    }
}

fn show(content: &mut String, font: &str, size: f32, (x, y): (f32, f32), colour: &str, text: &str) {
    writeln!(content, "BT {colour} rg /{font} {size} Tf {x} {y} Td ({}) Tj ET", winansi(text)).unwrap();
}
