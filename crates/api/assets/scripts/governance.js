// Deciding on schema changes. The decision dialog also says when another person decided first.

import { requestJson } from "./http.js"
import { onEvent } from "./events.js"
import { showTimes } from "./times.js"
import { t } from "./page.js"
import { refresher } from "./refresh.js"
import { toast } from "./toast.js"

const REFRESH_PAUSE = 300
const list = document.getElementById("candidates")
const dialog = document.getElementById("decide")

showTimes()
if (list) start()

function start() {
  const form = dialog.querySelector("form")
  const submit = dialog.querySelector("[data-submit]")
  const conflict = dialog.querySelector("[data-conflict]")
  const refresh = refresher(list, `/app/governance/candidates${location.search}`, REFRESH_PAUSE)
  let open = null

  const article = (id) => document.getElementById(`candidate-${id}`)

  function showDialog(button) {
    const candidate = button.closest("[data-candidate]")
    const { candidate: id, status, state } = candidate.dataset
    const isCritical = "critical" in candidate.dataset
    open = { id, status, state, isCritical, decision: button.dataset.decision, isBusy: false }
    form.reset()
    dialog.querySelector("#decide-title").textContent = button.textContent
    dialog.querySelector("[data-what]").textContent = candidate.querySelector("h2").textContent
    dialog.querySelector("#decide-effect").textContent = button.dataset.effect
    dialog.querySelector("[data-caution]").hidden = !isCritical
    form.elements.confirm.required = isCritical
    form.elements.reason.required = isCritical
    submit.textContent = button.textContent
    submit.disabled = false
    conflict.hidden = true
    dialog.showModal()
    form.elements.reason.focus()
  }

  /** Blocks the decision because another person decided first. The typed reason stays, so that it can be copied. */
  function showConflict(status) {
    conflict.textContent = status ? t("governance.conflict_status", status) : t("governance.conflict")
    conflict.hidden = false
    submit.disabled = true
  }

  async function decide() {
    const { id, status, isCritical, decision } = open
    const reason = form.elements.reason.value.trim()
    open.isBusy = submit.disabled = true
    try {
      const saved = await requestJson(`/reviewer/structural-changes/${id}/decision`, {
        method: "POST",
        body: { decision_type: decision, seen_status: status, seen_critical: isCritical, reason: reason || null },
      })
      dialog.close()
      toast(t(saved.schema_version_id ? "governance.decision_saved_version" : "governance.decision_saved"), "success")
    } catch (error) {
      if (error.status === 409) showConflict()
      else {
        submit.disabled = false
        toast(error.message, "error")
      }
    } finally {
      if (open) open.isBusy = false
      refresh()
    }
  }

  list.addEventListener("click", ({ target }) => target.dataset.decision && showDialog(target))
  dialog.querySelector("[data-cancel]").addEventListener("click", () => open.isBusy || dialog.close())
  // The dialog stays open while its decision is being sent.
  dialog.addEventListener("cancel", (event) => open?.isBusy && event.preventDefault())
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    if (!open.isBusy) decide()
  })
  // Edits are events, decisions are not: the server checks the status that the person saw.
  onEvent((event) => event.event_type === "INTERPRETATION_EDITED" && refresh())
  document.addEventListener("visibilitychange", () => document.hidden || refresh())

  new MutationObserver(() => {
    if (!open) return
    const now = article(open.id)
    if (dialog.open) {
      if (!open.isBusy && now?.dataset.state !== open.state) showConflict(now?.dataset.statusText)
    } else if (document.activeElement === document.body) {
      // The decision removed the focused button: the focus moves to its candidate.
      (now ?? list).focus()
    }
  }).observe(list, { childList: true })
}
