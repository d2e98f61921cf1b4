//! The sample record that people without a document at hand can try Quire with: two pages of an invented clinic about an
//! invented dog.
//!
//! The program contains it as `crates/api/assets/samples/historia-luna.pdf`. After a change here, write that file again
//! with `cargo run -p quire-testkit --example sample`.

use super::{Font, PageContent, Pdf};

/// The left edge of labels, in points.
const LEFT: f32 = 56.0;
/// The left edge of the second column of labels.
const SECOND_COLUMN: f32 = 310.0;
/// The distance from a label to its value.
const VALUE_OFFSET: f32 = 96.0;
/// The right end of lines.
const RIGHT: f32 = 539.0;

const BLUE: &str = "0.11 0.31 0.57";
const WHITE: &str = "1 1 1";
const GRAY: &str = "0.4 0.4 0.4";
const BLACK: &str = "0.1 0.13 0.19";

/// The sample record as a PDF.
pub fn sample_record() -> Vec<u8> {
    Pdf::of_pages(&[first_page(), second_page()]).with_bold_font().file()
}

/// A page that is drawn from top to bottom.
struct Sheet {
    content: PageContent,
    y: f32,
}

impl Sheet {
    fn new(number: u8) -> Self {
        let mut content = PageContent::default();
        content.operators(&format!("{BLUE} rg 0 782 595 60 re f"));
        if number == 1 {
            content.colored_text(Font::Bold, 17.0, (LEFT, 806.0), WHITE, "Clínica Veterinaria Ejemplo");
            content.colored_text(
                Font::Regular,
                9.0,
                (LEFT, 792.0),
                WHITE,
                "Calle Inventada 12, 28000 Madrid",
            );
            content.colored_text(Font::Regular, 9.0, (470.0, 806.0), WHITE, "Historia clínica");
        }
        content.colored_text(Font::Regular, 9.0, (470.0, 792.0), WHITE, &format!("Página {number} de 2"));
        let foot = "Documento de muestra: la clínica, las personas y el paciente son inventados.";
        content.colored_text(Font::Regular, 8.0, (LEFT, 36.0), GRAY, foot);
        Self { content, y: 750.0 }
    }

    fn heading(&mut self, text: &str) {
        self.y -= 12.0;
        self.content.colored_text(Font::Bold, 12.0, (LEFT, self.y), BLUE, text);
        self.y -= 6.0;
        self.content.operators(&format!("0.75 0.8 0.88 RG 0.8 w {LEFT} {y} m {RIGHT} {y} l S", y = self.y));
        self.y -= 18.0;
    }

    /// Labels with their values, two to a line.
    fn pairs(&mut self, pairs: &[(&str, &str)]) {
        for line in pairs.chunks(2) {
            for ((label, value), x) in line.iter().zip([LEFT, SECOND_COLUMN]) {
                self.pair(x, label, value);
            }
            self.y -= 17.0;
        }
    }

    /// A label with a value on a line of their own.
    fn line(&mut self, label: &str, value: &str) {
        self.pair(LEFT, label, value);
        self.y -= 17.0;
    }

    fn pair(&mut self, x: f32, label: &str, value: &str) {
        self.content.colored_text(Font::Bold, 10.0, (x, self.y), BLACK, &format!("{label}:"));
        self.content.colored_text(Font::Regular, 10.0, (x + VALUE_OFFSET, self.y), BLACK, value);
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
    sheet.content.into_string()
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
    sheet.content.into_string()
}
