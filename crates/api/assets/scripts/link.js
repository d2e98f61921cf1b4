// One link: follows its request, marks its summary as read, deletes it, or repeats the request.

import { requestJson } from "./http.js"
import { onEvent } from "./events.js"
import { showTimes } from "./times.js"
import { refresher } from "./refresh.js"
import { toast } from "./toast.js"

const REFRESH_PAUSE = 100

showTimes()
const link = document.getElementById("link")
if (link) start(link.dataset.request)

function start(request) {
  const progress = document.getElementById("progress")
  const refresh = refresher(link, `/app/links/${request}/now`, REFRESH_PAUSE)
  onEvent((event) => event.run_id === request && refresh())

  // Screen readers hear how far the request is, without the whole part being read again.
  new MutationObserver(() => {
    const now = link.querySelector("[data-progress]")?.dataset.progress ?? ""
    if (progress.textContent !== now) progress.textContent = now
  }).observe(link, { childList: true })

  // The focus outlasts a refresh, the target of an address does not.
  addEventListener("hashchange", () => document.getElementById(location.hash.slice(1))?.focus())

  const actions = {
    read: ({ summary, read }) =>
      requestJson(`/v1/summaries/${summary}`, { method: "PATCH", body: { is_read: read === "true" } }).then(refresh),
    delete: ({ summary }) =>
      requestJson(`/v1/summaries/${summary}`, { method: "DELETE" }).then(() => location.assign("/app/links")),
    retry: () =>
      requestJson(`/v1/requests/${request}/retry`, { method: "POST" })
        .then((answer) => location.assign(`/app/links/${answer.new_request_id}`)),
  }
  link.addEventListener("click", async ({ target }) => {
    const action = actions[target.id]
    if (!action) return
    target.disabled = true
    try {
      await action(target.dataset)
    } catch (error) {
      toast(error.message, "error")
      target.disabled = false
    }
  })
}
