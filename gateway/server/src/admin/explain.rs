//! `POST /v1/route:explain`: decides without sending.

use axum::{
    Json,
    extract::{State as Shared, rejection::JsonRejection},
};
use gateway_core::{RouteDecision, call::Explain};

use super::problem::Problem;
use crate::State;

pub(crate) async fn explain(
    Shared(state): Shared<State>,
    request: Result<Json<Explain>, JsonRejection>,
) -> Result<Json<RouteDecision>, Problem> {
    let Json(request) = request.map_err(|rejection| Problem::bad_request(rejection.body_text()))?;
    state
        .gateway
        .explain(&request)
        .await
        .map(Json)
        .map_err(|error| Problem::bad_request(error.to_string()))
}
