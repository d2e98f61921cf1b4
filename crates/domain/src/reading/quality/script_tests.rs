//! The gate in many languages and scripts: what was written passes, what was decoded wrongly does not.

use super::tests::verdict;
use super::{Quality, QualityIssue, QualityVerdict, TextProperty};

/// The same few sentences in languages of the Latin script.
const LATIN: [(&str, &str); 15] = [
    (
        "es",
        "El paciente llega a la consulta con vómitos desde hace dos días y no quiere comer. Se recomienda una dieta \
         blanda y un control en una semana. La factura debe pagarse antes del vencimiento mediante transferencia \
         bancaria a la cuenta indicada. Cualquier reclamación deberá dirigirse por escrito al departamento de \
         atención al cliente. El precio incluye impuestos, transporte y seguro hasta el lugar de entrega. Muchas \
         gracias por su confianza.",
    ),
    (
        "en",
        "The patient was brought to the clinic because of vomiting for two days and would not eat. We recommend a \
         light diet and a check in one week. Please pay the invoice before the due date by bank transfer to the \
         account shown below. Any complaint should be sent in writing to the customer service department. The price \
         includes taxes, freight and insurance to the place of delivery. Thank you for your business. Which of these \
         things would you know if you looked through the whole library again?",
    ),
    (
        "de",
        "Der Patient wurde wegen Erbrechen seit zwei Tagen vorgestellt und will nicht fressen. Wir empfehlen \
         Schonkost und eine Kontrolle in einer Woche. Bitte überweisen Sie den Rechnungsbetrag innerhalb von vierzehn \
         Tagen auf das unten angegebene Konto. Reklamationen richten Sie bitte schriftlich an unsere Kundenabteilung. \
         Der Preis versteht sich einschließlich Mehrwertsteuer, Fracht und Versicherung bis zum Lieferort. Herzlichen \
         Dank für Ihren Auftrag und das entgegengebrachte Vertrauen.",
    ),
    (
        "fr",
        "Le patient est venu en consultation pour des vomissements depuis deux jours et ne veut plus manger. Nous \
         conseillons un régime léger et un contrôle dans une semaine. Veuillez régler la facture avant la date \
         d'échéance par virement bancaire sur le compte indiqué ci-dessous. Toute réclamation doit être adressée par \
         écrit au service clientèle. Le prix comprend les taxes, le transport et l'assurance jusqu'au lieu de \
         livraison. Nous vous remercions de votre confiance.",
    ),
    (
        "it",
        "Il paziente è arrivato in clinica con vomito da due giorni e non vuole mangiare. Si consiglia una dieta \
         leggera e un controllo tra una settimana. Si prega di pagare la fattura entro la scadenza mediante bonifico \
         bancario sul conto indicato qui sotto. Ogni reclamo deve essere inviato per iscritto al servizio clienti. Il \
         prezzo comprende imposte, trasporto e assicurazione fino al luogo di consegna. Grazie per la vostra fiducia.",
    ),
    (
        "nl",
        "De patiënt werd naar de kliniek gebracht omdat hij al twee dagen braakt en niet wil eten. Wij raden een \
         licht dieet aan en een controle over een week. Gelieve de factuur voor de vervaldatum te betalen op de \
         onderstaande bankrekening. Klachten moeten schriftelijk worden gericht aan onze klantenservice. De prijs is \
         inclusief belasting, vervoer en verzekering tot de plaats van levering. Hartelijk dank voor uw vertrouwen en \
         graag tot ziens.",
    ),
    (
        "pt",
        "O paciente chegou à consulta com vómitos há dois dias e não quer comer. Recomenda-se uma dieta leve e um \
         controlo dentro de uma semana. Queira pagar a fatura antes da data de vencimento por transferência bancária \
         para a conta indicada abaixo. Qualquer reclamação deve ser enviada por escrito ao serviço de apoio ao \
         cliente. O preço inclui impostos, transporte e seguro até ao local de entrega. Muito obrigado pela sua \
         confiança.",
    ),
    (
        "pl",
        "Pacjent został przywieziony do kliniki z powodu wymiotów trwających od dwóch dni i nie chce jeść. Zalecamy \
         lekką dietę oraz kontrolę za tydzień. Prosimy o zapłatę faktury przed terminem płatności przelewem na podane \
         poniżej konto. Wszelkie reklamacje należy kierować na piśmie do działu obsługi klienta. Cena zawiera \
         podatki, transport i ubezpieczenie do miejsca dostawy. Dziękujemy za zaufanie.",
    ),
    (
        "cs",
        "Pacient byl přivezen na kliniku kvůli zvracení, které trvá dva dny, a nechce žrát. Doporučujeme lehkou dietu \
         a kontrolu za týden. Prosíme o zaplacení faktury před datem splatnosti bankovním převodem na níže uvedený \
         účet. Veškeré reklamace zasílejte písemně na oddělení služeb zákazníkům. Cena zahrnuje daně, dopravu a \
         pojištění až na místo dodání. Děkujeme za vaši důvěru.",
    ),
    (
        "sv",
        "Patienten kom till kliniken på grund av kräkningar sedan två dagar och vill inte äta. Vi rekommenderar en \
         lätt diet och en kontroll om en vecka. Vänligen betala fakturan före förfallodagen genom banköverföring till \
         kontot nedan. Eventuella klagomål ska skickas skriftligen till vår kundtjänst. Priset inkluderar skatter, \
         frakt och försäkring till leveransorten. Tack för ert förtroende.",
    ),
    (
        "fi",
        "Potilas tuotiin klinikalle, koska se on oksennellut kaksi päivää eikä suostu syömään. Suosittelemme kevyttä \
         ruokavaliota ja tarkastusta viikon kuluttua. Maksakaa lasku ennen eräpäivää tilisiirrolla alla olevalle \
         tilille. Mahdolliset valitukset tulee lähettää kirjallisesti asiakaspalveluun. Hinta sisältää verot, \
         kuljetuksen ja vakuutuksen toimituspaikkaan asti. Kiitos luottamuksestanne.",
    ),
    (
        "tr",
        "Hasta iki gündür kustuğu ve yemek yemek istemediği için kliniğe getirildi. Hafif bir diyet ve bir hafta \
         sonra kontrol öneriyoruz. Lütfen faturayı son ödeme tarihinden önce aşağıdaki hesaba banka havalesi ile \
         ödeyiniz. Her türlü şikayet yazılı olarak müşteri hizmetlerine gönderilmelidir. Fiyata vergiler, nakliye ve \
         teslim yerine kadar sigorta dahildir. Güveniniz için teşekkür ederiz.",
    ),
    (
        "hu",
        "A beteget két napja tartó hányás miatt hozták a klinikára, és nem akar enni. Könnyű étrendet és egy hét \
         múlva ellenőrzést javaslunk. Kérjük, a számlát a fizetési határidő előtt banki átutalással fizesse be az \
         alábbi számlára. Minden panaszt írásban kell az ügyfélszolgálathoz küldeni. Az ár tartalmazza az adókat, a \
         szállítást és a biztosítást a szállítás helyéig. Köszönjük a bizalmát.",
    ),
    (
        "ro",
        "Pacientul a fost adus la clinică din cauza vărsăturilor de două zile și nu vrea să mănânce. Recomandăm o \
         dietă ușoară și un control peste o săptămână. Vă rugăm să achitați factura înainte de data scadentă prin \
         transfer bancar în contul de mai jos. Orice reclamație trebuie trimisă în scris departamentului de relații \
         cu clienții. Prețul include taxele, transportul și asigurarea până la locul livrării. Vă mulțumim pentru \
         încredere.",
    ),
    (
        "vi",
        "Bệnh nhân được đưa đến phòng khám vì nôn mửa hai ngày và không chịu ăn. Chúng tôi khuyên nên ăn nhẹ và kiểm \
         tra lại sau một tuần. Vui lòng thanh toán hóa đơn trước ngày đến hạn bằng chuyển khoản ngân hàng vào tài \
         khoản dưới đây. Xin cảm ơn quý khách.",
    ),
];

/// An invoice in languages of other scripts.
const OTHER: [(&str, &str); 9] = [
    (
        "zh",
        "发票号码：20240012 开票日期：2024年3月4日 购买方名称：上海华联贸易有限公司 货物名称：办公用纸 数量：十箱 单价：一百二十元 合计金额：一千二百元整",
    ),
    (
        "ja",
        "請求書番号：2024-0012 発行日：2024年3月4日 株式会社山田商事 御中 ご請求金額は以下の通りでございます。コピー用紙 10箱 合計 12,000円 お振込先は裏面をご覧ください。",
    ),
    (
        "ko",
        "세금계산서 번호 2024-0012 작성일자 2024년 3월 4일 공급받는자 주식회사 한국무역 품목 복사용지 수량 열 상자 합계금액 십이만 원 감사합니다",
    ),
    (
        "ar",
        "رقم الفاتورة: 2024-0012 تاريخ الإصدار: 4 مارس 2024 اسم العميل: شركة النور للتجارة الوصف: ورق تصوير الكمية: \
         عشرة المجموع: ألف ومئتا درهم شكرا لتعاملكم معنا",
    ),
    (
        "he",
        "מספר חשבונית: 2024-0012 תאריך הפקה: 4 במרץ 2024 שם הלקוח: חברת האור למסחר תיאור: נייר צילום כמות: עשר סך \
         הכול לתשלום: אלף ומאתיים שקלים תודה רבה",
    ),
    (
        "hi",
        "बीजक संख्या: 2024-0012 जारी करने की तिथि: 4 मार्च 2024 ग्राहक का नाम: प्रकाश व्यापार मंडल विवरण: छपाई का \
         कागज मात्रा: दस कुल योग: बारह सौ रुपये धन्यवाद",
    ),
    (
        "ru",
        "Счёт № 2024-0012 от 4 марта 2024 года. Покупатель: общество с ограниченной ответственностью «Свет». Товар: \
         бумага для печати, десять коробок. Итого к оплате: двенадцать тысяч рублей.",
    ),
    (
        "el",
        "Αριθμός τιμολογίου: 2024-0012 Ημερομηνία έκδοσης: 4 Μαρτίου 2024 Πελάτης: Εταιρεία Φως Περιγραφή: χαρτί \
         εκτύπωσης Ποσότητα: δέκα Σύνολο: χίλια διακόσια ευρώ",
    ),
    (
        "th",
        "ใบแจ้งหนี้เลขที่ 2024-0012 วันที่ออก 4 มีนาคม 2567 ชื่อลูกค้า บริษัท แสงทอง จำกัด รายการ กระดาษถ่ายเอกสาร \
         จำนวน สิบกล่อง รวมเงิน หนึ่งพันสองร้อยบาท",
    ),
];

/// The text as a program shows it that takes UTF-8 for Windows-1252, whose five undefined bytes it shows as in Latin-1.
fn utf8_as_windows_1252(text: &str) -> String {
    const SPECIAL: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ";
    let special: Vec<char> = SPECIAL.chars().collect();
    text.bytes()
        .map(
            |byte| if (0x80..0xa0).contains(&byte) { special[usize::from(byte) - 0x80] } else { byte.into() },
        )
        .collect()
}

fn utf8_as_latin_1(text: &str) -> String {
    text.bytes().map(char::from).collect()
}

/// Each letter as a font with a wrong character map shows it.
fn shifted(text: &str, by: u8) -> String {
    let shift = |c: char| match c {
        'a'..='z' => char::from((c as u8 - b'a' + by) % 26 + b'a'),
        'A'..='Z' => char::from((c as u8 - b'A' + by) % 26 + b'A'),
        other => other,
    };
    text.chars().map(shift).collect()
}

#[test]
fn every_language_and_script_passes() {
    for (language, text) in LATIN.iter().chain(&OTHER) {
        let quality = Quality::of(text);
        assert_eq!(quality.verdict(), QualityVerdict::Good, "{language} {quality:?}");
        let other = OTHER.iter().any(|(name, _)| name == language);
        assert_eq!(quality.properties.contains(&TextProperty::OtherScript), other, "{language} {quality:?}");
    }
}

/// Proves R086 for text that was decoded by the wrong table, in languages with and without many accents.
#[test]
fn mojibake_does_not_pass_in_any_language() {
    for (language, text) in
        LATIN.iter().chain(&OTHER).filter(|(language, _)| !["en", "nl", "it", "id"].contains(language))
    {
        for wrong in [utf8_as_windows_1252(text), utf8_as_latin_1(text)] {
            assert_eq!(verdict(&wrong), QualityVerdict::Low, "{language}: {wrong} {:?}", Quality::of(&wrong));
        }
        let twice = utf8_as_windows_1252(&utf8_as_windows_1252(text));
        assert_eq!(verdict(&twice), QualityVerdict::Low, "{language}: {twice}");
    }
    // Chinese and Russian of before Unicode, read as Latin-1.
    for text in [
        "·¢Æ±ºÅÂë ¿ªÆ±ÈÕÆÚ ¹ºÂò·½Ãû³Æ ÉÏº£»ªÁªÃ³Ò×ÓÐÏÞ¹«Ë¾",
        "Ñ÷¸ò îò 4 ìàðòà 2024 ãîäà Ïîêóïàòåëü îáùåñòâî Ñâåò",
    ] {
        assert!(Quality::of(text).issues.contains(&QualityIssue::Mojibake), "{text}");
    }
}

#[test]
fn accents_and_signs_of_real_text_are_no_mojibake() {
    let cases = [
        "Das „Maß“ ist groß“, sagte er; der Spaß“ und das „Floß“ auch. Der Fuß“ bleibt heiß“.",
        "Price: Â£100 plus Â£20 for delivery. Total due: Â£120 by the end of the month, thank you.",
        "AMANHÃ” E IRMÔ DA ROMÔ SÃO PALAVRAS DE UM CARTAZ GRANDE COM MUITAS LETRAS DO ALFABETO",
        "FERMÉ… CAFÉ’S ÉTÉ™ le menu du jour avec des entrées, des plats et des desserts maison.",
        "Đặng Thị Hồng Nhung ở số nhà hai mươi bốn đường Trần Hưng Đạo, quận Hoàn Kiếm.",
    ];
    for text in cases {
        assert_eq!(verdict(text), QualityVerdict::Good, "{text} {:?}", Quality::of(text));
    }
}

/// Proves R086 for fonts with a wrong character map.
#[test]
fn letters_that_are_mapped_to_others_are_noise() {
    let mut missed = Vec::new();
    for (language, text) in LATIN.iter().filter(|(language, _)| *language != "vi") {
        missed.extend(
            (1..26)
                .filter(|by| verdict(&shifted(text, *by)) == QualityVerdict::Good)
                .map(|by| (language, by)),
        );
    }
    assert!(missed.len() <= 4, "{missed:?}");
}
