//! Rows of inputs for `gate model --inputs`.

use crate::neural::Model;
use crate::trace::json::{self, Json};

/// Longest file of rows, in bytes.
pub(super) const MAX_BYTES: usize = 256 << 20;

/// Reads rows: a JSON list of lists, by itself or under `x`, or CSV.
///
/// An empty cell of CSV, which is what a table of features has where a number is none, is read as NaN:
/// h of such a row is none either.
///
/// Of CSV the columns are those that the model names, whatever stands beside them; for a model that
/// names none, all columns are inputs, in order.
pub(super) fn read(text: &[u8], model: &Model) -> Result<Vec<Vec<f64>>, String> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let first = text.iter().find(|byte| !byte.is_ascii_whitespace());
    let rows = match first {
        Some(b'{' | b'[') => from_json(text)?,
        Some(_) => from_csv(text, model)?,
        None => return Err("it is empty".into()),
    };
    let inputs = model.network.inputs();
    match rows.iter().position(|row| row.len() != inputs) {
        Some(at) => Err(format!(
            "row {at} has {} numbers, and the model takes {inputs}",
            rows[at].len()
        )),
        None => Ok(rows),
    }
}

fn from_json(text: &[u8]) -> Result<Vec<Vec<f64>>, String> {
    let json = json::parse(text).map_err(|e| format!("{} at byte {}", e.message, e.offset))?;
    if let Some(key) = json.repeated() {
        return Err(format!("it has `{key}` twice"));
    }
    let rows = json.get("x").unwrap_or(&json);
    let rows = rows.as_array();
    let rows = rows.ok_or("it is no list of rows, and has none under `x`")?;
    let row = |(at, row): (usize, &Json<'_>)| {
        let items = row.as_array();
        let items = items.ok_or_else(|| format!("row {at} is no list"))?;
        let number = |item: &Json<'_>| match item {
            Json::Number(lexeme) => lexeme.parse::<f64>().ok(),
            _ => None,
        };
        let numbers: Option<Vec<f64>> = items.iter().map(number).collect();
        numbers.ok_or_else(|| format!("row {at} has something that is no number"))
    };
    rows.iter().enumerate().map(row).collect()
}

fn from_csv(text: &[u8], model: &Model) -> Result<Vec<Vec<f64>>, String> {
    // A quote that is never closed would swallow every row behind it; within a cell it is doubled.
    if text.iter().filter(|byte| **byte == b'"').count() % 2 == 1 {
        return Err("it has a quote that is not closed".into());
    }
    let mut reader = csv::Reader::from_reader(text);
    let names = reader.headers().map_err(|e| e.to_string())?.clone();
    if names.iter().any(|name| name.contains(['\n', '\r'])) {
        return Err("a quote in the names of its columns is not closed".into());
    }
    let columns: Vec<usize> = match &model.features {
        None => (0..names.len()).collect(),
        Some(features) => {
            let column = |feature: &String| {
                let mut found = names
                    .iter()
                    .enumerate()
                    .filter(|(_, name)| *name == feature);
                match (found.next(), found.next()) {
                    (Some((at, _)), None) => Ok(at),
                    (None, _) => Err(format!("it has no column `{feature}`")),
                    _ => Err(format!("it has two columns `{feature}`")),
                }
            };
            features.iter().map(column).collect::<Result<_, String>>()?
        }
    };
    let mut rows = Vec::new();
    for (at, record) in reader.records().enumerate() {
        let record = record.map_err(|e| e.to_string())?;
        let number = |column: &usize| {
            let cell = record.get(*column).unwrap_or_default().trim();
            if cell.is_empty() {
                return Ok(f64::NAN);
            }
            cell.parse::<f64>().map_err(|_| {
                let name = names.get(*column).unwrap_or_default();
                format!("row {at} has no number in column `{name}`")
            })
        };
        rows.push(columns.iter().map(number).collect::<Result<_, String>>()?);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neural::Given;

    const TRAINED: &[u8] = include_bytes!("../../../fixtures/neural/ncbf.safetensors");

    fn rows(text: &str, named: bool) -> Result<Vec<Vec<f64>>, String> {
        let mut model = Model::read(TRAINED, &Given::default()).map_err(|refusal| refusal.why)?;
        if !named {
            model.features = None;
        }
        read(text.as_bytes(), &model)
    }

    /// A table of features has such cells; the other rows are still computed.
    #[test]
    fn an_empty_cell_makes_h_of_its_row_none() {
        let model = Model::read(TRAINED, &Given::default()).expect("the fixture");
        let names = model.features.clone().expect("names");
        let full: Vec<&str> = names.iter().map(|_| "0").collect();
        let mut holed = full.clone();
        holed[0] = "";
        let lines = [names.join(","), full.join(","), holed.join(",")];
        let rows = rows(&lines.join("\n"), true).expect("rows");
        let h: Vec<bool> = rows.iter().map(|row| model.h(row).is_nan()).collect();
        assert_eq!(h, [false, true]);
    }

    /// What could be read in two ways, or hides rows, is not read.
    #[test]
    fn what_is_said_twice_or_swallowed_is_refused() {
        for (text, why) in [
            ("{\"x\":[],\"x\":[]}", "`x` twice"),
            ("{\"x\":[],\"\\u0078\":[]}", "`x` twice"),
            ("\"a,b\n1,2\n", "not closed"),
            ("\"a,b\n1,2\n3,\"\n", "not closed"),
        ] {
            let error = rows(text, false).expect_err(text);
            assert!(error.contains(why), "{error}");
        }
    }
}
