//! Looks up the regulations: finds the article that answers a question and streams it.

mod articles;

use std::collections::HashSet;

use self::articles::{ARTICLES, Article};
use crate::card::{Profile, Skill, UNIVERSITY};
use crate::dialect::Dialect;
use crate::task::Part;
use crate::text::words;
use crate::turn::{Outcome, Turn};

pub(super) const PROFILE: Profile = Profile {
    dialect: Dialect::V10,
    name: "Regulations",
    description: "Finds and quotes the article of the academic regulations that answers a question: \
        attendance, exams, appeals, grades, plagiarism, enrolment periods. Consulta el reglamento \
        académico y cita el artículo que responde: asistencia, exámenes, reclamaciones, calificaciones.",
    provider: UNIVERSITY,
    streaming: true,
    output_modes: &["text/plain"],
    skills: &[Skill {
        id: "look_up_regulation",
        name: "Look up a regulation",
        description: "Quotes the article of the academic regulations on a matter, with its number. \
            Cita el artículo del reglamento académico sobre un asunto, con su número.",
        tags: &[
            "regulations",
            "rules",
            "article",
            "attendance",
            "exam",
            "appeal",
            "grading",
            "plagiarism",
            "reglamento",
            "normativa",
            "norma",
            "artículo",
            "asistencia",
            "examen",
            "reclamación",
            "calificación",
            "plagio",
        ],
        examples: &[
            "How many classes may I miss before I lose the right to the exam?",
            "What happens if I am caught plagiarising my thesis?",
            "How do I appeal a grade?",
            "¿Qué dice la normativa sobre la asistencia a clase?",
            "¿Cuál es el plazo para reclamar la nota de un examen?",
        ],
    }],
};

/// How much an article must have to do with a question to be quoted.
const RELEVANT: usize = 3;

pub(super) async fn run(turn: &Turn) -> Outcome {
    turn.progress(turn.say("Searching the regulations", "Buscando en el reglamento"));
    turn.breath().await;
    let answer = turn.artifact("answer");
    let Some(article) = best_match(&turn.text) else {
        answer.finish(vec![Part::Text(no_match(turn))]);
        return Outcome::Completed;
    };
    let label = turn.say("Article", "Artículo");
    let title = turn.say(article.title.0, article.title.1);
    answer.text(format!("{label} {}. {title}.", article.number));
    for sentence in turn
        .say(article.text.0, article.text.1)
        .split_inclusive(". ")
    {
        turn.breath().await;
        answer.text(format!(" {}", sentence.trim_end()));
    }
    let source = turn.say(
        "\n(Academic Regulations of the University of Valdehierro, 2026 edition)",
        "\n(Reglamento Académico de la Universidad de Valdehierro, edición de 2026)",
    );
    answer.finish(vec![Part::Text(source.to_owned())]);
    Outcome::Completed
}

/// Returns the article that shares most with the question, the earlier one of equals.
fn best_match(question: &str) -> Option<&'static Article> {
    let question = stems(question);
    let scored = ARTICLES
        .iter()
        .map(|article| (relevance(article, &question), article));
    scored
        .filter(|(relevance, _)| *relevance >= RELEVANT)
        .max_by_key(|(relevance, article)| (*relevance, std::cmp::Reverse(article.number)))
        .map(|(_, article)| article)
}

/// Weighs the words in common: those that name the subject three times as much as those of the text.
fn relevance(article: &Article, question: &HashSet<String>) -> usize {
    let subject = stems(&[article.keywords, article.title.0, article.title.1].join(" "));
    let text = stems(&[article.text.0, article.text.1].join(" "));
    let named = question.intersection(&subject).count();
    let told = question
        .difference(&subject)
        .filter(|stem| text.contains(*stem))
        .count();
    3 * named + told
}

/// Returns the beginnings of the longer words, by which forms of one word are taken as the same.
fn stems(text: &str) -> HashSet<String> {
    let long = words(text)
        .into_iter()
        .filter(|word| word.chars().count() > 3);
    long.map(|word| word.chars().take(6).collect()).collect()
}

fn no_match(turn: &Turn) -> String {
    let titles: Vec<&str> = ARTICLES
        .iter()
        .map(|article| turn.say(article.title.0, article.title.1))
        .collect();
    let opening = turn.say(
        "The regulations say nothing about that. They cover: ",
        "El reglamento no dice nada sobre eso. Trata de: ",
    );
    format!("{opening}{}.", titles.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_in_both_languages_find_their_article() {
        for (question, number) in [
            ("How many classes may I miss?", 1),
            ("What does the rule say about attendance?", 1),
            ("¿Cuántas faltas de asistencia puedo tener?", 1),
            ("How do I appeal a grade?", 5),
            ("¿Cuál es el plazo para reclamar la nota de un examen?", 5),
            ("I was accused of plagiarism in my thesis", 7),
            ("¿Qué pasa si me pillan copiando?", 7),
            ("When does the enrolment period end?", 8),
            ("¿Cuándo termina el periodo de inscripción?", 8),
            ("Can I have credits from another university recognised?", 11),
            ("¿Puedo anular una asignatura?", 9),
        ] {
            assert_eq!(
                best_match(question).map(|found| found.number),
                Some(number),
                "{question}"
            );
        }
    }

    #[test]
    fn question_about_something_else_finds_nothing() {
        assert!(best_match("Where can I have lunch today?").is_none());
        assert!(best_match("").is_none());
    }

    #[test]
    fn articles_are_numbered_in_order_and_long_enough_to_stream() {
        for (position, article) in ARTICLES.iter().enumerate() {
            assert_eq!(article.number, position + 1);
            for text in [article.text.0, article.text.1] {
                assert!(
                    text.split_inclusive(". ").count() >= 2,
                    "article {}",
                    article.number
                );
            }
        }
    }
}
