// Processing documents again: the selected, or all that the filters let through. How many is said before anything happens.

import { ask } from "../ask.js"
import { count, t } from "../page.js"
import { filters } from "./list.js"
import { clearSelection, selection } from "./select.js"

const AT_ONCE = 4
const dialog = document.getElementById("reprocess")
const text = document.getElementById("reprocess-text")
const progress = document.getElementById("reprocess-progress")
const start = document.getElementById("reprocess-start")
const cancel = document.getElementById("reprocess-cancel")

let chosen = null
let isStopped = false
let isDoing = false

function open(source) {
  chosen = source
  isStopped = isDoing = false
  progress.hidden = true
  start.hidden = false
  start.disabled = true
  cancel.textContent = t("inbox.cancel")
  text.textContent = t("inbox.reprocess_counting")
  dialog.showModal()
  cancel.focus()
  source.count().then(({ number, isLeast }) => {
    chosen.number = number
    start.disabled = number === 0
    if (number === 0) text.textContent = t("inbox.reprocess_none")
    else if (isLeast) text.textContent = t("inbox.reprocess_confirm_more", number)
    else text.textContent = count("inbox.reprocess_confirm", number)
    if (number > 0) start.focus()
  }, (error) => { text.textContent = error.message })
}

/** The selected. */
function ofSelection() {
  const ids = selection()
  return { count: async () => ({ number: ids.length, isLeast: false }), ids: async function* () { yield* ids } }
}

/** All that the filters let through, counted and listed by the server. */
function ofFilters() {
  const query = filters()
  const at = (more) => `/documents?${new URLSearchParams([...query, ...Object.entries(more)])}`
  return {
    count: async () => {
      const { total, total_is_lower_bound: isLeast } = await ask(at({ limit: 1 }))
      return { number: total, isLeast }
    },
    ids: async function* () {
      for (let cursor = null, isFirst = true; isFirst || cursor; isFirst = false) {
        const part = await ask(at({ limit: 200, ...(cursor && { cursor }) }))
        for (const { document_id } of part.items) yield document_id
        cursor = part.next_cursor
      }
    },
  }
}

async function run() {
  isDoing = true
  start.hidden = true
  progress.hidden = false
  progress.max = chosen.number
  cancel.focus()
  let accepted = 0
  const failed = []
  const ids = chosen.ids()
  const show = () => {
    progress.value = accepted + failed.length
    text.textContent = t("inbox.reprocess_progress", accepted).replace("{}", Math.max(chosen.number, accepted))
  }
  show()
  const work = async () => {
    for (;;) {
      if (isStopped) return
      const { done, value } = await ids.next()
      if (done) return
      try {
        await ask(`/documents/${value}/reprocess`, { method: "POST" })
        accepted += 1
      } catch (error) {
        failed.push(error)
      }
      show()
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, work))
  failed.push(...ended.filter((end) => end.reason).map((end) => end.reason))
  isDoing = false
  summarise(accepted, failed)
}

function summarise(accepted, failed) {
  const reasons = [...new Set(failed.map((error) => error.message))].slice(0, 3).join("; ")
  text.textContent = (isStopped ? t("inbox.reprocess_stopped") : "") + count("inbox.reprocess_done", accepted)
    + (failed.length > 0 ? ` ${count("inbox.reprocess_failed", failed.length)}${reasons}` : "")
  cancel.textContent = t("frame.close")
  progress.hidden = true
  if (failed.length === 0) clearSelection()
}

start.addEventListener("click", run)
cancel.addEventListener("click", () => {
  if (isDoing) isStopped = true
  else dialog.close()
})
// What is being done is stopped before the dialog closes.
dialog.addEventListener("cancel", (key) => {
  if (!isDoing) return
  key.preventDefault()
  isStopped = true
})

document.getElementById("reprocess-all").addEventListener("click", () => open(ofFilters()))
document.getElementById("reprocess-selected").addEventListener("click", () => selection().length > 0 && open(ofSelection()))
