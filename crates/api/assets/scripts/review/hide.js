// Hides the document from lists, search and exports, and shows it again.

import { requestJson } from "../http.js"
import { onEvent } from "../events.js"
import { t } from "../page.js"
import { toast } from "../toast.js"
import { ask } from "./dialogs.js"
import { documentId } from "./form.js"

const hide = document.getElementById("hide")
const restore = document.getElementById("restore")
const notice = document.getElementById("hidden-notice")

/** Shows whether the document is hidden. The button that was used is gone, so the other one gets the focus. */
function show({ hidden }) {
  const hadFocus = [hide, restore].includes(document.activeElement)
  notice.hidden = hidden === null
  notice.querySelector("[data-hidden-text]").textContent = hidden ? t("review.hidden_by", hidden.by) : ""
  if (!hide) return
  hide.hidden = hidden !== null
  if (hadFocus) (hidden ? restore : hide).focus()
}

async function change(button, method) {
  button.disabled = true
  try {
    show(await requestJson(`/documents/${documentId}/hide`, { method }))
    toast(t(method === "POST" ? "review.hidden" : "review.unhidden"))
  } catch (error) {
    toast(error.message, "error")
  } finally {
    button.disabled = false
  }
}

async function confirmHide() {
  const choices = [
    { name: "back", label: t("review.cancel") },
    { name: "hide", label: t("review.hide_confirm"), tone: "primary" },
  ]
  if ((await ask(t("review.hide"), t("review.hide_text"), choices)) === "hide") change(hide, "POST")
}

/** Hides a document that is shown, and shows one that is hidden. */
export function toggleHidden() {
  if (hide) (hide.hidden ? restore : hide).click()
}

export function startHiding() {
  hide?.addEventListener("click", confirmHide)
  restore?.addEventListener("click", () => change(restore, "DELETE"))
  onEvent(async (event) => {
    if (event.document_id !== documentId || !/^DOCUMENT_(UN)?HIDDEN$/.test(event.event_type)) return
    await requestJson(`/documents/${documentId}`, { headers: { "X-Quire-Background": "1" } }).then(show, () => {})
  })
}
