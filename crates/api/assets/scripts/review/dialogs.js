// Opening dialogs and asking questions.

/** Opens a dialog. Its buttons with data-cancel close it. */
export function show(dialog) {
  if (!dialog.dataset.isSetUp) {
    dialog.dataset.isSetUp = "yes"
    for (const button of dialog.querySelectorAll("[data-cancel]")) button.addEventListener("click", () => dialog.close())
    // A dialog stays open while its change is being saved.
    dialog.addEventListener("cancel", (event) => dialog.dataset.isBusy && event.preventDefault())
  }
  dialog.showModal()
  return dialog
}

/** Asks a question. Returns the name of the choice, or null if the dialog was closed without one. */
export function ask(title, text, choices) {
  const dialog = document.getElementById("ask-dialog")
  dialog.querySelector("[data-title]").textContent = title
  dialog.querySelector("[data-text]").textContent = text
  return new Promise((resolve) => {
    let choice = null
    const buttons = choices.map(({ name, label, tone }) => {
      const button = document.createElement("button")
      button.textContent = label
      button.className = tone ?? ""
      button.addEventListener("click", () => {
        choice = name
        dialog.close()
      })
      return button
    })
    dialog.querySelector("[data-choices]").replaceChildren(...buttons)
    dialog.addEventListener("close", () => resolve(choice), { once: true })
    show(dialog)
    buttons.at(-1).focus()
  })
}

export const isAnyOpen = () => document.querySelector("dialog[open]") !== null

/** Whether an open dialog has typed text in it. */
export function hasTypedText() {
  const inputs = [...document.querySelectorAll("dialog[open] :is(input, textarea)")]
  return inputs.some((input) => !["radio", "checkbox"].includes(input.type) && input.value !== input.defaultValue)
}
