//! Importers of foreign recordings: what they make of each kind of row.

mod agentdojo;
mod atif;
mod claude_code;
mod claude_code_refusals;
mod fixtures;
mod inspect_ai;
mod log;
mod openai_chat;
