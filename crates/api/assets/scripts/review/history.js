// How the fields came to be what they are, and what differs between two versions.

import { askPart } from "../ask.js"
import { showTimes } from "../moments.js"
import { made, t } from "../page.js"
import { toast } from "../toast.js"
import { show } from "./dialogs.js"
import { leave } from "./edit.js"
import { documentId, mayEdit, nameOf } from "./panel.js"
import { attempt } from "./save.js"
import { add } from "./wish.js"

const dialog = document.getElementById("history-dialog")
const content = dialog.querySelector("[data-content]")
const compareButton = dialog.querySelector("[data-compare]")

/** Shows a part in the dialog. Whether it could be had. */
async function fill(title, address) {
  const part = await askPart(`/app/documents/${documentId}/${address}`).catch((refused) => toast(refused.message, "error"))
  if (part === undefined) return false
  dialog.querySelector("[data-title]").textContent = title
  content.replaceChildren(made(part))
  showTimes(content)
  return true
}

function restore({ dataset: { restore: key, value, type, visit = null } }) {
  const again = () => attempt([add({ key, visit, type, title: key, isRepeatable: true }, JSON.parse(value))])
  if (leave(again)) again()
}

/** Who changed it and when; without a row, everything. */
export async function history(row) {
  const field = row?.dataset.field
  const title = field ? t("review.history_of", nameOf(row)) : t("review.history")
  if (!(await fill(title, field ? `versions?field=${field}` : "versions"))) return
  for (const button of content.querySelectorAll("[data-restore]")) {
    button.hidden = !mayEdit
    button.addEventListener("click", () => {
      dialog.close()
      restore(button)
    })
  }
  compareButton.hidden = false
  compareButton.onclick = () => compare("")
  show(dialog)
}

/** What differs between two versions; the one that is shown and the one before it, unless others are chosen. */
async function compare(chosen) {
  if (!(await fill(t("review.compare"), `compare${chosen}`))) return
  compareButton.hidden = true
  const form = content.querySelector("form")
  form?.addEventListener("change", () => compare(`?${new URLSearchParams(new FormData(form))}`))
  form?.querySelector("select").focus()
}
