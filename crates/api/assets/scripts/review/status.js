// The status line at the bottom of the form.

const line = document.getElementById("save-status")

/** Shows a text; with an action also a button for it: its label and what it does. */
export function showStatus(text, tone = "", action = null) {
  line.textContent = text
  line.className = `save-status ${tone}`
  // An open dialog covers the line, so the text is shown there as well.
  const inDialog = document.querySelector("dialog[open] [data-message]")
  if (inDialog) inDialog.textContent = text
  if (!action) return
  const button = document.createElement("button")
  button.textContent = action.label
  button.addEventListener("click", action.run)
  line.append(" ", button)
}
