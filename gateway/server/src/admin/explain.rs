//! `POST /v1/route:explain`: decides without sending.

use axum::{
    Json,
    extract::{State as Shared, rejection::JsonRejection},
};
use gateway_core::{
    RouteDecision,
    call::Explain,
    route::counterfactual::{self, Explanation},
};
use serde::Serialize;

use super::problem::Problem;
use crate::State;

/// A decision with what would have turned it.
#[derive(Debug, Serialize)]
pub(crate) struct Explained {
    #[serde(flatten)]
    decision: RouteDecision,
    explanation: Explanation,
}

pub(crate) async fn explain(
    Shared(state): Shared<State>,
    request: Result<Json<Explain>, JsonRejection>,
) -> Result<Json<Explained>, Problem> {
    let Json(request) = request?;
    let gateway = &state.gateway;
    let decision = gateway
        .explain(&request)
        .await
        .map_err(|error| Problem::bad_request(error.to_string()))?;
    Ok(Json(Explained {
        explanation: counterfactual::explain(&decision, gateway.profiles.values()),
        decision,
    }))
}
