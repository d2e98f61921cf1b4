// Deciding about changes of schemas. A decision is asked for in a dialog, and what others decide meanwhile is said there.

import { ask } from "./ask.js"
import { onEvent } from "./events.js"
import { showTimes } from "./moments.js"
import { t } from "./page.js"
import { renewing } from "./part.js"
import { toast } from "./toast.js"

const EVERY = 300
const list = document.getElementById("candidates")
const dialog = document.getElementById("decide")

showTimes()
if (list) start()

function start() {
  const form = dialog.querySelector("form")
  const submit = dialog.querySelector("[data-submit]")
  const conflict = dialog.querySelector("[data-conflict]")
  const renew = renewing(list, `/app/governance/candidates${location.search}`, EVERY)
  let about = null

  const article = (id) => document.getElementById(`candidate-${id}`)

  function open(button) {
    const of = button.closest("[data-candidate]")
    const { candidate, status, state } = of.dataset
    const isCritical = "critical" in of.dataset
    about = { candidate, status, state, isCritical, decision: button.dataset.decision, busy: false }
    form.reset()
    dialog.querySelector("#decide-title").textContent = button.textContent
    dialog.querySelector("[data-what]").textContent = of.querySelector("h2").textContent
    dialog.querySelector("#decide-effect").textContent = button.dataset.effect
    dialog.querySelector("[data-caution]").hidden = !isCritical
    form.elements.sure.required = isCritical
    form.elements.reason.required = isCritical
    submit.textContent = button.textContent
    submit.disabled = false
    conflict.hidden = true
    dialog.showModal()
    form.elements.reason.focus()
  }

  /** Nothing is decided about what stands elsewhere by now. What was written stays, to be read or copied. */
  function sayConflict(status) {
    conflict.textContent = status ? t("governance.conflict_status", status) : t("governance.conflict")
    conflict.hidden = false
    submit.disabled = true
  }

  async function decide() {
    const { candidate, status, isCritical, decision } = about
    const reason = form.elements.reason.value.trim()
    about.busy = submit.disabled = true
    try {
      const made = await ask(`/reviewer/structural-changes/${candidate}/decision`, {
        method: "POST",
        body: { decision_type: decision, seen_status: status, seen_critical: isCritical, reason: reason || null },
      })
      dialog.close()
      toast(t(made.schema_version_id ? "governance.decision_saved_version" : "governance.decision_saved"), "success")
    } catch (refused) {
      if (refused.status === 409) sayConflict()
      else {
        submit.disabled = false
        toast(refused.message, "error")
      }
    } finally {
      if (about) about.busy = false
      renew()
    }
  }

  list.addEventListener("click", ({ target }) => target.dataset.decision && open(target))
  dialog.querySelector("[data-cancel]").addEventListener("click", () => about.busy || dialog.close())
  // What is on its way to the server is not dropped.
  dialog.addEventListener("cancel", (event) => about?.busy && event.preventDefault())
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    if (!about.busy) decide()
  })
  // Edits are told to everybody; decisions are not, so that the server has the last word about what was seen.
  onEvent((event) => event.event_type === "INTERPRETATION_EDITED" && renew())
  document.addEventListener("visibilitychange", () => document.hidden || renew())

  new MutationObserver(() => {
    if (!about) return
    const now = article(about.candidate)
    if (dialog.open) {
      if (!about.busy && now?.dataset.state !== about.state) sayConflict(now?.dataset.told)
    } else if (document.activeElement === document.body) {
      // The button is gone with the decision: one goes on from where it was.
      (now ?? list).focus()
    }
  }).observe(list, { childList: true })
}
