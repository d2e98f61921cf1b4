// Sends links, and refreshes their list while they are read and summarised.

import { requestJson } from "./http.js"
import { onEvent } from "./events.js"
import { showTimes } from "./times.js"
import { count, t } from "./page.js"
import { refresher } from "./refresh.js"
import { toast } from "./toast.js"

const REFRESH_PAUSE = 300

const links = document.getElementById("links")
const refresh = refresher(links, `/app/links/rows${location.search}`, REFRESH_PAUSE)

showTimes()
onEvent((event) => event.pipeline === "link" && refresh())

/** Sends addresses one after the other. Returns how many are new, how many were known, and the refused with the reason. */
async function sendAll(urls) {
  const outcome = { sent: 0, known: 0, refused: [] }
  for (const url of urls) {
    try {
      const answer = await requestJson("/v1/requests", { method: "POST", body: { type: "url", input_url: url } })
      outcome[answer.is_duplicate ? "known" : "sent"] += 1
    } catch (error) {
      outcome.refused.push({ url, message: error.message })
    }
  }
  return outcome
}

function show(problems, refused) {
  problems.firstElementChild.replaceChildren(...refused.map(({ url, message }) => {
    const item = document.createElement("li")
    item.textContent = `${url}: ${message}`
    return item
  }))
  problems.hidden = refused.length === 0
}

document.getElementById("send")?.addEventListener("submit", async (event) => {
  event.preventDefault()
  const form = event.currentTarget
  const [button, field, problems] = ["button", "textarea", "[role=alert]"].map((one) => form.querySelector(one))
  button.disabled = true
  const outcome = await sendAll(new Set(field.value.split(/\s+/).filter(Boolean)))
  if (outcome.sent) toast(count("links.sent", outcome.sent), "success")
  if (outcome.known) toast(count("links.known", outcome.known))
  // What was refused stays, to be corrected.
  field.value = outcome.refused.map(({ url }) => url).join("\n")
  show(problems, outcome.refused)
  button.disabled = false
  field.focus()
  refresh()
})

links.addEventListener("click", async ({ target }) => {
  const id = target.dataset.retry
  if (!id) return
  target.disabled = true
  try {
    await requestJson(`/v1/requests/${id}/retry`, { method: "POST" })
    toast(t("links.retried"), "success")
    refresh()
  } catch (error) {
    toast(error.message, "error")
    target.disabled = false
  }
})
