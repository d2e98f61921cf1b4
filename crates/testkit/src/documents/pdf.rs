//! Writes PDF files for tests and benchmarks, object by object.

use std::fmt::Write as _;

use super::content::text_page;

/// The width of an A4 page, in points.
pub const A4_WIDTH: f32 = 595.0;
/// The height of an A4 page, in points.
pub const A4_HEIGHT: f32 = 842.0;

/// The objects of a PDF. The first one is the catalog.
#[derive(Clone, Debug, Default)]
pub struct Pdf {
    objects: Vec<Vec<u8>>,
}

/// How the pages of a PDF are declared.
#[derive(Clone, Copy, Debug)]
pub struct PageOptions<'o> {
    /// Width and height in points.
    pub size: (f32, f32),
    /// Further entries of each page dictionary.
    pub page_entries: &'o str,
    /// Entries of the font dictionary besides its type and name.
    pub font_entries: &'o str,
}

impl Default for PageOptions<'_> {
    fn default() -> Self {
        Self { size: (A4_WIDTH, A4_HEIGHT), page_entries: "", font_entries: "/Encoding /WinAnsiEncoding" }
    }
}

impl Pdf {
    /// A PDF with one A4 page per content stream, with Helvetica as `/F`.
    pub fn of_pages(contents: &[String]) -> Self {
        Self::with_options(contents, &PageOptions::default())
    }

    /// A PDF with one page per content stream, with Helvetica as `/F`.
    ///
    /// The font is object 3. Page `i` (from 0) is object `4 + 2 * i`, and its content is the object after it.
    pub fn with_options(contents: &[impl AsRef<str>], options: &PageOptions<'_>) -> Self {
        let mut pdf = Self::default();
        let kids: Vec<String> = (0..contents.len()).map(|page| format!("{} 0 R", 4 + 2 * page)).collect();
        pdf.object("<< /Type /Catalog /Pages 2 0 R >>");
        pdf.object(format!("<< /Type /Pages /Kids [{}] /Count {} >>", kids.join(" "), contents.len()));
        pdf.object(font("Helvetica", options.font_entries));
        let (width, height) = options.size;
        let separator = if options.page_entries.is_empty() { "" } else { " " };
        for content in contents {
            let stream = pdf.objects.len() + 2;
            pdf.object(format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] /Contents {stream} 0 R \
                 /Resources << /Font << /F 3 0 R >> >>{separator}{} >>",
                options.page_entries
            ));
            pdf.stream("", content.as_ref().as_bytes());
        }
        pdf
    }

    /// Adds Helvetica-Bold and makes it available as `/B` on all pages.
    #[must_use]
    pub fn with_bold_font(mut self) -> Self {
        let bold = self.object(font("Helvetica-Bold", "/Encoding /WinAnsiEncoding"));
        for object in &mut self.objects {
            if object.starts_with(b"<< /Type /Page ") {
                let page = String::from_utf8(std::mem::take(object)).unwrap();
                *object = page.replace("/F 3 0 R", &format!("/F 3 0 R /B {bold} 0 R")).into_bytes();
            }
        }
        self
    }

    /// Adds an object and returns its number, from 1.
    pub fn object(&mut self, content: impl Into<Vec<u8>>) -> usize {
        self.objects.push(content.into());
        self.objects.len()
    }

    /// Adds a stream with these entries besides its length, and returns its number.
    pub fn stream(&mut self, entries: &str, content: &[u8]) -> usize {
        let head = format!("<< {entries} /Length {} >>\nstream\n", content.len());
        self.object([head.as_bytes(), content, b"\nendstream"].concat())
    }

    /// Replaces the object with this number.
    pub fn replace(&mut self, number: usize, content: impl Into<Vec<u8>>) {
        self.objects[number - 1] = content.into();
    }

    /// The objects, in the order of their numbers.
    pub fn into_objects(self) -> Vec<Vec<u8>> {
        self.objects
    }

    /// The bytes of the file.
    pub fn file(&self) -> Vec<u8> {
        self.file_with("")
    }

    /// The bytes of the file, with these entries in its trailer. `STARTXREF` in them becomes the offset of the
    /// cross-reference table.
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

    /// Adds a page that consists of one gray PNG, as a scanner makes them. The PDF must have been made of pages.
    ///
    /// PNG and PDF compress pixels the same way, so the compressed bytes are copied.
    pub fn scanned_page(&mut self, png: &[u8]) {
        self.scanned_page_of((A4_WIDTH, A4_HEIGHT), png);
    }

    /// Adds a scanned page of this size in points.
    pub fn scanned_page_of(&mut self, (page_width, page_height): (f32, f32), png: &[u8]) {
        let (width, height, pixels) = compressed_pixels(png);
        let parameters = format!("<< /Predictor 15 /Colors 1 /BitsPerComponent 8 /Columns {width} >>");
        let entries = format!(
            "/Type /XObject /Subtype /Image /Width {width} /Height {height} /ColorSpace /DeviceGray \
             /BitsPerComponent 8 /Filter /FlateDecode /DecodeParms {parameters}"
        );
        let image = self.stream(&entries, &pixels);
        let place = format!("{page_width} 0 0 {page_height} 0 0 cm /I Do");
        let content = self.stream("", place.as_bytes());
        let page = self.object(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {page_width} {page_height}] /Contents {content} 0 R \
             /Resources << /XObject << /I {image} 0 R >> >> >>"
        ));
        let pages = String::from_utf8(self.objects[1].clone()).unwrap();
        let kids = &pages[pages.find('[').unwrap() + 1..pages.find(']').unwrap()];
        let kids = format!("{kids} {page} 0 R");
        let count = kids.matches('R').count();
        self.replace(2, format!("<< /Type /Pages /Kids [{kids}] /Count {count} >>"));
    }
}

fn font(name: &str, entries: &str) -> String {
    format!("<< /Type /Font /Subtype /Type1 /BaseFont /{name} {entries} >>")
}

/// Width, height and compressed pixels of a PNG with one gray byte per pixel.
fn compressed_pixels(png: &[u8]) -> (u32, u32, Vec<u8>) {
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    let (width, height) = (number(16), number(20));
    assert_eq!(png[24..26], [8, 0], "the PNG must have 8 bits of gray");
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

/// A clinical record in Spanish with this many pages of text.
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
