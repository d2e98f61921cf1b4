// The list of proposals: sends in an idea, and refreshes the rows while runs work.

import { requestJson } from "./http.js"
import { onEvent } from "./events.js"
import { showTimes } from "./times.js"
import { refresher } from "./refresh.js"

const REFRESH_PAUSE = 500
/** The versions that this page was made for. */
const VERSIONS = { "X-Schema-Version": "1.0.0", "X-Prompt-Set-Version": "1.0.0" }

const rows = document.getElementById("proposals")
const refresh = refresher(rows, `/app/proposals/rows${location.search}`, REFRESH_PAUSE)

showTimes()
onEvent((event) => event.pipeline === "proposal" && refresh())

document.getElementById("propose")?.addEventListener("submit", async (event) => {
  event.preventDefault()
  const form = event.currentTarget
  const button = form.querySelector("button")
  const problem = form.querySelector("[role=alert]")
  const context = form.elements.context.value.trim()
  const body = { idea: form.elements.idea.value, priority: form.elements.urgent.checked ? "high" : "normal" }
  if (context) body.extra_context = context
  button.disabled = true
  problem.hidden = true
  try {
    const sent = await requestJson("/v1/full-review", { method: "POST", body, headers: VERSIONS })
    location.assign(`/app/proposals/${sent.run_id}`)
  } catch (error) {
    // What was typed stays.
    problem.textContent = error.message
    problem.hidden = false
    button.disabled = false
  }
})
