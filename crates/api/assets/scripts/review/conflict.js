// The conflict dialog: shows the old value, mine and theirs for each field, and asks which one to keep.

import { count, t } from "../page.js"
import { isSame } from "./change.js"
import { show } from "./dialogs.js"
import { rows, valueOf } from "./panel.js"

const dialog = document.getElementById("conflict-dialog")

const valueText = (value, isDeleted) => {
  if (isDeleted) return t("review.deleted_value")
  return isSame(value, null) ? t("review.no_value") : String(value)
}

function textCell(text) {
  const cell = document.createElement("td")
  cell.textContent = text
  return cell
}

function radioCell(name, value, text, isChecked) {
  const cell = document.createElement("td")
  const label = document.createElement("label")
  const radio = Object.assign(document.createElement("input"), { type: "radio", name, value, defaultChecked: isChecked })
  const span = document.createElement("span")
  span.textContent = text
  label.append(radio, span)
  cell.append(label)
  return cell
}

function tableRow({ change, theirs }, index) {
  const row = document.createElement("tr")
  const title = document.createElement("th")
  title.scope = "row"
  title.textContent = change.title
  const name = `conflict-${index}`
  const mine = radioCell(name, "mine", valueText(change.value, change.kind === "delete"), true)
  row.append(title, textCell(valueText(change.was)), mine, radioCell(name, "theirs", valueText(theirs.value, theirs.isDeleted), false))
  return row
}

/** How many other fields differ from what this page shows. */
function countOtherChanges(conflicts, now) {
  const ids = new Set(conflicts.flatMap(({ change, theirs }) => [change.field, theirs.field]))
  const before = new Map(rows().filter((row) => row.dataset.field).map((row) => [row.dataset.field, valueOf(row)]))
  const isOther = (field) => !ids.has(field.field_id) && !(before.has(field.field_id) && isSame(before.get(field.field_id), field.value))
  const existing = new Set(now.fields.map((field) => field.field_id))
  const deleted = [...before.keys()].filter((id) => !existing.has(id) && !ids.has(id))
  return now.fields.filter(isOther).length + deleted.length
}

/** Returns the conflicts in which the person keeps their own value, or null if they go back to the editor. */
export function askAboutConflicts(conflicts, now) {
  dialog.querySelector("tbody").replaceChildren(...conflicts.map(tableRow))
  const number = countOtherChanges(conflicts, now)
  dialog.querySelector("[data-others]").textContent = number > 0 ? count("review.other_changes", number) : ""
  const form = dialog.querySelector("form")
  return new Promise((resolve) => {
    let kept = null
    form.onsubmit = () => {
      const choices = new FormData(form)
      kept = conflicts.filter((_, index) => choices.get(`conflict-${index}`) === "mine")
    }
    dialog.addEventListener("close", () => resolve(kept), { once: true })
    show(dialog)
    dialog.querySelector("input").focus()
  })
}
