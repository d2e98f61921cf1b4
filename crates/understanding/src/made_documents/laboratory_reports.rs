//! Laboratory reports: with labelled lines, and with a letterhead and two columns.

use serde_json::json;

use super::{MadeDocument, page};

pub(super) fn all() -> Vec<MadeDocument> {
    [labelled(), columns()].concat().into_iter().map(made).collect()
}

/// Name, language, text, truth.
type Report = (&'static str, &'static str, &'static str, serde_json::Value);

fn made((name, language, text, truth): Report) -> MadeDocument {
    let name = format!("laboratory report {language} {name}");
    MadeDocument { name, text, pages: vec![page(text)], language, schema: "laboratory-report", truth }
}

fn labelled() -> Vec<Report> {
    vec![
        (
            "labelled",
            "es",
            "INFORME DE LABORATORIO
Laboratorio: Análisis Clínicos Robles
Nº de informe: 24-10331
Fecha del informe: 12/03/2024
Paciente: Ana Pérez Gil
Fecha de nacimiento: 02/11/1980
Solicitado por: Dra. Carmen Ruiz
Tipo de muestra: Suero
Fecha de extracción: 11/03/2024

Prueba               Resultado    Unidades    Valores de referencia
Glucosa                     92    mg/dl       70 - 110
Urea                        31    mg/dl       10 - 50
Creatinina                0,81    mg/dl       0,50 - 1,10

Conclusión: Valores dentro de la normalidad",
            json!({"laboratory_name": "Análisis Clínicos Robles", "report_number": "24-10331", "report_date": "2024-03-12",
                "patient_name": "Ana Pérez Gil", "birth_date": "1980-11-02", "requested_by": "Carmen Ruiz",
                "sample_type": "Suero", "sample_date": "2024-03-11", "conclusion": "Valores dentro de la normalidad"}),
        ),
        (
            "labelled",
            "en",
            "LABORATORY REPORT
Laboratory: Westgate Diagnostics
Report number: LR-88120
Report date: 4 April 2024
Patient name: Thomas Hill
Date of birth: 23 July 1975
Requested by: Dr. Jane Moore
Specimen type: Serum
Collection date: 3 April 2024

Test                    Result    Units     Reference range
Glucose                    5.1    mmol/l    3.9 - 6.1
Sodium                     139    mmol/l    136 - 145
Potassium                  4.2    mmol/l    3.5 - 5.1

Comment: No significant findings",
            json!({"laboratory_name": "Westgate Diagnostics", "report_number": "LR-88120", "report_date": "2024-04-04",
                "patient_name": "Thomas Hill", "birth_date": "1975-07-23", "requested_by": "Jane Moore",
                "sample_type": "Serum", "sample_date": "2024-04-03", "conclusion": "No significant findings"}),
        ),
        (
            "labelled",
            "de",
            "LABORBEFUND
Labor: Medlab Rheinland
Befundnummer: 771204
Befunddatum: 18.06.2024
Patientenname: Lukas Brandt
Geburtsdatum: 05.01.1990
Überweisender Arzt: Dr. Eva Schulz
Probenmaterial: Serum
Entnahmedatum: 17.06.2024

Untersuchung          Ergebnis    Einheit    Referenzbereich
Glukose                     88    mg/dl      70 - 100
Kalium                     4,4    mmol/l     3,5 - 5,1
TSH                        1,9    mU/l       0,4 - 4,0

Kommentar: Unauffälliger Befund",
            json!({"laboratory_name": "Medlab Rheinland", "report_number": "771204", "report_date": "2024-06-18",
                "patient_name": "Lukas Brandt", "birth_date": "1990-01-05", "requested_by": "Eva Schulz",
                "sample_type": "Serum", "sample_date": "2024-06-17", "conclusion": "Unauffälliger Befund"}),
        ),
        (
            "labelled",
            "fr",
            "COMPTE RENDU D'ANALYSES
Laboratoire: Biologie Saint-Michel
Dossier n°: 24-0917
Date du compte rendu: 22/05/2024
Nom du patient: Claire Martin
Date de naissance: 14/08/1968
Médecin prescripteur: Dr. Paul Girard
Nature du prélèvement: Sang veineux
Date de prélèvement: 21/05/2024

Examen                Résultat    Unité     Valeurs de référence
Glycémie                  0,95    g/l       0,70 - 1,10
Créatinine                  78    µmol/l    45 - 84
Ferritine                   60    µg/l      15 - 150

Diagnostic: Bilan normal",
            json!({"laboratory_name": "Biologie Saint-Michel", "report_number": "24-0917", "report_date": "2024-05-22",
                "patient_name": "Claire Martin", "birth_date": "1968-08-14", "requested_by": "Paul Girard",
                "sample_type": "Sang veineux", "sample_date": "2024-05-21", "conclusion": "Bilan normal"}),
        ),
    ]
}

fn columns() -> Vec<Report> {
    vec![
        (
            "columns",
            "es",
            "Laboratorios Delta Diagnóstico
Av. del Puerto 9, 46021 Valencia

ANALÍTICA

Paciente: Jorge Sanz Vidal         Petición: 5512-A
Fecha de toma: 07/02/2024          Fecha: 08/02/2024
Muestra: Sangre total              Médico: Luis Ferrer

Parámetro           Resultado    Unidad      Rango
Hemoglobina              14,1    g/dl        12,0 - 16,0
Leucocitos                6,8    10^3/µl     4,0 - 11,0",
            json!({"laboratory_name": "Laboratorios Delta Diagnóstico", "report_number": "5512-A", "report_date": "2024-02-08",
                "patient_name": "Jorge Sanz Vidal", "requested_by": "Luis Ferrer", "sample_type": "Sangre total",
                "sample_date": "2024-02-07"}),
        ),
        (
            "columns",
            "en",
            "Riverside Laboratories
220 Park Avenue, Bristol BS1 5TR

TEST RESULTS

Patient: Maria Owens               Lab no: 40-771
Collected: 09/10/2024              Reported: 10/10/2024
Specimen: Whole blood              Doctor: Alan Reed

Analyte               Result    Unit        Range
Hemoglobin              13.4    g/dl        12.0 - 15.5
Platelets                251    10^9/l      150 - 400",
            json!({"laboratory_name": "Riverside Laboratories", "report_number": "40-771", "report_date": "2024-10-10",
                "patient_name": "Maria Owens", "requested_by": "Alan Reed", "sample_type": "Whole blood",
                "sample_date": "2024-10-09"}),
        ),
        (
            "columns",
            "de",
            "Labor Dr. Heine Diagnostik
Gartenstraße 3, 70173 Stuttgart

BEFUNDBERICHT

Patient/in: Nina Vogel             Labor-Nr: 9917-3
Entnahme: 11.11.2024               Datum: 12.11.2024
Probe: Urin                        Einsender: Hans Keller

Parameter           Ergebnis    Einheit     Normbereich
pH                       6,0                5,0 - 7,5
Protein                  0,1    g/l         0,0 - 0,2",
            json!({"laboratory_name": "Labor Dr. Heine Diagnostik", "report_number": "9917-3", "report_date": "2024-11-12",
                "patient_name": "Nina Vogel", "requested_by": "Hans Keller", "sample_type": "Urin",
                "sample_date": "2024-11-11"}),
        ),
        (
            "columns",
            "fr",
            "Laboratoire Pasteur Diagnostic
7 place Bellecour, 69002 Lyon

RÉSULTATS D'ANALYSES

Patient(e): Luc Bernard            N° de dossier: 3308
Prélevé le: 02/12/2024             Édité le: 03/12/2024
Échantillon: Sérum                 Prescripteur: Anne Roux

Paramètre           Résultat    Unité       Valeurs de référence
Cholestérol             1,85    g/l         1,50 - 2,00
Triglycérides           0,90    g/l         0,40 - 1,50",
            json!({"laboratory_name": "Laboratoire Pasteur Diagnostic", "report_number": "3308", "report_date": "2024-12-03",
                "patient_name": "Luc Bernard", "requested_by": "Anne Roux", "sample_type": "Sérum",
                "sample_date": "2024-12-02"}),
        ),
    ]
}
