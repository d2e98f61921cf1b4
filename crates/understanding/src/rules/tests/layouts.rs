//! Several layouts of the same record.

use super::page_builder::{PageBuilder, scanned};
use super::records::{Record, Visit};
use quire_domain::reading::Page;

/// A function that prints a record in one layout.
pub(super) type Layout = fn(&Record) -> Vec<Page>;

/// All layouts, with their names.
pub(super) const LAYOUTS: [(&str, Layout); 11] = [
    ("lines with colons", colons),
    ("the same, scanned", scans),
    ("owner first, visits before the patient's vet", mixed),
    ("labels above values", above),
    ("pairs side by side, in English", pairs),
    ("columns without colons and a timeline", columns),
    ("tables", tables),
    ("pairs with bars, days written out", bars),
    ("capitals with text below", capitals),
    ("a grid of one line each", grid),
    ("values below their labels, indented", indented),
];

fn page(lines: &[String]) -> Page {
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    PageBuilder::lines(&lines)
}

fn head(record: &Record) -> Vec<String> {
    vec![
        record.clinic.to_owned(),
        record.clinic_street.0.to_owned(),
        format!("Tel. {}", record.phone),
        String::new(),
    ]
}

fn patient(record: &Record) -> Vec<String> {
    vec![
        "DATOS DEL PACIENTE".to_owned(),
        format!("Nombre: {}", record.pet.0),
        format!("Especie: {}", record.species.0),
        format!("Raza: {}", record.breed),
        format!("Sexo: {}", record.sex.0),
        format!("F. Nac.: {}", record.born.0),
        format!("Microchip: {}", record.chip.0),
        format!("Nº historial: {}", record.nhc),
    ]
}

fn owner(record: &Record) -> Vec<String> {
    vec![
        "DATOS DEL PROPIETARIO".to_owned(),
        format!("Nombre: {}", record.owner),
        format!("Dirección: {}", record.owner_street.0),
        format!("Teléfono: {}", record.phone),
    ]
}

fn visit_lines(visit: &Visit) -> Vec<String> {
    vec![
        String::new(),
        format!("Fecha de consulta: {}", visit.day),
        format!("Motivo de consulta: {}", visit.reason),
        format!("Peso: {}", visit.weight.0),
        format!("Síntomas: {}", visit.symptoms),
        format!("Diagnóstico: {}", visit.diagnosis),
        format!("Tratamiento: {}", visit.medication),
        format!("Procedimiento: {}", visit.procedure),
    ]
}

fn colons(record: &Record) -> Vec<Page> {
    let mut lines = head(record);
    lines.push("HISTORIA CLÍNICA".to_owned());
    lines.push(format!("Fecha del informe: {}", record.written.0));
    lines.extend(patient(record));
    lines.extend(owner(record));
    lines.push(format!("Veterinario: {}", record.vet.0));
    let mut later = Vec::new();
    for visit in &record.visits {
        later.extend(visit_lines(visit));
    }
    vec![page(&lines), page(&later)]
}

fn scans(record: &Record) -> Vec<Page> {
    colons(record).into_iter().map(scanned).collect()
}

fn mixed(record: &Record) -> Vec<Page> {
    let mut lines = vec![
        format!("Clínica: {}", record.clinic),
        format!("Dirección: {}", record.clinic_street.0),
        format!("Titular: {}", record.owner),
        format!("Domicilio: {}", record.owner_street.0),
        format!("Móvil: {}", record.phone),
        format!("Mascota: {}", record.pet.0),
        format!("Especie/Raza: {} / {}", record.species.0, record.breed),
        format!("Sexo: {} Nacimiento: {}", record.sex.0, record.born.0),
        format!("Chip nº {}", record.chip.0),
        format!("NHC: {}", record.nhc),
    ];
    for visit in record.visits.iter().rev() {
        lines.extend(visit_lines(visit));
    }
    lines.push(String::new());
    lines.push(format!("Fecha del documento: {}", record.written.0));
    lines.push(record.vet.0.to_owned());
    if !record.vet.0.starts_with("Dr") {
        lines.pop();
        lines.push(format!("Atendido por: {}", record.vet.0));
    }
    vec![page(&lines)]
}

fn above(record: &Record) -> Vec<Page> {
    let mut paper = PageBuilder::new();
    paper.text_at(50.0, 45.0, record.clinic);
    paper.text_at(50.0, 59.0, record.clinic_street.0);
    let rows = [
        [("Paciente", record.pet.0), ("Especie", record.species.0), ("Raza", record.breed)],
        [("Sexo", record.sex.0), ("Fecha de nacimiento", record.born.0), ("Microchip", record.chip.0)],
        [("Propietario", record.owner), ("NHC", record.nhc), ("Fecha informe", record.written.0)],
    ];
    let places = [50.0, 230.0, 410.0];
    let mut y = 100.0;
    for row in rows {
        for (x, (label, value)) in places.iter().zip(row) {
            paper.text_at(*x, y, label);
            paper.text_at(*x, y + 13.0, value);
        }
        y += 36.0;
    }
    paper.text_at(50.0, y, "Dirección del propietario");
    paper.text_at(50.0, y + 13.0, record.owner_street.0);
    paper.text_at(50.0, y + 36.0, "Veterinario");
    paper.text_at(50.0, y + 49.0, record.vet.0);
    y += 80.0;
    for visit in &record.visits {
        paper.text_at(50.0, y, &format!("CONSULTA DEL {}", visit.day));
        let rows = [
            ("Motivo", visit.reason),
            ("Peso", visit.weight.0),
            ("Síntomas", visit.symptoms),
            ("Diagnóstico", visit.diagnosis),
            ("Medicación", visit.medication),
            ("Procedimientos", visit.procedure),
        ];
        for (label, value) in rows {
            y += 16.0;
            paper.text_at(50.0, y, label);
            y += 13.0;
            paper.text_at(50.0, y, value);
        }
        y += 30.0;
    }
    vec![paper.page()]
}

fn pairs(record: &Record) -> Vec<Page> {
    let mut paper = PageBuilder::new();
    paper.text_at(50.0, 45.0, record.clinic);
    paper.text_at(50.0, 59.0, record.clinic_street.0);
    paper.text_at(50.0, 73.0, &format!("Report date: {}", record.written.0));
    let rows = [
        (format!("Patient: {}", record.pet.0), format!("Owner: {}", record.owner)),
        (format!("Species: {}", record.species.0), format!("Address: {}", record.owner_street.0)),
        (format!("Breed: {}", record.breed), format!("Phone: {}", record.phone)),
        (format!("Sex: {}", record.sex.0), format!("Record no.: {}", record.nhc)),
        (format!("Date of birth: {}", record.born.0), format!("Vet: {}", record.vet.0)),
        (format!("Microchip number: {}", record.chip.0), "Insurance:".to_owned()),
    ];
    let mut y = 100.0;
    for (left, right) in &rows {
        paper.row(y, &[(50.0, left), (310.0, right)]);
        y += 14.0;
    }
    for visit in &record.visits {
        y += 20.0;
        let lines = [
            format!("Visit date: {}", visit.day),
            format!("Presenting complaint: {}", visit.reason),
            format!("Weight: {}", visit.weight.0),
            format!("Clinical signs: {}", visit.symptoms),
            format!("Final diagnosis: {}", visit.diagnosis),
            format!("Prescription: {}", visit.medication),
            format!("Surgery: {}", visit.procedure),
        ];
        for line in &lines {
            paper.text_at(50.0, y, line);
            y += 14.0;
        }
    }
    vec![paper.page()]
}

fn columns(record: &Record) -> Vec<Page> {
    let mut paper = PageBuilder::new();
    paper.text_at(50.0, 45.0, record.clinic);
    paper.text_at(50.0, 59.0, record.clinic_street.0);
    paper.text_at(320.0, 80.0, "Cliente");
    paper.text_at(50.0, 80.0, "Datos de la mascota");
    let left = [
        ("Nombre", record.pet.0),
        ("Especie", record.species.0),
        ("Raza", record.breed),
        ("Sexo", record.sex.0),
        ("F. nacimiento", record.born.0),
        ("Nº de chip", record.chip.0),
        ("Nº de ficha", record.nhc),
        ("Fecha informe", record.written.0),
    ];
    for (place, (label, value)) in left.iter().enumerate() {
        let y = 96.0 + 14.0 * f32::from(u8::try_from(place).unwrap());
        paper.text_at(50.0, y, label);
        paper.text_at(150.0, y, value);
    }
    let right = [
        ("Nombre", record.owner),
        ("Domicilio", record.owner_street.0),
        ("Tlf.", record.phone),
        ("Email", "a@b.example"),
    ];
    for (place, (label, value)) in right.iter().enumerate() {
        let y = 96.0 + 14.0 * f32::from(u8::try_from(place).unwrap());
        paper.text_at(320.0, y, label);
        paper.text_at(380.0, y, value);
    }
    let mut y = 240.0;
    for visit in record.visits.iter().rev() {
        let lines = [
            format!("{} {} - {}", visit.day, visit.time, visit.reason),
            "Come y bebe con normalidad en casa.".to_owned(),
            visit.weight.0.to_owned(),
            format!("Signos clínicos: {}", visit.symptoms),
            format!("Dx: {}", visit.diagnosis),
            format!("Se pauta {}.", visit.medication),
            format!("Se realiza {}.", visit.procedure),
            "Se cita para control el 12/12/2025.".to_owned(),
            record.vet.0.to_owned(),
        ];
        for line in &lines {
            paper.text_at(50.0, y, line);
            y += 14.0;
        }
        y += 14.0;
    }
    paper.text_at(50.0, y, &format!("Veterinaria: {}", record.vet.0));
    vec![paper.page()]
}

fn tables(record: &Record) -> Vec<Page> {
    let mut paper = PageBuilder::new();
    paper.text_at(50.0, 45.0, record.clinic);
    paper.text_at(50.0, 59.0, record.clinic_street.0);
    paper.text_at(400.0, 45.0, &format!("Fecha: {}", record.written.0));
    let mut y = 90.0;
    let rows: [&[(f32, &str, &str)]; 2] = [
        &[
            (50.0, "Paciente", record.pet.0),
            (150.0, "Especie", record.species.0),
            (250.0, "Raza", record.breed),
            (400.0, "Sexo", record.sex.0),
        ],
        &[
            (50.0, "Nacimiento", record.born.0),
            (150.0, "Chip", record.chip.0),
            (300.0, "NHC", record.nhc),
            (400.0, "Veterinario/a", record.vet.0),
        ],
    ];
    for row in rows {
        let labels: Vec<(f32, &str)> = row.iter().map(|(x, label, _)| (*x, *label)).collect();
        let values: Vec<(f32, &str)> = row.iter().map(|(x, _, value)| (*x, *value)).collect();
        paper.row(y, &labels);
        for (x, value) in values {
            paper.text_at(x, y + 15.0, value);
        }
        y += 40.0;
    }
    paper.text_at(50.0, y, &format!("Propietario: {}", record.owner));
    paper.text_at(50.0, y + 14.0, &format!("Dirección: {}", record.owner_street.0));
    y += 50.0;
    let places = [40.0, 105.0, 210.0, 325.0, 385.0, 475.0];
    let heads = ["Fecha", "Motivo", "Diagnóstico", "Peso", "Síntomas", "Procedimiento"];
    let head: Vec<(f32, &str)> = places.iter().copied().zip(heads).collect();
    paper.row(y, &head);
    for visit in &record.visits {
        y += 20.0;
        let values =
            [visit.day, visit.reason, visit.diagnosis, visit.weight.0, visit.symptoms, visit.procedure];
        let cell: Vec<(f32, Vec<&str>)> =
            places.iter().copied().zip(values).map(|(x, value)| (x, value.split(' ').collect())).collect();
        // Two words per line, as in a narrow column.
        let deepest = cell.iter().map(|(_, words)| words.len().div_ceil(2)).max().unwrap_or(1);
        for line in 0..deepest {
            for (x, words) in &cell {
                let part: Vec<&str> = words.iter().skip(2 * line).take(2).copied().collect();
                if !part.is_empty() {
                    paper.text_at(*x, y, &part.join(" "));
                }
            }
            y += 12.0;
        }
    }
    vec![paper.page()]
}

fn bars(record: &Record) -> Vec<Page> {
    const MONTHS: [&str; 12] = [
        "enero",
        "febrero",
        "marzo",
        "abril",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre",
        "octubre",
        "noviembre",
        "diciembre",
    ];
    let mut lines = vec![
        record.clinic.to_owned(),
        record.clinic_street.0.to_owned(),
        format!("Fecha de emisión: {}", record.written.0),
        String::new(),
        format!("Paciente: {} | Especie: {} | Raza: {}", record.pet.0, record.species.0, record.breed),
        format!("Sexo: {} | Nacimiento: {} | Chip: {}", record.sex.0, record.born.0, record.chip.0),
        format!("Dueño: {} | Tel: {}", record.owner, record.phone),
        format!("Dirección: {}", record.owner_street.0),
        format!("Historial nº: {} | Vet: {}", record.nhc, record.vet.0),
    ];
    for visit in &record.visits {
        let (year, rest) = visit.iso.split_once('-').unwrap();
        let (month, day) = rest.split_once('-').unwrap();
        let month = MONTHS[month.parse::<usize>().unwrap() - 1];
        lines.push(String::new());
        lines.push(format!("{day} de {month} de {year}"));
        lines.push(format!("Motivo - {}", visit.reason));
        lines.push(format!("Peso {}", visit.weight.0));
        lines.push(format!("Sintomas: {}", visit.symptoms));
        lines.push(format!("Juicio clínico: {}", visit.diagnosis));
        lines.push("Medicación:".to_owned());
        lines.push(format!("• {}", visit.medication));
        lines.push(format!("Intervención: {}", visit.procedure));
    }
    vec![page(&lines)]
}

fn capitals(record: &Record) -> Vec<Page> {
    let mut lines = head(record);
    lines.extend(patient(record));
    lines.extend(owner(record));
    lines.push(format!("Fecha del informe: {}", record.written.0));
    lines.push(format!("Vet.: {}", record.vet.0));
    let first = page(&lines);
    let mut lines = Vec::new();
    for visit in &record.visits {
        let parts = [
            ("MOTIVO DE CONSULTA", visit.reason),
            ("PESO", visit.weight.0),
            ("SÍNTOMAS", visit.symptoms),
            ("DIAGNÓSTICO", visit.diagnosis),
            ("TRATAMIENTO", visit.medication),
            ("PROCEDIMIENTO", visit.procedure),
        ];
        lines.push(format!("FECHA DE VISITA: {}", visit.day));
        for (label, value) in parts {
            lines.push(label.to_owned());
            lines.push(format!("{value}."));
        }
        lines.push(String::new());
    }
    vec![first, page(&lines)]
}

fn grid(record: &Record) -> Vec<Page> {
    let mut paper = PageBuilder::new();
    paper.text_at(200.0, 45.0, record.clinic);
    paper.text_at(200.0, 57.0, record.clinic_street.0);
    let rows = [
        ("Paciente", record.pet.0, "Propietario", record.owner),
        ("Especie", record.species.0, "Dirección", record.owner_street.0),
        ("Raza", record.breed, "Teléfono", record.phone),
        ("Sexo", record.sex.0, "NHC", record.nhc),
        ("Fecha nac.", record.born.0, "Microchip", record.chip.0),
        ("Veterinario", record.vet.0, "Fecha informe", record.written.0),
    ];
    let mut y = 90.0;
    for (one, first, two, second) in rows {
        paper.row(y, &[(40.0, one), (120.0, first)]);
        paper.row(y, &[(300.0, two), (380.0, second)]);
        y += 18.0;
    }
    for visit in &record.visits {
        y += 26.0;
        paper.text_at(40.0, y, &format!("VISITA GENERAL DEL DÍA {} {}", visit.day, visit.time));
        let rows = [
            ("Motivo", visit.reason),
            ("Peso", visit.weight.0),
            ("Síntomas", visit.symptoms),
            ("Diagnóstico", visit.diagnosis),
            ("Tratamiento", visit.medication),
            ("Procedimiento", visit.procedure),
        ];
        for (label, value) in rows {
            y += 18.0;
            paper.text_at(40.0, y, label);
            paper.text_at(140.0, y, value);
        }
    }
    vec![paper.page()]
}

fn indented(record: &Record) -> Vec<Page> {
    let mut lines = vec![record.clinic.to_owned(), record.clinic_street.0.to_owned()];
    lines.push(format!("Fecha del informe: {}", record.written.0));
    lines.extend(patient(record));
    lines.extend(owner(record));
    lines.push(format!("Veterinaria: {}", record.vet.0));
    let mut pages = vec![below(&lines)];
    for visit in &record.visits {
        let lines: Vec<String> =
            visit_lines(visit).iter().map(|line| line.replace("Fecha de consulta", "Fecha")).collect();
        pages.push(below(&lines));
    }
    pages
}

/// Each value stands in the line below its label.
fn below(lines: &[String]) -> Page {
    let mut paper = PageBuilder::new();
    let mut y = 50.0;
    for line in lines.iter().filter(|line| !line.is_empty()) {
        match line.split_once(": ") {
            Some((label, value)) => {
                paper.text_at(50.0, y, &format!("{label}:"));
                y += 13.0;
                paper.text_at(58.0, y, value);
            }
            None => paper.text_at(50.0, y, line),
        }
        y += 13.0;
    }
    paper.page()
}
