//! Reviews scholarship cases: slowly, and not without knowing the income of the family.

use serde_json::json;

use crate::card::{Profile, Provider, Skill};
use crate::dialect::Dialect;
use crate::task::Part;
use crate::text::{Language, Quantity, euros, quantities};
use crate::turn::{Outcome, Turn};

pub(super) const PROFILE: Profile = Profile {
    dialect: Dialect::V10,
    name: "Scholarships",
    description: "Reviews applications for a scholarship and decides on the grant by family income. \
        A review takes a while and may come back with a question. Estudia solicitudes de beca y \
        resuelve la ayuda según la renta familiar.",
    provider: Provider {
        organization: "Regional Office for Student Grants",
        url: "https://becas.example",
    },
    streaming: true,
    output_modes: &["text/plain", "application/json"],
    skills: &[Skill {
        id: "review_scholarship_case",
        name: "Review a scholarship case",
        description: "Checks an application for a scholarship against the income limits and decides \
            on it. Revisa una solicitud de beca según los umbrales de renta y la resuelve.",
        tags: &[
            "scholarship",
            "grant",
            "bursary",
            "financial aid",
            "income",
            "beca",
            "becas",
            "ayuda",
            "renta familiar",
        ],
        examples: &[
            "Review my scholarship application, our family income is 18,000 euros",
            "Am I entitled to a grant?",
            "Quiero solicitar una beca, la renta de mi familia es de 18.000 €",
            "¿Tengo derecho a beca?",
        ],
    }],
};

const EURO: u64 = 100;
/// Incomes up to this bring the full grant, in cents.
const FULL_GRANT_LIMIT: u64 = 20_000 * EURO;
/// Incomes up to this bring free tuition, in cents.
const TUITION_LIMIT: u64 = 35_000 * EURO;
const FULL_GRANT: u64 = 1_700 * EURO;
/// How many messages may pass without an amount before the case is closed.
const PATIENCE: usize = 3;

pub(super) async fn run(turn: &Turn) -> Outcome {
    turn.progress(turn.say("Opening the case", "Abriendo el expediente"));
    let Some(income) = income_in(&turn.text, !turn.earlier.is_empty()) else {
        turn.breath().await;
        return ask(turn);
    };
    for (english, spanish) in [
        ("Checking the application", "Comprobando la solicitud"),
        (
            "Verifying the family income",
            "Verificando la renta familiar",
        ),
        (
            "Comparing with the limits of this year",
            "Comparando con los umbrales del curso",
        ),
        ("Writing the decision", "Redactando la resolución"),
    ] {
        turn.progress(turn.say(english, spanish));
        turn.step().await;
    }
    let decision = Decision::on(income);
    let data = json!({
        "case": turn.reference(),
        "decision": decision.id(),
        "income_cents": income,
        "grant_cents": decision.grant(),
        "currency": "EUR",
    });
    let text = explain(turn.language, decision, income);
    turn.artifact("decision")
        .finish(vec![Part::Text(text), Part::Data(data)]);
    Outcome::Completed
}

fn ask(turn: &Turn) -> Outcome {
    if turn.earlier.len() + 1 >= PATIENCE {
        let reason = turn.say(
            "The case is closed: it cannot be reviewed without the family income.",
            "Se archiva el expediente: no se puede estudiar sin la renta familiar.",
        );
        return Outcome::Rejected(reason.to_owned());
    }
    let question = turn.say(
        "What is your family income in euros?",
        "¿Cuál es la renta de tu familia en euros?",
    );
    Outcome::Asked(question.to_owned())
}

/// Returns the income in cents; a bare number is one only as the answer to our question.
fn income_in(text: &str, is_answer: bool) -> Option<u64> {
    let mut found = quantities(text);
    let position = found
        .iter()
        .position(Quantity::is_money)
        .or((is_answer).then_some(0))?;
    (position < found.len()).then(|| found.swap_remove(position).hundredths)
}

/// What the office decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decision {
    FullGrant,
    FreeTuition,
    Denied,
}

impl Decision {
    const fn on(income_cents: u64) -> Self {
        if income_cents <= FULL_GRANT_LIMIT {
            Self::FullGrant
        } else if income_cents <= TUITION_LIMIT {
            Self::FreeTuition
        } else {
            Self::Denied
        }
    }

    const fn id(self) -> &'static str {
        match self {
            Self::FullGrant => "full_grant",
            Self::FreeTuition => "free_tuition",
            Self::Denied => "denied",
        }
    }

    const fn grant(self) -> u64 {
        match self {
            Self::FullGrant => FULL_GRANT,
            Self::FreeTuition | Self::Denied => 0,
        }
    }
}

fn explain(language: Language, decision: Decision, income: u64) -> String {
    let income = euros(income, language);
    let grant = euros(decision.grant(), language);
    match (language, decision) {
        (Language::English, Decision::FullGrant) => {
            format!("Granted: with an income of {income}, tuition is free and you receive {grant}.")
        }
        (Language::English, Decision::FreeTuition) => {
            format!("Granted in part: with an income of {income}, tuition is free.")
        }
        (Language::English, Decision::Denied) => {
            format!("Denied: an income of {income} is above the limit of this year.")
        }
        (Language::Spanish, Decision::FullGrant) => {
            format!("Concedida: con una renta de {income}, matrícula gratuita y {grant} de ayuda.")
        }
        (Language::Spanish, Decision::FreeTuition) => {
            format!("Concedida en parte: con una renta de {income}, la matrícula es gratuita.")
        }
        (Language::Spanish, Decision::Denied) => {
            format!("Denegada: una renta de {income} supera el umbral de este curso.")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn income_decides() {
        assert_eq!(Decision::on(0), Decision::FullGrant);
        assert_eq!(Decision::on(20_000 * EURO), Decision::FullGrant);
        assert_eq!(Decision::on(20_000 * EURO + 1), Decision::FreeTuition);
        assert_eq!(Decision::on(35_000 * EURO), Decision::FreeTuition);
        assert_eq!(Decision::on(35_000 * EURO + 1), Decision::Denied);
    }

    #[test]
    fn bare_number_is_an_income_only_as_an_answer() {
        assert_eq!(income_in("a scholarship for 60 credits", false), None);
        assert_eq!(
            income_in("60 credits, income 18,000 euros", false),
            Some(1_800_000)
        );
        assert_eq!(income_in("about 18.000", true), Some(1_800_000));
        assert_eq!(income_in("I do not know", true), None);
    }
}
