//! Importers of foreign recordings: what they make of each kind of row.

mod claude_code;
mod claude_code_refusals;
mod fixtures;
mod langfuse;
mod langsmith;
mod log;
mod openai_agents;
mod openai_chat;
mod otel;
