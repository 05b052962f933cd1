//! A sentence encoder behind HTTP, in the form of `OpenAI`'s embeddings API, which many servers offer.

mod answer;
mod broken;
mod circuit;

use std::{
    fmt,
    sync::{Arc, OnceLock},
    time::Duration,
};

use async_trait::async_trait;
use bytes::BytesMut;
use gateway_core::{
    agent::AgentAuth,
    digest::sha256,
    ports::{EncodingError, SentenceEncoder},
};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use moka::sync::Cache;
use serde::Serialize;
use tokio::time::{Instant, timeout};
use url::Url;

use self::{broken::Broken, circuit::Circuit};
use crate::{
    agents::add_credential,
    failure::Failure,
    guard::{self, Clients},
    read::{self, ReadError},
};

/// To open a connection, if nothing else ends it before.
const CONNECT: Duration = Duration::from_secs(5);
/// To read texts of cards, for which no request waits.
const PATIENCE: Duration = Duration::from_secs(60);
/// The most texts of one call; some servers take no more.
const TEXTS: usize = 64;
/// The most bytes of an answer, and the more for each text: as 8,192 numbers take.
const ANSWER: usize = 64 * 1024;
const ANSWER_OF_TEXT: usize = 256 * 1024;
/// The most bytes of vectors that are remembered.
const REMEMBERED: u64 = 32 * 1024 * 1024;

/// Where texts are read, and by what.
#[derive(Debug, Clone)]
pub struct EmbeddingsSettings {
    /// The address that takes `POST` with `model` and `input`.
    pub url: Url,
    /// The name of the model there.
    pub model: String,
    /// The credential.
    pub auth: AgentAuth,
    /// How long a message waits.
    pub timeout: Duration,
    /// How many numbers vectors are to have; the server decides where this is absent.
    pub dimensions: Option<u32>,
}

/// Reads texts with a model behind an embeddings API. What fails again and again is not asked for a while.
pub struct EmbeddingsEndpoint {
    name: String,
    settings: EmbeddingsSettings,
    clients: Clients,
    circuit: Circuit,
    /// The vectors of texts, by their digests.
    remembered: Cache<String, Arc<Vec<f32>>>,
    /// How many numbers every vector has.
    width: OnceLock<usize>,
}

/// What is asked.
#[derive(Serialize)]
struct Asked<'a> {
    model: &'a str,
    input: &'a [&'a str],
    encoding_format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<u32>,
}

impl EmbeddingsEndpoint {
    /// Creates the way to an endpoint.
    #[must_use]
    pub fn new(settings: EmbeddingsSettings, clients: Clients) -> Self {
        let weigh = |_: &String, vector: &Arc<Vec<f32>>| {
            u32::try_from(size_of_val(vector.as_slice()) + 128).unwrap_or(u32::MAX)
        };
        let dimensions = settings.dimensions.map(|width| format!("/{width}"));
        Self {
            name: format!("{}{}", settings.model, dimensions.unwrap_or_default()),
            settings,
            clients,
            circuit: Circuit::default(),
            remembered: Cache::builder()
                .weigher(weigh)
                .max_capacity(REMEMBERED)
                .build(),
            width: OnceLock::new(),
        }
    }

    /// Asks for vectors, unless that failed so often that it is not tried now.
    async fn ask(&self, texts: &[&str], limit: Duration) -> Result<Vec<Vec<f32>>, EncodingError> {
        let attempt = self.circuit.attempt(Instant::now());
        let attempt = attempt.map_err(EncodingError::Unavailable)?;
        let called = timeout(limit, self.call(texts)).await;
        let called = called.unwrap_or_else(|_| {
            Err(Broken::unavailable(format!(
                "no answer within {limit:?}; check that it is up, or raise `routing.fit.endpoint.timeout`"
            )))
        });
        let at = guard::shown(&self.settings.url);
        called.inspect(|_| attempt.succeeded()).map_err(|broken| {
            let said = |problem: &str| format!("embeddings endpoint {at}: {problem}");
            match broken.error {
                EncodingError::Refused(problem) => {
                    // It is there and answers.
                    attempt.succeeded();
                    EncodingError::Refused(said(&problem))
                }
                EncodingError::Unavailable(problem) => {
                    let problem = said(&problem);
                    attempt.failed(Instant::now(), broken.retry_after, &problem);
                    EncodingError::Unavailable(problem)
                }
            }
        })
    }

    async fn call(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Broken> {
        let settings = &self.settings;
        guard::check(&settings.url)
            .map_err(|refused| Broken::unavailable(Failure::from(refused).words()))?;
        let mut headers = HeaderMap::new();
        add_credential(&mut headers, &settings.auth)
            .map_err(|error| Broken::unavailable(error.to_string()))?;
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        );
        let asked = Asked {
            model: &settings.model,
            input: texts,
            encoding_format: "float",
            dimensions: settings.dimensions,
        };
        let body =
            serde_json::to_vec(&asked).map_err(|error| Broken::unavailable(error.to_string()))?;
        let failed = |error: &reqwest::Error| Broken::unavailable(Failure::of(error).words());
        let client = self
            .clients
            .client(CONNECT)
            .map_err(|error| Broken::unavailable(error.to_string()))?;
        let request = client
            .post(settings.url.clone())
            .headers(headers)
            .body(body);
        let mut response = request.send().await.map_err(|error| failed(&error))?;
        let limit = ANSWER + ANSWER_OF_TEXT * texts.len();
        if response.status() != StatusCode::OK {
            return Err(Broken::of_status(response.status(), response.headers()));
        }
        let body = read::capped(&mut response, BytesMut::new(), limit)
            .await
            .map_err(|error| match error {
                ReadError::TooLarge => {
                    Broken::unavailable(format!("an answer of more than {limit} bytes"))
                }
                ReadError::Failed(error) => failed(&error),
            })?;
        let vectors = answer::read(&body, texts.len()).map_err(Broken::unavailable)?;
        self.check_width(&vectors)?;
        Ok(vectors)
    }

    /// Checks that all vectors have the same width, in this answer and in those before. Only an answer that is in order
    /// says what width is expected from then on.
    fn check_width(&self, vectors: &[Vec<f32>]) -> Result<(), Broken> {
        let asked = self.settings.dimensions;
        let asked = asked.and_then(|width| usize::try_from(width).ok());
        let known = self.width.get().copied().or(asked);
        let Some(width) = known.or_else(|| vectors.first().map(Vec::len)) else {
            return Ok(());
        };
        match vectors.iter().find(|vector| vector.len() != width) {
            Some(other) => Err(Broken::unavailable(format!(
                "a vector of {} numbers where {width} are expected; check `model` and `dimensions` of `routing.fit.endpoint`",
                other.len()
            ))),
            None => {
                self.width.get_or_init(|| width);
                Ok(())
            }
        }
    }
}

#[async_trait]
impl SentenceEncoder for EmbeddingsEndpoint {
    fn name(&self) -> &str {
        &self.name
    }

    async fn request(&self, text: &str) -> Result<Vec<f32>, EncodingError> {
        let key = sha256(text.as_bytes());
        if let Some(known) = self.remembered.get(&key) {
            return Ok(known.to_vec());
        }
        let mut vectors = self.ask(&[text], self.settings.timeout).await?;
        let vector = vectors.pop().unwrap_or_default();
        self.remembered.insert(key, Arc::new(vector.clone()));
        Ok(vector)
    }

    async fn texts(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EncodingError> {
        let keys: Vec<_> = texts.iter().map(|text| sha256(text.as_bytes())).collect();
        let mut known: Vec<_> = keys.iter().map(|key| self.remembered.get(key)).collect();
        let unknown: Vec<usize> = (0..texts.len())
            .filter(|at| known.get(*at).is_some_and(Option::is_none))
            .collect();
        for places in unknown.chunks(TEXTS) {
            let asked: Vec<&str> = places
                .iter()
                .filter_map(|at| texts.get(*at).copied())
                .collect();
            let vectors = self.ask(&asked, PATIENCE).await?;
            for (at, vector) in places.iter().zip(vectors) {
                let vector = Arc::new(vector);
                if let (Some(place), Some(key)) = (known.get_mut(*at), keys.get(*at)) {
                    self.remembered.insert(key.clone(), Arc::clone(&vector));
                    *place = Some(vector);
                }
            }
        }
        Ok(known
            .into_iter()
            .flatten()
            .map(|vector| vector.to_vec())
            .collect())
    }

    fn problem(&self) -> Option<String> {
        self.circuit.problem()
    }
}

impl fmt::Debug for EmbeddingsEndpoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = formatter.debug_struct("EmbeddingsEndpoint");
        fields
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
