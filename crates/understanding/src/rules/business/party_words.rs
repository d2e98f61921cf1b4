//! Words around the names of parties: forms of address, salutations, imprints, ways to reach somebody.

use crate::normal::{fold, has_postcode};
use crate::rules::layout::Token;

/// Words before the name of a company that it is written to.
pub(super) const FORMS_OF_ADDRESS: [&str; 19] = [
    "spettle",
    "spett",
    "spettabile",
    "gentma",
    "gentmo",
    "egr",
    "egregio",
    "gentile",
    "exmo",
    "exmos",
    "exma",
    "exmas",
    "exmo(s",
    "firma",
    "fa",
    "messrs",
    "ditta",
    "senhores",
    "sres",
];

/// Words before the name of a person.
pub(super) const PERSONAL_FORMS: [&str; 24] = [
    "herr", "herrn", "frau", "mr", "mrs", "ms", "miss", "mme", "mlle", "monsieur", "madame", "sig", "sigra",
    "signor", "signora", "dhr", "mevr", "mevrouw", "sr", "sra", "srta", "senor", "senora", "dna",
];
/// Words that join two people.
pub(super) const AND_WORDS: [&str; 7] = ["et", "und", "and", "y", "e", "en", "ou"];
/// Words that begin a line about who should read the document.
const ATTENTION_WORDS: [&str; 16] = [
    "attn",
    "attention",
    "att",
    "atn",
    "zhd",
    "zhdn",
    "zu",
    "c/o",
    "co",
    "tav",
    "care",
    "l'attention",
    "all'attenzione",
    "a/a",
    "alla",
    "ac",
];

/// Words of what a company must print about itself.
pub(super) const IMPRINT_WORDS: [&str; 25] = [
    "contribuinte",
    "matriculada",
    "crc",
    "hrb",
    "hra",
    "amtsgericht",
    "handelsregister",
    "registergericht",
    "geschaftsfuhrer",
    "rcs",
    "siret",
    "siren",
    "capital",
    "capitale",
    "registered",
    "registro",
    "inscrita",
    "kvk",
    "rea",
    "conservatoria",
    "nipc",
    "vereinsregister",
    "ustidnr",
    "ein",
    "rpr",
];

/// Whether a name is that of a bank, whose account an imprint has.
pub(super) fn names_bank(text: &str) -> bool {
    let folded = fold(text);
    ["bank", "sparkasse", "banco", "banque", "banca", "caixa", "caja"]
        .iter()
        .any(|word| folded.contains(word))
}

/// Whether a mark ends the name of a company. An ampersand is part of it.
pub(super) fn ends_name(token: &Token<'_>) -> bool {
    token.is_separator() && !token.text.contains(['&', '+'])
}

/// Whether a line is a way to reach somebody.
pub(super) fn is_contact(line: &str) -> bool {
    let folded = fold(line);
    let words = [
        "tel",
        "fax",
        "phone",
        "www",
        "http",
        "mail",
        "e-mail",
        "email",
        "mobil",
        "movil",
        "telefono",
        "telefon",
        "telephone",
        "telefax",
        "telefoon",
        "telefone",
        "mobile",
        "web",
        "fon",
    ];
    let first = folded.split(|c: char| c.is_whitespace() || ".:/".contains(c)).next().unwrap_or_default();
    folded.contains('@') || folded.contains("www.") || words.contains(&first)
}

/// Whether a line is how a person is addressed, with the name below it.
pub(super) fn is_salutation(line: &str) -> bool {
    const WORDS: [&str; 20] = [
        "herrn", "herr", "frau", "firma", "fa", "familie", "und", "monsieur", "madame", "m", "mme", "sr",
        "sra", "d", "dna", "mr", "mrs", "ms", "messrs", "an",
    ];
    let words = crate::normal::folded_words(line);
    (1..=3).contains(&words.len()) && words.iter().all(|word| WORDS.contains(&word.as_str()))
}

/// Whether a line says who should read the document: "Attn: Accounts Payable".
pub(super) fn is_attention(line: &str) -> bool {
    let mut words = line.split_whitespace().map(|word| fold(word).replace('.', ""));
    let first = words.next().unwrap_or_default();
    let first = first.trim_end_matches([':', ',']);
    let second = words.next().unwrap_or_default();
    let second = second.trim_end_matches([':', ',']);
    match first {
        "zu" => matches!(second, "handen" | "hd"),
        "alla" | "all" | "ac" | "co" => {
            line.trim_end().contains(':') || matches!(second, "ca" | "attenzione" | "cortese")
        }
        "care" => second == "of",
        "a" => {
            matches!(second, "la" | "l'attention")
                && (fold(line).contains("att") || fold(line).contains("atenc"))
        }
        first => ATTENTION_WORDS.contains(&first),
    }
}

/// A name without the form of address before it.
pub(super) fn without_form_of_address(name: &str) -> &str {
    let name = name.trim();
    let Some((first, rest)) = name.split_once(char::is_whitespace) else { return name };
    let folded = fold(first).replace('.', "");
    let second = fold(rest.split_whitespace().next().unwrap_or_default());
    if AND_WORDS.contains(&second.as_str()) || second == "&" {
        return name;
    }
    if PERSONAL_FORMS.contains(&folded.as_str()) || matches!(first, "M." | "D.") { rest.trim() } else { name }
}

/// Whether a line is a sender with its address, as it stands above an address in a window.
pub(super) fn is_sender_line(line: &str) -> bool {
    line.split_whitespace().count() >= 5 && has_postcode(line)
}

/// Whether a line closes a letter: "Kind regards,".
pub(super) fn is_closing(line: &str) -> bool {
    const STARTS: [&str; 25] = [
        "mit freundlichen",
        "mit besten",
        "freundliche gru",
        "beste gru",
        "viele gru",
        "hochachtungsvoll",
        "kind regards",
        "best regards",
        "yours ",
        "with kind",
        "regards",
        "sincerely",
        "atentamente",
        "reciba",
        "un saludo",
        "saludos",
        "cordialement",
        "bien cordialement",
        "distinti saluti",
        "cordiali saluti",
        "met vriendelijke",
        "met de meeste",
        "hoogachtend",
        "com os melhores",
        "atenciosamente",
    ];
    const PARTS: [&str; 5] = ["salutations", "cumprimentos", "saluti", "atentamente", "groet"];
    let folded = fold(line);
    STARTS.iter().any(|start| folded.starts_with(start)) || PARTS.iter().any(|part| folded.contains(part))
}

/// Whether a line below a name only tells the trade: "Bookkeeping · Tax · Audit". It has words between marks, and no way to
/// reach anybody.
pub(super) fn tells_trade(line: &str) -> bool {
    let parts: Vec<&str> = line.split(['·', '•', '|']).map(str::trim).collect();
    parts.len() > 1
        && parts.iter().all(|part| !part.is_empty() && part.split_whitespace().count() <= 6)
        && !line.bytes().any(|byte| byte.is_ascii_digit())
        && !line.contains('@')
}
