//! The seams to the world: storage, the agents, their cards, webhooks, and whoever counts.
//!
//! Each trait has its implementations in a crate of its own; the rules here know only the traits.

mod agents;
mod cards;
mod encoder;
mod meanings;
mod observer;
mod pins;
mod push;
mod store;

pub use agents::{
    AgentAnswer, AgentClient, AgentEvent, AgentRequest, AnswerContent, AttemptError,
    AttemptErrorKind, Said,
};
pub use cards::{CardFetch, CardSource, CardTry, FetchedCard};
pub use encoder::{EncodingError, SentenceEncoder};
pub use meanings::MeaningStore;
pub use observer::{Answered, Observer};
pub use pins::{CardPin, CardPins, Sighting, StoredPin};
pub use push::{
    ClaimedPush, ConfirmedPush, Delivery, PushConfig, PushNotification, PushStore, ToldState,
    Webhook, WebhookClient, WebhookError,
};
pub use store::{
    DecisionFilter, KnownTask, Note, Store, StoreError, TaskFilter, TaskPage, TaskPlace,
};
