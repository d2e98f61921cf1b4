//! Delivery notes: with labelled lines, and with a sender in the letterhead and the rest in two columns.

use serde_json::json;

use super::{MadeDocument, page};

pub(super) fn all() -> Vec<MadeDocument> {
    [labelled(), columns()].concat().into_iter().map(made).collect()
}

/// Name, language, text, truth.
type DeliveryNote = (&'static str, &'static str, &'static str, serde_json::Value);

fn made((name, language, text, truth): DeliveryNote) -> MadeDocument {
    let name = format!("delivery note {language} {name}");
    MadeDocument { name, text, pages: vec![page(text)], language, schema: "delivery-note", truth }
}

fn labelled() -> Vec<DeliveryNote> {
    vec![
        (
            "labelled",
            "es",
            "ALBARÁN DE ENTREGA
Albarán nº: A-2024-331
Fecha de entrega: 14/03/2024
Pedido nº: P-8812
Remitente: Suministros Ortega S.L.
Destinatario: Panadería Luz S.A.
Dirección de entrega: C/ Mayor 12, 28013 Madrid

Descripción                Cantidad    Lote
Harina de trigo 25 kg            12    L-77
Levadura fresca                   4    L-12

Bultos: 16
Peso bruto: 310 kg
Transportista: Transportes Rápidos",
            json!({"note_number": "A-2024-331", "delivery_date": "2024-03-14", "order_number": "P-8812",
                "sender_name": "Suministros Ortega S.L.", "recipient_name": "Panadería Luz S.A.",
                "delivery_address": "Calle Mayor 12, 28013 Madrid", "packages": 16, "gross_weight": "310 kg",
                "carrier": "Transportes Rápidos"}),
        ),
        (
            "labelled",
            "en",
            "DELIVERY NOTE
Delivery note no: DN-5510
Delivery date: 2 May 2024
Order number: PO-1187
Sender: Northern Tools Ltd
Deliver to: Bridge Joinery Ltd
Delivery address: 8 Mill Lane, York YO1 7HH

Description                     Qty
Oak board 2 m                    40
Wood glue 5 l                     6

Packages: 7
Gross weight: 480 kg
Carrier: Swift Freight",
            json!({"note_number": "DN-5510", "delivery_date": "2024-05-02", "order_number": "PO-1187",
                "sender_name": "Northern Tools Ltd", "recipient_name": "Bridge Joinery Ltd",
                "delivery_address": "8 Mill Lane, York YO1 7HH", "packages": 7, "gross_weight": "480 kg",
                "carrier": "Swift Freight"}),
        ),
        (
            "labelled",
            "de",
            "LIEFERSCHEIN
Lieferschein-Nr: LS-90422
Lieferdatum: 21.06.2024
Bestellnummer: B-4410
Absender: Holzhandel Weber GmbH
Empfänger: Tischlerei Kern GmbH
Lieferadresse: Hauptstraße 5, 80331 München

Bezeichnung                   Menge
Eichenplatte 2 m                 18
Leim 10 kg                        3

Packstücke: 5
Gewicht: 260 kg
Spediteur: Alpen Logistik",
            json!({"note_number": "LS-90422", "delivery_date": "2024-06-21", "order_number": "B-4410",
                "sender_name": "Holzhandel Weber GmbH", "recipient_name": "Tischlerei Kern GmbH",
                "delivery_address": "Hauptstraße 5, 80331 München", "packages": 5, "gross_weight": "260 kg",
                "carrier": "Alpen Logistik"}),
        ),
        (
            "labelled",
            "fr",
            "BON DE LIVRAISON
Bon de livraison n°: BL-2271
Date de livraison: 05/07/2024
Commande n°: C-3307
Expéditeur: Vins du Sud SARL
Livré à: Restaurant Le Quai SAS
Adresse de livraison: 4 rue Paradis, 13001 Marseille

Désignation                     Qté
Carton de rosé                   24
Carton de blanc                  12

Colis: 36
Poids: 540 kg
Transporteur: Fret Express",
            json!({"note_number": "BL-2271", "delivery_date": "2024-07-05", "order_number": "C-3307",
                "sender_name": "Vins du Sud SARL", "recipient_name": "Restaurant Le Quai SAS",
                "delivery_address": "4 rue Paradis, 13001 Marseille", "packages": 36, "gross_weight": "540 kg",
                "carrier": "Fret Express"}),
        ),
    ]
}

fn columns() -> Vec<DeliveryNote> {
    vec![
        (
            "columns",
            "es",
            "Distribuciones Vega S.L.
Polígono Norte 4, 50197 Zaragoza

ALBARÁN Nº 7731

Fecha: 30/01/2024              Su pedido: 5518
Cliente: Bar Central S.L.      Bultos: 3

Código      Descripción              Uds
A-11        Café en grano 1 kg        10
A-32        Azúcar sobres 500          2

Recibido por: ______",
            json!({"note_number": "7731", "delivery_date": "2024-01-30", "order_number": "5518",
                "sender_name": "Distribuciones Vega S.L.", "recipient_name": "Bar Central S.L.", "packages": 3}),
        ),
        (
            "columns",
            "en",
            "Lakeside Growers Ltd
Unit 3, Dock Road, Hull HU1 2AB

PACKING SLIP

Packing slip no: 66120         Ship date: 11/09/2024
Your order: 90331              Cartons: 14
Ship to: Green Basket Ltd

Code        Description              Qty
G-4         Tomatoes 6 kg             30
G-9         Cucumbers 5 kg            12

Received by: ______",
            json!({"note_number": "66120", "delivery_date": "2024-09-11", "order_number": "90331",
                "sender_name": "Lakeside Growers Ltd", "recipient_name": "Green Basket Ltd", "packages": 14}),
        ),
        (
            "columns",
            "de",
            "Elektro Vertrieb Nord GmbH
Hafenweg 11, 20457 Hamburg

LIEFERSCHEIN Nr. 4471-B

Datum: 08.10.2024              Ihre Bestellung: 7729
Kunde: Hotel Seeblick GmbH     Kartons: 9

Pos    Bezeichnung               Menge
1      LED-Leuchte rund             20
2      Kabel 3 m                    15

Unterschrift: ______",
            json!({"note_number": "4471-B", "delivery_date": "2024-10-08", "order_number": "7729",
                "sender_name": "Elektro Vertrieb Nord GmbH", "recipient_name": "Hotel Seeblick GmbH", "packages": 9}),
        ),
        (
            "columns",
            "fr",
            "Papeterie Centrale SARL
18 rue Nationale, 59000 Lille

BON DE LIVRAISON N° 3015

Date de livraison: 19/11/2024  Votre commande: 6620
Client: École Jules Ferry SAS  Colis: 8

Code        Désignation              Qté
P-1         Ramette A4                40
P-7         Cahier 96 pages          120

Reçu par: ______",
            json!({"note_number": "3015", "delivery_date": "2024-11-19", "order_number": "6620",
                "sender_name": "Papeterie Centrale SARL", "recipient_name": "École Jules Ferry SAS", "packages": 8}),
        ),
    ]
}
