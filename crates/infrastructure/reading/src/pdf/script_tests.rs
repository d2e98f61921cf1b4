//! PDFs in several scripts, as files: their text passes the quality gate, also where lines run from right to left.

use quire_domain::reading::quality::{Quality, QualityVerdict, TextProperty};
use quire_testkit::documents::unicode_pdf;

use super::read;

#[test]
fn documents_in_any_script_pass_the_quality_gate() {
    let cases = [
        ("zh", "发票号码 上海华联贸易有限公司 合计金额一千二百元整 谢谢惠顾", false),
        ("ja", "請求書番号 株式会社山田商事 御中 ご請求金額は以下の通りです", false),
        ("ar", "رقم الفاتورة تاريخ الإصدار اسم العميل شركة النور للتجارة", true),
        ("he", "מספר חשבונית תאריך הפקה שם הלקוח חברת האור למסחר", true),
        ("hi", "बीजक संख्या ग्राहक का नाम प्रकाश व्यापार मंडल कुल योग धन्यवाद", false),
        ("ru", "Счёт на оплату Покупатель общество Свет Итого к оплате", false),
    ];
    for (language, line, is_right_to_left) in cases {
        let drawn = if is_right_to_left { line.chars().rev().collect() } else { line.to_owned() };
        let text = read(unicode_pdf(&[&drawn, &drawn])).unwrap().plain_text().text;
        let quality = Quality::of(&text);
        assert_eq!(quality.verdict(), QualityVerdict::Good, "{language}: {text} {quality:?}");
        assert!(quality.properties.contains(&TextProperty::OtherScript), "{language}: {text}");
        let first = line.split_whitespace().next().unwrap();
        assert!(text.contains(first), "{language}: {first} is not in {text}");
    }
}

/// Proves R086 from the file on: the same page whose font has a wrong map.
#[test]
fn a_document_whose_font_maps_to_wrong_characters_does_not_pass() {
    let latin_1: String = "Señor Núñez: la reunión será mañana".bytes().map(char::from).collect();
    let text = read(unicode_pdf(&[&latin_1, &latin_1])).unwrap().plain_text().text;
    assert_eq!(Quality::of(&text).verdict(), QualityVerdict::Low, "{text}");
}
