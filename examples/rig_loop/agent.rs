//! An agent of rig's with the tools and the memory of hippocamp, each in one call.

use hippocamp::domain::{SessionKey, Window};
use hippocamp::engine::Engine;
use hippocamp::rig::{Memory, tools};
use hippocamp::tools::ToolScope;
use rig_agent::prelude::{Agent, AgentBuilder};
use rig_core::providers::openai::OpenAIConfig;
use rig_reqwest::ReqwestClient;

/// A server that speaks as OpenAI's Chat Completions.
pub(crate) struct Server {
    /// Where the interface is: `http://127.0.0.1:8080/v1`.
    pub(crate) base_url: String,
    pub(crate) key: String,
    pub(crate) model: String,
}

/// Makes an agent. Each prompt is answered from a view that fits `window`, and what was said is stored;
/// the window's reserve has room for what the tools answer in between.
pub(crate) fn agent(
    engine: &Engine,
    session: &SessionKey,
    window: Window,
    server: &Server,
) -> Agent {
    let config = OpenAIConfig::new(server.key.as_str()).with_base_url(&server.base_url);
    let model = config.connect(ReqwestClient::default()).chat(&server.model);
    let scope = ToolScope::Session(session.clone());
    AgentBuilder::new(model)
        .preamble("Look things up before you state a detail that you do not see.")
        .dynamic_tools(tools(engine, &scope, &[]))
        .memory(Memory::new(engine, window))
        .conversation(session.as_str())
        .default_max_turns(12)
        .build()
}
