// Inputs for values of each type. What a person types goes to the server as text: only the server decides what it means.

import { t } from "../page.js"

const LONG_TEXT = 70

function booleanSelect(value) {
  const select = document.createElement("select")
  for (const [written, label] of [["", t("review.no_value")], ["true", t("review.yes")], ["false", t("review.no")]]) {
    select.append(new Option(label, written, false, String(value ?? "") === written))
  }
  return select
}

function elementFor(type, value) {
  if (type === "boolean") return booleanSelect(value)
  const isLong = type === "string" && (String(value ?? "").length > LONG_TEXT || String(value ?? "").includes("\n"))
  const element = document.createElement(isLong ? "textarea" : "input")
  if (isLong) element.rows = Math.min(8, Math.ceil(String(value).length / 45) + 1)
  if (type === "date" && (value === null || /^\d{4}-\d{2}-\d{2}$/.test(value))) {
    element.type = "date"
    element.max = "9999-12-31"
  }
  if (type === "number") element.inputMode = "decimal"
  element.autocomplete = "off"
  element.value = value ?? ""
  return element
}

/** The columns of a row's or an option's table, or null. */
export const columnsOf = ({ dataset }) => (dataset.columns ? JSON.parse(dataset.columns) : null)

/** A table of inputs, one for each cell. A cell that was not changed keeps its value; the server reads the others as text. */
function tableInput(value, label, columns) {
  const element = document.createElement("div")
  element.className = "table-input"
  element.tabIndex = -1
  element.setAttribute("role", "group")
  element.setAttribute("aria-label", label)
  const table = element.appendChild(document.createElement("table"))
  const head = table.createTHead().insertRow()
  for (const { title } of columns) {
    const cell = document.createElement("th")
    cell.textContent = title
    head.append(cell)
  }
  head.insertCell()
  const body = table.createTBody()
  const originals = new WeakMap()
  const addRow = (row = {}) => {
    const line = body.insertRow()
    for (const { key, title } of columns) {
      const input = document.createElement("input")
      input.name = key
      input.autocomplete = "off"
      input.value = row[key] ?? ""
      input.setAttribute("aria-label", `${title} ${body.rows.length}`)
      originals.set(input, { text: input.value, value: row[key] })
      line.insertCell().append(input)
    }
    const button = document.createElement("button")
    Object.assign(button, { type: "button", className: "quiet small", textContent: "✕", title: t("review.delete_row") })
    button.setAttribute("aria-label", t("review.delete_row"))
    button.addEventListener("click", () => line.remove())
    line.insertCell().append(button)
    return line
  }
  for (const row of value ?? [{}]) addRow(row)
  const add = document.createElement("button")
  Object.assign(add, { type: "button", className: "quiet small", textContent: t("review.add_row") })
  add.addEventListener("click", () => addRow().querySelector("input").focus())
  element.append(add)
  const cellOf = (input) => {
    const { text, value: original } = originals.get(input)
    return input.value === text && original !== undefined ? original : input.value.trim()
  }
  const rowOf = (line) => Object.fromEntries([...line.querySelectorAll("input")].map((input) => [input.name, cellOf(input)]).filter(([, cell]) => cell !== ""))
  const rows = () => [...body.rows].map(rowOf).filter((row) => Object.keys(row).length > 0)
  const before = JSON.stringify(rows())
  const read = () => (rows().length === 0 ? null : { text: JSON.stringify(rows()) })
  element.focus = () => element.querySelector("input")?.focus()
  return { element, read, isDirty: () => JSON.stringify(rows()) !== before, isLong: false }
}

/** Creates an input for a value. `read` returns what was entered, as the members of a change: a text, or the value of a choice.
    It returns null if nothing was entered, and throws if a date is incomplete. */
export function inputFor(type, value, label, columns = null) {
  if (type === "table" && columns) return tableInput(value, label, columns)
  const element = elementFor(type, value)
  element.setAttribute("aria-label", label)
  const before = element.value
  const read = () => {
    const text = element.value.trim()
    if (element.validity?.badInput) throw new Error(t("review.invalid_date"))
    if (text === "") return null
    return type === "boolean" ? { value: text === "true", value_type: type } : { text }
  }
  return { element, read, isDirty: () => element.value !== before, isLong: element.localName === "textarea" }
}
