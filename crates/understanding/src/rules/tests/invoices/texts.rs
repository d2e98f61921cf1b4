//! Invoices as texts, in the form of the made records: what each looks like, its language, the right values, and, below a
//! line of dashes, the page as it looks.
//!
//! `cargo test -p quire-understanding invoices_as_texts -- --nocapture` prints the scores.

use std::collections::{BTreeMap, BTreeSet};

use super::super::made_records::MadeRecord;
use super::super::scoring::Tally;
use crate::rules::{DocumentHints, find_fields};
use crate::{Field, Schema, SchemaFile, SchemaFormat, Value};
use quire_domain::reading::Page;

macro_rules! made {
    ($($name:literal),* $(,)?) => { [$(($name, include_str!(concat!("texts/", $name, ".txt")))),*] };
}

/// The texts that the rules were tuned on. Those from `de_dienstleister` on were written, and measured, before anybody
/// looked at the rules; docs/benchmarks.md has that first score.
pub(super) const TUNED: [(&str, &str); 24] = made![
    "swiss",
    "us",
    "irpf",
    "one_line",
    "de_dienstleister",
    "de_einzeiler",
    "fr_artisan",
    "fr_abonnement",
    "nl_webwinkel",
    "it_studio",
    "pt_armazem",
    "en_us_services",
    "en_uk_statement",
    "es_suministro",
    "es_autonomo",
    "de_telefon",
    "de_gutschrift",
    "fr_hotel",
    "fr_informatique",
    "it_del",
    "nl_energie",
    "pt_loja",
    "es_hotel",
    "en_shop",
];

/// The texts that were kept apart.
pub(super) const KEPT_APART: [(&str, &str); 6] =
    made!["kept_fr", "kept_es", "kept_de_slash", "kept_nl_brief", "kept_es_ticket", "kept_pt_servicos"];

/// The texts that were kept apart later, written before the rules were changed again. They are only measured; their first
/// score stands in docs/benchmarks.md.
pub(super) const KEPT_APART_LATER: [(&str, &str); 9] = made![
    "apart_de_netto_brutto",
    "apart_en_au",
    "apart_en_uk_gutter",
    "apart_es_recargo",
    "apart_fr_devis",
    "apart_fr_acompte",
    "apart_it_elettronica",
    "apart_nl_zzp",
    "apart_pt_fatura_recibo",
];

/// The texts of the third generation that was kept apart, in the styles of hotels, utilities, carriers and subscriptions.
pub(super) const KEPT_APART_LAST: [(&str, &str); 9] = made![
    "aside_de_grosshandel",
    "aside_de_kurs",
    "aside_fr_transport",
    "aside_it_acqua",
    "aside_nl_telecom",
    "aside_pt_agua",
    "aside_es_gasoil",
    "aside_en_folio",
    "aside_en_saas",
];

/// The fourth generation. It was written after the rules had been changed by the mistakes of the third.
const FRESH: [(&str, &str); 7] = made![
    "fresh_de_agentur",
    "fresh_en_us_parts",
    "fresh_it_officina",
    "fresh_fr_portes",
    "fresh_es_taller",
    "fresh_nl_fiets",
    "fresh_pt_oficina",
];

/// The name of a text, and the text.
type NamedText = (&'static str, &'static str);

/// An invoice: its pages, its language and its right values.
pub(in crate::rules::tests) struct TextInvoice {
    pub pages: Vec<Page>,
    pub language: &'static str,
    pub fields: Vec<(&'static str, &'static str)>,
}

impl TextInvoice {
    pub(in crate::rules::tests) fn of(file: &'static str) -> Self {
        let mut record = MadeRecord::of(file);
        let (_, language) = record.fields.remove(0);
        Self { pages: record.pages, language, fields: record.fields }
    }
}

fn shown(field: &Field) -> String {
    match &field.value {
        Value::Text(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        other => format!("{other:?}"),
    }
}

/// The scores of some texts.
#[derive(Default)]
struct Scores {
    all: Tally,
    by_language: BTreeMap<String, Tally>,
    by_key: BTreeMap<String, Tally>,
    by_layout: BTreeMap<String, Tally>,
    mistakes: Vec<String>,
}

impl Scores {
    fn of(texts: &[(&str, &'static str)]) -> Self {
        let [_, schema, ..] = SchemaFile::built_in();
        Self::by(&schema.schema, &|key| Some(key), texts)
    }

    /// The scores of a schema whose keys have other names: the function names the key of a right value.
    fn by(
        schema: &Schema,
        own_name: &dyn Fn(&'static str) -> Option<&'static str>,
        texts: &[(&str, &'static str)],
    ) -> Self {
        let mut scores = Self::default();
        for (name, file) in texts {
            let mut invoice = TextInvoice::of(file);
            invoice.fields =
                invoice.fields.iter().filter_map(|(key, value)| Some((own_name(key)?, *value))).collect();
            let hints = DocumentHints { language: Some(invoice.language), today: Some(super::super::TODAY) };
            scores.add(name, &invoice, &find_fields(&invoice.pages, schema, hints));
        }
        scores
    }

    fn add(&mut self, layout: &str, invoice: &TextInvoice, fields: &[Field]) {
        let found = fields.iter().filter(|field| field.key != "line_item" && !field.value.is_empty());
        let got: BTreeMap<&str, String> = found.map(|field| (field.key.as_str(), shown(field))).collect();
        let wanted: BTreeMap<&str, &str> = invoice.fields.iter().copied().collect();
        let keys: BTreeSet<&str> = got.keys().chain(wanted.keys()).copied().collect();
        for key in keys {
            let (want, got) = (wanted.get(key).copied(), got.get(key).map(String::as_str));
            self.by_language.entry(invoice.language.to_owned()).or_default().count(want, got);
            self.by_key.entry(key.to_owned()).or_default().count(want, got);
            self.by_layout.entry(layout.to_owned()).or_default().count(want, got);
            if !self.all.count(want, got) {
                self.mistakes.push(format!("{layout} {key}: want {want:?}, got {got:?}"));
            }
        }
    }

    fn print(&self, name: &str) {
        println!("{name}: F1 {:.3}", self.all.f1());
        for part in [&self.by_language, &self.by_key, &self.by_layout] {
            let row: Vec<String> =
                part.iter().map(|(name, tally)| format!("{name} {:.2}", tally.f1())).collect();
            println!("  {}", row.join(", "));
        }
        if std::env::var_os("QUIRE_SHOW_MISTAKES").is_some() {
            println!("{}", self.mistakes.join("\n"));
        }
    }
}

/// The rules and the texts were written by the same people: on other invoices the scores are lower.
#[test]
fn invoices_as_texts_are_read_in_seven_languages() {
    let tuned = Scores::of(&TUNED);
    tuned.print("invoices as texts that the rules were tuned on");
    let kept_apart = Scores::of(&KEPT_APART);
    kept_apart.print("invoices as texts that were kept apart");
    let kept_apart_later = Scores::of(&KEPT_APART_LATER);
    kept_apart_later.print("invoices as texts that were kept apart later");
    let kept_apart_last = Scores::of(&KEPT_APART_LAST);
    kept_apart_last.print("invoices as texts that were kept apart last");
    let fresh = Scores::of(&FRESH);
    fresh.print("invoices as texts of the freshest generation kept apart");
    assert!(fresh.all.f1() >= 0.80, "{:.3}", fresh.all.f1());
    assert!(tuned.all.f1() >= 0.97, "{:.3}\n{}", tuned.all.f1(), tuned.mistakes.join("\n"));
    for (part, name, least) in [
        (&kept_apart, "kept apart", 0.93),
        (&kept_apart_later, "kept apart later", 0.93),
        (&kept_apart_last, "kept apart last", 0.90),
    ] {
        assert!(part.all.f1() >= least, "{name}: {:.3}", part.all.f1());
    }
}

/// The key of the schema written in ten minutes that has the values of a key of the built-in one.
fn own_name(key: &'static str) -> Option<&'static str> {
    let names = [
        ("invoice_number", "number"),
        ("issue_date", "date"),
        ("net_amount", "net"),
        ("total_amount", "total"),
        ("customer_name", "customer"),
    ];
    names.iter().find(|(built_in, _)| *built_in == key).map(|(_, own)| *own)
}

/// A schema with five keys and a few German and French labels finds nearly as much as the built-in one, in all languages.
#[test]
fn a_schema_written_in_ten_minutes_reads_invoices() {
    let own = SchemaFile::parse("own_schema.toml", include_str!("own_schema.toml"), SchemaFormat::Toml)
        .unwrap()
        .schema;
    let sets: [(&str, &[NamedText], f64); 4] = [
        ("tuned", &TUNED, 0.95),
        ("kept apart", &KEPT_APART, 0.93),
        ("kept apart later", &KEPT_APART_LATER, 0.90),
        ("kept apart last", &KEPT_APART_LAST, 0.90),
    ];
    for (name, texts, least) in sets {
        let scores = Scores::by(&own, &own_name, texts);
        scores.print(&format!("own schema, invoices as texts, {name}"));
        assert!(scores.all.f1() >= least, "{name}: {:.3}", scores.all.f1());
    }
}
