// Saves changes. Each save makes one version, and is shown as saved only after the server has confirmed it.
//
// When no response comes, the change may or may not be stored. Then the script loads the current version as soon as the
// server responds again, and sends the change again only if that version does not have it.

import { requestJson } from "../http.js"
import { onConnectionChange } from "../events.js"
import { t } from "../page.js"
import { toast } from "../toast.js"
import { conflictOf, isDone, onTopOf, rebased } from "./change.js"
import { askAboutConflicts } from "./conflict.js"
import { documentId, holdUpdates, isOtherRunWaiting, refresh, run, version } from "./panel.js"
import { showStatus } from "./status.js"

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

/** The latest version that this page has made on top of that one. */
function latestOwn(base) {
  let latest = base
  while (ownVersions.has(nameOf(latest))) latest = { run: base.run, version: ownVersions.get(nameOf(latest)) }
  return latest
}

onConnectionChange((isConnected) => isConnected && retryNow?.())

const hasNoResponse = (error) => error.code === "NO_ANSWER" || error.status >= 502
const isStale = (error) => error.details?.reason === "STALE_INTERPRETATION_VERSION"

async function post(changes, base) {
  const body = { base_version_number: base.version, changes: changes.map((change) => change.body) }
  const signal = AbortSignal.timeout(TIMEOUT)
  return requestJson(`/runs/${base.run}/interpretations`, { method: "POST", body, signal })
}

async function loadCurrent() {
  const review = await requestJson(`/documents/${documentId}/review`, { signal: AbortSignal.timeout(TIMEOUT) })
  const { version_number: number, data } = review.active_interpretation
  return { run: review.latest_completed_run.run_id, version: number, fields: data.fields }
}

/** Waits until the server is back, the person asks to try again, or some time has passed. */
function waitToRetry(failures) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, RETRY_PAUSES[Math.min(failures, RETRY_PAUSES.length - 1)])
    retryNow = () => {
      clearTimeout(timer)
      resolve()
    }
    showStatus(t("review.not_saved"), "warn", retryNow)
  }).finally(() => { retryNow = null })
}

/** The changes that remain on top of a newer version, or null if the person goes back to the editor. */
async function resolveConflicts(changes, base, now) {
  const isOtherRun = now.run !== base.run
  const left = changes.filter((change) => !isDone(change, now.fields, isOtherRun))
  const pairs = left.map((change) => ({ change, theirs: conflictOf(change, now.fields, isOtherRun) }))
  const conflicts = pairs.filter(({ theirs }) => theirs !== null)
  if (conflicts.length > 0) showStatus("")
  const kept = conflicts.length > 0 ? await askAboutConflicts(conflicts, now) : []
  if (kept === null) return null
  showStatus(t("review.saving"))
  const free = pairs.filter(({ theirs }) => theirs === null).map(({ change }) => change)
  return [...free, ...kept.map(({ change, theirs }) => onTopOf(change, theirs))]
}

async function send(changes, base) {
  // An edit of an older run would not be seen in the newer one.
  let isInDoubt = isOtherRunWaiting(base.run) || run() !== base.run
  let isRebased = false
  for (let failures = 0; ; ) {
    try {
      const now = isInDoubt ? await loadCurrent() : null
      const isOtherRun = now && now.run !== base.run
      if (now && changes.every((change) => isDone(change, now.fields, isOtherRun))) return { version: now.version, isRebased }
      const isStaleBase = now && (now.version !== base.version || isOtherRun)
      if (!isStaleBase) {
        const saved = await post(changes, base)
        if (saved.version_number !== base.version) ownVersions.set(nameOf(base), saved.version_number)
        return { version: saved.version_number, isRebased, isUnchanged: saved.version_number === base.version }
      }
      throw Object.assign(new Error(), { isStaleBase, now })
    } catch (error) {
      if (error.isStaleBase || isStale(error)) {
        const now = error.now ?? (await loadCurrent())
        const left = await resolveConflicts(changes, base, now)
        if (left === null) return null
        if (left.length === 0) return { version: now.version, areTheirsKept: true }
        changes = left
        base = now
        isInDoubt = false
        isRebased = true
      } else if (hasNoResponse(error)) {
        isInDoubt = true
        await waitToRetry(failures)
        failures += 1
      } else throw error
    }
  }
}

function resultText(result) {
  if (result.areTheirsKept) return t("review.theirs_kept")
  if (result.isUnchanged) return t("review.unchanged")
  return t(result.isRebased ? "review.saved_with_others" : "review.saved", String(result.version))
}

/** Saves changes after all earlier saves, and refreshes the panel. Returns false if the person goes back to the editor; throws
    if the server refuses the changes. */
export function save(changes, { base = currentVersion(), onSaved = () => {} } = {}) {
  return enqueue(() => saveNow(changes, base, onSaved))
}

async function saveNow(changes, seen, onSaved) {
  const base = latestOwn(seen)
  const left = base === seen ? changes : changes.map(rebased).filter((change) => change !== null)
  if (left.length === 0) return true
  showStatus(t("review.saving"))
  try {
    const result = await send(left, base)
    if (result !== null) {
      holdUpdates(false)
      await refresh().catch(() => {})
      onSaved()
    }
    showStatus(result === null ? "" : resultText(result), "good")
    return result !== null
  } catch (error) {
    showStatus("")
    throw error
  }
}

/** Saves changes, and shows a toast if the server refuses them. */
export async function saveOrToast(changes, onSaved) {
  try {
    return await save(changes, { onSaved })
  } catch (error) {
    toast(error.message, "error")
    return false
  }
}
