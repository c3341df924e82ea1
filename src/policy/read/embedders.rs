//! `[embedders]`: where the models of embedders lie. An embedder is opened where something uses it,
//! once for all of them, and remembers what it embedded.

use super::reader::Reader;
use super::table::Item;
use crate::diag::nearest;
use crate::embed::cache::Cached;
use crate::embed::{Definition, EMBEDDERS, Embedder};
use crate::policy::semantic::Model;
use std::cell::RefCell;
use std::sync::Arc;

/// The embedders of one policy.
#[derive(Default)]
pub struct Embedders {
    /// Folders of models, each with the offset of its value.
    folders: Vec<(Model, usize)>,
    /// Those that were opened; absent where one cannot be used, which was told then.
    opened: Vec<(&'static str, Option<Arc<dyn Embedder>>)>,
}

impl Embedders {
    /// The models of the embedders in use.
    pub fn models(self) -> Vec<Model> {
        let used = |id: &str| self.opened.iter().any(|(opened, _)| *opened == id);
        let folders = self.folders.into_iter().map(|(model, _)| model);
        folders.filter(|model| used(model.embedder)).collect()
    }
}

/// Reads where models lie. None of them is opened yet.
pub fn embedders<'t>(r: &mut Reader<'t>, item: Option<Item<'t>>) {
    r.table(item, "embedders", |r, t| {
        for item in t.rest() {
            let at = item.span().start;
            if let Some(embedder) = with_model(r, &item)
                && let Some(folder) = r.text(Some(item))
            {
                let folder = folder.to_owned();
                r.embedders.folders.push((Model { embedder, folder }, at));
            }
        }
    });
}

/// The embedder of that name, which has to go by a model.
fn with_model<'t>(r: &mut Reader<'t>, item: &Item<'t>) -> Option<&'static str> {
    let found = EMBEDDERS.iter().find(|embedder| embedder.id == item.key);
    let models = || {
        let with = EMBEDDERS.iter().filter(|embedder| embedder.needs_model);
        with.map(|embedder| embedder.id)
    };
    match found {
        Some(embedder) if embedder.needs_model => return Some(embedder.id),
        Some(embedder) => {
            let message = format!("the embedder `{}` goes by no model", embedder.id);
            let help = "it needs no folder: take the line away".to_owned();
            r.error(item.at, message, Some(help));
        }
        None => {
            let help = match nearest(item.key, models()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("those with a model are {}", names(models())),
            };
            r.error(
                item.at,
                format!("unknown embedder `{}`", item.key),
                Some(help),
            );
        }
    }
    None
}

fn names<'n>(ids: impl Iterator<Item = &'n str>) -> String {
    ids.collect::<Vec<_>>().join(", ")
}

impl Reader<'_> {
    /// The embedder, opened if it was not yet. `at` is where it is asked for.
    pub fn embedder(
        &mut self,
        wanted: &'static Definition,
        at: usize,
    ) -> Option<Arc<dyn Embedder>> {
        let opened = self.embedders.opened.iter();
        let mut known = opened.filter(|(id, _)| *id == wanted.id);
        if let Some((_, embedder)) = known.next() {
            return embedder.clone();
        }
        let embedder = self.open(wanted, at);
        self.embedders.opened.push((wanted.id, embedder.clone()));
        embedder
    }

    fn open(&mut self, wanted: &'static Definition, at: usize) -> Option<Arc<dyn Embedder>> {
        let id = wanted.id;
        let folders = self.embedders.folders.iter();
        let mut folders = folders.filter(|(model, _)| model.embedder == id);
        let folder = folders.next().map(|(model, at)| (&*model.folder, *at));
        let (folder, at) = match folder {
            Some(folder) => folder,
            None if !wanted.needs_model => ("", at),
            None => {
                let message = format!("the embedder `{id}` needs the folder of its model");
                let help = format!("write `{id} = \"FOLDER\"` under `[embedders]`");
                self.error(at, message, Some(help));
                return None;
            }
        };
        let files = RefCell::default();
        let load = |file: &str| {
            let file = format!("{folder}/{file}");
            let bytes = (self.load)(&file);
            Vec::push(&mut files.borrow_mut(), file);
            bytes
        };
        let opened = (wanted.open)(&load);
        self.files.extend(files.into_inner());
        match opened {
            Ok(embedder) => Some(Arc::new(Cached::new(embedder))),
            Err(why) => {
                let message = format!("the embedder `{id}` cannot be used: {why}");
                self.error(at, message, None);
                None
            }
        }
    }
}
