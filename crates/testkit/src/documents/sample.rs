//! The record that somebody who has none at hand can try Quire with: two pages of an invented clinic about an invented dog.
//!
//! It is built into the program as `crates/api/assets/samples/historia-luna.pdf`, which
//! `cargo run -p quire-testkit --example sample` writes anew.

use std::fmt::Write as _;

use super::pdf::Pdf;

/// Where labels and values begin, and how far lines reach.
const LEFT: i32 = 56;
const RIGHT: i32 = 539;

/// The file.
pub fn sample_record() -> Vec<u8> {
    let mut pdf = Pdf::of_pages(&[first_page(), second_page()]);
    let bold =
        pdf.object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>");
    for (page, content) in [(4, 5), (6, 7)] {
        pdf.replace(
            page,
            format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {content} 0 R \
                 /Resources << /Font << /F 3 0 R /B {bold} 0 R >> >> >>"
            ),
        );
    }
    pdf.file()
}

/// A page that is being drawn, from its top to its foot.
struct Sheet {
    content: String,
    y: i32,
}

impl Sheet {
    fn new(number: u8) -> Self {
        let mut sheet = Self { content: "0.11 0.31 0.57 rg 0 782 595 60 re f\n".to_owned(), y: 750 };
        if number == 1 {
            sheet.text('B', 17, LEFT, 806, "1 1 1", "Clínica Veterinaria Ejemplo");
            sheet.text('F', 9, LEFT, 792, "1 1 1", "Calle Inventada 12, 28000 Madrid");
            sheet.text('F', 9, 470, 806, "1 1 1", "Historia clínica");
        }
        sheet.text('F', 9, 470, 792, "1 1 1", &format!("Página {number} de 2"));
        let foot = "Documento de muestra: la clínica, las personas y el paciente son inventados.";
        sheet.text('F', 8, LEFT, 36, "0.4 0.4 0.4", foot);
        sheet
    }

    fn text(&mut self, font: char, size: i32, x: i32, y: i32, colour: &str, text: &str) {
        let escaped = text.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)");
        // WinAnsi is Latin-1 where letters of Western Europe are concerned.
        let coded: String = escaped
            .chars()
            .map(
                |letter| {
                    if letter.is_ascii() { letter.to_string() } else { format!("\\{:03o}", letter as u32) }
                },
            )
            .collect();
        let _ = writeln!(self.content, "BT {colour} rg /{font} {size} Tf {x} {y} Td ({coded}) Tj ET");
    }

    fn heading(&mut self, text: &str) {
        self.y -= 12;
        self.text('B', 12, LEFT, self.y, "0.11 0.31 0.57", text);
        self.y -= 6;
        let _ = writeln!(self.content, "0.75 0.8 0.88 RG 0.8 w {LEFT} {y} m {RIGHT} {y} l S", y = self.y);
        self.y -= 18;
    }

    /// Labels with their values, two to a line.
    fn pairs(&mut self, pairs: &[(&str, &str)]) {
        for line in pairs.chunks(2) {
            for ((label, value), x) in line.iter().zip([LEFT, 310]) {
                self.text('B', 10, x, self.y, "0.1 0.13 0.19", &format!("{label}:"));
                self.text('F', 10, x + 96, self.y, "0.1 0.13 0.19", value);
            }
            self.y -= 17;
        }
    }

    /// A label with a value that has the whole line.
    fn line(&mut self, label: &str, value: &str) {
        self.text('B', 10, LEFT, self.y, "0.1 0.13 0.19", &format!("{label}:"));
        self.text('F', 10, LEFT + 96, self.y, "0.1 0.13 0.19", value);
        self.y -= 17;
    }
}

fn first_page() -> String {
    let mut sheet = Sheet::new(1);
    sheet.heading("Paciente");
    sheet.pairs(&[
        ("Nombre", "Luna"),
        ("NHC", "LU-0042"),
        ("Especie", "Canina"),
        ("Raza", "Labrador"),
        ("Sexo", "Hembra"),
        ("Nacimiento", "14/05/2019"),
        ("Peso", "24,5 kg"),
        ("Microchip", "900123456789012"),
    ]);
    sheet.heading("Propietario");
    sheet.line("Propietaria", "Ana Ejemplo Muestra");
    sheet.line("Dirección", "Avenida de la Muestra 7, 28000 Madrid");
    sheet.heading("Visita del 12/02/2024");
    sheet.line("Motivo", "Cojea de la pata delantera derecha desde hace dos días.");
    sheet.line("Síntomas", "Dolor a la palpación del carpo, sin inflamación visible.");
    sheet.line("Diagnóstico", "Esguince leve de carpo");
    sheet.line("Tratamiento", "Meloxicam 0,1 mg/kg cada 24 horas durante cinco días y reposo.");
    sheet.line("Veterinaria", "Marta Prueba Ficticia");
    sheet.content
}

fn second_page() -> String {
    let mut sheet = Sheet::new(2);
    sheet.heading("Visita del 26/02/2024");
    sheet.line("Motivo", "Revisión de la cojera.");
    sheet.line("Exploración", "Apoya con normalidad y no muestra dolor.");
    sheet.line("Diagnóstico", "Esguince resuelto");
    sheet.line("Plan", "Alta. Volver a la actividad poco a poco.");
    sheet.heading("Visita del 03/06/2024");
    sheet.line("Motivo", "Vacunación anual.");
    sheet.line("Procedimientos", "Vacuna polivalente y desparasitación interna.");
    sheet.line("Peso", "25,1 kg");
    sheet.line("Observaciones", "Buen estado general. Próxima vacuna en un año.");
    sheet.line("Veterinaria", "Marta Prueba Ficticia");
    sheet.content
}
