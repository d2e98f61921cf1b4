// Processing documents again: the selected ones, or all that match the filters. The dialog says how many before it starts.

import { requestJson } from "../http.js"
import { count, t } from "../page.js"
import { filters } from "./list.js"
import { clearSelection, selection } from "./selection.js"

const PARALLEL_REQUESTS = 4
const dialog = document.getElementById("reprocess")
const text = document.getElementById("reprocess-text")
const progress = document.getElementById("reprocess-progress")
const start = document.getElementById("reprocess-start")
const cancel = document.getElementById("reprocess-cancel")

let source = null
let isStopped = false
let isRunning = false

function open(documents) {
  source = documents
  isStopped = isRunning = false
  progress.hidden = true
  start.hidden = false
  start.disabled = true
  cancel.textContent = t("inbox.cancel")
  text.textContent = t("inbox.reprocess_counting")
  dialog.showModal()
  cancel.focus()
  source.count().then(({ number, isLowerBound }) => {
    source.number = number
    start.disabled = number === 0
    if (number === 0) text.textContent = t("inbox.reprocess_none")
    else if (isLowerBound) text.textContent = t("inbox.reprocess_confirm_more", number)
    else text.textContent = count("inbox.reprocess_confirm", number)
    if (number > 0) start.focus()
  }, (error) => { text.textContent = error.message })
}

/** The selected documents. */
function selectedDocuments() {
  const ids = selection()
  return { count: async () => ({ number: ids.length, isLowerBound: false }), ids: async function* () { yield* ids } }
}

/** All documents that match the filters. The server counts and lists them. */
function filteredDocuments() {
  const query = filters()
  const address = (more) => `/documents?${new URLSearchParams([...query, ...Object.entries(more)])}`
  return {
    count: async () => {
      const { total, total_is_lower_bound: isLowerBound } = await requestJson(address({ limit: 1 }))
      return { number: total, isLowerBound }
    },
    ids: async function* () {
      for (let cursor = null, isFirst = true; isFirst || cursor; isFirst = false) {
        const part = await requestJson(address({ limit: 200, ...(cursor && { cursor }) }))
        for (const { document_id } of part.items) yield document_id
        cursor = part.next_cursor
      }
    },
  }
}

async function run() {
  isRunning = true
  start.hidden = true
  progress.hidden = false
  progress.max = source.number
  cancel.focus()
  let accepted = 0
  const errors = []
  const ids = source.ids()
  const show = () => {
    progress.value = accepted + errors.length
    text.textContent = t("inbox.reprocess_progress", accepted).replace("{}", Math.max(source.number, accepted))
  }
  show()
  const work = async () => {
    for (;;) {
      if (isStopped) return
      const { done, value } = await ids.next()
      if (done) return
      try {
        await requestJson(`/documents/${value}/reprocess`, { method: "POST" })
        accepted += 1
      } catch (error) {
        errors.push(error)
      }
      show()
    }
  }
  const results = await Promise.allSettled(Array.from({ length: PARALLEL_REQUESTS }, work))
  errors.push(...results.filter((result) => result.reason).map((result) => result.reason))
  isRunning = false
  showSummary(accepted, errors)
}

function showSummary(accepted, errors) {
  const reasons = [...new Set(errors.map((error) => error.message))].slice(0, 3).join("; ")
  text.textContent = (isStopped ? t("inbox.reprocess_stopped") : "") + count("inbox.reprocess_done", accepted)
    + (errors.length > 0 ? ` ${count("inbox.reprocess_failed", errors.length)}${reasons}` : "")
  cancel.textContent = t("frame.close")
  progress.hidden = true
  if (errors.length === 0) clearSelection()
}

start.addEventListener("click", run)
cancel.addEventListener("click", () => {
  if (isRunning) isStopped = true
  else dialog.close()
})
// Escape stops a running batch first; the dialog stays open and shows the summary.
dialog.addEventListener("cancel", (event) => {
  if (!isRunning) return
  event.preventDefault()
  isStopped = true
})

document.getElementById("reprocess-all").addEventListener("click", () => open(filteredDocuments()))
document.getElementById("reprocess-selected").addEventListener("click", () => selection().length > 0 && open(selectedDocuments()))
