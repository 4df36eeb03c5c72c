//! The tools as rig takes them, bound to a session. Owns how an error is told to rig.
//! May not describe or run a tool: the tools' room does.

use rig_core::message::ToolName;
use rig_core::tool::{DynamicTool, PortableTool, ToolExecutionError, ToolOutput};
use serde_json::Value;

use crate::engine::{Engine, EngineError};
use crate::tools::{OptionalTool, ToolError, ToolSchema, ToolScope, dispatch_with, schema_with};

/// Returns the two tools, and the optional ones that are named, for an agent: `short_grep` and
/// `short_expand` look into the conversations of `scope`.
///
/// They go to `AgentBuilder::dynamic_tools` of `rig-agent`. A call that a model can mend is answered
/// as failed, in words that say how.
#[must_use]
pub fn tools(engine: &Engine, scope: &ToolScope, registered: &[OptionalTool]) -> Vec<DynamicTool> {
    let schemas = schema_with(registered).into_iter();
    let tools = schemas.map(|tool| dynamic(engine, scope, registered, tool));
    tools.collect()
}

fn dynamic(
    engine: &Engine,
    scope: &ToolScope,
    registered: &[OptionalTool],
    tool: ToolSchema,
) -> DynamicTool {
    let (engine, scope, registered) = (engine.clone(), scope.clone(), registered.to_vec());
    #[expect(clippy::expect_used, reason = "each tool has a name")]
    let name = ToolName::new(tool.name).expect("a name is not empty");
    DynamicTool::new(name, tool.description, tool.parameters, move |arguments| {
        let (engine, scope, registered) = (engine.clone(), scope.clone(), registered.clone());
        Box::pin(async move {
            let answer = dispatch_with(&engine, &scope, &registered, tool.name, arguments).await;
            answer.map(ToolOutput::json).map_err(told)
        })
    })
}

/// Tells rig what went wrong: the model is told what it can mend, and of the rest only that it failed.
fn told(error: ToolError) -> ToolExecutionError {
    let is_mendable = !matches!(
        error,
        ToolError::Engine(ref error) if !matches!(
            error,
            EngineError::Usage { .. } | EngineError::Pattern(_) | EngineError::UnknownSession { .. }
        )
    );
    if !is_mendable {
        return ToolExecutionError::from_error(error);
    }
    let words = match error.hint() {
        Some(hint) => format!("{error}; {hint}"),
        None => error.to_string(),
    };
    ToolExecutionError::invalid_args(words).with_source(error)
}

fn schema_of(name: &str) -> ToolSchema {
    let all = schema_with(&OptionalTool::ALL);
    #[expect(clippy::expect_used, reason = "it is called with the names of tools")]
    all.into_iter()
        .find(|tool| tool.name == name)
        .expect("a tool has this name")
}

/// Makes one tool a type of its own, for `AgentBuilder::tool` and for calls by hand.
macro_rules! typed {
    ($(#[$doc:meta])* $tool:ident, $name:literal, $registered:expr) => {
        $(#[$doc])*
        #[derive(Clone)]
        pub struct $tool {
            engine: Engine,
            scope: ToolScope,
        }

        impl $tool {
            /// Binds it to the conversations of `scope`.
            #[must_use]
            pub fn new(engine: &Engine, scope: ToolScope) -> Self {
                let engine = engine.clone();
                Self { engine, scope }
            }
        }

        impl PortableTool for $tool {
            const NAME: &'static str = $name;
            type Args = Value;
            type Output = Value;
            type Error = ToolError;

            fn description(&self) -> String {
                schema_of($name).description.to_owned()
            }

            fn parameters(&self) -> Value {
                schema_of($name).parameters
            }

            fn map_error(&self, error: ToolError) -> ToolExecutionError {
                told(error)
            }

            async fn call(&self, arguments: Value) -> Result<Value, ToolError> {
                dispatch_with(&self.engine, &self.scope, $registered, $name, arguments).await
            }
        }
    };
}

typed!(
    /// The tool that finds what was said.
    ShortGrep,
    "short_grep",
    &[]
);
typed!(
    /// The tool that shows messages and summaries whole.
    ShortExpand,
    "short_expand",
    &[]
);
typed!(
    /// The optional tool that asks for a compaction at the end of the turn.
    ShortCompact,
    "short_compact",
    &[OptionalTool::ShortCompact]
);
typed!(
    /// The optional tool that keeps a fact in every view.
    Pin,
    "pin",
    &[OptionalTool::Pin]
);
