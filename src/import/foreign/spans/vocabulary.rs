//! Names of attributes and the words in them: the GenAI semantic conventions of OpenTelemetry first, then
//! OpenInference and what programs wrote before and beside them.

/// What stands for a text that was kept from the recording.
pub const REDACTED: &str = "__REDACTED__";

/// Attributes that say what a span stands for, in the word of each convention.
pub const KINDS: &[&str] = &[
    "gen_ai.operation.name",
    "openinference.span.kind",
    "traceloop.span.kind",
    "ai.operationId",
    "langfuse.observation.type",
    "langsmith.span.kind",
    "mlflow.spanType",
];

/// Words for a call of a tool.
pub const TOOL: &[&str] = &["execute_tool", "tool", "ai.toolcall"];

/// Words for an answer of a model.
pub const ANSWER: &[&str] = &[
    "chat",
    "text_completion",
    "generate_content",
    "llm",
    "chat_model",
    "generation",
    "completion",
];

/// Words for an agent at work.
pub const AGENT: &[&str] = &["invoke_agent", "agent"];

/// Words for what is none of these.
pub const OTHER: &[&str] = &[
    "chain",
    "create_agent",
    "embedding",
    "embeddings",
    "evaluator",
    "event",
    "guardrail",
    "invoke_workflow",
    "parser",
    "prompt",
    "reranker",
    "retrieval",
    "retriever",
    "span",
    "task",
    "unknown",
    "workflow",
];

/// Name of a tool.
pub const TOOL_NAME: &[&str] = &[
    "gen_ai.tool.name",
    "tool.name",
    "ai.toolCall.name",
    "mcp.tool.name",
    "traceloop.entity.name",
];

/// Id of a call.
pub const CALL_ID: &[&str] = &["gen_ai.tool.call.id", "ai.toolCall.id", "tool_call.id"];

/// Arguments of a call.
pub const ARGS: &[&str] = &[
    "gen_ai.tool.call.arguments",
    "tool_arguments",
    "ai.toolCall.args",
    "ai.toolCall.input",
    "gcp.vertex.agent.tool_call_args",
    "traceloop.entity.input",
    "langfuse.observation.input",
    "mlflow.spanInputs",
    "input.value",
];

/// What a call returned.
pub const RESULT: &[&str] = &[
    "gen_ai.tool.call.result",
    "tool_response",
    "ai.toolCall.result",
    "ai.toolCall.output",
    "gcp.vertex.agent.tool_response",
    "traceloop.entity.output",
    "langfuse.observation.output",
    "mlflow.spanOutputs",
    "output.value",
];

/// Name of an agent.
pub const AGENT_NAME: &[&str] = &["gen_ai.agent.name", "agent.name", "agent_name"];

/// The conversation.
pub const SESSION: &[&str] = &[
    "gen_ai.conversation.id",
    "session.id",
    "langfuse.session.id",
    "traceloop.association.properties.session_id",
    "gcp.vertex.agent.session_id",
    "ai.telemetry.metadata.sessionId",
];

/// The model.
pub const MODEL: &[&str] = &[
    "gen_ai.request.model",
    "llm.model_name",
    "ai.model.id",
    "gen_ai.response.model",
    "model_name",
];

/// What an answer cost, in dollars.
pub const COST: &[&str] = &["operation.cost", "gen_ai.usage.cost", "llm.cost.total"];

/// What a model was given to read.
pub const INPUT: &[&str] = &[
    "gen_ai.input.messages",
    "ai.prompt.messages",
    "ai.prompt",
    "pydantic_ai.all_messages",
    "all_messages_events",
    "events",
];

/// What a model answered.
pub const OUTPUT: &[&str] = &["gen_ai.output.messages", "events"];

/// The same, spread over attributes whose names begin so.
pub const FLAT_INPUT: &[&str] = &["llm.input_messages.", "gen_ai.prompt."];

/// The same, spread over attributes whose names begin so.
pub const FLAT_OUTPUT: &[&str] = &["llm.output_messages.", "gen_ai.completion."];

/// Attributes of which no two values may be given.
pub const DECIDING: &[&str] = &[
    "gen_ai.operation.name",
    "openinference.span.kind",
    "gen_ai.tool.name",
    "tool.name",
    "gen_ai.tool.call.id",
    "gen_ai.tool.call.arguments",
    "tool_arguments",
    "input.value",
    "gen_ai.conversation.id",
    "session.id",
];
