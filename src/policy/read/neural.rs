//! `model = "FILE"`: a barrier that is a neural network.

use super::reader::Reader;
use super::table::{Item, Table};
use crate::diag::nearest;
use crate::neural::{Activation, Given, Model, Refusal};
use crate::policy::effective::sha256;
use crate::policy::features::{self, FEATURES, Feature};
use crate::policy::neural::Neural;
use std::sync::Arc;

/// Where the list of features is found.
const LIST: &str = "`gate features --list` says which there are";

/// Reads the model of a barrier's table, its own keys with it. One that is not used is not opened.
pub fn neural<'t>(
    r: &mut Reader<'t>,
    t: &mut Table<'t>,
    model: Item<'t>,
    enabled: bool,
) -> Option<Neural> {
    let names = r.texts(t.get("features"));
    let names: Option<Vec<String>> =
        names.map(|list| list.into_iter().map(|(_, name)| name.to_owned()).collect());
    let words: Vec<&str> = Activation::ALL.iter().map(|(_, name)| *name).collect();
    let activation = r.word(t.get("activation"), &words);
    let given = Given {
        features: names,
        activation: activation
            .and_then(|i| Activation::ALL.get(i))
            .map(|(a, _)| *a),
    };
    file(r, model, &given, enabled)
}

/// Reads a model that stands by its name alone.
pub fn file<'t>(
    r: &mut Reader<'t>,
    item: Item<'t>,
    given: &Given,
    enabled: bool,
) -> Option<Neural> {
    let at = item.span().start;
    let file = r.text(Some(item))?;
    if !enabled || !r.opens_models {
        r.files.push(file.to_owned());
        return None;
    }
    match load(r, file, given) {
        Ok(neural) => {
            let said = &neural.model.metadata;
            let versioned = said.features_version.is_some() || said.features_sha256.is_some();
            if said.features.is_some() && !versioned {
                let message = format!(
                    "the model `{file}` does not say which version of the features it was trained on"
                );
                r.warn("unversioned_features", at, message);
            }
            Some(neural)
        }
        Err(Refusal { why, help }) => {
            let message = format!("the model `{file}` cannot be used: {why}");
            r.error(at, message, help);
            None
        }
    }
}

fn refusal(why: String, help: impl Into<String>) -> Refusal {
    Refusal {
        why,
        help: Some(help.into()),
    }
}

fn load(r: &mut Reader<'_>, file: &str, given: &Given) -> Result<Neural, Refusal> {
    let bytes = r.file(file).map_err(|why| Refusal { why, help: None })?;
    let model = Model::read(&bytes, given)?;
    version(&model)?;
    let Some(names) = &model.features else {
        let why = "it does not name its features".to_owned();
        let help = format!("a state dict does not say them: set `features = [..]`; {LIST}");
        return Err(refusal(why, help));
    };
    let features: Result<Vec<Feature>, Refusal> = names.iter().map(|name| known(name)).collect();
    Ok(Neural {
        file: file.to_owned(),
        sha256: sha256(&bytes),
        features: features?,
        model: Arc::new(model),
    })
}

fn known(name: &str) -> Result<Feature, Refusal> {
    features::named(name).ok_or_else(|| {
        let why = format!("it takes a feature `{name}` that there is none of");
        match nearest(name, FEATURES.iter().map(|f| f.name)) {
            Some(meant) => refusal(why, format!("did you mean `{meant}`? {LIST}")),
            None => refusal(why, LIST),
        }
    })
}

/// A model of another list of features would be given numbers that mean something else.
fn version(model: &Model) -> Result<(), Refusal> {
    let help =
        "train it again on a table of this `gate features`, or use the gate it was trained for";
    let said = &model.metadata;
    if let Some(other) = said
        .features_version
        .as_deref()
        .filter(|v| *v != features::VERSION)
    {
        let why = format!(
            "it was trained on `{other}`, and features are `{}` here",
            features::VERSION
        );
        return Err(refusal(why, help));
    }
    let own = features::schema_sha256();
    if let Some(other) = said.features_sha256.as_deref().filter(|hash| *hash != own) {
        let why = format!("it was trained on features of hash `{other}`, which is `{own}` here");
        return Err(refusal(why, help));
    }
    Ok(())
}
