// The review page: starts its modules and connects them.

import { requestJson } from "./http.js"
import { onEvent } from "./events.js"
import { showTimes } from "./times.js"
import { t } from "./page.js"
import { toast } from "./toast.js"
import { startActions } from "./review/actions.js"
import { startAdding } from "./review/add.js"
import { ask } from "./review/dialogs.js"
import { isEditing, leave, startEditing } from "./review/editor.js"
import { clearFilter, startFilter } from "./review/filter.js"
import { startFind } from "./review/find.js"
import { startHiding } from "./review/hide.js"
import { showHistory } from "./review/history.js"
import { startHits } from "./review/hits.js"
import { documentId, emptyCritical, isReview, isReviewed, onFormUpdate, refresh, refreshCount, wasRefreshedAfter } from "./review/form.js"
import { startPages } from "./review/pages.js"
import { currentVersion, enqueue, isSaving, knownVersion, whenSaved } from "./review/save.js"
import { showHelp, startShortcuts } from "./review/shortcuts.js"
import { startSplitter } from "./review/splitter.js"
import { showStatus } from "./review/status.js"

const form = document.getElementById("review-form")

/** Asks before a document is marked whose critical fields are empty, and names them. */
async function mayMark() {
  const empty = emptyCritical()
  if (empty.length === 0) return true
  const choices = [
    { name: "back", label: t("review.cancel") },
    { name: "mark", label: t("review.mark_anyway"), tone: "primary" },
  ]
  return (await ask(t("review.empty_critical"), t("review.empty_critical_text", empty.join(", ")), choices)) === "mark"
}

/** Marks the document as reviewed, or reopens it. Runs after all pending edits, and only if they were saved. What is marked is
    the version that the person saw with their own edits: if somebody else has made another one, the server refuses. */
function toggleReviewed() {
  const wasReviewed = isReviewed()
  const seen = currentVersion()
  enqueue(async (isAllSaved) => {
    if (!isAllSaved) return
    try {
      if (wasReviewed) {
        await requestJson(`/documents/${documentId}/reviewed`, { method: "DELETE" })
      } else {
        if (!(await mayMark())) return
        const { run, version } = knownVersion(seen)
        const body = { run_id: run, version_number: version }
        await requestJson(`/documents/${documentId}/reviewed`, { method: "POST", body })
      }
      await refresh()
      showStatus(t(wasReviewed ? "review.reopened" : "review.marked"), "good")
    } catch (error) {
      if (error.details?.reason !== "STALE_INTERPRETATION_VERSION") return toast(error.message, "error")
      await refresh().catch(() => {})
      showStatus(t("review.changed_since"), "warn")
    }
  })
}

async function reprocess(button) {
  button.disabled = true
  try {
    const schema = button.parentElement.querySelector("[data-schema]")?.value
    const query = schema ? `?schema=${encodeURIComponent(schema)}` : ""
    await requestJson(`/documents/${documentId}/reprocess${query}`, { method: "POST" })
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
      // A save refreshes the form itself, which usually covers this event.
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
form.addEventListener("click", (event) => {
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
startHits()
startHiding()
onFormUpdate(() => showTimes(form))
showTimes(form)
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
