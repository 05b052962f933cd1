//! Drafts formal letters around what the user wants to say.

use crate::card::{Profile, Skill, UNIVERSITY};
use crate::dialect::Dialect;
use crate::task::Part;
use crate::text::{Language, mentions};
use crate::turn::{Outcome, Turn};

pub(super) const PROFILE: Profile = Profile {
    dialect: Dialect::V03,
    name: "Letters",
    description: "Drafts formal letters and petitions in English and Spanish: requests, complaints, \
        recommendations. Redacta cartas e instancias formales en inglés y español: solicitudes, quejas, \
        recomendaciones.",
    provider: UNIVERSITY,
    streaming: true,
    output_modes: &["text/plain"],
    skills: &[Skill {
        id: "draft_letter",
        name: "Draft a formal letter",
        description: "Writes a formal letter to an office of the university, in the language of the \
            request. Escribe una carta formal a un órgano de la universidad.",
        tags: &[
            "letter",
            "writing",
            "draft",
            "petition",
            "complaint",
            "recommendation",
            "carta",
            "escrito",
            "redactar",
            "instancia",
            "queja",
            "recomendación",
        ],
        examples: &[
            "Draft a letter to the dean asking for a later thesis date",
            "Write a complaint about the noise in the residence",
            "Redacta una carta al rector para solicitar un aula",
            "Necesito una carta de recomendación para Lucía",
        ],
    }],
};

/// What kind of letter the message asks for; a request where nothing else is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Request,
    Complaint,
    Recommendation,
}

/// Who a letter may go to: folded beginnings of the name, and the salutation in both languages.
const ADDRESSEES: &[(&[&str], (&str, &str))] = &[
    (
        &["dean", "decan"],
        ("Dear Dean,", "Ilmo. Sr. Decano o Ilma. Sra. Decana:"),
    ),
    (
        &["rector"],
        ("Dear Rector,", "Excmo. Sr. Rector o Excma. Sra. Rectora:"),
    ),
    (
        &["librar", "bibliotec"],
        ("Dear Librarian,", "A la dirección de la biblioteca:"),
    ),
    (
        &["residen"],
        (
            "Dear Head of Residence,",
            "A la dirección de la residencia:",
        ),
    ),
    (
        &["teacher", "profes"],
        ("Dear Professor,", "Estimado profesor o estimada profesora:"),
    ),
];

pub(super) async fn run(turn: &Turn) -> Outcome {
    turn.progress(turn.say("Drafting the letter", "Redactando la carta"));
    let letter = turn.artifact("letter");
    letter.text(format!("{}\n\n", salutation(&turn.text, turn.language)));
    turn.breath().await;
    let opening = Kind::asked_in(&turn.text).opening(turn.language);
    letter.text(format!("{opening}\n\n{}\n\n", quoted(&turn.text)));
    turn.breath().await;
    letter.finish(vec![Part::Text(closing(turn.language).to_owned())]);
    Outcome::Completed
}

impl Kind {
    fn asked_in(text: &str) -> Self {
        if mentions(text, &["complain", "queja", "reclam", "protest"]) {
            Self::Complaint
        } else if mentions(text, &["recommend", "recomend", "reference"]) {
            Self::Recommendation
        } else {
            Self::Request
        }
    }

    const fn opening(self, language: Language) -> &'static str {
        match (self, language) {
            (Self::Request, Language::English) => {
                "I am writing to submit the following request for your consideration:"
            }
            (Self::Request, Language::Spanish) => {
                "Me dirijo a usted para presentar, para su consideración, la siguiente solicitud:"
            }
            (Self::Complaint, Language::English) => {
                "I am writing to make a formal complaint, and to ask for a remedy, about the following:"
            }
            (Self::Complaint, Language::Spanish) => {
                "Me dirijo a usted para formular una queja formal, y pedir remedio, por lo siguiente:"
            }
            (Self::Recommendation, Language::English) => {
                "It is with pleasure, and without reservation, that I give this recommendation:"
            }
            (Self::Recommendation, Language::Spanish) => {
                "Con mucho gusto, y sin reserva alguna, doy la siguiente recomendación:"
            }
        }
    }
}

fn salutation(text: &str, language: Language) -> &'static str {
    let named = ADDRESSEES
        .iter()
        .find(|(beginnings, _)| mentions(text, beginnings));
    let (english, spanish) = named.map_or(
        ("Dear Sir or Madam,", "A quien corresponda:"),
        |(_, salutation)| *salutation,
    );
    match language {
        Language::English => english,
        Language::Spanish => spanish,
    }
}

/// Returns what the user wrote, on one line and indented.
fn quoted(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    format!("    {}", words.join(" "))
}

const fn closing(language: Language) -> &'static str {
    match language {
        Language::English => "Thank you for your attention.\n\nYours faithfully,\n[name]\n",
        Language::Spanish => "Agradezco de antemano su atención.\n\nAtentamente,\n[nombre]\n",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_and_addressee_follow_the_words() {
        assert_eq!(
            Kind::asked_in("Write a complaint about the noise"),
            Kind::Complaint
        );
        assert_eq!(
            Kind::asked_in("carta de recomendación para Lucía"),
            Kind::Recommendation
        );
        assert_eq!(Kind::asked_in("carta al rector"), Kind::Request);
        assert!(salutation("una carta al decano", Language::Spanish).contains("Decano"));
        assert_eq!(
            salutation("a letter", Language::English),
            "Dear Sir or Madam,"
        );
    }
}
