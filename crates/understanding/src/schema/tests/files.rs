//! Schema files, and the messages about invalid ones.

use super::*;

const SMALL: &str = r#"
name = "delivery-note"
version = 3
title = { en = "Delivery note" }

[[sections]]
id = "note"

[[keys]]
key = "note_number"
section = "note"
labels = ["Nº de albarán", "Delivery note no"]
"#;

fn problems(text: &str) -> Vec<String> {
    let bad = SchemaFile::parse("my.toml", text, SchemaFormat::Toml).unwrap_err();
    assert_eq!(bad.file, "my.toml");
    bad.problems.iter().map(ToString::to_string).collect()
}

/// The small file with one part replaced.
fn with(old: &str, new: &str) -> String {
    assert!(SMALL.contains(old), "{old}");
    SMALL.replace(old, new)
}

#[test]
fn members_that_a_file_leaves_out_have_defaults() {
    let file = SchemaFile::parse("my.toml", SMALL, SchemaFormat::Toml).unwrap();
    assert_eq!((file.version, file.schema.name.as_str()), (3, "delivery-note"));
    let key = &file.schema.keys[0];
    assert_eq!(key.labels.to_vec(), ["no de albaran", "delivery note no"], "as labels are compared");
    assert_eq!(
        (key.value_type, key.normaliser, key.scope),
        (ValueType::String, Normaliser::Text, Scope::Document)
    );
    assert!(!key.repeatable && !key.critical && !key.optional && key.validators.is_empty());
    let dated = with("section = \"note\"\nlabels", "section = \"note\"\nvalue_type = \"date\"\nlabels");
    let dated = SchemaFile::parse("my.toml", &dated, SchemaFormat::Toml).unwrap();
    assert_eq!(dated.schema.keys[0].normaliser, Normaliser::Date);
}

#[test]
fn json_and_toml_files_give_the_same_schema() {
    let json = r#"{"version": 3, "title": {"en": "Delivery note"}, "sections": [{"id": "note"}],
        "keys": [{"labels": ["Nº de albarán", "Delivery note no"], "section": "note", "key": "note_number"}],
        "name": "delivery-note"}"#;
    let (one, two) = (
        SchemaFile::parse("my.json", json, SchemaFormat::Json),
        SchemaFile::parse("my.toml", SMALL, SchemaFormat::Toml),
    );
    assert_eq!(one, two);
    assert_eq!(
        (SchemaFormat::of("my.JSON"), SchemaFormat::of("a.b.toml")),
        (Some(SchemaFormat::Json), Some(SchemaFormat::Toml))
    );
    assert_eq!((SchemaFormat::of("toml"), SchemaFormat::of("notes.txt")), (None, None));
    for wrong in ["[]", "{", "null", r#"{"name": null}"#] {
        assert!(SchemaFile::parse("my.json", wrong, SchemaFormat::Json).is_err(), "{wrong}");
    }
}

/// A schema says which languages its documents have. Words of others are not looked for, and an unknown one is refused.
#[test]
fn only_words_of_the_languages_of_a_schema_are_kept() {
    let words = "labels.es = [\"albarán\"]\nlabels.de = [\"lieferschein\"]\nlabels.any = [\"no\"]";
    let text = with("labels = [\"Nº de albarán\", \"Delivery note no\"]", words);
    let parse = |languages: &str| {
        let text = text.replace("version = 3", &format!("version = 3\n{languages}"));
        SchemaFile::parse("my.toml", &text, SchemaFormat::Toml)
    };
    let all = parse("").unwrap().schema;
    assert_eq!(all.keys[0].labels.to_vec(), ["lieferschein", "albaran", "no"]);
    let german = parse("languages = [\"de\", \"fr\"]").unwrap().schema;
    assert_eq!(german.keys[0].labels.to_vec(), ["lieferschein", "no"]);
    assert_eq!(german.languages, ["de", "fr"]);
    let written = SchemaFile::parse("my.toml", &german.to_toml(3), SchemaFormat::Toml).unwrap();
    assert_eq!(written.schema, german);
    let problem = |languages: &str| parse(languages).unwrap_err().problems[0].to_string();
    assert_eq!(
        problem("languages = [\"de\", \"xx\"]"),
        "languages.2 is unknown: \"xx\"; use one of es, en, de, fr, it, nl, pt"
    );
    assert_eq!(problem("languages = [\"de\", \"de\"]"), "languages.2 repeats \"de\"; remove it");
    assert_eq!(problem("languages = \"de\""), "languages must be a list of words");
}

/// Dates are read by the habits of a language that the schema has.
#[test]
fn a_document_in_another_language_is_read_by_the_habits_of_the_schema() {
    let schema = |languages: &[&str]| Schema {
        languages: languages.iter().map(|&language| language.to_owned()).collect(),
        ..Schema::default()
    };
    assert_eq!(schema(&[]).language_of(Some("en")), Some("en"));
    assert_eq!(schema(&["de", "fr"]).language_of(Some("fr")), Some("fr"));
    assert_eq!(schema(&["de", "fr"]).language_of(Some("en")), Some("de"));
    assert_eq!(schema(&["de"]).language_of(None), Some("de"));
    assert_eq!(schema(&["es", "en"]).language_of(None), None, "in English the month may come first");
    assert_eq!(schema(&["en"]).language_of(Some("da")), Some("en"));
}

#[test]
fn the_content_hash_ignores_version_and_comments() {
    let hash = |text: &str| SchemaFile::parse("my.toml", text, SchemaFormat::Toml).unwrap().content_hash;
    let same = with("version = 3", "version = 4 # said again");
    assert_eq!(hash(&same), hash(SMALL));
    assert_ne!(hash(&with("Delivery note no", "Delivery no")), hash(SMALL));
}

/// Checks that each file has the problem beside it.
fn has_problems(table: &[(String, &str)]) {
    for (text, wanted) in table {
        let found = problems(text);
        assert!(found.iter().any(|problem| problem.starts_with(wanted)), "{wanted}\n{found:#?}");
    }
}

#[test]
fn a_problem_of_a_file_is_reported_with_its_place_and_reason() {
    has_problems(&[
        (with("name = \"delivery-note\"", ""), "name is missing"),
        (with("\"delivery-note\"", "\"Delivery Note\""), "name must be lower-case letters, digits"),
        (with("version = 3", "version = 0"), "version must be a whole number from 1"),
        (with("version = 3", "version = \"3\""), "version must be a whole number from 1"),
        (
            with("version = 3", "version = 3\ncolour = 1"),
            "colour is unknown; use one of: version, name, title, sections, keys, headings, other_labels, other_dates, names, languages, extractor",
        ),
        (
            with("version = 3", "version = 3\nother_labels = [\"delivery note no\"]"),
            "other_labels has \"delivery note no\", which is also a label of note_number",
        ),
        (
            format!("{SMALL}\n[[headings]]\nsection = \"who\"\nwords = [\"who\"]"),
            "headings.who.section names \"who\"",
        ),
        (format!("{SMALL}\n[[sections]]\nid = \"note\""), "sections.note occurs twice"),
        ("name = \"x\"\nversion = 1".to_owned(), "keys are missing; add at least one"),
        ("name = \"x\"\nversion = 1\nkeys = 3".to_owned(), "keys must be a list of tables, [[keys]]"),
        ("name = ".to_owned(), "is not valid TOML: "),
        (" ".repeat(300 << 10), "has 300 KB; the limit is 256 KB"),
    ]);
}

#[test]
fn a_problem_of_a_key_is_reported_with_its_place_and_reason() {
    let key = "section = \"note\"\nlabels";
    let add = |member: &str| with(key, &format!("section = \"note\"\n{member}\nlabels"));
    let another = |name: &str, labels: &str| {
        format!("{SMALL}\n[[keys]]\nkey = \"{name}\"\nsection = \"note\"\nlabels = [{labels}]\n")
    };
    has_problems(&[
        (with("note_number", "NoteNumber"), "keys.NoteNumber.key must be snake_case"),
        (with("key = \"note_number\"", ""), "keys.1.key is missing"),
        (
            with("section = \"note\"", "section = \"other\""),
            "keys.note_number.section names \"other\", which is not among the sections: note",
        ),
        (add("panel = \"x\""), "keys.note_number.section names \"x\", which is not among the sections: note"),
        (add("aliases = [\"Number\"]"), "keys.note_number.aliases has \"Number\", which is not snake_case"),
        (
            add("aliases = [\"note_number\"]"),
            "keys.note_number.aliases has \"note_number\", which is the name of a key",
        ),
        (
            add("value_type = \"text\""),
            "keys.note_number.value_type is unknown: \"text\"; use one of string, date,",
        ),
        (
            add("normaliser = \"shout\""),
            "keys.note_number.normaliser is unknown: \"shout\"; use one of text, date,",
        ),
        (
            add("value_type = \"date\"\nnormaliser = \"sum\""),
            "keys.note_number.normaliser does not produce a date; remove it, or use date",
        ),
        (
            add("scope = \"page\""),
            "keys.note_number.scope is unknown: \"page\"; use one of document, visit, metadata",
        ),
        (add("scope = \"visit\""), "keys.note_number.scope needs visits, and the schema has none"),
        (add("at_visits = true"), "keys.note_number.at_visits needs visits"),
        (
            with("\"note_number\"", "\"seen_on\"\nscope = \"metadata\"\nvalue_type = \"date\""),
            "keys.seen_on.scope cannot be \"metadata\", except for these keys: visit_date, admission_date, \
             discharge_date, reason_for_visit; use scope = \"visit\"",
        ),
        (
            with("\"note_number\"", "\"admission_date\"\nscope = \"metadata\"\nvalue_type = \"date\""),
            "keys.admission_date.scope needs visits, and the schema has none; add key = \"visit_date\" with",
        ),
        (add("critical = \"yes\""), "keys.note_number.critical must be true or false"),
        (add("lables = []"), "keys.note_number.lables is unknown"),
        (
            with("section = \"note\"\n", "shared_labels = [\"number\"]\n"),
            "keys.note_number.shared_labels need a section",
        ),
        (add("title = \"Number\""), "keys.note_number.title must give titles by language"),
        (
            add("title = { english = \"Number\" }"),
            "keys.note_number.title.english must be a language of two lower-case letters",
        ),
        (
            add("lead_ins = [\"a b c d e f\"]"),
            "keys.note_number.lead_ins has \"a b c d e f\", which has more than 5 words",
        ),
        (with("[\"Nº de albarán\"", "[1, \"Nº de albarán\""), "keys.note_number.labels.1 must be text"),
        (with("Nº de albarán", "one two three four five six seven"), "keys.note_number.labels has \"one two"),
        (with("Nº de albarán", "—"), "keys.note_number.labels has \"—\", which has no letter"),
        (
            add("validators = { longest = 3 }"),
            "keys.note_number.validators.longest is unknown; use one of: one_of, max_length, min, max, pattern",
        ),
        (
            add("validators = { max_length = 0 }"),
            "keys.note_number.validators.max_length must be a whole number from 1",
        ),
        (add("validators = { min = 3 }"), "keys.note_number.validators.min applies to numbers only"),
        (
            add("value_type = \"number\"\nvalidators = { min = 3, max = 2.5 }"),
            "keys.note_number.validators.min is greater than max",
        ),
        (another("note_number", "\"other\""), "keys.note_number occurs twice"),
        (
            another("order", "\"nº de ALBARAN\""),
            "keys.order.labels has \"no de albaran\", which is also a label of note_number",
        ),
    ]);
}

#[test]
fn all_problems_are_reported_at_once_up_to_a_limit() {
    let text = SMALL.replace("version = 3", "version = -1");
    let text =
        text.replace("section = \"note\"\nlabels", "section = \"note\"\ncritical = 1\noptional = 2\nlabels");
    let bad = SchemaFile::parse("my.toml", &text, SchemaFormat::Toml).unwrap_err();
    assert_eq!(bad.problems.len(), 3, "{bad}");
    assert!(bad.to_string().starts_with("my.toml: 3 problems\n  version must be"), "{bad}");
    let many: Vec<String> = (0..600).map(|at| format!("[[keys]]\nkey = \"K{at}\"\n")).collect();
    let many = many.concat();
    let found = problems(&format!("name = \"x\"\nversion = 1\n{many}"));
    assert_eq!((found.len(), found[0].as_str()), (50, "keys are too many; the limit is 500"));
}

#[test]
fn a_schema_written_as_toml_parses_to_the_same_schema() {
    for file in SchemaFile::built_in() {
        let text = file.schema.to_toml(file.version);
        let again = SchemaFile::parse("again.toml", &text, SchemaFormat::Toml).unwrap();
        assert_eq!((again.version, &again.schema), (file.version, &file.schema));
    }
    let rich = with(
        "section = \"note\"\nlabels",
        "section = \"note\"\nvalue_type = \"number\"\ntitle = { en = 'a \"b\" \\ c' }\n\
         validators = { one_of = [\"1\", \"2\"], min = 1, max = 2.5, max_length = 3, pattern = \"0*\" }\nlabels",
    );
    let rich = SchemaFile::parse("my.toml", &rich, SchemaFormat::Toml).unwrap();
    let again = SchemaFile::parse("again.toml", &rich.schema.to_toml(3), SchemaFormat::Toml).unwrap();
    assert_eq!(again.schema, rich.schema);
}

/// A file from before sections and panels became one.
const WITH_PANELS: &str = r#"
name = "delivery-note"
version = 3

[[sections]]
id = "note"

[[panels]]
id = "sender"
title = { en = "Sender" }

[[headings]]
panel = "sender"
words = ["sender"]

[[keys]]
key = "note_number"
section = "note"

[[keys]]
key = "sender_name"
section = "note"
panel = "sender"
"#;

#[test]
fn a_file_with_panels_is_read_with_a_warning() {
    let file = SchemaFile::parse("my.toml", WITH_PANELS, SchemaFormat::Toml).unwrap();
    let ids: Vec<&str> = file.schema.sections.iter().map(|section| section.id.as_str()).collect();
    assert_eq!((ids, file.schema.section_title("sender", "en")), (vec!["sender"], "Sender"));
    let sections: Vec<_> = file.schema.keys.iter().map(|key| key.section.as_deref()).collect();
    assert_eq!(sections, [None, Some("sender")], "the form looks as it did");
    assert_eq!(file.schema.headings[0].section.as_deref(), Some("sender"));
    let [warning] = &file.warnings[..] else { panic!("{:?}", file.warnings) };
    assert!(warning.to_string().starts_with("uses the old names"), "{warning}");

    let renamed =
        WITH_PANELS.replace("section = \"note\"\npanel", "panel").replace("[[panels]]", "[[sections]]");
    let file = SchemaFile::parse("my.toml", &renamed, SchemaFormat::Toml).unwrap();
    let sections: Vec<_> = file.schema.keys.iter().map(|key| key.section.as_deref()).collect();
    assert_eq!((sections, file.warnings.len()), (vec![Some("note"), Some("sender")], 1));
    let both = WITH_PANELS.replace("[[panels]]", "[[sections]]");
    let file = SchemaFile::parse("my.toml", &both, SchemaFormat::Toml).unwrap();
    assert_eq!(file.schema.key("sender_name").unwrap().section.as_deref(), Some("sender"), "panel wins");
    let new = renamed.replace("panel = ", "section = ");
    let file = SchemaFile::parse("my.toml", &new, SchemaFormat::Toml).unwrap();
    assert_eq!(
        (file.schema.key("sender_name").unwrap().section.as_deref(), file.warnings),
        (Some("sender"), vec![])
    );
}
