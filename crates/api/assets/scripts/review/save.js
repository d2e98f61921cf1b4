// Saves changes. Each save makes one version, and is shown as saved only after the server has confirmed it.
//
// If the server has a newer version, it refuses the changes and reports what became of each: done, free or in conflict. The
// person chooses, and the changes that the report offers for a retry are sent. When no response comes, the same request is sent
// again: if the first one was stored, the report says that all changes are done.

import { requestJson } from "../http.js"
import { onConnectionChange } from "../events.js"
import { t } from "../page.js"
import { toast } from "../toast.js"
import { rowOfChange, undoChange } from "./change.js"
import { askAboutConflicts } from "./conflict.js"
import { ask } from "./dialogs.js"
import { holdUpdates, isReviewed, refresh, rows, run, version } from "./form.js"
import { showStatus } from "./status.js"
import { clarify, isUnclear } from "./unclear.js"

const TIMEOUT = 15_000
const RETRY_PAUSES = [1000, 2000, 4000, 8000]

// Saves run one after the other. The queue resolves to whether all saves so far succeeded.
let queue = Promise.resolve(true)
let pending = 0
let retryNow = null
// Versions that this page has made, by the version they were made from: nobody else changed anything in between.
const ownVersions = new Map()

/** The version that the page shows. */
export const currentVersion = () => ({ run: run(), version: version() })
export const isSaving = () => pending > 0
/** Resolves when all saves so far are finished. */
export const whenSaved = () => queue

/** Runs a task after all earlier ones, and tells it whether they all succeeded. */
export function enqueue(task) {
  pending += 1
  const before = queue
  const turn = before.then(async (isAllSaved) => {
    try {
      return await task(isAllSaved)
    } finally {
      pending -= 1
    }
  })
  // When the queue is empty, failures have been shown and block nothing any more.
  const succeeded = ([isAllSaved, isSaved]) => pending === 0 || (isAllSaved && isSaved !== false)
  queue = Promise.all([before, turn]).then(succeeded, () => pending === 0)
  return turn
}

const nameOf = (base) => `${base.run} ${base.version}`

/** The versions that only this page made from one, in their order. */
function* ownVersionsFrom(base) {
  let latest = base
  while (ownVersions.has(nameOf(latest))) {
    latest = { run: base.run, version: ownVersions.get(nameOf(latest)) }
    yield latest
  }
}

const isOwnVersion = (base, target) => [...ownVersionsFrom(base)].some((version) => nameOf(version) === nameOf(target))

/** The version that the person knows: the one that they saw, or what their own edits have made of it since. */
export const knownVersion = (seen) => [...ownVersionsFrom(seen)].at(-1) ?? seen

onConnectionChange((isConnected) => isConnected && retryNow?.())

const hasNoResponse = (error) => error.code === "NO_ANSWER" || error.status >= 502
const isStale = (error) => error.details?.reason === "STALE_INTERPRETATION_VERSION"

async function post(changes, base) {
  const body = { base_version_number: base.version, latest_run_only: true, changes: changes.map((change) => change.body) }
  const signal = AbortSignal.timeout(TIMEOUT)
  return requestJson(`/runs/${base.run}/interpretations`, { method: "POST", body, signal })
}

/** Waits until the server is back, the person asks to try again, or some time has passed. */
function waitToRetry(failures) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, RETRY_PAUSES[Math.min(failures, RETRY_PAUSES.length - 1)])
    retryNow = () => {
      clearTimeout(timer)
      resolve()
    }
    showStatus(t("review.not_saved"), "warn", { label: t("review.try_again"), run: retryNow })
  }).finally(() => { retryNow = null })
}

/** The changes that the report offers for a retry: all that are free, and those of the conflicts that the person insists on.
    Null if the person goes back to the editor. */
async function changesToRetry(changes, report, isOwn) {
  const conflicts = report.conflicts.filter(({ status }) => status === "CONFLICT")
  // Against this page's own earlier edit there is nothing to choose: the later one counts.
  let kept = conflicts
  if (conflicts.length > 0 && !isOwn) {
    showStatus("")
    kept = await askAboutConflicts(changes, report)
    if (kept === null) return null
    showStatus(t("review.saving"))
  }
  const chosen = report.conflicts.filter((conflict) => conflict.status === "FREE" || kept.includes(conflict))
  return chosen.filter(({ retry }) => retry !== null).map(({ index, retry }) => ({ ...changes[index], body: retry }))
}

/** Sends changes until they are saved. Null if the person goes back to the editor. */
async function send(changes, base) {
  let isOnTopOfOthers = false
  for (let failures = 0; ; ) {
    try {
      const { version_number: version } = await post(changes, base)
      const isUnchanged = version === base.version
      if (!isUnchanged) ownVersions.set(nameOf(base), version)
      return { version, changes, isOnTopOfOthers, isUnchanged }
    } catch (error) {
      if (isStale(error)) {
        const report = error.details
        const now = { run: report.run_id, version: report.version_number }
        const isOwn = isOwnVersion(base, now)
        const isDone = report.conflicts.every(({ status }) => status === "DONE")
        // Nothing differs but these changes: the version was made by a request whose response was lost.
        if (isDone && !isOwn && report.other_changes === 0 && now.run === base.run) ownVersions.set(nameOf(base), now.version)
        const left = isDone ? [] : await changesToRetry(changes, report, isOwn)
        if (left === null) return null
        if (left.length === 0) return { version: now.version, changes, areTheirsKept: !isDone }
        changes = left
        base = now
        isOnTopOfOthers ||= !isOwn
      } else if (isUnclear(error)) {
        const clear = await clarify(changes, error)
        if (clear === null) return null
        changes = clear
      } else if (hasNoResponse(error)) {
        await waitToRetry(failures)
        failures += 1
      } else throw error
    }
  }
}

/** Asks before an edit reopens a reviewed document. */
async function mayReopen() {
  if (!isReviewed()) return true
  const choices = [
    { name: "keep", label: t("review.cancel") },
    { name: "reopen", label: t("review.save_and_reopen"), tone: "primary" },
  ]
  return (await ask(t("review.reopens"), t("review.reopens_text"), choices)) === "reopen"
}

/** How the server has read a typed text, if it is stored in other words. */
function readAsText([change]) {
  const text = change.body.text
  const row = text === undefined ? null : rowOfChange(change, rows())
  if (!row || row.dataset.value === JSON.stringify(text)) return ""
  return ` ${t("review.read_as", row.querySelector(".value").textContent)}`
}

function resultText(result) {
  if (result.areTheirsKept) return t("review.theirs_kept")
  if (result.isUnchanged) return t("review.unchanged")
  const saved = t(result.isOnTopOfOthers ? "review.saved_with_others" : "review.saved", String(result.version))
  return saved + readAsText(result.changes)
}

/** Saves changes after all earlier saves, refreshes the form, and calls back with the changes that were sent last. Returns false
    if the person goes back to the editor; throws if the server refuses the changes. */
export function save(changes, { base = currentVersion(), onSaved = () => {}, action = null } = {}) {
  return enqueue(() => saveNow(changes, base, onSaved, action))
}

async function saveNow(changes, base, onSaved, action) {
  if (!(await mayReopen())) return false
  showStatus(t("review.saving"))
  try {
    const result = await send(changes, base)
    if (result !== null) {
      holdUpdates(false)
      await refresh().catch(() => {})
      onSaved(result.changes)
    }
    const isDone = result !== null && !result.areTheirsKept && !result.isUnchanged
    showStatus(result === null ? "" : resultText(result), "good", isDone ? action : null)
    return result !== null
  } catch (error) {
    showStatus("")
    throw error
  }
}

/** Deletes a field or a visit, and offers to undo that. */
export function deleteOrToast(change, onSaved) {
  const undo = { label: t("review.undo"), run: () => saveOrToast([undoChange(change)]) }
  return saveOrToast([change], onSaved, undo)
}

/** Saves changes, and shows a toast if the server refuses them. With an action, the status of the save offers it. */
export async function saveOrToast(changes, onSaved, action) {
  try {
    return await save(changes, { onSaved, action })
  } catch (error) {
    toast(error.message, "error")
    return false
  }
}
