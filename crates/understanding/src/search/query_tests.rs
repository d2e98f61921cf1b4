use proptest::prelude::*;

use super::*;

fn parse(text: &str) -> Query {
    parse_query(text, |key| ["total_amount", "species", "status"].contains(&key)).unwrap()
}

fn word(text: &str) -> Term {
    Term::Word(text.to_owned())
}

fn phrase(text: &str, is_open: bool) -> Term {
    Term::Phrase { words: text.split(' ').map(str::to_owned).collect(), is_open }
}

#[test]
fn words_phrases_prefixes_and_exclusions_are_told_apart() {
    let query = parse("Crónica \"dolor de OÍDO\" vacun* -borrador -\"no apto\"");
    assert_eq!(
        query.terms,
        [word("cronica"), phrase("dolor de oido", false), Term::Prefix("vacun".to_owned())]
    );
    assert_eq!(query.excluded, [word("borrador"), phrase("no apto", false)]);
    assert_eq!(query.text, "Crónica dolor de OÍDO vacun");
}

#[test]
fn known_keys_are_filters_and_other_colons_are_words() {
    let query = parse("species:canino -status:FAILED total_amount:>100 12:30 https://example.com/a note: x");
    let keys: Vec<_> = query.filters.iter().map(|filter| (filter.key.as_str(), filter.is_negated)).collect();
    assert_eq!(keys, [("species", false), ("status", true), ("total_amount", false)]);
    assert_eq!(
        query.terms,
        [phrase("12 30", false), phrase("https example com a", false), word("note"), word("x")]
    );
    let quoted = parse("species:\"gato común\" perro");
    assert!(matches!(&quoted.filters[0].condition, Condition::Is { words, .. } if words == "gato comun"));
    assert_eq!(quoted.terms, [word("perro")]);
}

#[test]
fn a_filter_that_cannot_be_read_is_refused_with_its_key() {
    let refuse = |text: &str| parse_query(text, |key| key == "total_amount").unwrap_err().to_string();
    assert!(refuse("total_amount:>much").starts_with("total_amount: needs a number"));
    assert!(refuse("total_amount:").starts_with("total_amount: needs a value"));
    assert!(refuse(&"x".repeat(2_001)).contains("2000 characters"));
    assert!(refuse(&"-x ".repeat(41)).contains("40 phrases"));
}

#[test]
fn of_a_long_text_the_words_that_say_most_are_looked_for() {
    let text = format!("\"otitis externa\" the of {} {}", "luna ".repeat(30), numbered_words(60));
    let query = parse(&text);
    assert_eq!(query.terms.len(), MAX_QUERY_TERMS);
    assert_eq!(query.terms[..2], [phrase("otitis externa", false), word("luna")]);
    assert!(query.terms.contains(&word("w37")) && !query.terms.contains(&word("w38")));
    assert!(query.text.ends_with("w59"), "its meaning is that of the whole text");
}

#[test]
fn a_beginning_that_is_too_short_is_left_out() {
    assert_eq!(Query::of_beginnings("last.P").terms, [phrase("last", false)]);
    assert_eq!(Query::of_beginnings("last.pdf").terms, [phrase("last pdf", true)]);
    assert_eq!(Query::of_beginnings("luna o").terms, [Term::Prefix("luna".to_owned())]);
    assert_eq!(Query::of_beginnings("o").terms, [word("o")]);
    assert_eq!(Query::of_beginnings("\"vitamina c\"").terms, [phrase("vitamina c", false)]);
    let mut typed = parse("vitamina c");
    typed.leave_open();
    assert_eq!(typed.terms, [Term::Prefix("vitamina".to_owned())]);
}

#[test]
fn a_sentence_without_spaces_is_looked_for_by_its_signs() {
    let sentence: String = (0x4E00..0x4E00 + 60).filter_map(char::from_u32).collect();
    assert_eq!(parse(&sentence).terms.len(), MAX_QUERY_TERMS);
    assert!(matches!(&parse(&sentence[..30]).terms[..], [Term::Phrase { words, .. }] if words.len() == 10));
}

fn numbered_words(count: usize) -> String {
    (0..count).map(|number| format!("w{number}")).collect::<Vec<_>>().join(" ")
}

#[test]
fn unbalanced_quotes_signs_and_invisible_characters_are_harmless() {
    assert_eq!(parse("\"dolor de").terms, [phrase("dolor de", false)]);
    assert_eq!(parse("a\"b c\"").terms, [word("a"), phrase("b c", false)]);
    assert_eq!(parse("'; DROP TABLE documents; --").terms, [word("drop"), word("table"), word("documents")]);
    for nothing in ["", "   ", "\"\"", "-", "* - \"", "\u{200B}\u{FEFF}", "(((((", "-\"\"", "%%", "\\"] {
        assert!(parse(nothing).is_empty(), "{nothing:?}");
    }
    assert_eq!(parse("pe\u{200B}rro").terms, [word("perro")]);
}

#[test]
fn the_last_word_of_a_person_who_types_is_a_beginning() {
    let mut query = parse("dolor oid");
    query.leave_open();
    assert_eq!(query.terms, [word("dolor"), Term::Prefix("oid".to_owned())]);
    let mut query = parse("10-bis");
    query.leave_open();
    assert_eq!(query.terms, [phrase("10 bis", true)]);
}

/// One or two letters begin so many words that reading them all would stop the index.
#[test]
fn a_beginning_of_one_or_two_letters_is_a_whole_word() {
    assert_eq!(parse("a* lu* 10-b*").terms, [word("a"), word("lu"), phrase("10 b", false)]);
    assert_eq!(parse("lun* 귀*").terms, [Term::Prefix("lun".to_owned()), Term::Prefix("귀".to_owned())]);
    let mut query = parse("dolor o");
    query.leave_open();
    assert_eq!(query.terms, [Term::Prefix("dolor".to_owned())]);
}

#[test]
fn long_phrases_and_many_beginnings_are_refused_or_cut() {
    let refuse = |text: &str| parse_query(text, |_| false).unwrap_err();
    let phrase = format!("\"{}\"", "a ".repeat(MAX_PHRASE_WORDS + 1));
    assert_eq!(refuse(&phrase), QueryError::LongPhrase);
    assert_eq!(refuse(&format!("-{phrase}")), QueryError::LongPhrase);
    assert_eq!(refuse(&"vacun* ".repeat(MAX_PREFIXES + 1)), QueryError::TooManyPrefixes);
    assert!(parse_query(&"vacun* ".repeat(MAX_PREFIXES), |_| false).is_ok());
    assert_eq!(Query::of_beginnings(&phrase).terms[0].words().len(), MAX_PHRASE_WORDS);
    for flood in ["vacun ", "vacun* ", "-vacun "] {
        let query = Query::of_beginnings(&flood.repeat(30));
        let terms: Vec<_> = query.terms.iter().chain(&query.excluded).collect();
        assert_eq!(terms.len(), 30);
        assert!(terms.iter().skip(30 - MAX_PREFIXES).all(|term| term.is_open()), "the last are unfinished");
        assert!(terms.iter().take(30 - MAX_PREFIXES).all(|term| !term.is_open()), "{flood}");
    }
}

#[test]
fn a_filter_of_a_list_has_beginnings_and_no_keys() {
    let query = Query::of_beginnings("lun \"dos tres\" status:x -borr 10-bis");
    assert_eq!(
        query.terms,
        [
            Term::Prefix("lun".to_owned()),
            phrase("dos tres", false),
            phrase("status x", false),
            phrase("10 bis", true)
        ]
    );
    assert_eq!(query.excluded, [Term::Prefix("borr".to_owned())]);
    assert_eq!(Query::of_beginnings(&"abc ".repeat(100)).terms.len(), MAX_QUERY_TERMS);
}

proptest! {
    #[test]
    fn any_text_is_a_query_or_refused(text in "\\PC{0,300}|[-\"a-c:*>. «\u{200B}]{0,60}") {
        if let Ok(query) = parse_query(&text, |key| key == "a") {
            for term in query.terms.iter().chain(&query.excluded) {
                let words = match term {
                    Term::Word(word) | Term::Prefix(word) => std::slice::from_ref(word),
                    Term::Phrase { words, .. } => words,
                };
                prop_assert!(!words.is_empty());
                prop_assert!(words.iter().all(|word| !word.is_empty() && !word.contains(['"', '\'', ' ', '*'])));
            }
        }
    }

    #[test]
    fn plain_words_are_asked_for_in_their_order(words in prop::collection::vec("[a-z]{1,8}", 1..20)) {
        let expected: Vec<Term> = words.iter().map(|text| word(text)).collect();
        prop_assert_eq!(parse(&words.join(" ")).terms, expected);
    }
}
