// The status line at the bottom of the panel.

import { t } from "../page.js"

const line = document.getElementById("save-status")

/** Shows a text; with `onRetry` also a button to try again. */
export function showStatus(text, tone = "", onRetry = null) {
  line.textContent = text
  line.className = `save-status ${tone}`
  // An open dialog covers the line, so the text is shown there as well.
  const inDialog = document.querySelector("dialog[open] [data-message]")
  if (inDialog) inDialog.textContent = text
  if (!onRetry) return
  const button = document.createElement("button")
  button.textContent = t("review.try_again")
  button.addEventListener("click", onRetry)
  line.append(" ", button)
}
