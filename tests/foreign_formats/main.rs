//! Importers of foreign recordings: what they make of each kind of row.

mod bfcl;
mod claude_code;
mod claude_code_refusals;
mod codex;
mod fixtures;
mod log;
mod openai_chat;
mod openai_chat_stream;
mod openai_responses;
