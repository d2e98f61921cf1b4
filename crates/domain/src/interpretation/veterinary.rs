//! The schema of veterinary records, which comes with the program.

use super::{Heading, Normaliser, Schema, SchemaKey, Scope, ValueType};

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
    at_visits: bool,
}

const PLAIN: Traits = Traits {
    date: false,
    visit: false,
    metadata: false,
    repeatable: false,
    critical: false,
    optional: false,
    at_visits: false,
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
    ("claim_id", CASE, None, PLAIN, "numero de siniestro|no de siniestro|no siniestro|siniestro|expediente|claim|claim number|claim id"),
    ("clinic_name", CASE, Some("clinic"), PLAIN, "clinica|clinica veterinaria|centro veterinario|hospital veterinario|centro|hospital|nombre de la clinica|nombre del centro|clinic|clinic name|practice|hospital name|veterinary clinic"),
    ("clinic_address", CASE, Some("clinic"), PLAIN, "direccion de la clinica|domicilio de la clinica|direccion clinica|direccion del centro|clinic address|practice address|centro veterinario / direccion"),
    ("vet_name", CASE, Some("clinic"), PLAIN, "veterinario|veterinaria|veterinario/a|doctor|doctora|vet|veterinarian|veterinary surgeon|attending vet|attending veterinarian|veterinario responsable|veterinaria responsable|veterinario tratante|atendido por|facultativo|clinician|clinico|firma|firma del veterinario|firma veterinario|signed|signed by"),
    ("nhc", CASE, Some("clinic"), OPTIONAL, "nhc|numero de historial|numero historial|no historial|no de historial|no historia|no historia clinica|historia clinica no|historia clinica numero|historial clinico no|no de historia clinica|numero de historia clinica|numero de historia|historial clinico|historial no|historia no|no hc|no ha|no h|medical record number|medical record no|record number|record no|mrn|chart no|case no|patient id|patient no|ref paciente|no ficha|no de ficha"),
    ("document_date", CASE, None, DATE, "fecha|fecha documento|fecha del documento|fecha del informe|fecha de informe|fecha informe|fecha de emision|date|document date|report date|date of report|date of issue|issue date|dia"),
    ("pet_name", PATIENT, Some("patient"), CRITICAL, "paciente|nombre|mascota|nombre del paciente|nombre del animal|nombre de la mascota|nombre mascota|nombre paciente|animal|patient|pet|name|patient name|pet name|animal name|name of patient"),
    ("species", PATIENT, Some("patient"), CRITICAL, "especie|species|especie/raza|especie / raza|especie y raza|species/breed|species / breed"),
    ("breed", PATIENT, Some("patient"), CRITICAL, "raza|breed|raza/especie|raza / especie"),
    ("sex", PATIENT, Some("patient"), CRITICAL, "sexo|sex|gender|genero"),
    ("age", PATIENT, Some("patient"), CRITICAL, "edad|age"),
    ("dob", PATIENT, Some("patient"), Traits { date: true, ..OPTIONAL }, "fecha de nacimiento|fecha nacimiento|fecha nac|fecha de nac|fcha nacimiento|f nac|f nacimiento|f de nacimiento|f de nac|f/nac|f/nto|fnto|f nto|nacimiento|nacido|nacida|nac|date of birth|birth date|birthdate|born|dob|d o b"),
    ("microchip_id", PATIENT, Some("patient"), OPTIONAL, "microchip|micro chip|chip|no chip|no de chip|no microchip|no de microchip|n chip|numero de chip|numero de microchip|numero chip|codigo de chip|microchip no|microchip number|microchip id|chip no|chip number|chip id|transponder|transpondedor|identificacion electronica|identificacion"),
    ("weight", PATIENT, Some("patient"), Traits { at_visits: true, ..CRITICAL }, "peso|peso corporal|peso actual|peso al alta|peso al ingreso|p|weight|body weight|bodyweight|bw|wt"),
    ("reproductive_status", PATIENT, Some("patient"), OPTIONAL, "estado reproductivo|estado reprod|esterilizado|esterilizada|castrado|castrada|reproductive status|neuter status|neutered|spayed|desexed"),
    ("owner_name", OWNER, Some("owner"), PLAIN, "propietario|propietaria|propietario/a|titular|dueno|duena|dueno/a|tutor|tutora|tutor/a|cliente|nombre del propietario|nombre de la propietaria|nombre del titular|nombre del cliente|nombre del tutor|nombre propietario|nombre cliente|owner|owner name|name of owner|client|client name|keeper|guardian"),
    ("owner_id", OWNER, None, OPTIONAL, "dni|nif|nie|dni/nif|dni/nie|nif/dni|dni propietario|dni del propietario|dni titular|owner id|client id|id number"),
    ("owner_address", OWNER, Some("owner"), OPTIONAL, "direccion del propietario|direccion de la propietaria|direccion propietario|direccion del titular|direccion titular|direccion del cliente|direccion cliente|domicilio del propietario|domicilio del titular|owner address|client address|home address"),
    ("visit_date", VISIT, Some("visits"), Traits { date: true, critical: true, ..METADATA }, "fecha/hora|fecha y hora|date/time|date and time|fecha de visita|fecha de la visita|fecha visita|visita|fecha de consulta|fecha de la consulta|fecha consulta|consulta|fecha de cita|fecha de la cita|fecha de atencion|fecha de exploracion|fecha de control|fecha de asistencia|fecha de la asistencia|fecha del servicio|fecha de la atencion|fecha de urgencia|fecha de revision|visit date|visit|date of visit|date of consultation|consultation date|consultation|appointment date|date seen|seen on|exam date|date of examination"),
    ("admission_date", VISIT, Some("visits"), Traits { date: true, optional: true, ..METADATA }, "fecha de ingreso|fecha ingreso|ingreso|fecha de admision|admision|admission|admission date|date of admission|admitted"),
    ("discharge_date", VISIT, Some("visits"), Traits { date: true, optional: true, ..METADATA }, "fecha de alta|fecha alta|alta|egreso|discharge|discharge date|date of discharge|discharged"),
    ("reason_for_visit", VISIT, Some("visits"), METADATA, "motivo|motivo de consulta|motivo consulta|motivo de la consulta|motivo de visita|motivo de la visita|motivo visita|motivo de ingreso|motivo de urgencia|reason|reason for visit|reason for consultation|reason for presentation|visit reason|presenting complaint|chief complaint|complaint"),
    ("diagnosis", CLINICAL, Some("visits"), SEVERAL_CRITICAL, "diagnostico|diagnosticos|diagnosticos presuntivos|diagnostico presuntivo|diagnostico definitivo|diagnostico diferencial|impresion diagnostica|impresion clinica|juicio clinico|juicio diagnostico|dx|diagnosis|diagnoses|assessment|impression|working diagnosis"),
    ("symptoms", CLINICAL, Some("visits"), SEVERAL, "sintoma|sintomas|signos clinicos|signos|sintomas y signos|signos y sintomas|sintomatologia|symptom|symptoms|clinical signs|signs|signs and symptoms|symptoms reported"),
    ("procedure", CLINICAL, Some("visits"), SEVERAL_CRITICAL, "procedimiento|procedimientos|intervencion|intervenciones|cirugia|cirugias|procedure|procedures|surgery|intervention|interventions|treatment performed"),
    ("medication", CLINICAL, Some("visits"), SEVERAL_CRITICAL, "medicacion|medicaciones|medicamento|medicamentos|farmaco|farmacos|tratamiento|tratamientos|tto|tx|prescripcion|prescripciones|receta|tratamiento prescrito|medication|medications|medicine|drugs|prescription|prescriptions|prescribed medication|prescribed|treatment|treatments"),
    ("treatment_plan", CLINICAL, Some("visits"), AT_VISIT, "plan|plan de tratamiento|plan terapeutico|plan diagnostico|plan a seguir|recomendaciones|indicaciones|treatment plan|recommendations|instructions|therapeutic plan"),
    ("allergies", CLINICAL, Some("visits"), AT_VISIT, "alergias|alergia|alergias conocidas|allergies|allergy|known allergies"),
    ("vaccinations", CLINICAL, Some("visits"), SEVERAL, "vacuna|vacunas|vacunacion|vacunaciones|vacunas aplicadas|vaccine|vaccines|vaccination|vaccinations|immunisation|immunisations|immunization|immunizations"),
    ("lab_result", CLINICAL, Some("visits"), SEVERAL, "analitica|analiticas|laboratorio|resultado de laboratorio|resultados de laboratorio|pruebas de laboratorio|hemograma|bioquimica|lab result|lab results|lab|laboratory|laboratory results|bloodwork|blood tests|blood test"),
    ("imaging", CLINICAL, Some("visits"), SEVERAL, "rx|radiografia|radiografias|ecografia|ecografias|rx torax|imagen|imagenes|pruebas de imagen|diagnostico por imagen|tac|resonancia|imaging|diagnostic imaging|x-ray|x-rays|radiograph|radiographs|radiography|ultrasound|ct scan|mri"),
    ("observations", CLINICAL, Some("visits"), Traits { optional: true, ..AT_VISIT }, "observaciones|observacion|anamnesis|exploracion|exploracion fisica|exploracion clinica|exploracion general|examen fisico|ex fisico|examen|efg|observations|findings|examination|physical examination|clinical examination|physical exam|exam|history"),
    ("actions", CLINICAL, Some("visits"), Traits { optional: true, ..AT_VISIT }, "acciones|actuaciones|actions|actions taken"),
    ("invoice_total", COSTS, None, PLAIN, "total|total factura|importe total|total a pagar|invoice total|total due|amount due"),
    ("covered_amount", COSTS, None, OPTIONAL, "importe cubierto|covered amount"),
    ("non_covered_amount", COSTS, None, OPTIONAL, "importe no cubierto|non-covered amount"),
    ("line_item", COSTS, None, Traits { repeatable: true, ..PLAIN }, "concepto|line item"),
    ("notes", REVIEW, Some("notes"), PLAIN, "notas|nota|notas internas|notes|note"),
    ("language", REVIEW, Some("report_info"), OPTIONAL, "idioma|language"),
];

/// How the values of a key become normal, where that is not text or a date.
const NORMALISERS: &[(&str, Normaliser)] = &[
    ("claim_id", Normaliser::Identifier),
    ("clinic_name", Normaliser::Institution),
    ("clinic_address", Normaliser::Address),
    ("vet_name", Normaliser::Person),
    ("nhc", Normaliser::Identifier),
    ("pet_name", Normaliser::PetName),
    ("species", Normaliser::Species),
    ("breed", Normaliser::Breed),
    ("sex", Normaliser::Sex),
    ("age", Normaliser::Age),
    ("dob", Normaliser::BirthDate),
    ("microchip_id", Normaliser::Microchip),
    ("weight", Normaliser::Weight),
    ("owner_name", Normaliser::Person),
    ("owner_id", Normaliser::Identifier),
    ("owner_address", Normaliser::Address),
    ("invoice_total", Normaliser::Amount),
    ("covered_amount", Normaliser::Amount),
    ("non_covered_amount", Normaliser::Amount),
];

const NAMES: &str = "apellidos y nombre|nombre|nombre completo|nombre y apellidos|name|full name";
const ADDRESSES: &str = "direccion|domicilio|dir|address";

/// Labels that mean a key only under a heading of its panel, or near to what speaks of it.
const SHARED: &[(&str, &str)] = &[
    ("clinic_name", NAMES),
    ("owner_name", NAMES),
    ("clinic_address", ADDRESSES),
    ("owner_address", ADDRESSES),
    ("reproductive_status", "estado|status"),
];

/// Labels behind which an address goes on.
const CONTINUED: &[(&str, &str)] = &[(
    "owner_address",
    "poblacion|localidad|ciudad|municipio|cp|c p|codigo postal|cp y poblacion|cp/poblacion|city|town|postcode|zip",
)];

/// What leads in a value within what people write about a visit.
const LEAD_INS: &[(&str, &str)] = &[
    ("vet_name", "dr|dra|doctor|doctora|fdo dr|fdo dra|firmado dr|firmado dra|fdo|firmado"),
    (
        "medication",
        "se pauta|se pautan|dejo pautado|dejamos pautado|pauto|pautamos|se prescribe|se prescriben|prescribo|prescribimos|se receta|receto|recetamos|se administra|administramos|se manda|mando|mandamos|prescribed|dispensed|we prescribe",
    ),
    (
        "procedure",
        "hago|hacemos|se hace|se realiza|se realizan|realizo|realizamos|se practica|performed|we performed",
    ),
    (
        "symptoms",
        "en casa notan|en casa nota|traen por|viene por|vienen por|acude por|acuden por|refieren|owner reports|owners report|presented for|presented with",
    ),
    ("diagnosis", "se diagnostica|diagnosticamos|compatible con|diagnosed with"),
    (
        "vaccinations",
        "pongo vacuna|pongo vacuna de|ponemos vacuna|ponemos vacuna de|se pone vacuna|se pone vacuna de|se vacuna de|vacuno de|vacunamos de|se aplica vacuna|se aplica vacuna de|vaccinated against|vaccinated with",
    ),
];

/// Words by which a clinic is known in its letterhead.
const CUES: &[(&str, &str)] = &[(
    "clinic_name",
    "clinica|hospital|centro|hv|veterinaria|veterinario|veterinarios|policlinica|consultorio|veterinary|vet|vets|clinic|surgery|practice",
)];

/// Headings, by the panel that they speak of.
const HEADINGS: &[(Option<&str>, &str)] = &[
    (
        Some("patient"),
        "datos del paciente|datos del animal|datos de la mascota|datos paciente|datos mascota|ficha del paciente|ficha del animal|identificacion del paciente|identificacion del animal|paciente|mascota|animal|patient|pet|patient details|patient information|patient data|pet details|pet information|animal details|animal information",
    ),
    (
        Some("owner"),
        "datos del propietario|datos de la propietaria|datos del titular|datos del cliente|datos del tutor|datos del dueno|datos de la duena|datos del asegurado|asegurado|datos del tomador|tomador|datos propietario|datos cliente|propietario|propietaria|propietario/a|titular|cliente|tutor|owner|client|owner details|owner information|client details|client information",
    ),
    (
        Some("clinic"),
        "datos de la clinica|datos del centro|datos del centro veterinario|datos del hospital|datos clinica|centro veterinario|clinica|clinic|clinic details|clinic information|practice details",
    ),
    (
        Some("visits"),
        "visitas|consultas|historia clinica|historial clinico|historial de visitas|historial|evolucion|evolucion clinica|visits|visit history|clinical history|consultations|clinical notes",
    ),
    (
        None,
        "antecedentes|antecedentes medicos|antecedentes clinicos|antecedentes personales|historial previo|past history|previous history|past medical history|medical history|background",
    ),
];

/// Labels of what the record has no key for.
const OTHERS: &str = "telefono|tel|tfno|tlf|movil|phone|telephone|mobile|fax|email|e-mail|correo|correo electronico|web|capa|color|color de capa|pelo|pelaje|coat|colour|colegiado|colegiada|no colegiado|no de colegiado|no col|licence no|license no|licencia|comentarios|comentario|comments|comment|recordatorio|recordatorios|reminder|reminders|ultima|proxima|fecha aplicacion|fecha de aplicacion|fecha de vacunacion|aplicada|last|next|next visit|proxima visita|proxima cita|proxima revision|valor|value|descripcion|description|unidad|unidades|rango|referencia|lote|batch|temperatura|temperature|frecuencia cardiaca|heart rate|provincia|pais|country|cif|seguro|aseguradora|poliza|insurance|policy no|pasaporte|passport|pagina|page|impreso|fecha de impresion|printed|fecha de muestra|fecha muestra|sample date|resultado|result|hora|time|caducidad|cantidad|precio|importe|dosis|pauta|estado|status";

pub(super) fn schema() -> Schema {
    let heading = |(panel, words): &(Option<&str>, &str)| Heading {
        panel: panel.map(str::to_owned),
        words: words.split('|').map(str::to_owned).collect(),
    };
    Schema {
        name: Schema::VETERINARY.to_owned(),
        keys: KEYS.iter().map(key).collect(),
        headings: HEADINGS.iter().map(heading).collect(),
        other_labels: OTHERS.split('|').map(str::to_owned).collect(),
        ..Schema::default()
    }
}

/// What a list says of a key, as separate words.
fn listed(list: &[(&str, &str)], key: &str) -> Vec<String> {
    let words = list.iter().filter(|(name, _)| *name == key).flat_map(|(_, words)| words.split('|'));
    words.map(str::to_owned).collect()
}

fn key((key, section, panel, traits, labels): &Row) -> SchemaKey {
    let normaliser = NORMALISERS.iter().find(|(name, _)| name == key).map(|(_, normaliser)| *normaliser);
    SchemaKey {
        key: (*key).to_owned(),
        labels: labels.split('|').map(str::to_owned).collect(),
        shared_labels: listed(SHARED, key).into(),
        continued_by: listed(CONTINUED, key).into(),
        lead_ins: listed(LEAD_INS, key).into(),
        cues: listed(CUES, key).into(),
        normaliser: normaliser.unwrap_or(if traits.date { Normaliser::Date } else { Normaliser::Text }),
        at_visits: traits.at_visits,
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
        ..SchemaKey::default()
    }
}
