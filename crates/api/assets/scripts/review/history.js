// The history of the fields, and the comparison of two versions.

import { requestPart } from "../http.js"
import { showTimes } from "../times.js"
import { parseHtml, t } from "../page.js"
import { toast } from "../toast.js"
import { restoreChange } from "./change.js"
import { show } from "./dialogs.js"
import { leave } from "./editor.js"
import { documentId, mayEdit, nameOf } from "./form.js"
import { saveOrToast } from "./save.js"

const dialog = document.getElementById("history-dialog")
const content = dialog.querySelector("[data-content]")
const compareButton = dialog.querySelector("[data-compare]")

/** Loads HTML into the dialog. Returns whether that worked. */
async function load(title, address) {
  const part = await requestPart(`/app/documents/${documentId}/${address}`).catch((error) => toast(error.message, "error"))
  if (part === undefined) return false
  dialog.querySelector("[data-title]").textContent = title
  content.replaceChildren(parseHtml(part))
  showTimes(content)
  return true
}

function restore({ dataset: { restore: field, title } }) {
  const bringBack = () => saveOrToast([restoreChange(field, title)])
  if (leave(bringBack)) bringBack()
}

/** Shows who changed the field of a row and when; without a row, the history of all fields. */
export async function showHistory(row) {
  const field = row?.dataset.field
  const title = field ? t("review.history_of", nameOf(row)) : t("review.history")
  if (!(await load(title, field ? `versions?field=${field}` : "versions"))) return
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

/** Compares two versions: by default the current one with the one before it. */
async function compare(query) {
  if (!(await load(t("review.compare"), `compare${query}`))) return
  compareButton.hidden = true
  const form = content.querySelector("form")
  form?.addEventListener("change", () => compare(`?${new URLSearchParams(new FormData(form))}`))
  form?.querySelector("select").focus()
}
