// The line that says what became of a change.

import { t } from "../page.js"

const line = document.getElementById("said")

/** Says it; `again` is what a button to try again does. */
export function say(text, tone = "", again = null) {
  line.textContent = text
  line.className = `said ${tone}`
  if (!again) return
  const button = document.createElement("button")
  button.textContent = t("review.try_again")
  button.addEventListener("click", again)
  line.append(" ", button)
}
