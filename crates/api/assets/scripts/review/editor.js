// The editor of a field, in its row. Typed text is never discarded without asking.

import { t } from "../page.js"
import { enterChange, rowOfChange } from "./change.js"
import { ask, hasTypedText } from "./dialogs.js"
import { columnsOf, inputFor } from "./input.js"
import { holdUpdates, mayEdit, nameOf, rows, select, selected, setSelectGuard, valueOf } from "./form.js"
import { currentVersion, isSaving, save, whenSaved } from "./save.js"
import { showStatus } from "./status.js"

let session = null

export const isEditing = () => session !== null
const isDirty = () => session !== null && session.input.isDirty()

/** Closes the editor and discards its text. */
function close() {
  if (!session) return
  session.form.remove()
  session.row.classList.remove("editing")
  session = null
  holdUpdates(false)
}

function cancel() {
  if (isSaving()) return
  const { row } = session
  close()
  showStatus("")
  document.getElementById(row.id)?.querySelector(".pick").focus()
}

/** Disables the editor while its change is being saved. The text stays visible. */
function setBusy(isBusy) {
  session.input.element.readOnly = isBusy
  for (const button of session.form.querySelectorAll("button")) button.disabled = isBusy
}

function showMessage(text) {
  session.form.querySelector("[data-message]").textContent = text
  session.input.element.focus()
}

/** Saves the typed value. Returns whether the editor is closed. */
async function submit() {
  if (isSaving()) return false
  const { row, input, base } = session
  let entered
  try {
    entered = input.read()
  } catch (error) {
    showMessage(error.message)
    return false
  }
  if (!isDirty()) {
    cancel()
    return true
  }
  setBusy(true)
  try {
    const onSaved = ([change]) => {
      close()
      selectSaved(change)
    }
    const isSaved = await save([enterChange(row, entered)], { base, onSaved })
    if (!isSaved) {
      setBusy(false)
      input.element.focus()
      return false
    }
  } catch (error) {
    setBusy(false)
    showMessage(error.message)
    return false
  }
  return true
}

/** Selects the row of the saved field. A new field has a new row. */
function selectSaved(change) {
  const row = rowOfChange(change, rows())
  if (!row) return
  select(row, { quietly: true })
  row.querySelector(".pick").focus({ preventScroll: true })
}

/** Opens the editor of a row. */
export function edit(row) {
  if (!mayEdit || isSaving() || session?.row === row) return
  if (selected() !== row) select(row)
  if (selected() !== row || session) return
  const form = document.getElementById("editor").content.firstElementChild.cloneNode(true)
  const input = inputFor(row.dataset.type, valueOf(row), nameOf(row), columnsOf(row))
  form.querySelector("[data-input]").append(input.element)
  if (input.isLong) form.querySelector("[data-message]").textContent = t("review.long_hint")
  form.querySelector("[data-cancel]").addEventListener("click", cancel)
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    submit()
  })
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      event.preventDefault()
      cancel()
    }
    if (event.key === "Enter" && input.isLong && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      submit()
    }
  })
  session = { row, form, input, base: currentVersion() }
  holdUpdates(true)
  row.classList.add("editing")
  row.querySelector(".detail").prepend(form)
  input.element.focus()
  input.element.select?.()
}

/** Closes the editor if nothing is lost by that, and returns whether it did. Otherwise asks the person, and then calls `next`. */
export function leave(next) {
  if (!session) return true
  if (isSaving()) {
    whenSaved().then(() => session === null && next())
    return false
  }
  if (!isDirty()) {
    close()
    return true
  }
  const choices = [
    { name: "discard", label: t("review.discard"), tone: "danger" },
    { name: "keep", label: t("review.keep_editing") },
    { name: "save", label: t("review.save"), tone: "primary" },
  ]
  ask(t("review.unsaved"), t("review.unsaved_text", session.row.dataset.title), choices).then(async (choice) => {
    if (choice === "discard") close()
    const isClosed = choice === "discard" || (choice === "save" && (await submit()))
    if (isClosed) next()
    else session?.input.element.focus()
  })
  return false
}

export function startEditing() {
  setSelectGuard((row) => session?.row === row || leave(() => select(row && document.getElementById(row.id))))
  addEventListener("beforeunload", (event) => {
    if (isDirty() || isSaving() || hasTypedText()) event.preventDefault()
  })
}
