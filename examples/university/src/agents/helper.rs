//! A general helper: knows a little about the whole campus, and likes a chat.

use crate::card::{Profile, Skill, UNIVERSITY};
use crate::dialect::Dialect;
use crate::task::Part;
use crate::text::{Language, mentions, words};
use crate::turn::{Outcome, Turn};

pub(super) const PROFILE: Profile = Profile {
    dialect: Dialect::V10,
    name: "Campus helper",
    description: "General help for students and visitors: where things are on the campus, opening \
        hours, how to get there, and small talk. Ayuda general en el campus: dónde está cada cosa, \
        horarios, cómo llegar.",
    provider: UNIVERSITY,
    streaming: true,
    output_modes: &["text/plain"],
    skills: &[
        Skill {
            id: "find_your_way",
            name: "Find your way",
            description: "Tells where a place on the campus is, how to get there and when it is open. \
                Indica dónde está un lugar del campus, cómo llegar y su horario.",
            tags: &[
                "campus",
                "directions",
                "opening hours",
                "library",
                "cafeteria",
                "parking",
                "bus",
                "horario",
                "biblioteca",
                "cafetería",
                "cómo llegar",
                "autobús",
                "aparcamiento",
            ],
            examples: &[
                "When does the library open?",
                "Where is the cafeteria?",
                "¿Dónde está la biblioteca y qué horario tiene?",
                "¿Cómo llego al campus?",
            ],
        },
        Skill {
            id: "small_talk",
            name: "Small talk",
            description: "Greets, introduces itself and answers anything in a general way. \
                Saluda, se presenta y responde a cualquier cosa de forma general.",
            tags: &["general", "help", "chat", "hello", "ayuda", "hola"],
            examples: &[
                "Hello!",
                "What can you help me with?",
                "Hola, ¿en qué me puedes ayudar?",
            ],
        },
    ],
};

/// A place of the campus; texts come as an English and Spanish pair.
#[derive(Debug)]
struct Place {
    /// Folded beginnings of the words that name it.
    beginnings: &'static [&'static str],
    way: (&'static str, &'static str),
    hours: (&'static str, &'static str),
}

const PLACES: &[Place] = &[
    Place {
        beginnings: &["librar", "bibliotec"],
        way: (
            "The library is the glass tower on the main square.",
            "La biblioteca es la torre de cristal de la plaza mayor.",
        ),
        hours: (
            "It opens from 8:00 to 22:00, Sundays from 10:00 to 14:00.",
            "Abre de 8:00 a 22:00, los domingos de 10:00 a 14:00.",
        ),
    },
    Place {
        beginnings: &["cafe", "lunch", "eat", "comer", "comedor", "coffee"],
        way: (
            "The cafeteria is on the ground floor of building C.",
            "La cafetería está en la planta baja del edificio C.",
        ),
        hours: (
            "Lunch is from 13:00 to 15:30 on weekdays.",
            "Se come de 13:00 a 15:30 los días laborables.",
        ),
    },
    Place {
        beginnings: &["sport", "gym", "pool", "deport", "gimnasio", "piscina"],
        way: (
            "The sports hall is behind the residence, by the river.",
            "El pabellón está detrás de la residencia, junto al río.",
        ),
        hours: ("It opens from 7:00 to 23:00.", "Abre de 7:00 a 23:00."),
    },
    Place {
        beginnings: &["office", "secretar", "administra"],
        way: (
            "The student office is in building A, first floor.",
            "La secretaría está en el edificio A, primera planta.",
        ),
        hours: (
            "It opens from 9:00 to 14:00 on weekdays.",
            "Abre de 9:00 a 14:00 los días laborables.",
        ),
    },
    Place {
        beginnings: &[
            "bus",
            "autobus",
            "train",
            "tren",
            "parking",
            "aparca",
            "campus",
            "directions",
        ],
        way: (
            "Bus 7 goes from the station to the main square in 12 minutes; cars park at the north gate.",
            "El autobús 7 va de la estación a la plaza mayor en 12 minutos; se aparca en la puerta norte.",
        ),
        hours: (
            "Buses run from 6:30 to 23:30.",
            "Los autobuses circulan de 6:30 a 23:30.",
        ),
    },
];

/// Greets back when a message is a greeting and nothing more: that is worth no task.
pub(super) fn small_talk(text: &str) -> Option<&'static str> {
    const GREETINGS: &[&str] = &[
        "hello", "hi", "hey", "there", "good", "morning", "hola", "buenos", "buenas", "dias",
        "tardes",
    ];
    const THANKS: &[&str] = &[
        "thanks", "thank", "you", "very", "much", "gracias", "muchas",
    ];
    let words = words(text);
    let only =
        |list: &[&str]| !words.is_empty() && words.iter().all(|word| list.contains(&word.as_str()));
    let pair = if only(GREETINGS) {
        (
            "Hello! Ask me where things are, or when they open.",
            "¡Hola! Pregúntame dónde está algo, o cuándo abre.",
        )
    } else if only(THANKS) {
        ("You are welcome!", "¡De nada!")
    } else {
        return None;
    };
    let spanish = ["hola", "buenos", "buenas", "gracias"];
    let is_spanish = words.iter().any(|word| spanish.contains(&word.as_str()));
    Some(if is_spanish { pair.1 } else { pair.0 })
}

pub(super) async fn run(turn: &Turn) -> Outcome {
    let answer = turn.artifact("answer");
    let place = PLACES
        .iter()
        .find(|place| mentions(&turn.text, place.beginnings));
    if let Some(place) = place {
        answer.text(turn.say(place.way.0, place.way.1));
        turn.breath().await;
        let hours = turn.say(place.hours.0, place.hours.1);
        answer.finish(vec![Part::Text(format!(" {hours}"))]);
    } else {
        answer.finish(vec![Part::Text(introduction(turn.language).to_owned())]);
    }
    Outcome::Completed
}

const fn introduction(language: Language) -> &'static str {
    match language {
        Language::English => {
            "I know my way around the campus: the library, the cafeteria, sports, the student office \
             and how to get here. For anything else, the student office in building A can help."
        }
        Language::Spanish => {
            "Conozco el campus: la biblioteca, la cafetería, los deportes, la secretaría y cómo llegar. \
             Para lo demás, la secretaría del edificio A puede ayudarte."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_bare_greeting_is_small_talk() {
        assert!(small_talk("Hello!").unwrap().starts_with("Hello"));
        assert!(
            small_talk("¡Hola, buenos días!")
                .unwrap()
                .starts_with("¡Hola")
        );
        assert_eq!(small_talk("Muchas gracias"), Some("¡De nada!"));
        assert_eq!(small_talk("Hello, where is the library?"), None);
        assert_eq!(small_talk(""), None);
    }
}
