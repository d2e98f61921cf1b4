// The line that says what became of a change.

import { t } from "../page.js"

const line = document.getElementById("said")

/** Says it; `again` is what a button to try again does. */
export function say(text, tone = "", again = null) {
  line.textContent = text
  line.className = `said ${tone}`
  // Behind an open dialog the line is not reached.
  const inDialog = document.querySelector("dialog[open] [data-said]")
  if (inDialog) inDialog.textContent = text
  if (!again) return
  const button = document.createElement("button")
  button.textContent = t("review.try_again")
  button.addEventListener("click", again)
  line.append(" ", button)
}
