// Saves what somebody wishes. Each time one version is made, and it is said to be saved only when the server has said so.
//
// When no answer comes, nobody knows whether the change was made. Then the server is asked, as soon as it is back, what there
// is; only if the change is not in it, it is sent again.

import { ask, Refused } from "../ask.js"
import { onLive } from "../events.js"
import { t } from "../page.js"
import { toast } from "../toast.js"
import { settleConflicts } from "./conflict.js"
import { documentId, hold, otherRunWaits, refresh, run, version } from "./panel.js"
import { say } from "./said.js"
import { contradiction, isGranted, insist } from "./wish.js"

const PATIENCE = 15_000
const PAUSES = [1000, 2000, 4000, 8000]

let isBusy = false
let wake = null

/** The version that somebody looks at. */
export const here = () => ({ run: run(), version: version() })
export const isSaving = () => isBusy

onLive((isLive) => isLive && wake?.())

const isSilent = (refused) => refused.code === "NO_ANSWER" || refused.status >= 502
const isStale = (refused) => refused.details?.reason === "STALE_INTERPRETATION_VERSION"

async function post(wishes, base) {
  const body = { base_version_number: base.version, changes: wishes.map((wish) => wish.change) }
  const signal = AbortSignal.timeout(PATIENCE)
  return ask(`/runs/${base.run}/interpretations`, { method: "POST", body, signal })
}

/** What there is now. */
async function current() {
  const review = await ask(`/documents/${documentId}/review`, { signal: AbortSignal.timeout(PATIENCE) })
  const { version_number: number, data } = review.active_interpretation
  return { run: review.latest_completed_run.run_id, version: number, fields: data.fields }
}

/** Waits until the server may be back: it says so, somebody asks for it, or some time has passed. */
function maybeBack(failures) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PAUSES[Math.min(failures, PAUSES.length - 1)])
    wake = () => {
      clearTimeout(timer)
      resolve()
    }
    say(t("review.not_saved"), "warn", wake)
  }).finally(() => { wake = null })
}

/** What is still to be sent after somebody else was faster; nothing if the person wants to go back to the editor. */
async function rebase(wishes, base, now) {
  const isOtherRun = now.run !== base.run
  const left = wishes.filter((wish) => !isGranted(wish, now.fields))
  const pairs = left.map((wish) => ({ wish, theirs: contradiction(wish, now.fields, isOtherRun) }))
  const open = pairs.filter(({ theirs }) => theirs !== null)
  if (open.length > 0) say("")
  const insisted = open.length > 0 ? await settleConflicts(open, now) : []
  if (insisted === null) return null
  say(t("review.saving"))
  const free = pairs.filter(({ theirs }) => theirs === null).map(({ wish }) => wish)
  return [...free, ...insisted.map(({ wish, theirs }) => insist(wish, theirs))]
}

async function settle(wishes, base) {
  // What a newer run has found is not changed by an edit of the one before.
  let isInDoubt = otherRunWaits(base.run)
  let isRebased = false
  for (let failures = 0; ; ) {
    try {
      const now = isInDoubt ? await current() : null
      if (now && wishes.every((wish) => isGranted(wish, now.fields))) return { version: now.version, isRebased }
      const isMoved = now && (now.version !== base.version || now.run !== base.run)
      if (!isMoved) {
        const answer = await post(wishes, base)
        return { version: answer.version_number, isRebased, isSame: answer.version_number === base.version }
      }
      throw Object.assign(new Error(), { isMoved, now })
    } catch (refused) {
      if (refused.isMoved || isStale(refused)) {
        const now = refused.now ?? (await current())
        const left = await rebase(wishes, base, now)
        if (left === null) return null
        if (left.length === 0) return { version: now.version, isKept: true }
        wishes = left
        base = now
        isInDoubt = false
        isRebased = true
      } else if (isSilent(refused)) {
        isInDoubt = true
        await maybeBack(failures)
        failures += 1
      } else throw refused
    }
  }
}

function told(outcome) {
  if (outcome.isKept) return t("review.theirs_kept")
  if (outcome.isSame) return t("review.unchanged")
  return t(outcome.isRebased ? "review.saved_on_top" : "review.saved", String(outcome.version))
}

/** Saves, shows what there is then, and says so. True when it is done, false when the person wants to go back; what is refused is
    thrown. */
export async function save(wishes, { base = here(), then = () => {} } = {}) {
  if (isBusy) return false
  isBusy = true
  say(t("review.saving"))
  try {
    const outcome = await settle(wishes, base)
    if (outcome !== null) {
      hold(false)
      await refresh().catch(() => {})
      then()
    }
    say(outcome === null ? "" : told(outcome), "good")
    return outcome !== null
  } catch (refused) {
    say("")
    throw refused
  } finally {
    isBusy = false
  }
}

/** The same, which also says why if it was refused. */
export async function attempt(wishes, then) {
  try {
    return await save(wishes, { then })
  } catch (refused) {
    toast(refused instanceof Refused ? refused.message : String(refused), "error")
    return false
  }
}
