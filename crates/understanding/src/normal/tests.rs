//! The normal forms, value by value.

use jiff::civil;

use super::*;

fn same(normaliser: Normaliser, table: &[(&str, Option<&str>)]) {
    for (words, normal) in table {
        assert_eq!(normaliser.apply(words).as_deref(), *normal, "{normaliser:?} of {words:?}");
    }
}

/// Proves R103.
#[test]
fn eight_words_give_the_two_species() {
    for word in ["canina", "Canino", "PERRO", "perra", "Canino (perro)"] {
        assert_eq!(species(word), Some("canino"), "{word}");
    }
    for word in ["felina", "Felino", "gato", "GATA"] {
        assert_eq!(species(word), Some("felino"), "{word}");
    }
    for word in ["conejo", "canine", "perruno", "", "perro y gato"] {
        assert_eq!(species(word), None, "{word}");
    }
}

/// Proves R104, and R111 for female.
#[test]
fn sex_is_read_from_spanish_and_english_words_and_single_letters() {
    let table = [
        ("Macho", Some("macho")),
        ("male", Some("macho")),
        ("M", Some("macho")),
        ("Hembra", Some("hembra")),
        ("Female", Some("hembra")),
        ("h", Some("hembra")),
        ("Hembra esterilizada", Some("hembra")),
        ("Macho castrado", Some("macho")),
        ("MACHO", Some("macho")),
        ("FEMALE", Some("hembra")),
        ("m", Some("macho")),
        ("H", Some("hembra")),
        ("F", None),
        ("( ) Macho (X) Hembra", Some("hembra")),
        ("[x] Macho [ ] Hembra", Some("macho")),
        ("( ) Macho", None),
        ("desconocido", None),
        ("macho o hembra", None),
    ];
    same(Normaliser::Sex, &table);
}

/// Proves R105 for numbers.
#[test]
fn weights_are_plausible_kilograms() {
    let table = [
        ("22,4 kg", Some("22.4 kg")),
        ("500 g", Some("0.5 kg")),
        ("3,5 kg", Some("3.5 kg")),
        ("25,80kg", Some("25.8 kg")),
        ("1600 gr", Some("1.6 kg")),
        ("3.150 g", Some("3.15 kg")),
        ("98.1 lb (44.5 kg)", Some("44.5 kg")),
        ("9.2 lb (see chart)", Some("4.17 kg")),
        ("9.2 lb (4.2 kg (scale 2))", Some("4.2 kg")),
        ("(((((", None),
        ("8 Kg", Some("8 kg")),
        ("12", Some("12 kg")),
        ("12.34567", Some("12.3457 kg")),
        ("120 kg", Some("120 kg")),
        ("0.5", Some("0.5 kg")),
        ("0", None),
        ("150", None),
        ("120,1 kg", None),
        ("0,4 kg", None),
        ("5 mg/kg", None),
        ("2 ml", None),
        ("120 mg/dL", None),
        ("45 €", None),
        ("estable", None),
        ("38,5 ºC", None),
    ];
    same(Normaliser::Weight, &table);
}

/// Proves R106 for numbers.
#[test]
fn microchips_have_nine_to_fifteen_consecutive_digits() {
    let table = [
        ("941000012345678", Some("941000012345678")),
        ("977 577 496 588 183", Some("977577496588183")),
        ("941-000-012-345-678", Some("941000012345678")),
        ("941.000.012.345.678", Some("941000012345678")),
        ("Chip: 941000012345678", Some("941000012345678")),
        ("Nº 941000012345678 (cuello)", Some("941000012345678")),
        ("123456789", Some("123456789")),
        ("12345678", None),
        ("9410000123456789", None),
        ("12/03/2019 941000012", None),
        ("no tiene", None),
    ];
    same(Normaliser::Microchip, &table);
}

/// Proves R107: 68 is 2068 and 69 is 1969.
#[test]
fn dates_become_iso_and_impossible_dates_are_refused() {
    let table = [
        ("01/02/2024", Some("2024-02-01")),
        ("1-2-2024", Some("2024-02-01")),
        ("1.2.2024 10:30", Some("2024-02-01")),
        ("2024-02-01", Some("2024-02-01")),
        ("2024/02/01", Some("2024-02-01")),
        ("2024.02.01", Some("2024-02-01")),
        ("01.02.24", Some("2024-02-01")),
        ("01-02-99", Some("1999-02-01")),
        ("1900-01-01", Some("1900-01-01")),
        ("31/12/2100", Some("2100-12-31")),
        ("31/12/1899", None),
        ("01/01/2101", None),
        ("29.02.2024", Some("2024-02-29")),
        ("04/08/20", Some("2020-08-04")),
        ("01/01/68", Some("2068-01-01")),
        ("01/01/69", Some("1969-01-01")),
        ("12 de marzo de 2024", Some("2024-03-12")),
        ("12 March 2024", Some("2024-03-12")),
        ("March 3rd, 2024", Some("2024-03-03")),
        ("el 3 de mayo de 2024", Some("2024-05-03")),
        ("12-mar-2024", Some("2024-03-12")),
        ("31/02/2024", None),
        ("29/02/2023", None),
        ("13/13/2024", None),
        ("01/02/1850", None),
        ("1/2-2024", None),
        ("ayer", None),
        ("941000012345678", None),
    ];
    same(Normaliser::Date, &table);
}

#[test]
fn breeds_lose_their_species_and_gain_capitals() {
    let table = [
        ("jack russell terrier", Some("Jack Russell Terrier")),
        ("Canino - Beagle", Some("Beagle")),
        ("perro de aguas", Some("de Aguas")),
        ("BELIER", Some("Belier")),
        ("Común europeo", Some("Común Europeo")),
        ("felino", None),
        ("canina/labrador-retriever", Some("Labrador Retriever")),
        ("123", None),
    ];
    same(Normaliser::Breed, &table);
}

#[test]
fn names_of_animals_end_before_other_facts() {
    let table = [
        ("LUNA", Some("Luna")),
        ("lady sol", Some("Lady Sol")),
        ("Luna, una gata de tres años", Some("Luna")),
        ("BAMBÚ - Nacimiento: 28/02/2013", Some("Bambú")),
        ("12345", None),
        ("Especie", None),
        ("Calle Mayor 3", None),
        ("", None),
    ];
    same(Normaliser::PetName, &table);
}

#[test]
fn names_of_people_lose_titles_and_what_follows() {
    let table = [
        ("Dra. Yolanda Marchante", Some("Yolanda Marchante")),
        ("NURIA CASTRILLÓN LORIGO", Some("Nuria Castrillón Lorigo")),
        ("Juan de la Cruz, Calle Mayor 3", Some("Juan de la Cruz")),
        ("Ana Pérez Tel. 600 123 123", Some("Ana Pérez")),
        ("D. Luis Gil", Some("Luis Gil")),
        ("600 123 123", None),
        ("", None),
    ];
    same(Normaliser::Person, &table);
}

#[test]
fn an_address_is_no_institution() {
    let table = [
        ("HV COLINA LARGA", Some("HV Colina Larga")),
        ("Clínica Veterinaria Ánimalia Sur", Some("Clínica Veterinaria Ánimalia Sur")),
        ("Centro: Mareavet", Some("Mareavet")),
        ("Clínica: Sol y Mar", Some("Sol y Mar")),
        ("Hospital: Levante", Some("Levante")),
        ("Calle Mayor 3, 28001 Madrid", None),
        ("-", None),
    ];
    same(Normaliser::Institution, &table);
}

#[test]
fn street_abbreviations_are_written_out() {
    let table = [
        ("c/ Mayor 3", Some("Calle Mayor 3")),
        ("C/Mayor, 3", Some("Calle Mayor, 3")),
        ("Avda. Fuente Clara nº 63, bajo", Some("Avenida Fuente Clara nº 63, bajo")),
        ("av Sur 1", Some("Avenida Sur 1")),
        ("PZA. RIBERA ALTA, 111", Some("Plaza Ribera Alta, 111")),
        ("c/ Sol nº 3", Some("Calle Sol nº 3")),
        ("avda Sur 1", Some("Avenida Sur 1")),
        ("av. Sur 1", Some("Avenida Sur 1")),
        ("pza Mayor 1", Some("Plaza Mayor 1")),
        ("ctra. de Soria km 2", Some("Carretera de Soria km 2")),
        ("ctra de Soria km 2", Some("Carretera de Soria km 2")),
        ("Calle Sol 3, cp 28001 Madrid", Some("Calle Sol 3, C.P. 28001 Madrid")),
        ("3 Foxgrove Avenue, QX4 7ZD Almsbridge", Some("3 Foxgrove Avenue, QX4 7ZD Almsbridge")),
        ("Calle Sol 3 Tel. 600 123 123", Some("Calle Sol 3")),
        ("Calle Sol 3, C.P. 28001 Madrid", Some("Calle Sol 3, C.P. 28001 Madrid")),
        ("Calle Mayor", None),
        ("El Olivo 3", None),
        ("600 123 123", None),
    ];
    same(Normaliser::Address, &table);
}

#[test]
fn ages_are_whole_years() {
    let table = [
        ("5 años", Some("5")),
        ("6 years", Some("6")),
        ("3 años y 2 meses", Some("3")),
        ("11 meses", Some("0")),
        ("18 months", Some("1")),
        ("7", Some("7")),
        ("12/03/2019", None),
        ("joven", None),
    ];
    same(Normaliser::Age, &table);
}

/// Proves R108 for the day before a birthday.
#[test]
fn a_year_of_age_is_complete_on_the_birthday() {
    let born = civil::date(2020, 2, 29);
    assert_eq!(years_between(born, civil::date(2021, 2, 28)), Some(0));
    assert_eq!(years_between(born, civil::date(2021, 3, 1)), Some(1));
    assert_eq!(years_between(born, civil::date(2019, 3, 1)), None);
}

#[test]
fn identifiers_are_no_dates() {
    let table = [
        ("22/5226", Some("22/5226")),
        ("HC-3565", Some("HC-3565")),
        ("99675071V (DNI)", Some("99675071V")),
        ("01/02/2024", None),
        ("ninguno", None),
    ];
    same(Normaliser::Identifier, &table);
}

#[test]
fn texts_lose_separators_around_them() {
    let table = [
        (" - Otitis externa. ", Some("Otitis externa")),
        ("sigue...", Some("sigue...")),
        ("a  b", Some("a b")),
        ("1. Reposo", Some("Reposo")),
        ("1.5 mg", Some("1.5 mg")),
        ("4 cm", Some("4 cm")),
        ("---", None),
    ];
    same(Normaliser::Text, &table);
}

/// A normaliser leaves its own normal forms unchanged.
#[test]
fn normal_forms_are_idempotent() {
    for (normaliser, words) in [
        (Normaliser::Weight, "3.5 kg"),
        (Normaliser::Date, "2024-02-01"),
        (Normaliser::Address, "Calle Mayor 3"),
        (Normaliser::Person, "Ana Pérez"),
        (Normaliser::Breed, "Jack Russell Terrier"),
        (Normaliser::Species, "canino"),
        (Normaliser::Sex, "hembra"),
    ] {
        assert_eq!(normaliser.apply(words).as_deref(), Some(words));
    }
}
