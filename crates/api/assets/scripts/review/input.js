// Inputs for values, by what the values are meant as.

import { t } from "../page.js"

const LONG = 70

export class Wrong extends Error {}

function choice(value) {
  const select = document.createElement("select")
  for (const [written, label] of [["", t("review.no_value")], ["true", t("review.yes")], ["false", t("review.no")]]) {
    select.append(new Option(label, written, false, String(value ?? "") === written))
  }
  return select
}

function element(type, value) {
  if (type === "boolean") return choice(value)
  const isLong = type === "string" && (String(value ?? "").length > LONG || String(value ?? "").includes("\n"))
  const made = document.createElement(isLong ? "textarea" : "input")
  if (isLong) made.rows = Math.min(8, Math.ceil(String(value).length / 45) + 1)
  if (type === "date") {
    made.type = "date"
    made.max = "9999-12-31"
  }
  if (type === "number") made.inputMode = "decimal"
  made.autocomplete = "off"
  made.value = value ?? ""
  return made
}

/** An input that holds the value, and reads what it holds as a value of that type. */
export function inputFor(type, value, label) {
  const made = element(type, value)
  made.setAttribute("aria-label", label)
  const before = made.value
  const read = () => {
    const text = made.value.trim()
    if (made.validity?.badInput) throw new Wrong(t("review.invalid_date"))
    if (text === "") return null
    if (type === "boolean") return text === "true"
    if (type !== "number") return text
    const number = Number(text.replace(",", "."))
    if (!Number.isFinite(number)) throw new Wrong(t("review.invalid_number"))
    return number
  }
  return { element: made, read, isDirty: () => made.value !== before, isLong: made.localName === "textarea" }
}
