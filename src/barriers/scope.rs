//! How far the agent's action drifts from what it was asked to do, by their embeddings.

use super::Definition;
use crate::policy::{Measure, Policy};
use crate::state::StateView;

pub(super) const DEFINITION: Definition = Definition {
    id: "scope",
    doc: "`max_drift` less one minus the cosine of context and action embedding; inert while either is missing or all zeros",
    unit: "cosine distance",
    raw,
    cause,
};

fn raw(_: &Policy, measure: &Measure, view: &StateView<'_>) -> Result<f64, String> {
    let Measure::Scope { max_drift, .. } = measure else {
        return Err("not a scope barrier".into());
    };
    if view.untold {
        return Err("the recording does not tell the arguments".into());
    }
    let (Some(context), Some(action)) = (view.context, view.action) else {
        return Ok(*max_drift);
    };
    if context.len() != action.len() && !context.is_empty() && !action.is_empty() {
        return Err("the embeddings have different lengths".into());
    }
    Ok(match cosine(context, action) {
        Some(cosine) => max_drift - (1.0 - cosine),
        None => *max_drift,
    })
}

/// Cosine of two vectors, clamped to [-1, 1]; absent where either is empty or all zeros.
///
/// Both are scaled by their greatest component first, so that neither squares of large components
/// nor of small ones leave the range of a float.
fn cosine(a: &[f64], b: &[f64]) -> Option<f64> {
    let largest = |v: &[f64]| v.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let (sa, sb) = (largest(a), largest(b));
    if sa == 0.0 || sb == 0.0 {
        return None;
    }
    let sum = |f: &dyn Fn(f64, f64) -> f64| -> f64 {
        a.iter().zip(b).map(|(x, y)| f(x / sa, y / sb)).sum()
    };
    let (aa, bb, ab) = (sum(&|x, _| x * x), sum(&|_, y| y * y), sum(&|x, y| x * y));
    Some((ab / (aa.sqrt() * bb.sqrt())).clamp(-1.0, 1.0))
}

fn cause(_: &Policy, measure: &Measure, view: &StateView<'_>) -> String {
    let by = match measure {
        Measure::Scope {
            embed: Some(embedder),
            ..
        } if view.embedded => format!(", as `{}` embeds the intent and the call", embedder.id()),
        _ => String::new(),
    };
    match (view.context, view.action) {
        (Some(a), Some(b)) if a.len() == b.len() => match cosine(a, b) {
            Some(c) => format!("the cosine of context and action is {c:.3}{by}"),
            None => String::new(),
        },
        (Some(a), Some(b)) if !a.is_empty() && !b.is_empty() => {
            "the embeddings have different lengths".into()
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::cosine;

    #[test]
    fn the_cosine_stays_in_range() {
        assert_eq!(cosine(&[1.0, 0.0], &[0.0, 1.0]), Some(0.0));
        assert_eq!(
            cosine(&[1e200, 1e200], &[1e-200, 1e-200]).map(|c| c > 0.999_999),
            Some(true)
        );
        let v = [0.1, 0.2, 0.3];
        assert!(cosine(&v, &v).is_some_and(|c| c <= 1.0));
        assert_eq!(cosine(&[0.0], &[1.0]), None);
        assert_eq!(cosine(&[], &[]), None);
    }
}
