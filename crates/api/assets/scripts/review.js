// The review page: what belongs together is put together here.

import { ask } from "./ask.js"
import { onEvent } from "./events.js"
import { showTimes } from "./moments.js"
import { t } from "./page.js"
import { toast } from "./toast.js"
import { startActions } from "./review/actions.js"
import { startAdding } from "./review/add.js"
import { isEditing, leave, startEditing } from "./review/edit.js"
import { clearFilter, startFilter } from "./review/filter.js"
import { startFind } from "./review/find.js"
import { history } from "./review/history.js"
import { help, startKeys } from "./review/keys.js"
import { asked, documentId, hasComeAfter, isReview, isReviewed, onPanel, refresh } from "./review/panel.js"
import { say } from "./review/said.js"
import { inTurn, isSaving, settled } from "./review/save.js"
import { startSheets } from "./review/sheets.js"
import { startSplitter } from "./review/splitter.js"

const panel = document.getElementById("panel")

/** What was chosen before belongs to what was checked: nothing is marked unless all of it was saved. */
function mark() {
  const isDone = isReviewed()
  inTurn(async (isAllSaved) => {
    if (!isAllSaved) return
    try {
      await ask(`/documents/${documentId}/reviewed`, { method: isDone ? "DELETE" : "POST" })
      await refresh()
      say(t(isDone ? "review.reopened" : "review.marked"), "good")
    } catch (refused) {
      toast(refused.message, "error")
    }
  })
}

async function reprocess(button) {
  button.disabled = true
  try {
    await ask(`/documents/${documentId}/reprocess`, { method: "POST" })
    await refresh()
  } catch (refused) {
    button.disabled = false
    toast(refused.message, "error")
  }
}

/** What somebody else does appears at once, unless something is being edited: then it is said, and appears afterwards. */
async function renew() {
  const isWaiting = await refresh().catch(() => false)
  if (isWaiting && isEditing()) say(t("review.newer_version"), "warn")
}

function follow() {
  let timer
  onEvent((event) => {
    if (event.document_id !== documentId) return
    if (event.event_type === "SUBJECT_PURGED") return location.assign("/app")
    const isStep = event.event_type.startsWith("STEP_")
    if (isStep && isReview()) return
    const number = asked()
    clearTimeout(timer)
    timer = setTimeout(async () => {
      // What is saved shows what there is then, and mostly that is all.
      await settled()
      if (!hasComeAfter(number)) renew()
    }, 30)
  })
}

/** The next document waits until what was done to this one is saved. */
function goOn(event) {
  const link = event.target.closest("#next")
  if (!link || !isSaving() || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  inTurn(async (isAllSaved) => { if (isAllSaved) setTimeout(() => location.assign(link.href)) })
}

document.addEventListener("click", goOn)
panel.addEventListener("click", (event) => {
  const button = event.target.closest("button")
  if (!button) return
  if (button.id === "mark" && leave(mark)) mark()
  if (button.id === "versions") history(null)
  if (button.id === "help") help()
  if (button.dataset.reprocess !== undefined) reprocess(button)
})

startSplitter()
startSheets()
startFind()
onPanel(() => showTimes(panel))
showTimes(panel)
follow()
if (isReview()) {
  startEditing()
  startActions()
  startAdding()
  startFilter()
  startKeys()
  document.getElementById("filter").addEventListener("keydown", (key) => key.key === "Escape" && clearFilter())
}
// Scripts are ready: what they offer works from here on.
document.documentElement.dataset.ready = "yes"
