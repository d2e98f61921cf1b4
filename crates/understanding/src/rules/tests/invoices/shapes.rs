//! Shapes of single values on invoices: total blocks, numbers, names, tax numbers and currencies as documents write them.

use super::super::made_records::page_of_text;
use super::super::page_builder::PageBuilder;
use crate::rules::{DocumentHints, find_fields};
use crate::{Field, SchemaFile, Value};

const HEAD: &str = "Tischlerei Ahorn GmbH\nWerkstraße 9\n86153 Augsburg\n\nHausverwaltung Mitte AG\nBahnhofstraße 22\n86150 \
                    Augsburg\n\n";
const NUMBER: &str = "Rechnungsnummer: 4711\nRechnungsdatum: 14.11.2023\n\n";
const ITEMS: &str = "Bezeichnung                          Menge    Preis        Betrag\n\
                     Türen einbauen                       12       50,00        600,00\n\n";
const TOTALS: &str = "Nettobetrag                                                600,00 €\n\
                      MwSt. 19 %                                                 114,00 €\n\
                      Gesamtbetrag                                               714,00 €\n";

fn read(text: &str) -> Vec<Field> {
    let [_, schema, ..] = SchemaFile::built_in();
    let hints = DocumentHints { language: None, today: Some(super::super::TODAY) };
    find_fields(&[page_of_text(text)], &schema.schema, hints)
}

fn value(fields: &[Field], key: &str) -> Option<String> {
    let field = fields.iter().find(|field| field.key == key && !field.value.is_empty())?;
    Some(match &field.value {
        Value::Text(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        other => format!("{other:?}"),
    })
}

/// The value of a key in an invoice with this head and these totals.
fn value_in(key: &str, number: &str, totals: &str) -> Option<String> {
    value(&read(&format!("{HEAD}{number}{ITEMS}{totals}")), key)
}

fn assert_sums(totals: &str, wanted: [&str; 3]) {
    let fields = read(&format!("{HEAD}{NUMBER}{ITEMS}{totals}"));
    let got = ["net_amount", "tax_amount", "total_amount"].map(|key| value(&fields, key).unwrap_or_default());
    assert_eq!(got, wanted, "{totals}");
}

/// The net amount and the total may have the same label. What adds up tells them apart.
#[test]
fn sums_with_like_labels_are_told_apart_by_adding_up() {
    for [net, tax, total] in [
        ["Summe", "MwSt. 19 %", "Gesamt"],
        ["Total", "+ 19% MwSt", "Total inkl. MwSt"],
        ["Gesamt (netto)", "MwSt. (19%)", "Gesamt (brutto)"],
        ["Total (excl. VAT)", "VAT@19%", "Total (incl. VAT)"],
        ["Total (Base imponible)", "IVA (19%)", "Total a pagar"],
        ["Summe netto in EUR", "MwSt. 19 % in EUR", "Rechnungsbetrag in EUR"],
        ["Nettowarenwert", "enthaltene MwSt. 19 %", "Gesamtbetrag in EUR"],
        ["Totale", "IVA 19%", "Totale documento"],
        ["Total HT", "T.V.A. 19 %", "Total"],
    ] {
        let row = |label: &str, sum: &str| format!("{label:40}{sum}\n");
        let totals = format!("{}{}{}", row(net, "600,00 €"), row(tax, "114,00 €"), row(total, "714,00 €"));
        assert_sums(&totals, ["600", "114", "714"]);
    }
}

#[test]
fn the_sum_of_the_only_item_may_be_the_net_amount() {
    assert_sums(
        "Gesamtbetrag                            714,00 €\nenthaltene MwSt. 19 %                   114,00 €\n",
        ["600", "114", "714"],
    );
}

#[test]
fn a_total_without_tax_has_no_net_amount() {
    assert_sums("Gesamtbetrag                            600,00 €\n", ["", "", "600"]);
}

#[test]
fn dashes_for_cents_are_no_minus_signs() {
    for [net, tax, total] in [
        ["600,- €", "114,- €", "714,- €"],
        ["600,-- €", "114,-- €", "714,-- €"],
        ["€ 600,-", "€ 114,-", "€ 714,-"],
        ["600.— EUR", "114.— EUR", "714.— EUR"],
    ] {
        let totals = TOTALS.replace("600,00 €", net).replace("114,00 €", tax).replace("714,00 €", total);
        assert_sums(&totals, ["600", "114", "714"]);
    }
    for [net, tax, total] in [
        ["-600,00 €", "-114,00 €", "-714,00 €"],
        ["−600,00 €", "−114,00 €", "−714,00 €"],
        ["600,00- €", "114,00- €", "714,00- €"],
        ["(600,00) €", "(114,00) €", "(714,00) €"],
        ["-600,- €", "-114,- €", "-714,- €"],
    ] {
        let totals = TOTALS.replace("600,00 €", net).replace("114,00 €", tax).replace("714,00 €", total);
        assert_sums(&totals, ["-600", "-114", "-714"]);
    }
}

#[test]
fn the_number_of_an_invoice_keeps_its_series_and_its_groups() {
    for (line, wanted) in [
        ("Rechnung Nr. RE 2023-117", "RE 2023-117"),
        ("Rechnungs-Nr.: R 2024-117", "R 2024-117"),
        ("Invoice No: INV 00123", "INV 00123"),
        ("Factura: A 24/1180", "A 24/1180"),
        ("Fatura FT 2024A/512", "FT 2024A/512"),
        ("Rechnungsnummer: 2023 0117", "2023 0117"),
        ("Rechnungsnummer: 202311140017", "202311140017"),
        ("Notanummer        1122334455", "1122334455"),
    ] {
        let number = format!("{line}\nDatum: 14.11.2023\n\n");
        assert_eq!(value_in("invoice_number", &number, TOTALS).as_deref(), Some(wanted), "{line}");
    }
}

#[test]
fn short_and_spaced_dates_are_dates() {
    for (line, wanted) in [
        ("Invoice Date: 12 Feb 24", "2024-02-12"),
        ("Rechnungsdatum: 05. 03. 2024", "2024-03-05"),
        ("FATTURA N. 12/2024 DEL 28/02/2024", "2024-02-28"),
        ("Tax Date: 14/11/2023", "2023-11-14"),
        ("Rechnungs- und Leistungsdatum: 14.11.2023", "2023-11-14"),
    ] {
        let number = format!("Rechnungsnummer: 4711\n{line}\n\n");
        assert_eq!(value_in("issue_date", &number, TOTALS).as_deref(), Some(wanted), "{line}");
    }
}

#[test]
fn a_heading_is_no_name_and_a_form_of_address_no_part_of_one() {
    let invoice = |customer: &str| {
        format!(
            "Peak Fitness Ltd\n3 Mill Lane, Leeds LS1 4AB\n\nInvoice No. 87\n\n{customer}\n\n{ITEMS}{TOTALS}"
        )
    };
    for (customer, wanted) in [
        ("Billing Address\nTom Barker\n4 Fen Lane\nEly CB7 5AA", "Tom Barker"),
        (
            "Sold To:                     Ship To:\nLakeview Dental Group        Lakeview Dental Group\n99 Alameda Ave               99 \
             Alameda Ave\nDenver, CO 80223             Denver, CO 80223",
            "Lakeview Dental Group",
        ),
        (
            "Invoice For:\nBoulder Valley School District\n6500 Arapahoe Rd\nBoulder, CO 80303",
            "Boulder Valley School District",
        ),
        ("Spett.le Cooperativa Sole S.c.a.r.l.\nVia Roma 3\n50100 Firenze", "Cooperativa Sole S.c.a.r.l."),
        ("Sres.\nBodegas Alba\nCalle Mayor 3\n26001 Logroño", "Bodegas Alba"),
    ] {
        assert_eq!(value(&read(&invoice(customer)), "customer_name").as_deref(), Some(wanted), "{customer}");
    }
}

#[test]
fn a_labelled_name_goes_on_in_the_next_line() {
    let text = "Cedente/prestatore (fornitore)                 Cessionario/committente (cliente)\n\
                Identificativo fiscale ai fini IVA:            Identificativo fiscale ai fini IVA:\n\
                IT01234567897                                  IT09876543217\n\
                Denominazione: Forno Bianchi di                Denominazione: Trattoria La Torre\n\
                Bianchi Anna                                   S.a.s.\n\
                Indirizzo: Via Garibaldi 3                     Indirizzo: Piazza Duomo 1\n\n\
                Numero documento: 1/A\nData documento: 10-01-2024\n";
    let fields = read(text);
    for (key, wanted) in [
        ("supplier_name", "Forno Bianchi di Bianchi Anna"),
        ("customer_name", "Trattoria La Torre S.a.s."),
        ("supplier_tax_id", "IT01234567897"),
        ("customer_tax_id", "IT09876543217"),
        ("currency", "EUR"),
    ] {
        assert_eq!(value(&fields, key).as_deref(), Some(wanted), "{key}");
    }
}

#[test]
fn tax_numbers_are_found_in_groups_behind_the_tax_and_behind_possessives() {
    for (line, key, wanted) in [
        ("VAT Reg. No. 123 4567 82", "supplier_tax_id", "123456782"),
        ("VAT IE6388047V", "supplier_tax_id", "IE6388047V"),
        ("ABN 53 004 085 616", "supplier_tax_id", "53004085616"),
        ("V/ NIF: 506123453", "customer_tax_id", "506123453"),
        ("Ihre USt-IdNr.: DE811234565", "customer_tax_id", "DE811234565"),
    ] {
        let totals = format!("{TOTALS}\n{line}\n");
        assert_eq!(value_in(key, NUMBER, &totals).as_deref(), Some(wanted), "{line}");
    }
}

#[test]
fn the_currency_is_found_apart_from_the_sums() {
    let plain = TOTALS.replace(" €", "");
    for (totals, wanted) in [
        (plain.replace("  600,00", "€         600,00"), Some("EUR")),
        (plain.replace("Gesamtbetrag ", "Gesamtbetrag in Euro "), Some("EUR")),
        (plain.replace("Gesamtbetrag ", "Total (euros) "), Some("EUR")),
        (format!("{plain}\nVAT No. GB123456782\n"), Some("GBP")),
        (plain.clone(), None),
    ] {
        assert_eq!(value_in("currency", NUMBER, &totals).as_deref(), wanted, "{totals}");
    }
}

/// Columns of a narrow table stand nearer than cells usually do: their heads and values look like one line of text.
#[test]
fn values_below_the_heads_of_narrow_columns_are_told_apart() {
    let mut paper = PageBuilder::new();
    paper.text_at(50.0, 50.0, "Literie Bonnet SAS");
    paper.text_at(50.0, 64.0, "60000 Beauvais");
    paper.row(100.0, &[(50.0, "Avoir no"), (100.0, "Date"), (128.0, "Client")]);
    paper.row(112.0, &[(50.0, "AV240033"), (98.0, "01/03/2024"), (156.0, "4471")]);
    paper.row(150.0, &[(50.0, "Base HT"), (91.0, "Taux"), (119.0, "Montant TVA"), (180.0, "Total TTC")]);
    paper.row(162.0, &[(50.0, "-450,00"), (93.0, "20%"), (130.0, "-90,00"), (168.0, "-540,00")]);
    let [_, schema, ..] = SchemaFile::built_in();
    let hints = DocumentHints { language: Some("fr"), today: Some(super::super::TODAY) };
    let fields = find_fields(&[paper.page()], &schema.schema, hints);
    for (key, wanted) in [
        ("invoice_number", "AV240033"),
        ("issue_date", "2024-03-01"),
        ("net_amount", "-450"),
        ("tax_amount", "-90"),
        ("total_amount", "-540"),
    ] {
        assert_eq!(value(&fields, key).as_deref(), Some(wanted), "{key}");
    }
}
