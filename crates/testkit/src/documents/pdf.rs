//! PDFs written object by object.

use std::fmt::Write as _;

/// The objects of a PDF, the first of which is its catalogue.
#[derive(Clone, Debug, Default)]
pub struct Pdf {
    objects: Vec<Vec<u8>>,
}

impl Pdf {
    /// A PDF of one A4 page per content stream, with Helvetica as `/F`.
    pub fn of_pages(contents: &[String]) -> Self {
        let mut pdf = Self::default();
        let kids: Vec<String> = (0..contents.len()).map(|page| format!("{} 0 R", 4 + 2 * page)).collect();
        pdf.object("<< /Type /Catalog /Pages 2 0 R >>");
        pdf.object(format!("<< /Type /Pages /Kids [{}] /Count {} >>", kids.join(" "), contents.len()));
        pdf.object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>");
        for content in contents {
            let stream = pdf.objects.len() + 2;
            pdf.object(format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {stream} 0 R \
                 /Resources << /Font << /F 3 0 R >> >> >>"
            ));
            pdf.stream("", content.as_bytes());
        }
        pdf
    }

    /// Adds an object and answers its number, from 1.
    pub fn object(&mut self, content: impl Into<Vec<u8>>) -> usize {
        self.objects.push(content.into());
        self.objects.len()
    }

    /// Adds a stream with these entries besides its length.
    pub fn stream(&mut self, entries: &str, content: &[u8]) -> usize {
        let head = format!("<< {entries} /Length {} >>\nstream\n", content.len());
        self.object([head.as_bytes(), content, b"\nendstream"].concat())
    }

    /// Puts another object in the place of one.
    pub fn replace(&mut self, number: usize, content: impl Into<Vec<u8>>) {
        self.objects[number - 1] = content.into();
    }

    /// Its objects.
    pub fn into_objects(self) -> Vec<Vec<u8>> {
        self.objects
    }

    /// The file.
    pub fn file(&self) -> Vec<u8> {
        self.file_with("")
    }

    /// The file, with these entries in its trailer. `STARTXREF` among them becomes the place of the table itself.
    pub fn file_with(&self, trailer: &str) -> Vec<u8> {
        let mut file = b"%PDF-1.7\n".to_vec();
        let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", self.objects.len() + 1);
        for (number, object) in (1..).zip(&self.objects) {
            writeln!(table, "{:010} 00000 n ", file.len()).unwrap();
            file.extend(format!("{number} 0 obj\n").bytes());
            file.extend(object);
            file.extend(b"\nendobj\n");
        }
        let start = file.len();
        let trailer = trailer.replace("STARTXREF", &start.to_string());
        file.extend(table.bytes());
        let size = self.objects.len() + 1;
        file.extend(
            format!("trailer << /Size {size} /Root 1 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n").bytes(),
        );
        file
    }
}

/// A text as it is written in a content stream.
pub(super) fn winansi(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)");
    // WinAnsi is Latin-1 where letters of Western Europe are concerned.
    let octal = |letter: char| {
        if letter.is_ascii() { letter.to_string() } else { format!("\\{:03o}", letter as u32) }
    };
    escaped.chars().map(octal).collect()
}

/// A page with these lines of text from its top.
pub fn text_page(lines: &[&str]) -> String {
    let mut content = "BT /F 11 Tf 14 TL 50 790 Td\n".to_owned();
    for line in lines {
        writeln!(content, "({}) Tj T*", winansi(line)).unwrap();
    }
    content.push_str("ET");
    content
}

/// A clinical record of so many pages, in Spanish, as text.
pub fn clinical_record(pages: usize) -> Vec<u8> {
    let contents: Vec<String> = (1..=pages)
        .map(|page| {
            let number = format!("Página {page} de {pages}");
            text_page(&[
                "Clínica Veterinaria de Prueba",
                &number,
                "Paciente: Luna",
                "Especie: Felina",
                "Peso: 4,2 kg",
                "Motivo de consulta: vómitos desde hace dos días, come poco y duerme mucho.",
                "Tratamiento: dieta blanda y una pastilla cada veinticuatro horas durante una semana.",
            ])
        })
        .collect();
    Pdf::of_pages(&contents).file()
}

impl Pdf {
    /// Adds a page that is nothing but this gray PNG, as a scanner makes them. The PDF must have been made of pages.
    ///
    /// PNG and PDF squeeze pixels the same way, so the bytes are taken as they are.
    pub fn scanned_page(&mut self, png: &[u8]) {
        let (width, height, pixels) = pixels_of(png);
        let parameters = format!("<< /Predictor 15 /Colors 1 /BitsPerComponent 8 /Columns {width} >>");
        let entries = format!(
            "/Type /XObject /Subtype /Image /Width {width} /Height {height} /ColorSpace /DeviceGray \
             /BitsPerComponent 8 /Filter /FlateDecode /DecodeParms {parameters}"
        );
        let image = self.stream(&entries, &pixels);
        let content = self.stream("", b"595 0 0 842 0 0 cm /I Do");
        let page = self.object(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {content} 0 R \
             /Resources << /XObject << /I {image} 0 R >> >> >>"
        ));
        let pages = String::from_utf8(self.objects[1].clone()).unwrap();
        let kids = &pages[pages.find('[').unwrap() + 1..pages.find(']').unwrap()];
        let kids = format!("{kids} {page} 0 R");
        let count = kids.matches('R').count();
        self.replace(2, format!("<< /Type /Pages /Kids [{kids}] /Count {count} >>"));
    }
}

/// Width, height and squeezed pixels of a PNG with one gray byte a pixel.
fn pixels_of(png: &[u8]) -> (u32, u32, Vec<u8>) {
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    let (width, height) = (number(16), number(20));
    assert_eq!(png[24..26], [8, 0], "eight bits of gray");
    let (mut at, mut pixels) = (8, Vec::new());
    while at < png.len() {
        let length = number(at) as usize;
        if &png[at + 4..at + 8] == b"IDAT" {
            pixels.extend(&png[at + 8..at + 8 + length]);
        }
        at += length + 12;
    }
    (width, height, pixels)
}
