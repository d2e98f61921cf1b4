//! The documents that are mutated: small files of every type, which use as many features of their format as possible.

use std::io::{Cursor, Write as _};

use image::{GrayImage, ImageFormat, Luma};
use quire_domain::reading::FileKind;
use quire_testkit::documents::{
    EInvoice, Pdf, Syntax, case_history, clinical_record, encrypted_without_password, sample_record,
    text_page,
};
use zip::write::SimpleFileOptions;

/// A document that is not mutated yet.
pub struct CorpusDocument {
    pub kind: FileKind,
    pub file: Vec<u8>,
}

/// All documents.
pub fn documents() -> Vec<CorpusDocument> {
    let of = |kind, file| CorpusDocument { kind, file };
    let pdfs = [
        clinical_record(1),
        clinical_record(3),
        case_history(),
        sample_record(),
        encrypted_without_password(),
        drawing(),
        form(),
        scan(),
        photo(),
    ];
    let mut documents: Vec<CorpusDocument> = pdfs.into_iter().map(|file| of(FileKind::Pdf, file)).collect();
    let text = "Historia clínica\r\nPaciente: Luna\tPeso: 4,2 kg\n\u{c}Año 2024";
    let utf16: Vec<u8> =
        "\u{FEFF}Año 2024\nPaciente: Luna".encode_utf16().flat_map(u16::to_le_bytes).collect();
    documents.extend([
        of(FileKind::Png, image(ImageFormat::Png)),
        of(FileKind::Jpeg, image(ImageFormat::Jpeg)),
        of(FileKind::Docx, docx()),
        of(FileKind::Text, text.as_bytes().to_vec()),
        of(FileKind::Text, utf16),
        of(FileKind::Xml, EInvoice::sample(1).xml(Syntax::Cii).into_bytes()),
        of(FileKind::Xml, EInvoice::sample(2).xml(Syntax::UblInvoice).into_bytes()),
    ]);
    documents
}

/// A page with paths, clips, transparency, a pattern, a form and marks over text.
fn drawing() -> Vec<u8> {
    let content = format!(
        "{} q 50 700 200 20 re W n 0.2 0.4 0.6 rg 50 700 300 30 re f Q /G gs 1 0 0 RG 3 w 50 600 m 100 650 200 550 300 600 c S \
         /Pattern cs /P scn 60 400 100 100 re f* q 0.7 0.7 -0.7 0.7 200 200 cm /X Do Q 0 g 112 744 120 13 re f \
         BT 3 Tr /F 12 Tf 50 300 Td [(Ley) -200 (enda)] TJ 2 Tr T* (borde) ' ET BI /W 2 /H 2 /CS /G /BPC 8 ID abcd EI",
        text_page(&[
            "Paciente: Luna",
            "Especie: Felina",
            "Propietaria: Nombre Apellido",
            "Chip: 941000012345678"
        ])
    );
    let mut pdf = Pdf::of_pages(&[content]);
    let form = pdf.stream(
        "/Type /XObject /Subtype /Form /BBox [0 0 90 90] /Group << /S /Transparency >>",
        b"0 0 9 9 re f",
    );
    let pattern = pdf.stream(
        "/PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 5 5] /XStep 5 /YStep 5 /Resources << >>",
        b"1 1 3 3 re f",
    );
    let resources = format!(
        "/Font << /F 3 0 R >> /XObject << /X {form} 0 R >> /Pattern << /P {pattern} 0 R >> \
         /ExtGState << /G << /ca 0.5 /CA 0.7 /BM /Multiply >> >>"
    );
    pdf.replace(
        4,
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Rotate 90 /Contents 5 0 R /Resources << {resources} >> >>"
        ),
    );
    pdf.file()
}

/// A page with form fields and notes, with and without an appearance.
fn form() -> Vec<u8> {
    let mut pdf = Pdf::of_pages(&[text_page(&["Paciente:", "Motivo de consulta:"])]);
    pdf.replace(
        4,
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /CropBox [10 10 580 830] /Contents 5 0 R \
         /Resources << /Font << /F 3 0 R >> >> /Annots [6 0 R 7 0 R 8 0 R] >>",
    );
    pdf.object("<< /Type /Annot /Subtype /Widget /FT /Tx /T (a) /V (Luna) /Rect [120 780 220 800] >>");
    pdf.object("<< /Type /Annot /Subtype /FreeText /Contents (Revisar) /Rect [300 700 400 720] /F 4 >>");
    pdf.object(
        "<< /Type /Annot /Subtype /Widget /FT /Ch /V [(uno) (dos)] /Rect [120 740 220 770] /AP << /N 9 0 R >> >>",
    );
    pdf.stream("/Type /XObject /Subtype /Form /BBox [0 0 100 30]", b"1 g 0 0 100 30 re f");
    pdf.file()
}

/// A page that is a gray image, compressed with a predictor.
fn scan() -> Vec<u8> {
    let mut pdf = Pdf::of_pages(&[]);
    pdf.scanned_page(&image(ImageFormat::Png));
    pdf.file()
}

/// A page with a JPEG.
fn photo() -> Vec<u8> {
    let mut pdf = Pdf::of_pages(&["q 300 0 0 200 50 50 cm /I Do Q".to_owned()]);
    let entries = "/Type /XObject /Subtype /Image /Width 60 /Height 40 /ColorSpace /DeviceGray /BitsPerComponent 8 \
                   /Filter /DCTDecode";
    let image = pdf.stream(entries, &image(ImageFormat::Jpeg));
    pdf.replace(
        4,
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R \
             /Resources << /XObject << /I {image} 0 R >> >> >>"
        ),
    );
    pdf.file()
}

fn image(format: ImageFormat) -> Vec<u8> {
    #[allow(clippy::cast_possible_truncation)] // Below 256.
    let pixels = GrayImage::from_fn(60, 40, |x, y| Luma([((x * 7 + y * 13) % 256) as u8]));
    let mut file = Cursor::new(Vec::new());
    pixels.write_to(&mut file, format).unwrap();
    file.into_inner()
}

fn docx() -> Vec<u8> {
    let document = r#"<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">
<w:body><w:p><w:r><w:t>Paciente: Luna</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>Peso</w:t></w:r></w:p></w:tc>
<w:tc><w:p><w:r><w:t xml:space="preserve"> 4,2 kg</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:body></w:document>"#;
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in [("[Content_Types].xml", "<Types/>"), ("word/document.xml", document)] {
        archive.start_file(name, SimpleFileOptions::default()).unwrap();
        archive.write_all(content.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}
