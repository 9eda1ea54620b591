// Shows a part again after a change without a flicker.

export { reloadInto } from "/_kit/feedback.js";
