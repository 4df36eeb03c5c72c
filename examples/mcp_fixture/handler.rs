//! The handler that answers what the suite asks.

#[expect(deprecated, reason = "the suite still asks for it")]
use rmcp::model::SetLevelRequestParams;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    CompletionInfo, ContentBlock, GetPromptRequestParams, GetPromptResponse, GetPromptResult,
    Implementation, JsonObject, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, ServerConfig, SubscribeRequestParams,
    UnsubscribeRequestParams,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};

use crate::asks::{ask, log, pause, progress};
use crate::fixtures::Fixtures;

/// The handler with the suite's tools, prompts and resources.
#[derive(Clone)]
pub(crate) struct FixtureServer {
    fixtures: Fixtures,
}

impl FixtureServer {
    /// Serves these.
    pub(crate) const fn new(fixtures: Fixtures) -> Self {
        Self { fixtures }
    }

    /// Asks a person by way of the client.
    async fn elicit(
        &self,
        context: &RequestContext<RoleServer>,
        name: &str,
        message: &str,
    ) -> Result<Value, ErrorData> {
        let form = self
            .fixtures
            .filled::<Value>("forms", name, &JsonObject::new());
        let form = form.map_err(|error| broken(&error))?;
        let params = json!({"message": message, "requestedSchema": form});
        ask(context, "elicitation/create", params).await
    }
}

fn broken(error: &serde_json::Error) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

fn unknown(what: &str, name: &str) -> ErrorData {
    ErrorData::invalid_params(format!("no {what} `{name}`"), None)
}

fn said(words: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(words)])
}

/// Returns what stands in an answer, or null.
fn at<'a>(answer: &'a Value, pointer: &str) -> &'a Value {
    answer.pointer(pointer).unwrap_or(&Value::Null)
}

/// Returns the one argument that a tool needs.
fn word<'a>(arguments: &'a JsonObject, name: &str) -> Result<&'a str, ErrorData> {
    let word = arguments.get(name).and_then(Value::as_str);
    word.ok_or_else(|| ErrorData::invalid_params(format!("`{name}` must be text"), None))
}

impl ServerHandler for FixtureServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = self.fixtures.all("capabilities").unwrap_or_default();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("fixture", env!("CARGO_PKG_VERSION")))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.fixtures.all("tools");
        tools
            .map(ListToolsResult::with_all_items)
            .map_err(|error| broken(&error))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name: &str = &request.name;
        let arguments = request.arguments.unwrap_or_default();
        let result = match name {
            "test_tool_with_logging" => {
                log(&context).await?;
                said("logged")
            }
            "test_tool_with_progress" => {
                progress(&context).await?;
                said("done")
            }
            "test_reconnection" => {
                pause().await;
                said("answered")
            }
            "test_sampling" => {
                let prompt = word(&arguments, "prompt")?;
                let message = json!({"role": "user", "content": {"type": "text", "text": prompt}});
                let params = json!({"messages": [message], "maxTokens": 100});
                let answer = ask(&context, "sampling/createMessage", params).await?;
                said(format!("LLM response: {}", at(&answer, "/content/text")))
            }
            "test_elicitation" => {
                let message = word(&arguments, "message")?;
                let answer = self.elicit(&context, name, message).await?;
                said(format!("User response: {answer}"))
            }
            "test_elicitation_sep1034_defaults" | "test_elicitation_sep1330_enums" => {
                let answer = self.elicit(&context, name, "Please choose").await?;
                let action = at(&answer, "/action").as_str().unwrap_or_default();
                said(format!(
                    "Elicitation completed: action={action}, content={}",
                    at(&answer, "/content")
                ))
            }
            _ => {
                let result = self.fixtures.filled("results", name, &arguments);
                let result = result.map_err(|error| broken(&error))?;
                result.ok_or_else(|| unknown("tool", name))?
            }
        };
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = self.fixtures.all("resources");
        resources
            .map(ListResourcesResult::with_all_items)
            .map_err(|error| broken(&error))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = self.fixtures.all("templates");
        templates
            .map(ListResourceTemplatesResult::with_all_items)
            .map_err(|error| broken(&error))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = &request.uri;
        let id = uri
            .strip_prefix("test://template/")
            .and_then(|rest| rest.strip_suffix("/data"));
        let (name, words) = match id {
            Some(id) => {
                let words = JsonObject::from_iter([("id".to_owned(), Value::from(id))]);
                ("test://template/{id}/data", words)
            }
            None => (uri.as_str(), JsonObject::new()),
        };
        let contents = self
            .fixtures
            .filled::<ReadResourceResult>("contents", name, &words);
        let contents = contents.map_err(|error| broken(&error))?;
        Ok(contents.ok_or_else(|| unknown("resource", uri))?.into())
    }

    async fn subscribe(
        &self,
        _request: SubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = self.fixtures.all("prompts");
        prompts
            .map(ListPromptsResult::with_all_items)
            .map_err(|error| broken(&error))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let words = request.arguments.unwrap_or_default();
        let prompt = self
            .fixtures
            .filled::<GetPromptResult>("messages", &request.name, &words);
        let prompt = prompt.map_err(|error| broken(&error))?;
        Ok(prompt
            .ok_or_else(|| unknown("prompt", &request.name))?
            .into())
    }

    async fn complete(
        &self,
        _request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Ok(CompleteResult::new(CompletionInfo::default()))
    }

    #[expect(deprecated, reason = "the suite still asks for it")]
    async fn set_level(
        &self,
        _request: SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }
}
