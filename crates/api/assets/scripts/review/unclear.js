// Questions about a text that the server does not read as one value.

import { page, t } from "../page.js"
import { withContent } from "./change.js"
import { ask } from "./dialogs.js"

export const isUnclear = (error) => error.code === "AMBIGUOUS_VALUE" || error.code === "VALUE_NOT_ALLOWED"

function readingText(reading, type) {
  if (type === "number") return reading.toLocaleString(page.language, { maximumFractionDigits: 20 })
  if (type === "date") return new Date(reading).toLocaleDateString(page.language, { dateStyle: "long", timeZone: "UTC" })
  return String(reading)
}

/** Asks which reading of a text is meant, or whether to keep a text that the field cannot have. Returns the changes to send, or
    null if the person goes back to the editor. */
export async function clarify(changes, error) {
  const { index, readings = [], value_type: type } = error.details
  const { title, body: { text } } = changes[index]
  const back = { name: "back", label: t("review.back_to_edit") }
  const choices = readings.map((reading, place) => ({ name: String(place), label: readingText(reading, type) }))
  const isAmbiguous = choices.length > 0
  const question = t(isAmbiguous ? "review.ambiguous_text" : "review.not_allowed_text", text)
  const keep = { name: "keep", label: t("review.keep_text"), tone: "primary" }
  const choice = await ask(title, question, isAmbiguous ? [back, ...choices] : [back, keep])
  if (choice === null || choice === "back") return null
  const content = choice === "keep" ? { text, keep: true } : { value: readings[Number(choice)], value_type: type }
  return changes.map((change, place) => (place === index ? withContent(change, content) : change))
}
