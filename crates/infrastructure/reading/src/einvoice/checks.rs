//! Compares the sums of an e-invoice with their parts. A contradiction is a finding for a person, not an error.

use quire_domain::reading::{DataFinding, DataValue};

/// Sums may differ by a rounded cent.
const TOLERANCE: f64 = 0.015;

/// A sum and its parts: the term of the sum, and the terms that are added and subtracted.
struct Sum {
    term: &'static str,
    plus: &'static [&'static str],
    minus: &'static [&'static str],
    /// The parts without which nothing can be said.
    needs: &'static [&'static str],
}

const SUMS: [Sum; 6] = [
    Sum { term: "BT-106", plus: &["BT-131"], minus: &[], needs: &["BT-131"] },
    Sum { term: "BT-109", plus: &["BT-106", "BT-108"], minus: &["BT-107"], needs: &["BT-106"] },
    Sum { term: "BT-109", plus: &["BT-116"], minus: &[], needs: &["BT-116"] },
    Sum { term: "BT-110", plus: &["BT-117"], minus: &[], needs: &["BT-117"] },
    Sum { term: "BT-112", plus: &["BT-109", "BT-110"], minus: &[], needs: &["BT-109", "BT-110"] },
    Sum { term: "BT-115", plus: &["BT-112", "BT-114"], minus: &["BT-113"], needs: &["BT-112"] },
];

/// Every sum that is not the sum of its parts.
pub(super) fn findings(values: &[DataValue]) -> Vec<DataFinding> {
    SUMS.iter().filter_map(|sum| finding(sum, values)).collect()
}

fn finding(sum: &Sum, values: &[DataValue]) -> Option<DataFinding> {
    let has = |term: &&str| values.iter().any(|value| value.term == **term);
    if !sum.needs.iter().all(has) {
        return None;
    }
    let stated = values.iter().find(|value| value.term == sum.term)?;
    let total = |terms: &[&str]| -> Option<f64> {
        let parts = values.iter().filter(|value| terms.contains(&value.term.as_str()));
        parts.map(|value| value.text.parse::<f64>().ok().filter(|number| number.is_finite())).sum()
    };
    let expected = total(sum.plus)? - total(sum.minus)?;
    let number: f64 = stated.text.parse().ok()?;
    let differs = (number - expected).abs() >= TOLERANCE;
    differs.then(|| {
        let names = |terms: &[&str], sign: &str| {
            let present: Vec<&str> = terms.iter().filter(|term| has(term)).copied().collect();
            present.join(sign)
        };
        let minus = names(sum.minus, " − ");
        let minus = if minus.is_empty() { minus } else { format!(" − {minus}") };
        DataFinding {
            term: sum.term.to_owned(),
            expected: format!("{expected:.2}"),
            message: format!(
                "{} is {}, but its parts ({}{minus}) make {expected:.2}",
                sum.term,
                stated.text,
                names(sum.plus, " + "),
            ),
        }
    })
}
