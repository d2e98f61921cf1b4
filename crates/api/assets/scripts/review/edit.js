// Editing one field in its place. What is typed is never lost without a question.

import { Refused } from "../ask.js"
import { t } from "../page.js"
import { isTyped, question } from "./dialogs.js"
import { inputFor } from "./input.js"
import { guard, hold, mayEdit, nameOf, rowOf, select, selected, valueOf } from "./panel.js"
import { say } from "./said.js"
import { here, isSaving, save, settled } from "./save.js"
import { give, isSame } from "./wish.js"

let session = null

export const isEditing = () => session !== null
const isDirty = () => session !== null && session.input.isDirty()

/** Closes the editor; what was typed is gone. */
function end() {
  if (!session) return
  session.form.remove()
  session.row.classList.remove("editing")
  session = null
  hold(false)
}

function cancel() {
  if (isSaving()) return
  const { row } = session
  end()
  say("")
  document.getElementById(row.id)?.querySelector(".pick").focus()
}

/** Freezes the editor while its change is on the way; the text stays where it is. */
function freeze(isFrozen) {
  session.input.element.readOnly = isFrozen
  for (const button of session.form.querySelectorAll("button")) button.disabled = isFrozen
}

function complain(text) {
  session.form.querySelector("[data-said]").textContent = text
  session.input.element.focus()
}

async function submit() {
  if (isSaving()) return false
  const { row, input, base } = session
  let mine
  try {
    mine = input.read()
  } catch (wrong) {
    complain(wrong.message)
    return false
  }
  if (isSame(mine, valueOf(row))) {
    cancel()
    return true
  }
  freeze(true)
  try {
    const then = () => {
      end()
      landOn(row, mine)
    }
    const isDone = await save([give(row, mine)], { base, then })
    if (!isDone) {
      freeze(false)
      input.element.focus()
      return false
    }
  } catch (refused) {
    freeze(false)
    complain(refused instanceof Refused ? refused.message : String(refused))
    return false
  }
  return true
}

/** The row of what was saved: a new field has a row of its own. */
function landOn(row, mine) {
  const own = row.dataset.field ? rowOf(row.dataset.field) : null
  const isIt = (one) => one.dataset.key === row.dataset.key && one.dataset.visit === row.dataset.visit && isSame(valueOf(one), mine)
  const made = own ?? [...document.querySelectorAll("#panel-body .field")].find(isIt)
  if (!made) return
  select(made, { quietly: true })
  made.querySelector(".pick").focus({ preventScroll: true })
}

/** Opens the editor of a row. */
export function edit(row) {
  if (!mayEdit || isSaving() || session?.row === row) return
  if (selected() !== row) select(row)
  if (selected() !== row || session) return
  const form = document.getElementById("editor").content.firstElementChild.cloneNode(true)
  const input = inputFor(row.dataset.type, valueOf(row), nameOf(row))
  form.querySelector("[data-input]").append(input.element)
  if (input.isLong) form.querySelector("[data-said]").textContent = t("review.long_hint")
  form.querySelector("[data-cancel]").addEventListener("click", cancel)
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    submit()
  })
  form.addEventListener("keydown", (key) => {
    if (key.key === "Escape") {
      key.preventDefault()
      cancel()
    }
    if (key.key === "Enter" && input.isLong && (key.ctrlKey || key.metaKey)) {
      key.preventDefault()
      submit()
    }
  })
  session = { row, form, input, base: here() }
  hold(true)
  row.classList.add("editing")
  row.querySelector(".detail").prepend(form)
  input.element.focus()
  input.element.select?.()
}

/** Whether the person may leave what they are editing; if they have to be asked, it goes on with `then`. */
export function leave(then) {
  if (!session) return true
  if (isSaving()) {
    settled().then(() => session === null && then())
    return false
  }
  if (!isDirty()) {
    end()
    return true
  }
  const choices = [
    { name: "discard", label: t("review.discard"), tone: "danger" },
    { name: "keep", label: t("review.keep_editing") },
    { name: "save", label: t("review.save"), tone: "primary" },
  ]
  question(t("review.unsaved"), t("review.unsaved_text", session.row.dataset.title), choices).then(async (answer) => {
    if (answer === "discard") end()
    const isFree = answer === "discard" || (answer === "save" && (await submit()))
    if (isFree) then()
    else session?.input.element.focus()
  })
  return false
}

export function startEditing() {
  guard((row) => session?.row === row || leave(() => select(row && document.getElementById(row.id))))
  addEventListener("beforeunload", (event) => {
    if (isDirty() || isSaving() || isTyped()) event.preventDefault()
  })
}
