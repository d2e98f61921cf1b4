// The review page: starts its modules and connects them.

import { requestJson } from "./http.js"
import { onEvent } from "./events.js"
import { showTimes } from "./times.js"
import { t } from "./page.js"
import { toast } from "./toast.js"
import { startActions } from "./review/actions.js"
import { startAdding } from "./review/add.js"
import { isEditing, leave, startEditing } from "./review/editor.js"
import { clearFilter, startFilter } from "./review/filter.js"
import { startFind } from "./review/find.js"
import { showHistory } from "./review/history.js"
import { documentId, isReview, isReviewed, onPanelUpdate, refresh, refreshCount, wasRefreshedAfter } from "./review/panel.js"
import { startPages } from "./review/pages.js"
import { enqueue, isSaving, whenSaved } from "./review/save.js"
import { showHelp, startShortcuts } from "./review/shortcuts.js"
import { startSplitter } from "./review/splitter.js"
import { showStatus } from "./review/status.js"

const panel = document.getElementById("panel")

/** Marks the document as reviewed, or reopens it. Runs after all pending edits, and only if they were saved. */
function toggleReviewed() {
  const wasReviewed = isReviewed()
  enqueue(async (isAllSaved) => {
    if (!isAllSaved) return
    try {
      await requestJson(`/documents/${documentId}/reviewed`, { method: wasReviewed ? "DELETE" : "POST" })
      await refresh()
      showStatus(t(wasReviewed ? "review.reopened" : "review.marked"), "good")
    } catch (error) {
      toast(error.message, "error")
    }
  })
}

async function reprocess(button) {
  button.disabled = true
  try {
    await requestJson(`/documents/${documentId}/reprocess`, { method: "POST" })
    await refresh()
  } catch (error) {
    button.disabled = false
    toast(error.message, "error")
  }
}

/** Shows other people's changes at once. While a field is being edited it only announces them. */
async function showNewerVersion() {
  const isWaiting = await refresh({ isBackground: true }).catch(() => false)
  if (isWaiting && isEditing()) showStatus(t("review.newer_version"), "warn")
}

function followEvents() {
  let timer
  onEvent((event) => {
    if (event.document_id !== documentId) return
    if (event.event_type === "SUBJECT_PURGED") return location.assign("/app")
    const isStep = event.event_type.startsWith("STEP_")
    if (isStep && isReview()) return
    const count = refreshCount()
    clearTimeout(timer)
    timer = setTimeout(async () => {
      // A save refreshes the panel itself, which usually covers this event.
      await whenSaved()
      if (!wasRefreshedAfter(count)) showNewerVersion()
    }, 30)
  })
}

/** Delays the link to the next document until all edits of this one are saved. */
function delayNext(event) {
  const link = event.target.closest("#next")
  if (!link || !isSaving() || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  enqueue(async (isAllSaved) => { if (isAllSaved) setTimeout(() => location.assign(link.href)) })
}

document.addEventListener("click", delayNext)
panel.addEventListener("click", (event) => {
  const button = event.target.closest("button")
  if (!button) return
  if (button.id === "mark" && leave(toggleReviewed)) toggleReviewed()
  if (button.id === "versions") showHistory(null)
  if (button.id === "help") showHelp()
  if (button.dataset.reprocess !== undefined) reprocess(button)
})

startSplitter()
startPages()
startFind()
onPanelUpdate(() => showTimes(panel))
showTimes(panel)
followEvents()
if (isReview()) {
  startEditing()
  startActions()
  startAdding()
  startFilter()
  startShortcuts()
  document.getElementById("filter").addEventListener("keydown", (event) => event.key === "Escape" && clearFilter())
}
// Tests wait for this mark before they use the page.
document.documentElement.dataset.ready = "yes"
