//! Made e-invoices in every syntax, alone and inside a PDF.

use std::fmt::Write as _;
use std::io::Write as _;

use super::content::text_page;
use super::pdf::Pdf;

/// The syntaxes and profiles of e-invoices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// CII without lines: Factur-X MINIMUM and BASIC WL.
    CiiWithoutLines,
    /// CII: Factur-X and ZUGFeRD 2 from BASIC on.
    Cii,
    /// CII as XRechnung.
    XRechnungCii,
    /// ZUGFeRD 1.
    Zugferd1,
    /// UBL Invoice, also as XRechnung.
    UblInvoice,
    /// UBL `CreditNote`.
    UblCreditNote,
}

impl Syntax {
    /// All syntaxes.
    pub const ALL: [Self; 6] = [
        Self::CiiWithoutLines,
        Self::Cii,
        Self::XRechnungCii,
        Self::Zugferd1,
        Self::UblInvoice,
        Self::UblCreditNote,
    ];

    /// The usual name of the file inside a PDF.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::CiiWithoutLines | Self::Cii => "factur-x.xml",
            Self::Zugferd1 => "ZUGFeRD-invoice.xml",
            Self::XRechnungCii | Self::UblInvoice | Self::UblCreditNote => "xrechnung.xml",
        }
    }
}

/// An e-invoice with known values.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // The names are the documentation.
pub struct EInvoice {
    pub number: String,
    pub issued: String,
    pub due: String,
    pub currency: String,
    pub seller: String,
    pub seller_vat: String,
    pub buyer: String,
    pub buyer_vat: String,
    pub iban: String,
    /// The name, quantity and price of each line, in hundredths.
    pub lines: Vec<(String, u32, i64)>,
    /// The rate of the tax, in percent.
    pub rate: i64,
    /// Added to the total, so that it contradicts its parts. In hundredths.
    pub error: i64,
}

impl EInvoice {
    /// The invoice of that number; each number has other values.
    pub fn sample(number: usize) -> Self {
        let sellers = [
            "Bäckerei Grün GmbH",
            "Müller & Söhne KG",
            "Société Lumière SARL",
            "Talleres Núñez, S.L.",
            "O'Neill Ltd",
        ];
        let buyers = ["Stadtwerke Köln AG", "Café Olé S.A.", "Huber <Bau> OHG", "Ferretería Ibérica S.L."];
        let vat = ["DE123456789", "DE811569869", "FR40303265045", "ESB12345674", "GB999999973"];
        let price = |line: usize| 1_000 + i64::try_from((number * 37 + line * 101) % 9_000).unwrap();
        let quantity = |line: usize| u32::try_from(1 + (number + line) % 5).unwrap();
        let lines =
            (0..=number % 4).map(|line| (format!("Artikel {} & Co", line + 1), quantity(line), price(line)));
        Self {
            number: format!("RE-2024/{:05}", 471 + number),
            issued: format!("2024-{:02}-{:02}", 1 + number % 12, 1 + number % 28),
            due: format!("2024-{:02}-{:02}", 1 + (number + 1) % 12, 1 + number % 28),
            currency: ["EUR", "GBP", "CHF"][number % 3].to_owned(),
            seller: sellers[number % 5].to_owned(),
            seller_vat: vat[number % 5].to_owned(),
            buyer: buyers[number % 4].to_owned(),
            buyer_vat: vat[(number + 2) % 5].to_owned(),
            iban: "DE89370400440532013000".to_owned(),
            lines: lines.collect(),
            rate: [19, 7, 20, 21][number % 4],
            error: 0,
        }
    }

    /// The sum of the lines, in hundredths.
    pub fn net(&self) -> i64 {
        self.lines.iter().map(|(_, quantity, price)| i64::from(*quantity) * price).sum()
    }

    /// The tax, in hundredths.
    pub fn tax(&self) -> i64 {
        (self.net() * self.rate + 50) / 100
    }

    /// The total as the file states it, in hundredths.
    pub fn total(&self) -> i64 {
        self.net() + self.tax() + self.error
    }

    /// The values by the keys of the built-in schema for invoices.
    pub fn truth(&self) -> Vec<(&'static str, String)> {
        vec![
            ("invoice_number", self.number.clone()),
            ("issue_date", self.issued.clone()),
            ("due_date", self.due.clone()),
            ("supplier_name", self.seller.clone()),
            ("supplier_tax_id", self.seller_vat.clone()),
            ("customer_name", self.buyer.clone()),
            ("customer_tax_id", self.buyer_vat.clone()),
            ("currency", self.currency.clone()),
            ("net_amount", decimal(self.net())),
            ("tax_amount", decimal(self.tax())),
            ("total_amount", decimal(self.total())),
            ("iban", self.iban.clone()),
        ]
    }

    /// The XML in that syntax.
    pub fn xml(&self, syntax: Syntax) -> String {
        match syntax {
            Syntax::CiiWithoutLines => self.cii(false, "urn:factur-x.eu:1p0:minimum"),
            Syntax::Cii => self.cii(true, "urn:cen.eu:en16931:2017"),
            Syntax::XRechnungCii => {
                self.cii(true, "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0")
            }
            Syntax::Zugferd1 => {
                zugferd_1(&self.cii(true, "urn:ferd:CrossIndustryDocument:invoice:1p0:comfort"))
            }
            Syntax::UblInvoice => self.ubl("Invoice"),
            Syntax::UblCreditNote => self.ubl("CreditNote"),
        }
    }

    /// A PDF with these lines on its page and the XML inside. `tree` puts the file into the tree of names instead of `/AF`.
    pub fn pdf(&self, syntax: Syntax, tree: bool, page: &[&str]) -> Vec<u8> {
        pdf_with_file(page, syntax.file_name(), self.xml(syntax).as_bytes(), tree)
    }

    fn cii(&self, has_lines: bool, profile: &str) -> String {
        let mut lines = String::new();
        for (index, (name, quantity, price)) in self.lines.iter().enumerate().filter(|_| has_lines) {
            write!(
                lines,
                "<ram:IncludedSupplyChainTradeLineItem><ram:AssociatedDocumentLineDocument><ram:LineID>{}</ram:LineID>\
                 </ram:AssociatedDocumentLineDocument><ram:SpecifiedTradeProduct><ram:Name>{}</ram:Name>\
                 </ram:SpecifiedTradeProduct><ram:SpecifiedLineTradeAgreement><ram:NetPriceProductTradePrice>\
                 <ram:ChargeAmount>{}</ram:ChargeAmount></ram:NetPriceProductTradePrice>\
                 </ram:SpecifiedLineTradeAgreement><ram:SpecifiedLineTradeDelivery><ram:BilledQuantity unitCode=\"C62\">{}\
                 </ram:BilledQuantity></ram:SpecifiedLineTradeDelivery><ram:SpecifiedLineTradeSettlement>\
                 <ram:SpecifiedTradeSettlementLineMonetarySummation><ram:LineTotalAmount>{}</ram:LineTotalAmount>\
                 </ram:SpecifiedTradeSettlementLineMonetarySummation></ram:SpecifiedLineTradeSettlement>\
                 </ram:IncludedSupplyChainTradeLineItem>",
                index + 1,
                escaped(name),
                decimal(*price),
                quantity,
                decimal(i64::from(*quantity) * price),
            )
            .unwrap();
        }
        let party = |element: &str, name: &str, vat: &str| {
            format!(
                "<ram:{element}><ram:Name>{}</ram:Name><ram:PostalTradeAddress><ram:PostcodeCode>50667</ram:PostcodeCode>\
                 <ram:LineOne>Hauptstr. 1</ram:LineOne><ram:CityName>Köln</ram:CityName><ram:CountryID>DE</ram:CountryID>\
                 </ram:PostalTradeAddress><ram:SpecifiedTaxRegistration><ram:ID schemeID=\"VA\">{vat}</ram:ID>\
                 </ram:SpecifiedTaxRegistration></ram:{element}>",
                escaped(name)
            )
        };
        let (currency, net, tax, total) =
            (&self.currency, decimal(self.net()), decimal(self.tax()), decimal(self.total()));
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rsm:CrossIndustryInvoice \
             xmlns:rsm=\"urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100\" \
             xmlns:ram=\"urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100\" \
             xmlns:udt=\"urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100\"><rsm:ExchangedDocumentContext>\
             <ram:GuidelineSpecifiedDocumentContextParameter><ram:ID>{profile}</ram:ID>\
             </ram:GuidelineSpecifiedDocumentContextParameter></rsm:ExchangedDocumentContext><rsm:ExchangedDocument>\
             <ram:ID>{}</ram:ID><ram:TypeCode>380</ram:TypeCode><ram:IssueDateTime><udt:DateTimeString format=\"102\">{}\
             </udt:DateTimeString></ram:IssueDateTime></rsm:ExchangedDocument><rsm:SupplyChainTradeTransaction>{lines}\
             <ram:ApplicableHeaderTradeAgreement>{}{}</ram:ApplicableHeaderTradeAgreement>\
             <ram:ApplicableHeaderTradeDelivery/><ram:ApplicableHeaderTradeSettlement>\
             <ram:InvoiceCurrencyCode>{currency}</ram:InvoiceCurrencyCode>\
             <ram:SpecifiedTradeSettlementPaymentMeans><ram:TypeCode>58</ram:TypeCode>\
             <ram:PayeePartyCreditorFinancialAccount><ram:IBANID>{}</ram:IBANID></ram:PayeePartyCreditorFinancialAccount>\
             </ram:SpecifiedTradeSettlementPaymentMeans><ram:ApplicableTradeTax>\
             <ram:CalculatedAmount>{tax}</ram:CalculatedAmount><ram:TypeCode>VAT</ram:TypeCode>\
             <ram:BasisAmount>{net}</ram:BasisAmount><ram:CategoryCode>S</ram:CategoryCode>\
             <ram:RateApplicablePercent>{}</ram:RateApplicablePercent></ram:ApplicableTradeTax>\
             <ram:SpecifiedTradePaymentTerms><ram:Description>30 Tage</ram:Description></ram:SpecifiedTradePaymentTerms>\
             <ram:SpecifiedTradePaymentTerms><ram:DueDateDateTime><udt:DateTimeString format=\"102\">{}</udt:DateTimeString>\
             </ram:DueDateDateTime></ram:SpecifiedTradePaymentTerms>\
             <ram:SpecifiedTradeSettlementHeaderMonetarySummation><ram:LineTotalAmount>{net}</ram:LineTotalAmount>\
             <ram:TaxBasisTotalAmount>{net}</ram:TaxBasisTotalAmount><ram:TaxTotalAmount currencyID=\"USD\">1.00\
             </ram:TaxTotalAmount><ram:TaxTotalAmount currencyID=\"{currency}\">{tax}</ram:TaxTotalAmount>\
             <ram:GrandTotalAmount>{total}</ram:GrandTotalAmount><ram:DuePayableAmount>{total}</ram:DuePayableAmount>\
             </ram:SpecifiedTradeSettlementHeaderMonetarySummation></ram:ApplicableHeaderTradeSettlement>\
             </rsm:SupplyChainTradeTransaction></rsm:CrossIndustryInvoice>",
            escaped(&self.number),
            self.issued.replace('-', ""),
            party("SellerTradeParty", &self.seller, &self.seller_vat),
            party("BuyerTradeParty", &self.buyer, &self.buyer_vat),
            self.iban,
            self.rate,
            self.due.replace('-', ""),
        )
    }

    fn ubl(&self, root: &str) -> String {
        let is_credit = root == "CreditNote";
        let (line, quantity_name) = if is_credit {
            ("CreditNoteLine", "CreditedQuantity")
        } else {
            ("InvoiceLine", "InvoicedQuantity")
        };
        let currency = &self.currency;
        let amount = |name: &str, hundredths: i64| {
            format!("<cbc:{name} currencyID=\"{currency}\">{}</cbc:{name}>", decimal(hundredths))
        };
        let mut lines = String::new();
        for (index, (name, quantity, price)) in self.lines.iter().enumerate() {
            write!(
                lines,
                "<cac:{line}><cbc:ID>{}</cbc:ID><cbc:{quantity_name} unitCode=\"C62\">{quantity}</cbc:{quantity_name}>{}\
                 <cac:Item><cbc:Name>{}</cbc:Name></cac:Item><cac:Price>{}</cac:Price></cac:{line}>",
                index + 1,
                amount("LineExtensionAmount", i64::from(*quantity) * price),
                escaped(name),
                amount("PriceAmount", *price),
            )
            .unwrap();
        }
        let party = |element: &str, name: &str, vat: &str| {
            format!(
                "<cac:{element}><cac:Party><cac:PartyName><cbc:Name>Marke</cbc:Name></cac:PartyName><cac:PostalAddress>\
                 <cbc:StreetName>Hauptstr. 1</cbc:StreetName><cbc:CityName>Köln</cbc:CityName>\
                 <cbc:PostalZone>50667</cbc:PostalZone><cac:Country><cbc:IdentificationCode>DE</cbc:IdentificationCode>\
                 </cac:Country></cac:PostalAddress><cac:PartyTaxScheme><cbc:CompanyID>{vat}</cbc:CompanyID><cac:TaxScheme>\
                 <cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme><cac:PartyLegalEntity><cbc:RegistrationName>{}\
                 </cbc:RegistrationName></cac:PartyLegalEntity></cac:Party></cac:{element}>",
                escaped(name)
            )
        };
        let due =
            format!("<cbc:{0}>{1}</cbc:{0}>", if is_credit { "PaymentDueDate" } else { "DueDate" }, self.due);
        let (head_due, means_due) = if is_credit { ("", due.as_str()) } else { (due.as_str(), "") };
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<{root} \
             xmlns=\"urn:oasis:names:specification:ubl:schema:xsd:{root}-2\" \
             xmlns:cac=\"urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2\" \
             xmlns:cbc=\"urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2\"><cbc:ID>{}</cbc:ID>\
             <cbc:IssueDate>{}</cbc:IssueDate>{head_due}<cbc:{root}TypeCode>380</cbc:{root}TypeCode>\
             <cbc:DocumentCurrencyCode>{currency}</cbc:DocumentCurrencyCode>{}{}<cac:PaymentMeans>\
             <cbc:PaymentMeansCode>58</cbc:PaymentMeansCode>{means_due}<cac:PayeeFinancialAccount><cbc:ID>{}</cbc:ID>\
             </cac:PayeeFinancialAccount></cac:PaymentMeans><cac:TaxTotal>{}<cac:TaxSubtotal>{}{}<cac:TaxCategory>\
             <cbc:ID>S</cbc:ID><cbc:Percent>{}</cbc:Percent></cac:TaxCategory></cac:TaxSubtotal></cac:TaxTotal>\
             <cac:LegalMonetaryTotal>{}{}{}{}</cac:LegalMonetaryTotal>{lines}</{root}>",
            escaped(&self.number),
            self.issued,
            party("AccountingSupplierParty", &self.seller, &self.seller_vat),
            party("AccountingCustomerParty", &self.buyer, &self.buyer_vat),
            self.iban,
            amount("TaxAmount", self.tax()),
            amount("TaxableAmount", self.net()),
            amount("TaxAmount", self.tax()),
            self.rate,
            amount("LineExtensionAmount", self.net()),
            amount("TaxExclusiveAmount", self.net()),
            amount("TaxInclusiveAmount", self.total()),
            amount("PayableAmount", self.total()),
        )
    }
}

/// ZUGFeRD 1 has other names and namespaces for the same structure.
fn zugferd_1(cii: &str) -> String {
    let renamed = [
        ("rsm:CrossIndustryInvoice", "rsm:CrossIndustryDocument"),
        (
            "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100",
            "urn:ferd:CrossIndustryDocument:invoice:1p0",
        ),
        ("rsm:ExchangedDocumentContext", "rsm:SpecifiedExchangedDocumentContext"),
        ("rsm:ExchangedDocument>", "rsm:HeaderExchangedDocument>"),
        ("rsm:SupplyChainTradeTransaction", "rsm:SpecifiedSupplyChainTradeTransaction"),
        ("ApplicableHeaderTrade", "ApplicableSupplyChainTrade"),
        ("SpecifiedLineTrade", "SpecifiedSupplyChainTrade"),
        ("SettlementHeaderMonetary", "SettlementMonetary"),
        ("SettlementLineMonetary", "SettlementMonetary"),
        ("RateApplicablePercent", "ApplicablePercent"),
    ];
    renamed.iter().fold(cii.to_owned(), |xml, (from, to)| xml.replace(from, to))
}

/// A PDF with these lines on its page and a file inside.
pub fn pdf_with_file(page: &[&str], name: &str, content: &[u8], tree: bool) -> Vec<u8> {
    let mut pdf = Pdf::of_pages(&[text_page(page)]);
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(content).unwrap();
    let packed = packed.finish().unwrap();
    let stream = pdf.stream("/Type /EmbeddedFile /Subtype /text#2Fxml /Filter /FlateDecode", &packed);
    let specification = pdf.object(format!(
        "<< /Type /Filespec /F ({name}) /UF ({name}) /AFRelationship /Alternative /EF << /F {stream} 0 R >> >>"
    ));
    let entry = if tree {
        let leaf = pdf.object(format!("<< /Names [({name}) {specification} 0 R] >>"));
        format!("/Names << /EmbeddedFiles << /Kids [{leaf} 0 R] >> >>")
    } else {
        format!("/AF [{specification} 0 R]")
    };
    pdf.replace(1, format!("<< /Type /Catalog /Pages 2 0 R {entry} >>"));
    pdf.file()
}

fn decimal(hundredths: i64) -> String {
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
