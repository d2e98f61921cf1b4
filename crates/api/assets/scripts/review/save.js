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
import { contradiction, isGranted, insist, renewed } from "./wish.js"

const PATIENCE = 15_000
const PAUSES = [1000, 2000, 4000, 8000]

// What is wished is done in turn. It resolves to whether all so far was done.
let queue = Promise.resolve(true)
let number = 0
let wake = null
// Which version this page has made of which: nobody else had a hand in it.
const made = new Map()

/** The version that somebody looks at. */
export const here = () => ({ run: run(), version: version() })
export const isSaving = () => number > 0
/** When all that was wished so far is done or refused. */
export const settled = () => queue

/** Does a task after all that was wished before, and tells it whether that was done. */
export function inTurn(task) {
  number += 1
  const before = queue
  const turn = before.then(async (isAllDone) => {
    try {
      return await task(isAllDone)
    } finally {
      number -= 1
    }
  })
  // When nothing waits any more, what was refused has been told and holds nothing up.
  const isGood = ([isAllDone, isDone]) => number === 0 || (isAllDone && isDone !== false)
  queue = Promise.all([before, turn]).then(isGood, () => number === 0)
  return turn
}

const name = (base) => `${base.run} ${base.version}`

/** The version that this page has made of that one. */
function latest(base) {
  let last = base
  while (made.has(name(last))) last = { run: base.run, version: made.get(name(last)) }
  return last
}

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
  const left = wishes.filter((wish) => !isGranted(wish, now.fields, isOtherRun))
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
  let isInDoubt = otherRunWaits(base.run) || run() !== base.run
  let isRebased = false
  for (let failures = 0; ; ) {
    try {
      const now = isInDoubt ? await current() : null
      const isOtherRun = now && now.run !== base.run
      if (now && wishes.every((wish) => isGranted(wish, now.fields, isOtherRun))) return { version: now.version, isRebased }
      const isMoved = now && (now.version !== base.version || isOtherRun)
      if (!isMoved) {
        const answer = await post(wishes, base)
        if (answer.version_number !== base.version) made.set(name(base), answer.version_number)
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
  return t(outcome.isRebased ? "review.saved_with_others" : "review.saved", String(outcome.version))
}

/** Saves in its turn, shows what there is then, and says so. True when it is done, false when the person wants to go back; what is
    refused is thrown. */
export function save(wishes, { base = here(), then = () => {} } = {}) {
  return inTurn(() => saveNow(wishes, base, then))
}

async function saveNow(wishes, seen, then) {
  const base = latest(seen)
  const left = base === seen ? wishes : wishes.map(renewed).filter((wish) => wish !== null)
  if (left.length === 0) return true
  say(t("review.saving"))
  try {
    const outcome = await settle(left, base)
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
