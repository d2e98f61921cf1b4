//! The schema of veterinary records, which comes with the program.

use super::{Schema, SchemaKey, Scope, ValueType};

const CASE: &str = "Identificación del caso";
const PATIENT: &str = "Paciente";
const OWNER: &str = "Propietario";
const VISIT: &str = "Visita / episodio";
const CLINICAL: &str = "Clínico";
const COSTS: &str = "Costes / facturación";
const REVIEW: &str = "Metadatos / revisión";

/// What a key has beside its name, section, panel and labels.
#[derive(Clone, Copy)]
#[allow(clippy::struct_excessive_bools)] // A row of marks, as the table below shows them.
struct Traits {
    date: bool,
    visit: bool,
    metadata: bool,
    repeatable: bool,
    critical: bool,
    optional: bool,
}

const PLAIN: Traits = Traits {
    date: false,
    visit: false,
    metadata: false,
    repeatable: false,
    critical: false,
    optional: false,
};
const CRITICAL: Traits = Traits { critical: true, ..PLAIN };
const OPTIONAL: Traits = Traits { optional: true, ..PLAIN };
const DATE: Traits = Traits { date: true, ..PLAIN };
const METADATA: Traits = Traits { metadata: true, ..PLAIN };
const AT_VISIT: Traits = Traits { visit: true, ..PLAIN };
const SEVERAL: Traits = Traits { visit: true, repeatable: true, ..PLAIN };
const SEVERAL_CRITICAL: Traits = Traits { critical: true, ..SEVERAL };

type Row = (&'static str, &'static str, Option<&'static str>, Traits, &'static str);

/// Key, section, panel, traits, labels.
#[rustfmt::skip]
const KEYS: &[Row] = &[
    ("claim_id", CASE, None, PLAIN, "numero de siniestro|siniestro|expediente|claim|claim number"),
    ("clinic_name", CASE, Some("clinic"), PLAIN, "clinica|centro veterinario|hospital veterinario|clinic"),
    ("clinic_address", CASE, Some("clinic"), PLAIN, "direccion de la clinica|domicilio de la clinica|clinic address"),
    ("vet_name", CASE, Some("clinic"), PLAIN, "veterinario|veterinaria|veterinario/a|doctor|doctora|vet|veterinarian"),
    ("nhc", CASE, Some("clinic"), OPTIONAL, "nhc|numero de historial|no historial|historial clinico|medical record number"),
    ("document_date", CASE, None, DATE, "fecha|fecha documento|fecha del informe|date|document date"),
    ("pet_name", PATIENT, Some("patient"), CRITICAL, "paciente|nombre|mascota|nombre del paciente|nombre del animal|nombre mascota|animal|patient|pet"),
    ("species", PATIENT, Some("patient"), CRITICAL, "especie|species"),
    ("breed", PATIENT, Some("patient"), CRITICAL, "raza|breed"),
    ("sex", PATIENT, Some("patient"), CRITICAL, "sexo|sex"),
    ("age", PATIENT, Some("patient"), CRITICAL, "edad|age"),
    ("dob", PATIENT, Some("patient"), Traits { date: true, ..OPTIONAL }, "fecha de nacimiento|fecha nacimiento|fecha nac|nacimiento|date of birth|birth date|dob"),
    ("microchip_id", PATIENT, Some("patient"), OPTIONAL, "microchip|chip|no chip|numero de chip|transponder"),
    ("weight", PATIENT, Some("patient"), CRITICAL, "peso|peso corporal|weight"),
    ("reproductive_status", PATIENT, Some("patient"), OPTIONAL, "estado reproductivo|reproductive status"),
    ("owner_name", OWNER, Some("owner"), PLAIN, "propietario|propietaria|titular|dueno|duena|tutor|tutora|owner"),
    ("owner_id", OWNER, None, OPTIONAL, "dni|nif|nie|dni propietario|owner id"),
    ("owner_address", OWNER, Some("owner"), OPTIONAL, "direccion del propietario|domicilio del propietario|owner address"),
    ("visit_date", VISIT, Some("visits"), Traits { date: true, critical: true, ..METADATA }, "fecha de visita|fecha visita|visita|fecha de consulta|consulta|visit date|visit"),
    ("admission_date", VISIT, Some("visits"), Traits { date: true, optional: true, ..METADATA }, "fecha de ingreso|ingreso|admision|admission|admission date"),
    ("discharge_date", VISIT, Some("visits"), Traits { date: true, optional: true, ..METADATA }, "fecha de alta|alta|discharge|discharge date"),
    ("reason_for_visit", VISIT, Some("visits"), METADATA, "motivo|motivo de consulta|motivo de la consulta|motivo de la visita|reason|reason for visit"),
    ("diagnosis", CLINICAL, Some("visits"), SEVERAL_CRITICAL, "diagnostico|diagnosticos|diagnosis"),
    ("symptoms", CLINICAL, Some("visits"), SEVERAL, "sintoma|sintomas|signos clinicos|symptoms"),
    ("procedure", CLINICAL, Some("visits"), SEVERAL_CRITICAL, "procedimiento|procedimientos|intervencion|cirugia|procedure"),
    ("medication", CLINICAL, Some("visits"), SEVERAL_CRITICAL, "medicacion|medicamento|medicamentos|farmaco|medication"),
    ("treatment_plan", CLINICAL, Some("visits"), AT_VISIT, "tratamiento|plan de tratamiento|plan terapeutico|treatment|treatment plan"),
    ("allergies", CLINICAL, Some("visits"), AT_VISIT, "alergias|alergia|allergies"),
    ("vaccinations", CLINICAL, Some("visits"), SEVERAL, "vacuna|vacunas|vacunacion|vacunaciones|vaccine|vaccinations"),
    ("lab_result", CLINICAL, Some("visits"), SEVERAL, "analitica|laboratorio|resultado de laboratorio|lab result|laboratory"),
    ("imaging", CLINICAL, Some("visits"), SEVERAL, "radiografia|ecografia|diagnostico por imagen|imaging|x-ray|ultrasound"),
    ("observations", CLINICAL, Some("visits"), Traits { optional: true, ..AT_VISIT }, "observaciones|observations"),
    ("actions", CLINICAL, Some("visits"), Traits { optional: true, ..AT_VISIT }, "acciones|actions"),
    ("invoice_total", COSTS, None, PLAIN, "total|total factura|importe total|invoice total"),
    ("covered_amount", COSTS, None, OPTIONAL, "importe cubierto|covered amount"),
    ("non_covered_amount", COSTS, None, OPTIONAL, "importe no cubierto|non-covered amount"),
    ("line_item", COSTS, None, Traits { repeatable: true, ..PLAIN }, "concepto|line item"),
    ("notes", REVIEW, Some("notes"), PLAIN, "notas|nota|notes"),
    ("language", REVIEW, Some("report_info"), OPTIONAL, "idioma|language"),
];

pub(super) fn schema() -> Schema {
    Schema { name: Schema::VETERINARY.to_owned(), keys: KEYS.iter().map(key).collect() }
}

fn key((key, section, panel, traits, labels): &Row) -> SchemaKey {
    SchemaKey {
        key: (*key).to_owned(),
        labels: labels.split('|').map(str::to_owned).collect(),
        section: (*section).to_owned(),
        panel: panel.map(str::to_owned),
        value_type: if traits.date { ValueType::Date } else { ValueType::String },
        scope: match traits {
            Traits { metadata: true, .. } => Scope::Metadata,
            Traits { visit: true, .. } => Scope::Visit,
            _ => Scope::Document,
        },
        repeatable: traits.repeatable,
        critical: traits.critical,
        optional: traits.optional,
    }
}
