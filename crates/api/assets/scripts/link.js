// One link: marks its summary as read, deletes it, or repeats its request.

import { requestJson } from "./http.js"
import { onEvent } from "./events.js"
import { toast } from "./toast.js"

const link = document.getElementById("link")

if (link.dataset.ended === "false") onEvent((event) => event.run_id === link.dataset.request && location.reload())

/** Sends a request and goes on to another page. */
async function change(button, address, options, next) {
  button.disabled = true
  try {
    const answer = await requestJson(address, options)
    location.assign(next(answer))
  } catch (error) {
    toast(error.message, "error")
    button.disabled = false
  }
}

document.getElementById("read")?.addEventListener("click", ({ currentTarget: button }) =>
  change(button, `/v1/summaries/${button.dataset.summary}`,
    { method: "PATCH", body: { is_read: button.dataset.read === "true" } }, () => location.href))

document.getElementById("delete")?.addEventListener("click", ({ currentTarget: button }) =>
  change(button, `/v1/summaries/${button.dataset.summary}`, { method: "DELETE" }, () => "/app/links"))

document.getElementById("retry")?.addEventListener("click", ({ currentTarget: button }) =>
  change(button, `/v1/requests/${link.dataset.request}/retry`, { method: "POST" },
    (answer) => `/app/links/${answer.new_request_id}`))
