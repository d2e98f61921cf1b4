//! Normalises what documents state about an animal: species, breed, sex, name.

use super::facts::{facts_in_signalment, kind_before};
use super::fold::capitalised;
use super::tick_box::ticked;
use super::{Normaliser, TRANSPONDER_DIGITS, fold, folded_words, from_capitals, is_unit_of_age};

/// The words for the two species that have a normal form.
const CANINE: [&str; 4] = ["canina", "canino", "perro", "perra"];
const FELINE: [&str; 4] = ["felina", "felino", "gato", "gata"];
/// Words for other animals. They have no normal form, but show that a species is meant.
const OTHER_ANIMALS: [&str; 30] = [
    "canine",
    "dog",
    "feline",
    "cat",
    "conejo",
    "coneja",
    "rabbit",
    "huron",
    "hurona",
    "ferret",
    "cobaya",
    "cobayo",
    "hamster",
    "chinchilla",
    "rata",
    "raton",
    "erizo",
    "ave",
    "pajaro",
    "loro",
    "periquito",
    "agapornis",
    "canario",
    "ninfa",
    "bird",
    "tortuga",
    "iguana",
    "reptil",
    "caballo",
    "yegua",
];
/// Words for the two sexes.
const MALE: [&str; 6] = ["macho", "male", "mannlich", "maschio", "mannelijk", "masculino"];
const FEMALE: [&str; 10] = [
    "perra",
    "gata",
    "hembra",
    "female",
    "femelle",
    "weiblich",
    "femmina",
    "femea",
    "vrouwelijk",
    "femenino",
];
/// Words that the name of an animal does not contain.
const NOT_A_NAME: [&str; 24] = [
    "especie",
    "raza",
    "sexo",
    "edad",
    "peso",
    "chip",
    "microchip",
    "propietario",
    "propietaria",
    "titular",
    "direccion",
    "telefono",
    "fecha",
    "nombre",
    "paciente",
    "calle",
    "avenida",
    "plaza",
    "species",
    "breed",
    "owner",
    "address",
    "phone",
    "weight",
];
/// Words before a date of birth.
const BIRTH_WORDS: [&str; 8] = ["born", "nacido", "nacida", "nac", "dob", "fn", "n", "b"];
/// Small words between them and the day.
const BEFORE_DAY: [&str; 3] = ["el ", "on ", "en "];
/// Words behind the name of an animal that are no breed.
const NOT_A_BREED: [&str; 30] = [
    "castrado",
    "castrada",
    "esterilizado",
    "esterilizada",
    "entero",
    "entera",
    "fertil",
    "neutered",
    "spayed",
    "entire",
    "intact",
    "castrated",
    "adulto",
    "adulta",
    "adult",
    "cachorro",
    "cachorra",
    "puppy",
    "kitten",
    "senior",
    "negro",
    "negra",
    "blanco",
    "blanca",
    "atigrado",
    "tricolor",
    "black",
    "white",
    "tabby",
    "brown",
];
/// Words that end the name of an animal.
const WORDS_AFTER_NAME: [&str; 8] =
    ["nacimiento", "nac", "dob", "birth", "born", "especie", "species", "chip"];

/// `canino` or `felino`.
pub fn species(words: &str) -> Option<&'static str> {
    let words = folded_words(words);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    match (has(&CANINE), has(&FELINE)) {
        (true, false) => Some("canino"),
        (false, true) => Some("felino"),
        _ => None,
    }
}

/// Whether this folded word means an animal.
pub(super) fn is_animal(word: &str) -> bool {
    CANINE.contains(&word) || FELINE.contains(&word) || OTHER_ANIMALS.contains(&word)
}

/// The two parts of `Species - Breed`. Words behind another separator belong to neither.
pub(super) fn species_and_breed(words: &str) -> Option<[(Normaliser, &str); 2]> {
    let (one, two) = words.split_once(['-', '/', '|', '–', ',', '·', '•'])?;
    let two = two.split(['/', '|', ',', '·', '•']).next()?;
    let first = folded_words(one);
    let [only] = &first[..] else { return None };
    let second = folded_words(two);
    // The same species in two languages is not a breed.
    let is_breed = second.iter().any(|word| !is_animal(word));
    let both = [(Normaliser::Species, one.trim()), (Normaliser::Breed, two.trim())];
    (is_animal(only) && is_breed).then_some(both)
}

/// What a line without a label states about an animal.
pub(crate) struct FactsInLine<'w> {
    /// The name of the rule that recognised the line.
    pub rule: &'static str,
    /// The values. A value without words of its own is the whole line.
    pub values: Vec<(Normaliser, Option<&'w str>)>,
    /// Whether more facts may follow, as behind a name.
    pub has_more: bool,
}

/// Recognises a line that states only what an animal is: `Canino - Beagle`, `hembra`, `941000012345678`.
pub(crate) fn facts_in_line(words: &str) -> Option<FactsInLine<'_>> {
    if let Some(both) = species_and_breed(words) {
        let values = both.map(|(normaliser, words)| (normaliser, Some(words))).to_vec();
        return Some(FactsInLine { rule: "species_and_breed", values, has_more: true });
    }
    let single = |normaliser, rule| FactsInLine { rule, values: vec![(normaliser, None)], has_more: false };
    let folded = folded_words(words);
    match &folded[..] {
        [only] if is_animal(only) => Some(single(Normaliser::Species, "species_line")),
        [first, ..] if matches!(first.as_str(), "macho" | "hembra" | "male" | "female") => {
            Some(single(Normaliser::Sex, "sex_line"))
        }
        [first, second] if is_animal(first) && sex(second).is_some() => {
            let parts = words.split_once([',', '-', '/', '|', ' ']);
            let values =
                parts.map(|(one, two)| vec![(Normaliser::Species, Some(one)), (Normaliser::Sex, Some(two))]);
            Some(FactsInLine { rule: "species_and_sex", values: values?, has_more: false })
        }
        _ => {
            let facts = facts_in_signalment(&words.split_whitespace().collect::<Vec<_>>());
            if folded.len() <= 7 && facts.len() >= 2 {
                let values = facts.into_iter().map(|(normaliser, range)| (normaliser, part_of(words, range)));
                return Some(FactsInLine { rule: "facts_line", values: values.collect(), has_more: false });
            }
            if folded.len() <= 3 && sex(words).is_some() {
                return Some(single(Normaliser::Sex, "sex_line"));
            }
            if let Some((Normaliser::BirthDate, day)) = fact_behind_name(words) {
                let values = vec![(Normaliser::BirthDate, Some(day))];
                return Some(FactsInLine { rule: "birth_line", values, has_more: false });
            }
            let digits = words.chars().filter(char::is_ascii_digit).count();
            let is_number = words.chars().all(|c| c.is_ascii_digit() || " -.".contains(c));
            let is_chip = is_number && digits == TRANSPONDER_DIGITS;
            is_chip.then(|| single(Normaliser::Microchip, "chip_line"))
        }
    }
}

/// The most parts of a line of facts, and the most words of each.
const MAX_PARTS: usize = 6;
const MAX_PART_WORDS: usize = 6;
/// Marks between the parts of a line of facts.
const PART_MARKS: [char; 6] = [',', ';', '·', '•', '|', '●'];

/// Recognises a line of facts with marks between them: `Golden Retriever · Spayed Female · 6 yr`, `Perro mestizo, macho castrado`. At
/// least one part states what the animal is, and every part is short.
pub(crate) fn facts_in_parts(line: &str) -> Option<FactsInLine<'_>> {
    let parts: Vec<&str> = line.split(PART_MARKS).map(str::trim).filter(|part| !part.is_empty()).collect();
    let is_short = |part: &&str| part.split_whitespace().count() <= MAX_PART_WORDS;
    if parts.len() > MAX_PARTS || !parts.iter().all(is_short) {
        return None;
    }
    let mut values: Vec<(Normaliser, Option<&str>)> = Vec::new();
    let mut add = |normaliser: Normaliser, words| {
        if !values.iter().any(|(known, _)| *known == normaliser) {
            values.push((normaliser, Some(words)));
        }
    };
    let mut says_what = false;
    for (place, part) in parts.iter().enumerate() {
        let words: Vec<&str> = part.split_whitespace().collect();
        let first = words.first().map(|first| fold(first.trim_matches(|c: char| !c.is_alphanumeric())))?;
        let is_kind = is_animal(&first);
        says_what |= is_kind || sex(part).is_some();
        if is_kind {
            add(Normaliser::Species, part);
            // "Perro mestizo", "Canine English Springer Spaniel".
            let breed = part_of(part, 1..words.len())
                .filter(|breed| is_kind_behind_name(breed) && sex(breed).is_none());
            if let Some(breed) = breed.or_else(|| {
                part_of(part, 1..words.len()).filter(|_| {
                    words.len() == 2
                        && sex(words[1]).is_none()
                        && !NOT_A_BREED.contains(&fold(words[1]).as_str())
                })
            }) {
                add(Normaliser::Breed, breed);
            }
            if sex(&first).is_some() || sex(part).is_some() {
                add(Normaliser::Sex, part);
            }
        } else if let Some((normaliser, value)) = fact_behind_name(part) {
            add(normaliser, value);
        } else if sex(part).is_some() {
            add(Normaliser::Sex, part);
        } else if place < 2 && is_kind_behind_name(part) {
            add(Normaliser::Breed, part);
        }
    }
    (says_what && values.len() > 1).then_some(FactsInLine { rule: "facts_in_parts", values, has_more: false })
}

/// Some of the words of a line.
pub(crate) fn part_of(line: &str, range: std::ops::Range<usize>) -> Option<&str> {
    let place = |word: &str| word.as_ptr() as usize - line.as_ptr() as usize;
    let words: Vec<&str> = line.split_whitespace().collect();
    let (first, last) = (words.get(range.start)?, words.get(range.end.checked_sub(1)?)?);
    line.get(place(first)..place(last) + last.len())
}

/// Recognises one fact behind the name of an animal: `canino`, `7 años`, `nacido 3/4/2020`. Also returns the words of
/// its value.
pub(crate) fn fact_behind_name(part: &str) -> Option<(Normaliser, &str)> {
    use Normaliser::{Age, BirthDate, Microchip, Sex, Species};
    let part = part.trim_matches(|c: char| c.is_whitespace() || "().".contains(c));
    if let Some(breed) = breed_before_kind(part) {
        return Some((Normaliser::Breed, breed));
    }
    let words = folded_words(part);
    let has_years = words.iter().any(|word| is_unit_of_age(word));
    let first: String = fold(part).split_whitespace().next().unwrap_or_default().replace(['.', ':'], "");
    let is_born = BIRTH_WORDS.contains(&first.as_str());
    let value = if is_born { part.trim_start().split_once(' ').map_or(part, |(_, day)| day) } else { part };
    let value =
        BEFORE_DAY.iter().find_map(|small| value.strip_prefix(small).filter(|_| is_born)).unwrap_or(value);
    let is_short = words.len() <= 3 || is_born;
    let states = |normaliser: &Normaliser| {
        let is_plausible = match normaliser {
            Age => has_years,
            Microchip => value.chars().filter(char::is_ascii_digit).count() == TRANSPONDER_DIGITS,
            _ => true,
        };
        is_plausible && is_short && normaliser.apply(value).is_some()
    };
    [Species, Sex, Age, BirthDate, Microchip].into_iter().find(states).map(|normaliser| (normaliser, value))
}

/// The name of an animal and the parts behind it: `Pipa · Perro · Yorkshire Terrier`, `Lía - gata, hembra (nac. 3/4/2020)`.
/// A slash within a date separates nothing.
pub(crate) fn parts_behind_name(words: &str) -> impl Iterator<Item = &str> {
    let is_mark = |c: char| ",();|·•".contains(c);
    let parts = words.split(is_mark).flat_map(|part| part.split(" - ")).flat_map(|part| part.split(" – "));
    let parts = parts.flat_map(|part| {
        let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
        let bytes = part.as_bytes();
        let is_apart = |at: usize| !(at > 0 && is_digit(bytes.get(at - 1)) && is_digit(bytes.get(at + 1)));
        let slashes = part.match_indices('/').map(|(at, _)| at).filter(|at| is_apart(*at));
        let ends: Vec<usize> = slashes.chain([part.len()]).collect();
        let starts = std::iter::once(0).chain(ends.clone().into_iter().map(|end| end + 1));
        starts.zip(ends).map(|(start, end)| &part[start..end]).collect::<Vec<_>>()
    });
    parts.map(str::trim)
}

/// Whether a part behind the name of an animal, beside other facts, can only be its breed: `galgo`, `Golden Retriever`.
pub(crate) fn is_kind_behind_name(part: &str) -> bool {
    let words = folded_words(part);
    let is_capital = |word: &str| word.chars().next().is_some_and(char::is_uppercase);
    (1..=4).contains(&words.len())
        && (words.len() == 1 || part.split_whitespace().next().is_some_and(is_capital))
        && part.chars().all(|c| c.is_alphabetic() || c.is_whitespace() || c == '-' || c == '.')
        && words.iter().all(|word| !is_animal(word) && !NOT_A_BREED.contains(&word.as_str()))
        && words.iter().any(|word| word.chars().count() > 2)
        && fact_behind_name(part).is_none()
}

/// The capitalised words before the word for an animal: `British Shorthair cat`.
fn breed_before_kind(part: &str) -> Option<&str> {
    let (breed, kind) = part.trim().rsplit_once(char::is_whitespace)?;
    let is_capital = |word: &str| word.chars().next().is_some_and(char::is_uppercase);
    let is_kind = kind_before(&fold(kind)).is_some();
    let is_breed = (1..=4).contains(&breed.split_whitespace().count())
        && breed.split_whitespace().all(is_capital)
        && sex(breed).is_none();
    (is_kind && is_breed).then(|| breed.trim())
}

/// A breed without the words for its species. Lower-case words are capitalised.
pub fn breed(words: &str) -> Option<String> {
    let words = words.split(|c: char| c.is_whitespace() || "-/|,;()".contains(c));
    let is_breed = |word: &&str| {
        let folded = fold(word);
        !word.is_empty() && !CANINE.contains(&folded.as_str()) && !FELINE.contains(&folded.as_str())
    };
    let words = words.filter(is_breed).map(|word| {
        let is_small = word.chars().all(|c| !c.is_uppercase());
        if is_small && !matches!(word, "de" | "del" | "la" | "y" | "of") {
            capitalised(word)
        } else {
            word.to_owned()
        }
    });
    let breed = words.collect::<Vec<_>>().join(" ");
    let breed = breed.trim_matches(['.', ':', ' ']);
    let is_breed = breed.chars().any(char::is_alphabetic) && breed.chars().count() <= 60;
    is_breed.then(|| from_capitals(breed))
}

/// `macho` or `hembra`, from words or a single M or H. Of two tick boxes, the ticked one counts.
pub fn sex(words: &str) -> Option<&'static str> {
    let mut words = folded_words(ticked(words)?);
    // "M/N" is "MN".
    if words.len() == 2 && words.iter().all(|word| word.len() == 1) {
        words = vec![words.concat()];
    }
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    if let [only] = &words[..] {
        match only.as_str() {
            "m" | "mn" | "mc" | "mi" | "nm" | "cm" => return Some("macho"),
            "h" | "fn" | "fs" | "fi" | "sf" | "nf" => return Some("hembra"),
            _ => {}
        }
    }
    match (has(&MALE), has(&FEMALE)) {
        (true, false) => Some("macho"),
        (false, true) => Some("hembra"),
        _ => None,
    }
}

/// What an F means behind labels of languages whose word for females begins with it. In Spanish it means nothing.
pub(super) fn sex_behind_label(label: &str, words: &str) -> Option<&'static str> {
    let is_label = matches!(label, "sex" | "gender" | "sexe" | "geschlecht" | "sesso" | "geslacht");
    (is_label && folded_words(words) == ["f"]).then_some("hembra")
}

/// The name of an animal, without what follows it.
pub fn pet_name(words: &str) -> Option<String> {
    let words = words.split([',', ';', '(', '|', '/', '·', '•']).next()?;
    let words = words.split(" - ").next()?.split(" – ").next()?;
    let cut = |word: &&str| {
        let folded = fold(word.trim_matches(|c: char| !c.is_alphanumeric()));
        !WORDS_AFTER_NAME.contains(&folded.as_str())
    };
    let words: Vec<&str> = words.split_whitespace().take_while(cut).collect();
    let name = words.join(" ");
    let name = name.trim_matches(|c: char| c.is_whitespace() || "-–—.:\"'«»".contains(c));
    let folded = folded_words(name);
    let digits = name.chars().filter(char::is_ascii_digit).count();
    let is_name = !folded.is_empty()
        && folded.len() <= 4
        && name.chars().count() <= 40
        && name.chars().any(char::is_alphabetic)
        && digits < 3
        && !folded.iter().any(|word| NOT_A_NAME.contains(&word.as_str()));
    is_name.then(|| each_word_capitalised(&from_capitals(name)))
}

fn each_word_capitalised(name: &str) -> String {
    let small = name.chars().all(|c| !c.is_uppercase());
    if !small {
        return name.to_owned();
    }
    name.split(' ').map(capitalised).collect::<Vec<_>>().join(" ")
}
