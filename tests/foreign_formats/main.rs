//! Importers of foreign recordings: what they make of each kind of row.

mod adk;
mod agentdojo;
mod anthropic;
mod atif;
mod bfcl;
mod claude_code;
mod claude_code_refusals;
mod codex;
mod fixtures;
mod gemini;
mod inspect_ai;
mod langchain;
mod langfuse;
mod langsmith;
mod log;
mod mcp;
mod openai_agents;
mod openai_chat;
mod openai_chat_stream;
mod openai_responses;
mod opencode;
mod openhands;
mod otel;
mod pi;
mod swe_agent;
mod unread;
