// A proposal: follows the steps of its run, stops or retries it, and sends a revision.

import { requestJson } from "./http.js"
import { onEvent } from "./events.js"
import { showTimes } from "./times.js"
import { t } from "./page.js"
import { refresher } from "./refresh.js"
import { toast } from "./toast.js"

const REFRESH_PAUSE = 100

showTimes()
const proposal = document.getElementById("proposal")
if (proposal) start(proposal.dataset.run)

/** What the buttons ask for: the address, and what to say afterwards. */
function actions(run) {
  return {
    withdraw: { address: `/runs/${run}/withdraw`, done: "runs.withdrawn" },
    cancel: { address: `/runs/${run}/cancel`, done: "runs.cancelled" },
    retry: { address: `/v1/runs/${run}/retry`, done: "proposals.retried" },
  }
}

function start(run) {
  const progress = document.getElementById("progress")
  const buttons = actions(run)
  let wasPressed = false
  const refresh = refresher(proposal, `/app/proposals/${run}/now`, REFRESH_PAUSE)
  onEvent((event) => event.run_id === run && refresh())

  // Screen readers hear how far the run is, without the whole part being read again.
  new MutationObserver(() => {
    const now = proposal.querySelector("[data-progress]")?.dataset.progress ?? ""
    if (progress.textContent !== now) progress.textContent = now
    // The button that was pressed is gone.
    if (wasPressed && document.activeElement === document.body) proposal.focus()
    wasPressed = false
  }).observe(proposal, { childList: true })

  proposal.addEventListener("click", async ({ target }) => {
    const action = buttons[target.id]
    if (!action) return
    target.disabled = true
    wasPressed = true
    try {
      await requestJson(action.address, { method: "POST" })
      toast(t(action.done), "success")
      refresh()
    } catch (error) {
      toast(error.message, "error")
      target.disabled = false
    }
  })

  proposal.addEventListener("submit", (event) => {
    event.preventDefault()
    revise(run, event.target)
  })
}

/** The sections whose text a person has changed. A list has an item on each line. */
function changed(form) {
  const edited = {}
  for (const area of form.querySelectorAll("textarea:not([name=edit_notes])")) {
    if (area.value === area.defaultValue) continue
    const lines = area.value.split("\n").map((line) => line.trim()).filter((line) => line)
    edited[area.name] = "list" in area.dataset ? lines : area.value
  }
  return edited
}

async function revise(run, form) {
  const problem = form.querySelector("[role=alert]")
  const button = form.querySelector("button")
  const edited = changed(form)
  const notes = form.elements.edit_notes.value.trim()
  const body = {}
  if (Object.keys(edited).length) body.edited_proposal = edited
  if (notes) body.edit_notes = notes
  problem.hidden = true
  if (!Object.keys(body).length) return show(problem, t("proposals.no_edit"))
  button.disabled = true
  try {
    const sent = await requestJson(`/v1/runs/${run}/revisions`, { method: "POST", body })
    location.assign(`/app/proposals/${sent.run_id}`)
  } catch (error) {
    // What was typed stays.
    show(problem, error.message)
    button.disabled = false
  }
}

function show(problem, message) {
  problem.textContent = message
  problem.hidden = false
}
