//! Which models are asked, and the keys and addresses of their providers as the environment gives them.
//! May not show a key: what holds one prints its name only.

use std::collections::BTreeMap;
use std::fmt;

use super::{Sourced, file, value};
use crate::cli::failure::Failure;
use crate::providers::ModelName;

/// Variables of providers.
#[derive(Clone, PartialEq, Eq, Default)]
pub(crate) struct ProviderVariables(BTreeMap<&'static str, String>);

impl ProviderVariables {
    /// Reads those of `names` that are set.
    pub(crate) fn read(
        names: &[&'static str],
        environment: impl Fn(&'static str) -> Option<String>,
    ) -> Self {
        let set = names
            .iter()
            .filter_map(|name| Some((*name, environment(name)?)));
        Self(set.collect())
    }

    /// Returns the value of one.
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        self.0.get(name).cloned()
    }
}

impl fmt::Debug for ProviderVariables {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.0.keys()).finish()
    }
}

/// Returns the models in the order in which they are asked.
pub(super) fn choose(
    model: Option<Sourced>,
    fallback_models: Option<Sourced>,
) -> Result<Vec<ModelName>, Failure> {
    let origin = fallback_models.as_ref().map(|(_, origin)| origin.clone());
    let fallbacks = value::models(fallback_models)?;
    let Some(first) = value::model(model)? else {
        return match origin.filter(|_| !fallbacks.is_empty()) {
            Some(origin) => Err(file::refused(format!(
                "{origin}: `fallback_models` are asked after `model`, which is not set: set it to the \
                 first of them"
            ))),
            None => Ok(Vec::new()),
        };
    };
    let mut models = vec![first];
    for name in fallbacks {
        if models.contains(&name) {
            let origin = origin.map_or_else(String::new, |origin| format!("{origin}: "));
            return Err(file::refused(format!(
                "{origin}`{name}` is named twice: it would be asked again for what it just refused"
            )));
        }
        models.push(name);
    }
    Ok(models)
}
