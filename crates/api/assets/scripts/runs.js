// The runs of a document, while they happen.

import { ask } from "./ask.js"
import { onEvent } from "./events.js"
import { showTimes } from "./moments.js"
import { t } from "./page.js"
import { renewing } from "./part.js"
import { toast } from "./toast.js"

const EVERY = 100

const runs = document.getElementById("runs")
const renew = renewing(runs, `/app/documents/${runs.dataset.document}/runs/list`, EVERY)

showTimes()
onEvent((event) => event.document_id === runs.dataset.document && renew())

async function post(button, address, message) {
  button.disabled = true
  try {
    await ask(address, { method: "POST" })
    toast(message, "success")
  } catch (refused) {
    toast(refused.message, "error")
  } finally {
    button.disabled = false
  }
}

document.getElementById("again")?.addEventListener("click", ({ currentTarget }) =>
  post(currentTarget, `/documents/${runs.dataset.document}/reprocess`, t("runs.reprocess_accepted")))

runs.addEventListener("click", ({ target }) => {
  const run = target.dataset.withdraw
  if (run) post(target, `/runs/${run}/withdraw`, t("runs.withdrawn"))
})
