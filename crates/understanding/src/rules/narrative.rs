//! Splits the text about a visit into observations and actions.

use crate::normal::{fold, folded_words};

/// Beginnings of sentences that state an observation, whatever follows.
const OBSERVATION_STARTS: [&str; 12] = [
    "anamnesis",
    "acude para",
    "acude por",
    "exploracion",
    "viene",
    "vienen",
    "traen",
    "en casa",
    "notan",
    "refieren",
    "presenta",
    "history",
];
/// Phrases that state an action, done or planned.
const ACTION_PHRASES: [&str; 43] = [
    "se recomienda",
    "recomendamos",
    "recomiendo",
    "se prescribe",
    "prescribimos",
    "se administra",
    "administramos",
    "se aplica",
    "aplicamos",
    "se indica",
    "indicamos",
    "se pauta",
    "pautamos",
    "se realiza",
    "realizamos",
    "damos",
    "pongo",
    "ponemos",
    "mandamos",
    "citamos",
    "se cita",
    "citar",
    "seguir con",
    "continuar",
    "tratamiento",
    "tto",
    "si empeora",
    "revisaremos",
    "volver en",
    "en casa dar",
    "explicamos",
    "insistimos",
    "se entrega",
    "entregamos",
    "llamamos",
    "recordatorio",
    "advised",
    "recommended",
    "prescribed",
    "given",
    "dispensed",
    "administered",
    "recheck",
];

/// The observations and the actions in a text, each as one text. `cues` are further phrases that state an action.
pub(super) fn observations_and_actions(text: &str, cues: &[String]) -> (String, String) {
    let (mut observations, mut actions) = (Vec::new(), Vec::new());
    for clause in clauses(text) {
        if is_action(clause, cues) { actions.push(clause) } else { observations.push(clause) }
    }
    (observations.join(". "), actions.join(". "))
}

/// The clauses of a text, separated by semicolons and full stops.
fn clauses(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split("; ").flat_map(|part| part.split(". "));
    parts
        .map(|part| part.trim().trim_end_matches(['.', ';']))
        .filter(|part| part.chars().any(char::is_alphanumeric))
}

fn is_action(clause: &str, cues: &[String]) -> bool {
    let folded = fold(clause);
    if OBSERVATION_STARTS.iter().any(|start| folded.starts_with(start)) {
        return false;
    }
    let words = folded_words(clause);
    let has = |word: &str| words.iter().any(|other| other == word);
    let is_dosage = (has("cada") || has("durante") || has("every"))
        && words.iter().any(|word| word.bytes().all(|b| b.is_ascii_digit()));
    let spaced = format!(" {} ", words.join(" "));
    let contains = |phrase: &str| {
        let is_whole = |(at, _): (usize, &str)| {
            let behind = at + phrase.len();
            spaced.as_bytes()[at - 1] == b' ' && spaced.as_bytes()[behind] == b' '
        };
        spaced[1..spaced.len() - 1].match_indices(phrase).map(|(at, it)| (at + 1, it)).any(is_whole)
    };
    is_dosage
        || ACTION_PHRASES.iter().any(|phrase| contains(phrase))
        || cues.iter().any(|phrase| contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_observations_or_actions() {
        let actions = [
            "Se recomienda cepillar a diario",
            "Dar 2 comprimidos cada 12 horas",
            "Si empeora, volver antes",
            "Tto: reposo",
            "Recheck in one week",
            "Hoy desparasitamos",
        ];
        let cues = ["desparasitamos".to_owned()];
        let observations = [
            "Inflamación del pabellón auricular",
            "Analítica sin alteraciones",
            "Acude para vacunar",
            "Alopecia, no parecen hongos",
            "Viene con dolor cada 2 días",
        ];
        for clause in actions {
            assert_eq!(observations_and_actions(clause, &cues), (String::new(), clause.to_owned()));
        }
        for clause in observations {
            assert_eq!(observations_and_actions(clause, &[]), (clause.to_owned(), String::new()));
        }
        let both = observations_and_actions("Otitis leve. Damos gotas; mucosas rosas.", &cues);
        assert_eq!(both, ("Otitis leve. mucosas rosas".to_owned(), "Damos gotas".to_owned()));
    }
}
