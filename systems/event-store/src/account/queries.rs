//! All query texts of this provider.
//!
//! Owns the tenant predicate: a text that reads several partitions is only made together with a tenant, and the others
//! are only made with the key of one partition. No other file writes a query. Values are parameters.

use client::{Query, QueryText};

use crate::domain::{EventTag, SortableUniqueId};

use super::containers::TenantContainers;

/// A query over all partitions, in both layouts. Items of single-tenant programs have no `serviceId`.
struct TenantText {
    text: &'static str,
    legacy: &'static str,
}

macro_rules! tenant_text {
    ($select:literal, $rest:literal) => {
        TenantText {
            text: concat!($select, " FROM c WHERE c.serviceId = @service", $rest),
            legacy: concat!(
                $select,
                " FROM c WHERE (NOT IS_DEFINED(c.serviceId) OR c.serviceId = @service)",
                $rest
            ),
        }
    };
}

const ALL_EVENTS: TenantText =
    tenant_text!("SELECT *", " AND c.sortableUniqueId > @since ORDER BY c.sortableUniqueId ASC");
const LAST_EVENTS: TenantText = tenant_text!(
    "SELECT c.id, c.pk, c.serviceId, c.sortableUniqueId, c.batchId, c.commit, c.commitEventId",
    " AND c.sortableUniqueId > '' ORDER BY c.sortableUniqueId DESC"
);
const EVENT_MARKS: TenantText = tenant_text!(
    "SELECT c.id, c.pk, c.serviceId, c.sortableUniqueId, c.batchId, c.commit, c.commitEventId",
    " AND c.sortableUniqueId > @since"
);
const ALL_ROWS: TenantText =
    tenant_text!("SELECT c.tag, c.sortableUniqueId, c.serviceId", " AND c.sortableUniqueId > ''");
const HEADS: TenantText = tenant_text!("SELECT *", " AND c.id = '$head'");
const ALL_STATES: TenantText = tenant_text!("SELECT *", " AND IS_DEFINED(c.projectorName)");
const ITEM_IDS: TenantText = tenant_text!("SELECT c.id, c.pk, c.tag, c.partitionKey", "");

impl TenantText {
    fn of(&self, tenant: &TenantContainers) -> QueryText {
        let text = if tenant.is_legacy { self.legacy } else { self.text };
        Query::text(text).parameter("@service", tenant.service.as_str())
    }
}

fn since_text(since: Option<&SortableUniqueId>) -> &str {
    since.map_or("", SortableUniqueId::as_str)
}

impl TenantContainers {
    /// All events after a position, in order.
    pub(super) fn all_events(&self, since: Option<&SortableUniqueId>) -> Query {
        let text = ALL_EVENTS.of(self).parameter("@since", since_text(since));
        text.fan_out("all events of a tenant are read; each has a partition of its own")
    }

    /// The ids of the last events, the last first.
    pub(super) fn last_events(&self) -> Query {
        LAST_EVENTS.of(self).fan_out("the last event of a tenant is in an unknown partition")
    }

    /// The ids of all events after a position, in no order.
    pub(super) fn event_marks(&self, since: Option<&SortableUniqueId>) -> Query {
        let text = EVENT_MARKS.of(self).parameter("@since", since_text(since));
        text.fan_out("all events of a tenant are counted")
    }

    /// All rows of all tags.
    pub(super) fn all_rows(&self) -> Query {
        ALL_ROWS.of(self).fan_out("all tags of a tenant are listed")
    }

    /// All heads.
    pub(super) fn heads(&self) -> Query {
        HEADS.of(self).fan_out("a repair looks at all tags of a tenant")
    }

    /// All states.
    pub(super) fn all_states(&self) -> Query {
        ALL_STATES.of(self).fan_out("all states of a tenant are listed")
    }

    /// Ids and keys of all items in a container.
    pub(super) fn item_ids(&self) -> Query {
        ITEM_IDS.of(self).fan_out("a tenant is dropped or copied")
    }

    /// The rows of a tag after a position, in order. A head has no position.
    pub(super) fn tag_rows(&self, tag: &EventTag, since: Option<&SortableUniqueId>) -> Query {
        let text =
            "SELECT * FROM c WHERE c.sortableUniqueId > @since ORDER BY c.sortableUniqueId ASC";
        Query::text(text).parameter("@since", since_text(since)).within(self.tag_key(tag))
    }

    /// The last row of a tag.
    pub(super) fn last_row(&self, tag: &EventTag) -> Query {
        let text =
            "SELECT TOP 1 * FROM c WHERE c.sortableUniqueId > '' ORDER BY c.sortableUniqueId DESC";
        Query::text(text).within(self.tag_key(tag))
    }

    /// The states of all versions of a projector.
    pub(super) fn states_of(&self, projector: &str) -> Query {
        let text = "SELECT * FROM c WHERE IS_DEFINED(c.projectorName)";
        Query::text(text).within(self.state_key(projector))
    }
}

/// The items in a container of a single-tenant program, which is all one tenant.
pub(super) fn all_items() -> Query {
    Query::text("SELECT c.id FROM c").fan_out("a migration counts what it would copy")
}

/// The tenants of a container: for operators, so it has no tenant.
pub(super) fn tenants() -> Query {
    Query::text("SELECT c.serviceId FROM c").fan_out("an operator lists the tenants")
}
