// Questions that a language model answers from the documents. Every sentence links to the words that say it.

import { requestJson } from "../http.js"
import { count, t } from "../page.js"
import { toast } from "../toast.js"

const MAX_LINK_WORDS = 20

const form = document.getElementById("ask")
const question = document.getElementById("question")
const answer = document.getElementById("answer")
const filters = document.getElementById("q")

/** The address of a document's page with the quoted words in boxes. */
function placeOf({ document_id: id, page, quote }) {
  const words = quote.replaceAll('"', " ").split(/\s+/).filter(Boolean).slice(0, MAX_LINK_WORDS).join(" ")
  return `/app/documents/${id}?${new URLSearchParams({ q: `"${words}"`, page: page ?? 1 })}`
}

function element(name, text, className = "") {
  const made = document.createElement(name)
  made.textContent = text
  made.className = className
  return made
}

function linkTo(place, text) {
  const link = element("a", text)
  link.href = placeOf(place)
  return link
}

const nameOf = ({ original_filename: name, page }) => t("search.ask_place", name).replace("{}", page ?? 1)

/** A sentence with its evidence below it. */
function sentenceItem({ text, evidence }) {
  const item = element("li", "", "card sentence")
  item.append(element("p", text))
  for (const place of evidence) {
    const line = element("p", "", "about")
    line.append(linkTo(place, nameOf(place)), element("q", place.quote, "faint"))
    item.append(line)
  }
  return item
}

/** A passage that fits the question. */
function chunkItem(chunk) {
  const item = element("li", "", "card sentence")
  const line = element("p", "", "about")
  line.append(linkTo({ ...chunk, quote: chunk.text }, nameOf(chunk)))
  item.append(line, element("p", chunk.text, "snippet"))
  return item
}

function show({ answer: given, reason, chunks }) {
  const list = element("ol", "", "results")
  list.append(...(given ? given.sentences.map(sentenceItem) : chunks.map(chunkItem)))
  const notes = []
  if (reason) notes.push(element("p", t("search.ask_" + reason), "note"))
  if (given?.left_out > 0) notes.push(element("p", count("search.ask_left_out", given.left_out), "note"))
  answer.replaceChildren(...notes, list)
}

form?.addEventListener("submit", async (event) => {
  event.preventDefault()
  if (question.value.trim() === "" || form.dataset.busy) return
  form.dataset.busy = "yes"
  answer.replaceChildren(element("p", t("search.asking"), "faint"))
  try {
    const q = filters.value.trim()
    show(await requestJson("/ask", { method: "POST", body: { question: question.value, ...(q ? { q } : {}) } }))
  } catch (error) {
    answer.replaceChildren()
    toast(error.message, "error")
  } finally {
    delete form.dataset.busy
  }
})
