//! A sentence encoder in this process.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use tokio::sync::Semaphore;

use crate::ports::{EncodingError, SentenceEncoder};

/// What turns texts into vectors.
type Encode = dyn Fn(&[&str]) -> Vec<Vec<f32>> + Send + Sync;

/// A model that keeps a processor busy for some milliseconds a text: it works on threads where no other request waits,
/// for as many requests at once as there are processors.
pub struct LocalEncoder {
    name: String,
    encode: Arc<Encode>,
    places: Semaphore,
}

impl LocalEncoder {
    /// Makes an encoder of a name and a function.
    pub fn new(
        name: impl Into<String>,
        encode: impl Fn(&[&str]) -> Vec<Vec<f32>> + Send + Sync + 'static,
    ) -> Self {
        let places = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            name: name.into(),
            encode: Arc::new(encode),
            places: Semaphore::new(places),
        }
    }
}

#[async_trait]
impl SentenceEncoder for LocalEncoder {
    fn name(&self) -> &str {
        &self.name
    }

    async fn request(&self, text: &str) -> Result<Vec<f32>, EncodingError> {
        let place = self.places.acquire().await;
        let _place = place.map_err(|error| EncodingError::Unavailable(error.to_string()))?;
        let mut vectors = self.texts(&[text]).await?;
        vectors
            .pop()
            .ok_or_else(|| EncodingError::Refused("the model returned nothing".to_owned()))
    }

    async fn texts(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EncodingError> {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        let encode = Arc::clone(&self.encode);
        let reading = tokio::task::spawn_blocking(move || {
            encode(&texts.iter().map(String::as_str).collect::<Vec<_>>())
        });
        reading
            .await
            .map_err(|error| EncodingError::Refused(format!("the sentence encoder broke: {error}")))
    }
}

impl fmt::Debug for LocalEncoder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = formatter.debug_struct("LocalEncoder");
        fields.field("name", &self.name).finish_non_exhaustive()
    }
}
