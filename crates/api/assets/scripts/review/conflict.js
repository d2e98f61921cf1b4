// When somebody else was faster: what was there, mine and theirs beside each other, and a choice for each field.

import { count, t } from "../page.js"
import { rows, valueOf } from "./panel.js"
import { show } from "./dialogs.js"
import { isSame } from "./wish.js"

const dialog = document.getElementById("conflict-dialog")

const written = (value, isGone) => {
  if (isGone) return t("review.deleted_value")
  return isSame(value, null) ? t("review.no_value") : String(value)
}

function cell(text) {
  const made = document.createElement("td")
  made.textContent = text
  return made
}

function option(name, value, label, isChecked) {
  const made = document.createElement("td")
  const around = document.createElement("label")
  const radio = Object.assign(document.createElement("input"), { type: "radio", name, value, defaultChecked: isChecked })
  const text = document.createElement("span")
  text.textContent = label
  around.append(radio, text)
  made.append(around)
  return made
}

function line({ wish, theirs }, index) {
  const made = document.createElement("tr")
  const title = document.createElement("th")
  title.scope = "row"
  title.textContent = wish.title
  const name = `conflict-${index}`
  const mine = option(name, "mine", written(wish.mine, wish.kind === "delete"), true)
  made.append(title, cell(written(wish.was)), mine, option(name, "theirs", written(theirs.value, theirs.isGone), false))
  return made
}

/** How many other fields somebody has changed since this page was made. */
function others(open, now) {
  const asked = new Set(open.flatMap(({ wish, theirs }) => [wish.field, theirs.field]))
  const before = new Map(rows().filter((row) => row.dataset.field).map((row) => [row.dataset.field, valueOf(row)]))
  const isOther = (field) => !asked.has(field.field_id) && !(before.has(field.field_id) && isSame(before.get(field.field_id), field.value))
  const there = new Set(now.fields.map((field) => field.field_id))
  const gone = [...before.keys()].filter((id) => !there.has(id) && !asked.has(id))
  return now.fields.filter(isOther).length + gone.length
}

/** Those on which the person insists; nothing if they want to go back to the editor. */
export function settleConflicts(open, now) {
  dialog.querySelector("tbody").replaceChildren(...open.map(line))
  const number = others(open, now)
  dialog.querySelector("[data-others]").textContent = number > 0 ? count("review.other_changes", number) : ""
  const form = dialog.querySelector("form")
  return new Promise((resolve) => {
    let answer = null
    form.onsubmit = () => {
      const chosen = new FormData(form)
      answer = open.filter((_, index) => chosen.get(`conflict-${index}`) === "mine")
    }
    dialog.addEventListener("close", () => resolve(answer), { once: true })
    show(dialog)
    dialog.querySelector("input").focus()
  })
}
