//! Shapes of single values in records: entries, plans, and addresses as documents write them.

use super::made_records::page_of_text;
use super::*;

fn read(text: &str) -> Vec<Field> {
    found_in(&[page_of_text(text)])
}

const HEAD: &str = "Brookside Veterinary Surgery\n7 Mill Street\nLudlow SY8 1AB\n\nPatient: Toffee      Owner: Helen Marsh\n\n";

/// Proves R099: a time of day in a cell of its own does not hide the visit, and is no reason for it.
#[test]
fn a_visit_may_have_its_time_in_a_cell_of_its_own() {
    for time in ["10:20", "2:40 PM", "16:30 Uhr", "9:05 h"] {
        let entry =
            |day: &str| format!("{day}   {time}   Emma Lowe MRCVS\nReason: Limping\nDiagnosis: Sprain\n\n");
        let fields = read(&format!("{HEAD}{}{}", entry("13/02/2024"), entry("25/09/2023")));
        assert_eq!(values(&fields, "visit_date"), ["2023-09-25", "2024-02-13"], "{time}");
        assert_eq!(values(&fields, "reason_for_visit"), ["Limping", "Limping"], "{time}");
        assert_eq!(value(&fields, "vet_name"), Some("Emma Lowe"), "{time}");
    }
}

#[test]
fn who_stands_behind_date_and_time_saw_the_patient() {
    let fields =
        read(&format!("{HEAD}13/02/2024   11:30   Sarah Pike\nReason: Limping\nDiagnosis: Sprain\n"));
    assert_eq!(value(&fields, "vet_name"), Some("Sarah Pike"));
    assert_eq!(values(&fields, "reason_for_visit"), ["Limping"]);
}

#[test]
fn a_booked_appointment_is_no_visit() {
    let text = format!(
        "{HEAD}Appointment booked 19 Feb 2024 for recheck.\n\n13/02/2024\nReason: Limping\nDiagnosis: Sprain\n"
    );
    assert_eq!(values(&read(&text), "visit_date"), ["2024-02-13"]);
}

#[test]
fn a_cell_that_says_there_was_nothing_is_no_value() {
    let text = format!(
        "{HEAD}VISITS\nDate          Reason             Diagnosis       Treatment\n\
         25/03/2023    Ear infection      Otitis          Otomax drops twice daily\n\
         19/08/2023    Dental cleaning    N/A             None\n"
    );
    let fields = read(&text);
    assert_eq!(values(&fields, "medication"), ["Otomax drops twice daily"]);
    assert_eq!(values(&fields, "diagnosis"), ["Otitis"]);
}

#[test]
fn only_the_sentence_with_a_dose_of_a_plan_is_a_medication() {
    for label in ["P", "Plan"] {
        let text = format!(
            "{HEAD}13/02/2024   Emma Lowe MRCVS\nReason: Vomiting\nA: Gastritis\n\
             {label}: Maropitant 60 mg once daily for 4 days. Bland diet. Recheck 20/02/2024 if not better.\n"
        );
        let fields = read(&text);
        assert_eq!(values(&fields, "medication"), ["Maropitant 60 mg once daily for 4 days"], "{label}");
    }
}

#[test]
fn a_weight_is_found_in_the_text_of_an_examination() {
    let text = "Paciente: Misu\n\nCONSULTA DEL 03/06/2024\nMotivo: Poliuria\nExploración\n\
                Peso 5,6 kg. Deshidratación leve.\nDiagnóstico: Diabetes mellitus\n";
    let fields = read(text);
    assert!(values(&fields, "weight").contains(&"5.6 kg"), "{fields:?}");
}

/// Streets of seven countries, some of them without any word for a street: what stands above a postcode and has the
/// number of a house is one.
#[test]
fn addresses_are_found_below_names_without_labels() {
    for (street, town) in [
        ("1502 Ridge Road", "Fort Collins, CO 80524"),
        ("1200 Mill Pond Pkwy", "Boise, ID 83706"),
        ("14 Market Hill", "Southam CV47 0HF"),
        ("3 The Maltings", "Southam CV47 1AA"),
        ("Hauptstr. 112", "35390 Gießen"),
        ("Engelbosteler Damm 70", "30167 Hannover"),
        ("14 quai des Bateliers", "67000 Strasbourg"),
        ("Viale Europa 14", "59100 Prato"),
        ("Keizersgracht 120", "1015 CW Amsterdam"),
        ("Praça da República 4", "4000-123 Porto"),
        ("Paseo del Parque 33", "09400 Aranda de Duero"),
    ] {
        let wanted = format!("{street}, {town}");
        let fields = read(&format!(
            "Brookside Veterinary Surgery\n{street}\n{town}\n\nPatient: Toffee\nOwner: Helen Marsh\n\n\
             Visit 13/02/2024\nReason: Limping\nDiagnosis: Sprain\n"
        ));
        assert_eq!(value(&fields, "clinic_address"), Some(wanted.as_str()));
        let fields = read(&format!(
            "Brookside Veterinary Surgery\n\nOwner: Helen Marsh\n{street}\n{town}\n\nPatient: Toffee\n\n\
             Visit 13/02/2024\nReason: Limping\nDiagnosis: Sprain\n"
        ));
        assert_eq!(value(&fields, "owner_address"), Some(wanted.as_str()));
        assert_eq!(value(&fields, "owner_name"), Some("Helen Marsh"));
    }
}

/// The lines of a side bar are not level with those beside it, and belong together.
#[test]
fn a_side_bar_is_read_apart_from_the_visits_beside_it() {
    let mut paper = PageBuilder::new();
    paper.text_at(40.0, 40.0, "Clínica Veterinaria El Prado");
    paper.text_at(40.0, 54.0, "Calle Olmo 3, 28012 Madrid");
    let bar = [
        "Paciente",
        "Nala",
        "Especie",
        "Canina",
        "Raza",
        "Beagle",
        "Sexo",
        "Hembra",
        "Propietario",
        "Marta Ruiz",
        "Teléfono",
        "600 000 000",
    ];
    let visits = [
        "Consulta 02/03/2023",
        "Motivo: Cojera desde el fin de semana",
        "Diagnóstico: Esguince",
        "Reposo y vuelta en diez días",
        "Consulta 09/05/2023",
        "Motivo: Vómitos",
        "Diagnóstico: Gastritis aguda",
        "Dieta blanda y agua en poca cantidad",
    ];
    let mut y = 90.0;
    for line in bar {
        paper.text_at(40.0, y, line);
        y += 13.0;
    }
    let mut y = 94.0;
    for line in visits {
        paper.text_at(200.0, y, line);
        y += 19.0;
    }
    let fields = found_in(&[paper.page()]);
    assert_eq!(value(&fields, "pet_name"), Some("Nala"));
    assert_eq!(value(&fields, "breed"), Some("Beagle"));
    assert_eq!(value(&fields, "owner_name"), Some("Marta Ruiz"));
    assert_eq!(values(&fields, "visit_date"), ["2023-03-02", "2023-05-09"]);
    assert_eq!(values(&fields, "reason_for_visit"), ["Cojera desde el fin de semana", "Vómitos"]);
    assert_eq!(values(&fields, "diagnosis"), ["Esguince", "Gastritis aguda"]);
}
