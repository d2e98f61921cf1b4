// Sends links, and refreshes their list while they are read and summarised.

import { requestJson } from "./http.js"
import { onEvent } from "./events.js"
import { showTimes } from "./times.js"
import { t } from "./page.js"
import { refresher } from "./refresh.js"
import { toast } from "./toast.js"

const REFRESH_PAUSE = 300

const links = document.getElementById("links")
const query = links.dataset.query
const refresh = refresher(links, `/app/links/list${query ? `?q=${encodeURIComponent(query)}` : ""}`, REFRESH_PAUSE)

showTimes()
onEvent(refresh)

async function send(urls) {
  const refused = []
  for (const url of urls) {
    try {
      const answer = await requestJson("/v1/requests", { method: "POST", body: { type: "url", input_url: url } })
      toast(t(answer.is_duplicate ? "links.known" : "links.sent"), "success")
    } catch (error) {
      refused.push(url)
      toast(error.message, "error")
    }
  }
  refresh()
  return refused
}

document.getElementById("send")?.addEventListener("submit", async (event) => {
  event.preventDefault()
  const button = event.target.querySelector("button")
  const field = document.getElementById("urls")
  button.disabled = true
  const lines = field.value.split(/\s+/).filter(Boolean)
  // What was refused stays, to be corrected.
  field.value = (await send(lines)).join("\n")
  button.disabled = false
})

links.addEventListener("click", async ({ target }) => {
  const id = target.dataset.retry
  if (!id) return
  target.disabled = true
  try {
    await requestJson(`/v1/requests/${id}/retry`, { method: "POST" })
    toast(t("links.retried"), "success")
  } catch (error) {
    toast(error.message, "error")
  }
  refresh()
})
