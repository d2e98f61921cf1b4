//! Visits: where they start, and what belongs to them.

use super::*;

/// The date of a visit, and its other values.
type VisitValues<'f> = (&'f str, Vec<(&'f str, &'f str)>);

/// The visits of a document, each with its date and its other values.
fn visits(fields: &[Field]) -> Vec<VisitValues<'_>> {
    let mut visits: Vec<(&str, VisitValues<'_>)> = Vec::new();
    for field in fields {
        let Some(id) = field.visit_id.as_deref() else { continue };
        if !visits.iter().any(|(known, ..)| *known == id) {
            visits.push((id, ("", Vec::new())));
        }
        let visit = visits.iter_mut().find(|(known, ..)| *known == id).unwrap();
        if field.key == "visit_date" {
            visit.1.0 = text(field);
        } else {
            visit.1.1.push((&field.key, text(field)));
        }
    }
    visits.into_iter().map(|(_, expected)| expected).collect()
}

/// Proves R100, R102.
#[test]
fn a_labelled_date_starts_a_visit_that_the_next_values_belong_to() {
    let fields = found_in_lines(&[
        "Diagnóstico: de antes",
        "Fecha de visita: 01/02/2024",
        "Motivo: control",
        "Diagnóstico: otitis; gingivitis",
        "Fecha de visita: 5/3/24",
        "Diagnóstico: sano",
        "Notas: fin",
    ]);
    assert_eq!(
        visits(&fields),
        [
            (
                "2024-02-01",
                vec![("reason_for_visit", "control"), ("diagnosis", "otitis"), ("diagnosis", "gingivitis")]
            ),
            ("2024-03-05", vec![("diagnosis", "sano")]),
        ]
    );
    assert_eq!(value(&fields, "diagnosis"), Some("de antes"), "of no visit");
    assert_eq!(value(&fields, "notes"), Some("fin"));
    let ids: Vec<_> = fields.iter().filter_map(|field| field.visit_id.as_deref()).collect();
    assert_eq!((ids[0], *ids.last().unwrap()), ("visit-001", "visit-002"));
}

/// Proves R098, and R102 for times of day.
#[test]
fn two_entries_of_one_day_are_two_visits_without_their_times_as_reasons() {
    let fields = found_in_lines(&[
        "- 18/04/23 - 14:15 -",
        "Vacunación: Trivalente",
        "- 18/04/23 - 10:42:07 - Herida en la pata",
        "Procedimiento: Sutura",
        "- 08/04/23 - 13:19 -",
        "Motivo: revisión",
    ]);
    assert_eq!(
        visits(&fields),
        [
            ("2023-04-08", vec![("reason_for_visit", "revisión")]),
            ("2023-04-18", vec![("vaccinations", "Trivalente")]),
            ("2023-04-18", vec![("reason_for_visit", "Herida en la pata"), ("procedure", "Sutura")]),
        ]
    );
    let ids: Vec<_> = fields
        .iter()
        .filter(|field| field.key == "visit_date")
        .map(|field| field.visit_id.clone().unwrap())
        .collect();
    assert_eq!(ids, ["visit-003", "visit-001", "visit-002"], "named as found, listed by date");
}

/// Proves R097.
#[test]
fn dates_of_birth_microchips_invoices_reports_and_laboratories_start_no_visits() {
    let fields = found_in_lines(&[
        "Fecha de nacimiento: 01/01/2020",
        "Fecha de implantación del chip: 02/02/2020",
        "Fecha de factura: 03/03/2024",
        "Fecha del informe: 04/04/2024",
        "Análisis de orina 05/05/2024 3:37",
        "Laboratorio 06/06/2024",
        "Próxima visita: 07/07/2025",
        "Próxima revisión 08/08/2025",
        "Recordatorio vacuna 09/09/2025",
        "Se cita para control el 10/10/2025.",
        "Revisión en 10 días (21/11/2025)",
        "Vacuna rabia: 12/01/2023",
        "Diagnóstico: otitis",
    ]);
    assert_eq!(visits(&fields), []);
    assert_eq!(value(&fields, "diagnosis"), Some("otitis"), "without a visit");
    assert_eq!(value(&fields, "document_date"), Some("2024-04-04"));
}

/// Proves R096.
#[test]
fn values_in_the_history_belong_to_no_visit() {
    let fields = found_in_lines(&[
        "Antecedentes",
        "Diagnóstico: soplo leve",
        "Fecha de visita: 01/02/2024",
        "Motivo: control",
        "PROPIETARIO",
        "Nombre: Ana Gil",
    ]);
    assert_eq!(visits(&fields), [("2024-02-01", vec![("reason_for_visit", "control")])]);
    assert_eq!(value(&fields, "diagnosis"), Some("soplo leve"));
    assert_eq!(value(&fields, "owner_name"), Some("Ana Gil"));
}

#[test]
fn values_before_the_date_belong_to_the_only_visit() {
    let fields = found_in_lines(&["Motivo: tos", "Diagnóstico: bronquitis", "Fecha de consulta: 01/02/2024"]);
    assert_eq!(
        visits(&fields),
        [("2024-02-01", vec![("reason_for_visit", "tos"), ("diagnosis", "bronquitis")])]
    );
}

#[test]
fn a_bare_date_starts_a_visit_if_visit_data_follows() {
    let fields = found_in_lines(&[
        "Fecha: 01/02/2024",
        "Motivo: tos",
        "Dx: bronquitis",
        "Fecha: 03/02/2024",
        "Motivo: control",
    ]);
    let dates: Vec<_> = visits(&fields).into_iter().map(|(date, _)| date).collect();
    assert_eq!(dates, ["2024-02-01", "2024-02-03"]);
    let fields = found_in_lines(&["Fecha: 01/02/2024", "Paciente: Luna", "Motivo: tos"]);
    assert_eq!((visits(&fields).len(), value(&fields, "document_date")), (0, Some("2024-02-01")));
}

/// Proves R102 for times behind a label.
#[test]
fn a_time_of_day_is_no_reason_for_a_visit() {
    let fields =
        found_in_lines(&["Visita: 01/02/2024", "Motivo: 10:30 - tos", "Visita: 02/02/2024", "Motivo: 10:30"]);
    assert_eq!(values(&fields, "reason_for_visit"), ["tos"]);
}

#[test]
fn below_a_heading_of_visits_every_dated_line_starts_a_visit() {
    let mut paper = PageBuilder::new();
    paper.text_at(50.0, 50.0, "Historial de visitas");
    paper.row(70.0, &[(50.0, "12/03/2024"), (150.0, "Otitis leve, se limpia el canal")]);
    paper.row(90.0, &[(50.0, "15/04/2024"), (150.0, "Dx: sano")]);
    let fields = found_in(&[paper.page()]);
    assert_eq!(
        visits(&fields),
        [
            ("2024-03-12", vec![("observations", "Otitis leve, se limpia el canal")]),
            ("2024-04-15", vec![("diagnosis", "sano")])
        ]
    );
}

#[test]
fn a_table_of_visits_has_one_visit_per_row() {
    let mut paper = PageBuilder::new();
    paper.row(50.0, &[(50.0, "Fecha"), (150.0, "Concepto"), (250.0, "Descripción"), (500.0, "Peso")]);
    paper.row(
        70.0,
        &[(50.0, "02/03/2022"), (150.0, "CONSULTA"), (250.0, "Otitis en el oído."), (500.0, "5,1")],
    );
    paper.row(90.0, &[(50.0, "16/03/2022"), (150.0, "REVISIÓN"), (250.0, "Oído limpio."), (500.0, "5,0")]);
    paper.row(130.0, &[(50.0, "Vacuna"), (200.0, "Fecha aplicación"), (350.0, "Próxima")]);
    paper.row(150.0, &[(50.0, "Rabia"), (200.0, "16/03/2022"), (350.0, "16/03/2023")]);
    let fields = found_in(&[paper.page()]);
    assert_eq!(
        visits(&fields),
        [
            ("2022-03-02", vec![("weight", "5.1 kg"), ("observations", "Otitis en el oído")]),
            (
                "2022-03-16",
                vec![("weight", "5 kg"), ("vaccinations", "Rabia"), ("observations", "Oído limpio")]
            ),
        ]
    );
    assert_eq!(value(&fields, "weight"), Some("5 kg"));
}

/// Proves R107 for visits: a two-digit year is one of this century.
#[test]
fn a_two_digit_year_of_the_last_century_starts_no_visit() {
    let spoken =
        |date: &str| found_in_lines(&[&format!("Fecha de visita: {date}"), "Diagnóstico: otitis externa"]);
    assert_eq!(visits(&spoken("12/03/24")), [("2024-03-12", vec![("diagnosis", "otitis externa")])]);
    assert_eq!(visits(&spoken("12/03/1995")), [("1995-03-12", vec![("diagnosis", "otitis externa")])]);
    assert_eq!(values(&spoken("12/03/95"), "visit_date"), Vec::<&str>::new());
    assert!(visits(&found_in_lines(&["- 12/03/95 - 10:30 - Revisión", "Diagnóstico: otitis"])).is_empty());
}

#[test]
fn admission_and_discharge_belong_to_the_visit() {
    let fields = found_in_lines(&[
        "Fecha de ingreso: 01/02/2024",
        "Motivo: parvovirosis",
        "Fecha de alta: 05/02/2024",
    ]);
    let expected = [
        ("admission_date", "2024-02-01"),
        ("discharge_date", "2024-02-05"),
        ("reason_for_visit", "parvovirosis"),
    ];
    assert_eq!(visits(&fields), [("2024-02-01", expected.to_vec())]);
}

#[test]
fn a_list_may_continue_on_the_next_page() {
    let fields = found_in(&[
        PageBuilder::lines(&["Visita: 01/02/2024", "Medicación:", "- Uno 1 mg"]),
        PageBuilder::lines(&["- Dos 2 mg", "Duerme bien."]),
    ]);
    assert_eq!(values(&fields, "medication"), ["Uno 1 mg", "Dos 2 mg"]);
    let pages: Vec<_> = fields
        .iter()
        .filter(|field| field.key == "medication")
        .map(|field| field.evidence.as_ref().unwrap().page)
        .collect();
    assert_eq!(pages, [1, 2]);
}
