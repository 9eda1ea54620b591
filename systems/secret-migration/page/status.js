// The four statuses of a workload, and how they look.

import { element } from "/_kit/element.js";

export const STATUSES = ["PENDING", "IN-PROGRESS", "MIGRATED", "ROLLED-BACK"];
const TONES = { "IN-PROGRESS": "accent", MIGRATED: "good", "ROLLED-BACK": "bad" };

export const statusTag = (status, more = {}) => element("span", { class: `tag ${TONES[status] ?? ""}`.trim(), ...more }, status);
