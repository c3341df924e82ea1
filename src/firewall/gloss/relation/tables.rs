//! Tables of an action's SQL statements, and whether the intent names them.

use super::words::IntentWords;
use crate::firewall::gloss::coded::Coded;
use crate::firewall::gloss::rows::statements;

/// Whether a table's name follows a word of SQL.
fn is_before_table(word: &str) -> bool {
    matches!(
        word,
        "alter" | "from" | "into" | "join" | "on" | "table" | "truncate" | "update"
    )
}

/// Whether any table of the statements is named in the intent.
pub(super) fn tables(view: &str, intent: &IntentWords, found: &mut impl FnMut(Coded)) {
    let mut any = false;
    for statement in statements(view) {
        let mut expected = false;
        for word in statement.split_whitespace().take(2000) {
            if is_before_table(word) {
                expected = true;
            } else if expected && !matches!(word, "if" | "exists" | "only" | "not") {
                expected = false;
                any = true;
                if intent.names_any(word) {
                    return;
                }
            }
        }
    }
    if any {
        found(Coded::TableUnnamed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_named_or_not() {
        let intent = IntentWords::new("Count the orders of last week");
        for (view, unnamed) in [
            ("\x07select 1 from orders\n", false),
            ("\x07drop table if exists users\n", true),
            ("\x07select 1\n", false),
            ("\x02sql=select 1 from users\n", false),
        ] {
            let mut signs = Vec::new();
            tables(view, &intent, &mut |sign| signs.push(sign));
            assert_eq!(signs == [Coded::TableUnnamed], unnamed, "{view}");
        }
    }
}
