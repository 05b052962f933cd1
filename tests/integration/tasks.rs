//! Tasks and contexts: who owns them, and that nobody else is ever asked.

mod asynchronous;
mod contexts;
mod continued;
mod forged;
mod owners;
mod pinned;
mod restarted;

use crate::{
    dialect::{Dialect, success},
    mock::{Answer, Mock},
    world::{Setup, World},
};

/// Two agents that know nothing of each other and number their tasks alike.
struct Pair {
    world: World,
    alpha: Mock,
    beta: Mock,
}

impl Pair {
    /// Starts both; what fits `beta` better than `alpha` is about libraries.
    async fn start(dialect: Dialect) -> Self {
        let (alpha, beta) = (
            Mock::start(dialect, "alpha").await,
            Mock::start(dialect, "beta").await,
        );
        alpha.serves_card(&dialect.card_about(
            "alpha",
            &alpha.rpc_url(),
            "parking permits for cars",
        ));
        beta.serves_card(&dialect.card_about("beta", &beta.rpc_url(), "library opening hours"));
        for mock in [&alpha, &beta] {
            mock.answers(move |call| numbering(dialect, call));
        }
        let world = Setup::new()
            .agent("alpha", &alpha)
            .agent("beta", &beta)
            .start()
            .await;
        Self { world, alpha, beta }
    }

    fn mock(&self, id: &str) -> &Mock {
        if id == "alpha" {
            &self.alpha
        } else {
            &self.beta
        }
    }

    fn other(&self, id: &str) -> &Mock {
        self.mock(if id == "alpha" { "beta" } else { "alpha" })
    }
}

const PAIR: [&str; 2] = ["alpha", "beta"];

/// Answers sends with the working task `1` in context `1`, and is otherwise obliging.
fn numbering(dialect: Dialect, call: &crate::mock::Request) -> Answer {
    if call.rpc_method() == dialect.method("SendMessage") {
        Answer::json(success(call, &dialect.sent_task("1", "1", "working")))
    } else {
        dialect.obliging(call)
    }
}
