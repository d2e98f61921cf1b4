// Dialogs: questions to the person, and the help.

/** Opens a dialog. Its buttons marked data-cancel close it. */
export function show(dialog) {
  if (!dialog.dataset.isSetUp) {
    dialog.dataset.isSetUp = "yes"
    for (const button of dialog.querySelectorAll("[data-cancel]")) button.addEventListener("click", () => dialog.close())
    // What is on its way to the server is not dropped.
    dialog.addEventListener("cancel", (event) => dialog.dataset.isBusy && event.preventDefault())
  }
  dialog.showModal()
  return dialog
}

/** Asks, and gives the name of the answer; nothing if the dialog was closed. */
export function question(title, text, choices) {
  const dialog = document.getElementById("ask-dialog")
  dialog.querySelector("[data-title]").textContent = title
  dialog.querySelector("[data-text]").textContent = text
  return new Promise((resolve) => {
    let answer = null
    const buttons = choices.map(({ name, label, tone }) => {
      const button = document.createElement("button")
      button.textContent = label
      button.className = tone ?? ""
      button.addEventListener("click", () => {
        answer = name
        dialog.close()
      })
      return button
    })
    dialog.querySelector("[data-choices]").replaceChildren(...buttons)
    dialog.addEventListener("close", () => resolve(answer), { once: true })
    show(dialog)
    buttons.at(-1).focus()
  })
}

export const isAnyOpen = () => document.querySelector("dialog[open]") !== null

/** Whether something was typed into a dialog that is open. */
export function isTyped() {
  const inputs = [...document.querySelectorAll("dialog[open] :is(input, textarea)")]
  return inputs.some((input) => !["radio", "checkbox"].includes(input.type) && input.value !== input.defaultValue)
}
