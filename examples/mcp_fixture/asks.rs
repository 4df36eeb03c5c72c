//! What a server says or asks while a call lasts: log lines, signs of life, requests to the client.

use std::time::Duration;

use rmcp::model::{
    CustomNotification, CustomRequest, ProgressNotificationParam, ServerNotification, ServerRequest,
};
use rmcp::service::{RequestContext, ServiceError};
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

/// The suite asks for a pause between two signs, so that a client sees them one by one.
const PAUSE: Duration = Duration::from_millis(50);

/// Logs three times.
pub(crate) async fn log(context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
    let words = [
        "Tool execution started",
        "Tool processing data",
        "Tool execution completed",
    ];
    for words in words {
        let params = json!({"level": "info", "data": words});
        let line = CustomNotification::new("notifications/message", Some(params));
        let line = ServerNotification::CustomNotification(line);
        let said = context.peer.send_notification(line).await;
        said.map_err(|error| unsaid(&error))?;
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

/// Gives three signs of life, if they are asked for.
pub(crate) async fn progress(context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
    for done in [0.0, 50.0, 100.0] {
        if let Some(token) = context.meta.get_progress_token() {
            let sign = ProgressNotificationParam::new(token, done).with_total(100.0);
            let said = context.peer.notify_progress(sign).await;
            said.map_err(|error| unsaid(&error))?;
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

/// Waits as long as one pause.
pub(crate) async fn pause() {
    tokio::time::sleep(PAUSE).await;
}

/// Asks the client for something, and returns its answer.
pub(crate) async fn ask(
    context: &RequestContext<RoleServer>,
    method: &str,
    params: Value,
) -> Result<Value, ErrorData> {
    let request = ServerRequest::CustomRequest(CustomRequest::new(method, Some(params)));
    let answer = context.peer.send_request(request).await;
    let answer = answer.map_err(|error| unsaid(&error))?;
    serde_json::to_value(answer).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

fn unsaid(error: &ServiceError) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
