//! A static model from a local folder, in the Model2Vec format: a vector for each token, and the text's is their mean.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::{Embedder, Refusal};
use crate::cancel::Cancel;
use crate::error::{Code, Error, guarded};
use crate::hash::Hash;
use crate::limits::MAX_MODEL_FILE_BYTES;

/// A model that needs no provider. Its folder holds `tokenizer.json`, `model.safetensors` and `config.json`; it is read when the first text is embedded.
pub struct StaticModel {
    folder: PathBuf,
    dimensions: usize,
    loaded: OnceLock<Result<Loaded, Refusal>>,
}

struct Loaded {
    model: model2vec_rs::model::StaticModel,
    /// Of the three files' bytes.
    version: String,
}

impl StaticModel {
    /// The model in a folder, which must make vectors of so many numbers.
    pub fn new(folder: PathBuf, dimensions: usize) -> StaticModel {
        StaticModel { folder, dimensions, loaded: OnceLock::new() }
    }

    fn loaded(&self) -> Result<&Loaded, Refusal> {
        // A file that is no model must not bring a call down, so panics of its readers are caught.
        let load = || guarded(|| load(&self.folder, self.dimensions)).map_err(|error| Refusal::new("model", error.message));
        self.loaded.get_or_init(load).as_ref().map_err(Clone::clone)
    }
}

fn load(folder: &Path, dimensions: usize) -> crate::error::Result<Loaded> {
    let [tokenizer, tensors, config] = ["tokenizer.json", "model.safetensors", "config.json"].map(|name| read(&folder.join(name)));
    let (tokenizer, tensors, config) = (tokenizer?, tensors?, config?);
    let unfit = |why: &dyn std::fmt::Display| Error::new(Code::InvalidArgument, format!("{} holds no model that can be used: {why}", folder.display()));
    let model = model2vec_rs::model::StaticModel::from_bytes(&tokenizer, &tensors, &config, None).map_err(|error| unfit(&error))?;
    if model.dim() != dimensions {
        return Err(unfit(&format!("its vectors have {} dimensions, and the profile has {dimensions}", model.dim())));
    }
    let hashes = [&tokenizer, &tensors, &config].map(|bytes| Hash::of(bytes).to_hex());
    let version = Hash::of(hashes.concat().as_bytes()).to_hex()[..12].to_owned();
    Ok(Loaded { model, version })
}

fn read(file: &Path) -> crate::error::Result<Vec<u8>> {
    let failed = |error: &std::io::Error| Error::io(file.display(), error);
    if !fs::metadata(file).map_err(|error| failed(&error))?.is_file() {
        return Err(Error::new(Code::InvalidArgument, format!("{} is no file", file.display())));
    }
    let mut bytes = Vec::new();
    File::open(file).and_then(|opened| opened.take(MAX_MODEL_FILE_BYTES + 1).read_to_end(&mut bytes)).map_err(|error| failed(&error))?;
    if bytes.len() as u64 > MAX_MODEL_FILE_BYTES {
        return Err(Error::new(Code::InvalidArgument, format!("{} is larger than {MAX_MODEL_FILE_BYTES} bytes", file.display())));
    }
    Ok(bytes)
}

impl Embedder for StaticModel {
    fn embed(&self, texts: Vec<String>, wait: Duration, cancel: &Cancel) -> Result<Vec<Vec<f32>>, Refusal> {
        let Loaded { model, .. } = self.loaded()?;
        let end = Instant::now() + wait;
        let vector = |text: &String| {
            if cancel.is_cancelled() || Instant::now() > end {
                return Err(Refusal::new("time-out", "the model was not done in time"));
            }
            guarded(|| Ok(model.encode_single(text))).map_err(|error| Refusal::new("model", error.message))
        };
        texts.iter().map(vector).collect()
    }

    fn is_ready(&self) -> bool {
        self.loaded.get().is_some()
    }

    fn version(&self) -> Result<Option<String>, Refusal> {
        self.loaded().map(|loaded| Some(loaded.version.clone()))
    }
}
