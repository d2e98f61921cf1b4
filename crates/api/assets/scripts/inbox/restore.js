// Shows hidden documents again. The event of the change takes the row out of the list.

import { requestJson } from "../http.js"
import { t } from "../page.js"
import { toast } from "../toast.js"

document.getElementById("documents").addEventListener("click", async ({ target }) => {
  const button = target.closest("[data-restore]")
  if (!button) return
  const row = button.closest("tr")
  const next = row.nextElementSibling ?? row.previousElementSibling
  button.disabled = true
  try {
    await requestJson(`/documents/${row.dataset.id}/hide`, { method: "DELETE" })
    toast(t("inbox.restored", row.querySelector("a.name").textContent))
    // The row leaves the list with its focus, so the next one gets it.
    next?.querySelector("a.name").focus()
  } catch (error) {
    button.disabled = false
    toast(error.message, "error")
  }
})
