// The runs of a document, refreshed while they work.

import { requestJson } from "./http.js"
import { onEvent } from "./events.js"
import { showTimes } from "./times.js"
import { t } from "./page.js"
import { refresher } from "./refresh.js"
import { toast } from "./toast.js"

const REFRESH_PAUSE = 100

const runs = document.getElementById("runs")
const refresh = refresher(runs, `/app/documents/${runs.dataset.document}/runs/list`, REFRESH_PAUSE)

showTimes()
onEvent((event) => event.document_id === runs.dataset.document && refresh())

async function post(button, address, message) {
  button.disabled = true
  try {
    await requestJson(address, { method: "POST" })
    toast(message, "success")
  } catch (error) {
    toast(error.message, "error")
  } finally {
    button.disabled = false
  }
}

document.getElementById("reprocess")?.addEventListener("click", ({ currentTarget }) =>
  post(currentTarget, `/documents/${runs.dataset.document}/reprocess`, t("runs.reprocess_accepted")))

runs.addEventListener("click", ({ target }) => {
  const { withdraw, cancel } = target.dataset
  if (withdraw) post(target, `/runs/${withdraw}/withdraw`, t("runs.withdrawn"))
  if (cancel) post(target, `/runs/${cancel}/cancel`, t("runs.cancelled"))
})
