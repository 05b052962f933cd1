//! Tuition fees: quotes them, invoices them and takes payments, from one small table of prices.

use serde_json::json;

use crate::card::{Profile, Skill, UNIVERSITY};
use crate::dialect::Dialect;
use crate::task::Part;
use crate::text::{Language, Quantity, euros, mentions, quantities};
use crate::turn::{Outcome, Turn};

pub(super) const PROFILE: Profile = Profile {
    dialect: Dialect::V10,
    name: "Payments",
    description: "Works out tuition fees, splits them into instalments, issues invoices and takes \
        payments with a receipt. Calcula el importe de la matrícula, lo divide en plazos, emite \
        facturas y cobra pagos con recibo.",
    provider: UNIVERSITY,
    streaming: false,
    output_modes: &["text/plain", "application/json"],
    skills: &[
        Skill {
            id: "quote_tuition",
            name: "Quote tuition fees",
            description: "Computes what the tuition for some credits costs, whole or in instalments. \
                Calcula cuánto cuesta la matrícula, entera o en plazos.",
            tags: &[
                "tuition",
                "fees",
                "price",
                "instalments",
                "matrícula",
                "precio",
                "importe",
                "plazos",
            ],
            examples: &[
                "How much is the tuition for 60 credits in 3 instalments?",
                "¿Cuánto cuesta la matrícula de 48 créditos de máster en 4 plazos?",
            ],
        },
        Skill {
            id: "issue_invoice",
            name: "Issue an invoice",
            description: "Issues an invoice for tuition. Emite una factura de la matrícula.",
            tags: &["invoice", "bill", "billing", "factura", "facturación"],
            examples: &[
                "I need an invoice for 30 credits",
                "Necesito la factura de mi matrícula",
            ],
        },
        Skill {
            id: "take_payment",
            name: "Take a payment",
            description: "Charges tuition or an amount in euros and returns the receipt. \
                Cobra la matrícula o un importe en euros y devuelve el recibo.",
            tags: &[
                "pay", "payment", "receipt", "charge", "pagar", "pago", "cobro", "recibo",
            ],
            examples: &[
                "Pay 300 euros of my tuition",
                "Quiero pagar 300 € de mi matrícula",
            ],
        },
    ],
};

const YEAR_OF_CREDITS: u64 = 60;
const MOST_CREDITS: u64 = 90;
const MOST_INSTALMENTS: u64 = 10;

/// A row of the table of prices.
#[derive(Clone, Copy, Debug)]
struct Degree {
    id: &'static str,
    names: (&'static str, &'static str),
    /// Folded beginnings of the words that name it.
    beginnings: &'static [&'static str],
    cents_per_credit: u64,
}

const BACHELOR: Degree = Degree {
    id: "bachelor",
    names: ("bachelor's degree", "grado"),
    beginnings: &["bachelor", "grado"],
    cents_per_credit: 1_850,
};

const DEGREES: [Degree; 3] = [
    Degree {
        id: "master",
        names: ("master's degree", "máster"),
        beginnings: &["master"],
        cents_per_credit: 3_500,
    },
    Degree {
        id: "doctorate",
        names: ("doctorate", "doctorado"),
        beginnings: &["doctor", "phd"],
        cents_per_credit: 1_200,
    },
    BACHELOR,
];

/// What the message asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Paper {
    Quote,
    Invoice,
    Receipt,
}

/// A sum to be paid, and how.
#[derive(Debug)]
struct Charge {
    degree: Degree,
    credits: u64,
    total_cents: u64,
    instalments: u64,
}

pub(super) fn run(turn: &Turn) -> Outcome {
    let charge = match Charge::read(&turn.text) {
        Ok(charge) => charge,
        Err(reason) => return Outcome::Rejected(turn.say(reason.0, reason.1).to_owned()),
    };
    let paper = Paper::asked_in(&turn.text);
    let (prefix, name) = match paper {
        Paper::Quote => ("Q", "quote"),
        Paper::Invoice => ("F", "invoice"),
        Paper::Receipt => ("R", "receipt"),
    };
    let number = format!("{prefix}-{}", turn.reference());
    let paid_cents = match paper {
        Paper::Receipt => money_in(&turn.text).unwrap_or(charge.total_cents),
        Paper::Quote | Paper::Invoice => 0,
    };
    let data = json!({
        "number": number,
        "kind": name,
        "degree": charge.degree.id,
        "credits": charge.credits,
        "price_per_credit_cents": charge.degree.cents_per_credit,
        "total_cents": charge.total_cents,
        "paid_cents": paid_cents,
        "instalments_cents": charge.split(),
        "currency": "EUR",
    });
    let text = match paper {
        Paper::Receipt => receipt(turn, &number, paid_cents),
        Paper::Quote | Paper::Invoice => statement(turn, &number, &charge),
    };
    turn.artifact(name)
        .finish(vec![Part::Text(text), Part::Data(data)]);
    Outcome::Completed
}

impl Paper {
    /// Tells what is asked for; money must not move because somebody asked for a price.
    fn asked_in(text: &str) -> Self {
        let asks_price = mentions(
            text,
            &["how", "cuanto", "cost", "price", "precio", "cuesta"],
        );
        let has_paid = mentions(text, &["receipt", "recibo"]) && money_in(text).is_some();
        if !asks_price && (has_paid || mentions(text, &["pay", "pagar", "paga", "pague", "cobra"]))
        {
            Self::Receipt
        } else if mentions(text, &["invoice", "factura", "bill"]) {
            Self::Invoice
        } else {
            Self::Quote
        }
    }
}

impl Charge {
    /// Reads degree, credits and instalments; the usual year of a bachelor's where nothing is said.
    fn read(text: &str) -> Result<Self, (&'static str, &'static str)> {
        let quantities = quantities(text);
        let count = |units: &[&str], usual| {
            let is_of = |found: &&Quantity| units.iter().any(|unit| found.unit.starts_with(unit));
            quantities
                .iter()
                .find(is_of)
                .map_or(usual, |found| found.hundredths / 100)
        };
        let credits = count(&["credit", "ects"], YEAR_OF_CREDITS);
        let instalments = count(&["instal", "plazo", "cuota"], 1);
        if !(1..=MOST_CREDITS).contains(&credits) {
            return Err((
                "a year has 1 to 90 credits",
                "un curso tiene de 1 a 90 créditos",
            ));
        }
        if !(1..=MOST_INSTALMENTS).contains(&instalments) {
            return Err((
                "1 to 10 instalments are possible",
                "se admiten de 1 a 10 plazos",
            ));
        }
        let named = DEGREES
            .into_iter()
            .find(|degree| mentions(text, degree.beginnings));
        let degree = named.unwrap_or(BACHELOR);
        let total_cents = credits * degree.cents_per_credit;
        Ok(Self {
            degree,
            credits,
            total_cents,
            instalments,
        })
    }

    /// Returns equal instalments, the cents that are left over going to the first.
    fn split(&self) -> Vec<u64> {
        let each = self.total_cents / self.instalments;
        let left_over = self.total_cents % self.instalments;
        (0..self.instalments)
            .map(|turn| if turn == 0 { each + left_over } else { each })
            .collect()
    }
}

fn money_in(text: &str) -> Option<u64> {
    let money = quantities(text).into_iter().find(Quantity::is_money);
    money
        .map(|found| found.hundredths)
        .filter(|cents| *cents > 0)
}

fn statement(turn: &Turn, number: &str, charge: &Charge) -> String {
    let amount = |cents| euros(cents, turn.language);
    let (credits, each) = (charge.credits, amount(charge.degree.cents_per_credit));
    let total = amount(charge.total_cents);
    let degree = turn.say(charge.degree.names.0, charge.degree.names.1);
    let sum = match turn.language {
        Language::English => {
            format!("{number}: {credits} credits, {degree}, {each} each: {total}.")
        }
        Language::Spanish => format!("{number}: {credits} créditos de {degree} a {each}: {total}."),
    };
    let parts: Vec<String> = charge.split().into_iter().map(amount).collect();
    if parts.len() == 1 {
        return sum;
    }
    let label = turn.say("Instalments", "Plazos");
    format!("{sum} {label}: {}.", parts.join(", "))
}

fn receipt(turn: &Turn, number: &str, paid_cents: u64) -> String {
    let paid = euros(paid_cents, turn.language);
    match turn.language {
        Language::English => format!("Receipt {number}: {paid} paid towards tuition."),
        Language::Spanish => format!("Recibo {number}: {paid} pagados a cuenta de la matrícula."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn price_follows_the_table() {
        let total = |text| Charge::read(text).unwrap().total_cents;
        assert_eq!(total("tuition for 60 credits"), 111_000);
        assert_eq!(total("48 créditos de máster"), 168_000);
        assert_eq!(total("a PhD year of 10 credits"), 12_000);
        assert_eq!(total("what does a year cost?"), 111_000);
    }

    #[test]
    fn instalments_add_up_to_the_total() {
        let charge = Charge::read("matrícula de 7 créditos en 3 plazos").unwrap();
        assert_eq!(charge.split(), [4_318, 4_316, 4_316]);
        assert_eq!(charge.split().iter().sum::<u64>(), charge.total_cents);
    }

    #[test]
    fn impossible_wishes_are_refused() {
        assert!(Charge::read("0 credits").is_err());
        assert!(Charge::read("900 créditos").is_err());
        assert!(Charge::read("60 credits in 12 instalments").is_err());
    }

    #[test]
    fn the_right_paper_is_issued() {
        assert_eq!(Paper::asked_in("Quiero pagar mi matrícula"), Paper::Receipt);
        assert_eq!(Paper::asked_in("an invoice, please"), Paper::Invoice);
        assert_eq!(Paper::asked_in("a receipt for 300 euros"), Paper::Receipt);
        assert_eq!(Paper::asked_in("¿Cuánto cuesta?"), Paper::Quote);
        assert_eq!(Paper::asked_in("How much do I have to pay?"), Paper::Quote);
        assert_eq!(money_in("pay 300 euros of 60 credits"), Some(30_000));
    }
}
