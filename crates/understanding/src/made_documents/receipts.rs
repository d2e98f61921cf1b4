//! Receipts: a narrow till receipt, and a receipt for a payment.

use serde_json::json;

use super::{MadeDocument, page};

pub(super) fn all() -> Vec<MadeDocument> {
    [till(), payment()].concat().into_iter().map(made).collect()
}

/// Name, language, text, truth.
type Receipt = (&'static str, &'static str, &'static str, serde_json::Value);

fn made((name, language, text, truth): Receipt) -> MadeDocument {
    let name = format!("receipt {language} {name}");
    MadeDocument { name, text, pages: vec![page(text)], language, schema: "receipt", truth }
}

fn till() -> Vec<Receipt> {
    vec![
        (
            "till",
            "es",
            "SUPERMERCADO LA ESQUINA S.L.
C/ Mayor 12, 28013 Madrid
NIF: B12345674

FACTURA SIMPLIFICADA
Nº ticket: T-2024-8841
Fecha: 03/04/2024    Hora: 18:22
Caja: 4

Descripción            Cant    Importe
Pan de centeno            1       2,35
Leche entera              3       3,60
Aceite de oliva 1 l       1       9,95

Base imponible                   14,85
IVA 7%                            1,05
TOTAL A PAGAR                    15,90
Forma de pago: Tarjeta
Gracias por su visita",
            json!({"receipt_number": "T-2024-8841", "purchase_date": "2024-04-03", "merchant_name": "SUPERMERCADO LA ESQUINA S.L.",
                "merchant_tax_id": "B12345674", "net_amount": 14.85, "tax_amount": 1.05, "total_amount": 15.90,
                "payment_method": "Tarjeta"}),
        ),
        (
            "till",
            "en",
            "Corner Bakery Ltd
14 High Street, Leeds LS1 4DY
VAT no: GB123456782

SALES RECEIPT
Receipt no: 0047-551
Date: 12 March 2024    Time: 08:14
Cashier: Joan

Item                     Qty     Amount
Sourdough loaf             2       7.00
Flat white                 1       3.20
Cinnamon bun               2       5.40

Subtotal                          13.00
VAT 20%                            2.60
Total                             15.60
Paid by: Cash
Thank you",
            json!({"receipt_number": "0047-551", "purchase_date": "2024-03-12", "merchant_name": "Corner Bakery Ltd",
                "merchant_tax_id": "GB123456782", "net_amount": 13.00, "tax_amount": 2.60, "total_amount": 15.60,
                "payment_method": "Cash"}),
        ),
        (
            "till",
            "de",
            "Buchhandlung Lindner GmbH
Bahnhofstraße 8, 50667 Köln
USt-IdNr: DE811234565

KASSENBON
Bon-Nr: 20931
Datum: 17.05.2024    Uhrzeit: 11:40
Kasse: 2

Bezeichnung            Menge     Betrag
Roman gebunden             1      24,00
Notizbuch A5               2       9,80

Summe                             33,80
MwSt 7%                            2,21
Zahlungsart: EC-Karte
Vielen Dank",
            json!({"receipt_number": "20931", "purchase_date": "2024-05-17", "merchant_name": "Buchhandlung Lindner GmbH",
                "merchant_tax_id": "DE811234565", "tax_amount": 2.21, "total_amount": 33.80, "payment_method": "EC-Karte"}),
        ),
        (
            "till",
            "fr",
            "Librairie du Port SARL
3 quai des Belges, 13001 Marseille
N° TVA: FR40303265045

TICKET DE CAISSE
N° ticket de caisse: 88-1204
Date et heure: 21/06/2024    16:05

Désignation              Qté    Montant
Roman de poche             1       8,90
Carte postale              4       6,00

Total HT                          14,12
TVA 5,5%                           0,78
Total TTC                         14,90
Mode de paiement: Carte bancaire
Merci de votre visite",
            json!({"receipt_number": "88-1204", "purchase_date": "2024-06-21", "merchant_name": "Librairie du Port SARL",
                "merchant_tax_id": "FR40303265045", "net_amount": 14.12, "tax_amount": 0.78, "total_amount": 14.90,
                "payment_method": "Carte bancaire"}),
        ),
    ]
}

fn payment() -> Vec<Receipt> {
    vec![
        (
            "payment",
            "es",
            "RECIBO
Comercio: Taller Ibáñez S.L.
Nº de recibo: 2024/118
Fecha de pago: 9 de febrero de 2024

Concepto                                Importe
Cambio de aceite y filtros               86,00
Revisión de frenos                       40,00

Importe total: 126,00 €
Forma de pago: Transferencia",
            json!({"receipt_number": "2024/118", "purchase_date": "2024-02-09", "merchant_name": "Taller Ibáñez S.L.",
                "total_amount": 126.00, "payment_method": "Transferencia"}),
        ),
        (
            "payment",
            "en",
            "PAYMENT RECEIPT
Merchant: Harbour Music School Ltd
Receipt number: R-3390
Payment date: 2024-01-15

Description                              Amount
Piano lessons, spring term               240.00

Amount paid: £240.00
Payment method: Bank transfer",
            json!({"receipt_number": "R-3390", "purchase_date": "2024-01-15", "merchant_name": "Harbour Music School Ltd",
                "total_amount": 240.00, "payment_method": "Bank transfer"}),
        ),
        (
            "payment",
            "de",
            "QUITTUNG
Händler: Fahrrad Brandt GmbH
Quittungs-Nr: Q-77
Bezahlt am: 02.09.2024

Bezeichnung                              Betrag
Inspektion                                59,00
Bremsbeläge                               24,50

Gesamtbetrag: 83,50 EUR
Zahlungsart: Bar",
            json!({"receipt_number": "Q-77", "purchase_date": "2024-09-02", "merchant_name": "Fahrrad Brandt GmbH",
                "total_amount": 83.50, "payment_method": "Bar"}),
        ),
        (
            "payment",
            "fr",
            "REÇU DE PAIEMENT
Commerçant: Atelier Morel SARL
Reçu n°: 2024-051
Payé le: 11/10/2024

Désignation                             Montant
Réparation de violon                     180,00

Total TTC: 180,00 €
Mode de paiement: Chèque",
            json!({"receipt_number": "2024-051", "purchase_date": "2024-10-11", "merchant_name": "Atelier Morel SARL",
                "total_amount": 180.00, "payment_method": "Chèque"}),
        ),
    ]
}
