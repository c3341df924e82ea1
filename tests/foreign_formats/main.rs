//! Importers of foreign recordings: what they make of each kind of row.

mod adk;
mod anthropic;
mod claude_code;
mod claude_code_refusals;
mod fixtures;
mod gemini;
mod log;
mod mcp;
mod openai_chat;
