// The page of operators: its sections.

import { application } from "/_kit/application.js";
import * as conflicts from "./conflicts.js";
import * as events from "./events.js";
import * as projections from "./projections.js";
import * as tags from "./tags.js";
import * as tenants from "./tenants.js";

application({
  brand: { label: "Event store", icon: "feed" },
  role: "event-store-admin",
  sections: [
    { id: "tenants", label: "Tenants", icon: "users", part: tenants },
    { id: "events", label: "Events", icon: "history", part: events },
    { id: "tags", label: "Tags", icon: "container", part: tags },
    { id: "projections", label: "Projections", icon: "bill", part: projections },
    { id: "conflicts", label: "Conflicts", icon: "warning", part: conflicts },
  ],
});
