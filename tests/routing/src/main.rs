//! Prints how well messages are routed, on labelled requests and real cards.

use std::{
    fs,
    io::{self, Write as _},
    path::PathBuf,
    process::ExitCode,
};

use clap::Parser;
use routing::{
    Outcome, dev_folder,
    engine::{Engine, EngineName, MODEL_VARIABLE},
    figures::Figures,
    labelled::{LabelledSet, Predictions, Registry},
    report,
    targets::targets,
    weigh::weigh,
};
use url::Url;

/// Routes labelled requests among real cards and prints what share is right. The exit code is 1 when a target is
/// missed.
#[derive(Debug, Parser)]
#[command(name = "routing")]
struct Options {
    /// How fit is found.
    #[arg(long, value_enum, default_value = "lexical")]
    engine: EngineName,
    /// The folder of the model of the hybrid engine, as `deploy/fetch-model` makes it.
    #[arg(long, env = MODEL_VARIABLE, value_name = "FOLDER", default_value = "models/use-multilingual-v3")]
    model: PathBuf,
    /// The address of an embeddings API to use instead of a model in a folder; its key is read from `EMBEDDINGS_KEY`.
    #[arg(long, value_name = "URL", requires = "endpoint_model")]
    endpoint: Option<Url>,
    /// The name of the model there.
    #[arg(long, value_name = "NAME", requires = "endpoint")]
    endpoint_model: Option<String>,
    /// Fit the weights of the hybrid engine to the set and print them.
    #[arg(long)]
    weigh: bool,
    /// A folder with `requests.jsonl`, `agents/` and `agents_adversarial/`; the set that is checked in by default.
    #[arg(long, value_name = "FOLDER")]
    set: Option<PathBuf>,
    /// Print all figures as JSON.
    #[arg(long)]
    json: bool,
    /// List the wrong answers as well.
    #[arg(long)]
    errors: bool,
    /// Write the answers to a file, one JSON object a line.
    #[arg(long, value_name = "FILE")]
    answers: Option<PathBuf>,
    /// Write the answers with the adversarial cards loaded for all requests to a file.
    #[arg(long, value_name = "FILE")]
    answers_among_adversarial: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            let _reader_gone = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Says whether all targets were met.
fn run(options: &Options) -> Outcome<bool> {
    let set = LabelledSet::read(options.set.as_ref().unwrap_or(&dev_folder()))?;
    let engine = match options.engine {
        EngineName::Lexical => Engine::lexical(),
        EngineName::Hybrid => match (&options.endpoint, &options.endpoint_model) {
            (Some(url), Some(model)) => Engine::at(url.clone(), model)?,
            _ => Engine::hybrid(&options.model)?,
        },
    };
    if options.weigh {
        let _reader_gone = io::stdout()
            .lock()
            .write_all(weigh(&engine, &set)?.as_bytes());
        return Ok(true);
    }
    let answers = engine.answer_all(&set)?;
    let all_cards = engine.catalog(&set.cards(Registry::WithAdversarial))?;
    let among_adversarial = engine.answer_among(&all_cards, &set)?;
    let figures = Figures::of(&set, &answers, &among_adversarial);
    let mut text = if options.json {
        serde_json::to_string_pretty(&figures)? + "\n"
    } else {
        report::table(engine.name, &figures)
    };
    if options.errors {
        text.push_str(&report::errors(&set, &answers));
    }
    let _reader_gone = io::stdout().lock().write_all(text.as_bytes());
    for (file, answers) in [
        (&options.answers, &answers),
        (&options.answers_among_adversarial, &among_adversarial),
    ] {
        if let Some(file) = file {
            fs::write(file, lines(&set, answers)?)?;
        }
    }
    Ok(targets(engine.name, &figures)
        .iter()
        .all(routing::targets::Target::is_met))
}

fn lines(set: &LabelledSet, answers: &Predictions) -> Outcome<String> {
    let mut text = String::new();
    for request in &set.requests {
        if let Some(answer) = answers.get(&request.id) {
            text.push_str(&serde_json::to_string(answer)?);
            text.push('\n');
        }
    }
    Ok(text)
}
