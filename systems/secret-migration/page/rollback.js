// A rollback, which is asked for before it happens.

import { field } from "/_kit/control.js";
import { element } from "/_kit/element.js";
import { confirmDialog, toast } from "/_kit/feedback.js";
import { call } from "/_kit/session.js";

export async function askRollback(what, path, done) {
  const reason = field("Reason", element("input", { class: "input", name: "reason", required: true, maxlength: 200 }), { hint: "It is part of the audit." });
  const input = reason.input;
  // The complaint about a missing reason goes when there is one.
  input.addEventListener("input", () => {
    for (const complaint of input.closest("dialog, [role=dialog]")?.querySelectorAll("[role=alert]") ?? []) complaint.textContent = "";
  });
  const body = element("div", { class: "stack" }, element("p", {}, `Switch ${what} back to Vault? A migration in progress ends.`), reason.node);
  const answer = await confirmDialog(`Roll back ${what}`, body, {
    label: "Roll back",
    run: async () => {
      const text = reason.input.value.trim();
      if (text === "") throw new Error("Give a reason.");
      return (await call("POST", path, { reason: text })) ?? {};
    },
  });
  if (!answer) return;
  const { rolledBack, refused = [] } = answer === true ? {} : answer;
  const count = rolledBack?.length ?? 1;
  toast(refused.length > 0 ? `${count} switched back, ${refused.length} refused: ${refused[0][1]}` : `${count} switched back.`, { isBad: refused.length > 0 });
  done();
}
