//! Which changes a subscription is told of: `subscriptions/listen`.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::changes::{Change, Changes, Watching};
use crate::fail::Fail;
use crate::id::IdRef;
use crate::json::{self, ObjectWriter};
use crate::notify;
use crate::session::{MAX_URI, long_uri};
use crate::surface::Surface;
use crate::wire::{Params, invalid_params, required_object};

/// How many resources one subscription may name.
const MAX_RESOURCES: usize = 1_000;

/// The changes one subscription is told of: what was requested and can be honoured.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // the filter of the wire
pub(crate) struct Filter {
    tools: bool,
    prompts: bool,
    resources: bool,
    uris: BTreeSet<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(clippy::struct_excessive_bools)]
struct Wire {
    #[serde(default)]
    tools_list_changed: bool,
    #[serde(default)]
    prompts_list_changed: bool,
    #[serde(default)]
    resources_list_changed: bool,
    #[serde(default)]
    resource_subscriptions: Vec<String>,
}

impl Filter {
    pub(super) fn read(params: &Params<'_>, surface: &Surface) -> Result<Filter, Fail> {
        let wanted: Wire = required_object(params.notifications, "notifications")?;
        if wanted.resource_subscriptions.len() > MAX_RESOURCES {
            return Err(invalid_params(format!(
                "`params.notifications.resourceSubscriptions` names more than {MAX_RESOURCES} resources"
            )));
        }
        if wanted.resource_subscriptions.iter().any(|uri| uri.len() > MAX_URI) {
            return Err(long_uri());
        }
        let (lists, declared) = (surface.features.list_changes, surface.declared());
        Ok(Filter {
            tools: wanted.tools_list_changed && lists && declared.tools,
            prompts: wanted.prompts_list_changed && lists && declared.prompts,
            resources: wanted.resources_list_changed && lists && declared.resources,
            uris: if surface.features.resource_updates {
                wanted.resource_subscriptions.into_iter().collect()
            } else {
                BTreeSet::new()
            },
        })
    }

    pub(crate) fn admits(&self, change: &Change) -> bool {
        match change {
            Change::Tools => self.tools,
            Change::Prompts => self.prompts,
            Change::Resources => self.resources,
            Change::Resource(uri) => self.uris.contains(uri),
        }
    }

    /// Watches the resources it names.
    pub(crate) fn watch(&self, changes: &Changes) -> Vec<Watching> {
        self.uris.iter().map(|uri| changes.watch(uri)).collect()
    }

    /// The first message of the subscription: what will be honoured.
    pub(crate) fn acknowledgement(&self, subscription: IdRef<'_>) -> Vec<u8> {
        let mut honoured = Vec::new();
        let mut object = ObjectWriter::open(&mut honoured);
        for (name, granted) in [
            ("toolsListChanged", self.tools),
            ("promptsListChanged", self.prompts),
            ("resourcesListChanged", self.resources),
        ] {
            if granted {
                object.value(name, &true);
            }
        }
        if !self.uris.is_empty() {
            json::value(object.member("resourceSubscriptions"), &self.uris);
        }
        object.close();
        notify::acknowledged(subscription, &honoured)
    }
}
