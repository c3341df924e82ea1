//! Fields that somebody may have meant who wrote another name.

/// The one of `fields` that somebody who wrote `name` may have meant: the same in another case, the
/// beginning of it up to an underscore, or one or two slips away.
pub fn similar(
    name: &str,
    fields: impl Iterator<Item = &'static str> + Clone,
) -> Option<&'static str> {
    /// What is longer is near to no field.
    const LONGEST: usize = 40;
    if name.len() >= LONGEST {
        return None;
    }
    let same = |field: &&str| field.eq_ignore_ascii_case(name);
    if let Some(field) = fields.clone().find(same) {
        return Some(field);
    }
    // `cost` for `cost_usd`: left out, it would be left out of a budget.
    let longer = |field: &&str| {
        let rest = field.strip_prefix(name);
        rest.is_some_and(|rest| rest.starts_with('_'))
    };
    if let Some(field) = fields.clone().find(longer) {
        return Some(field);
    }
    let close = fields.filter_map(|field| {
        let allowed = match field.len().min(name.len()) {
            0..=2 => return None,
            3..=4 => 1,
            _ => 2,
        };
        if field.len().abs_diff(name.len()) > allowed * 4 {
            return None;
        }
        let distance = strsim::damerau_levenshtein(field, name);
        (distance <= allowed).then_some((distance, field))
    });
    close.min().map(|(_, field)| field)
}
