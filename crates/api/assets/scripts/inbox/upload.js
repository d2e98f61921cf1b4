// Uploads files that were dropped or chosen, and the sample: a few at a time, each with its progress and result.

import { count, t } from "../page.js"
import { toast } from "../toast.js"
import { droppedFiles, folderFiles } from "./dropped_files.js"
import { UploadRequest } from "./upload_request.js"

const PARALLEL_UPLOADS = 3
// Only this many rows of finished uploads stay in the list.
const MAX_DONE_ROWS = 20

const panel = document.getElementById("uploads")
const list = document.getElementById("uploads-list")
const summary = document.getElementById("uploads-summary")
const cancelAll = document.getElementById("uploads-cancel")
const close = document.getElementById("uploads-close")
const rowTemplate = document.getElementById("upload")

const waiting = []
const active = new Set()
const refused = new Set()
let total = 0
let uploaded = 0
let skipped = 0

/** Adds files to the end of the queue. */
function enqueue({ files, skipped: hidden }) {
  if (files.length === 0) toast(t("inbox.no_files"), "error")
  if (active.size + waiting.length + refused.size === 0) [total, uploaded, skipped] = [0, 0, 0]
  skipped += hidden
  total += files.length
  waiting.push(...files.map((file) => new UploadRequest(file)))
  panel.hidden = panel.hidden && files.length === 0
  startNext()
}

function startNext() {
  while (active.size < PARALLEL_UPLOADS && waiting.length > 0) run(waiting.shift())
  showSummary()
}

function showSummary() {
  const isBusy = active.size + waiting.length > 0
  const parts = [t("inbox.uploads_done", uploaded).replace("{}", total)]
  if (refused.size > 0) parts.push(count("inbox.uploads_refused", refused.size))
  if (skipped > 0) parts.push(count("inbox.uploads_skipped", skipped))
  summary.textContent = parts.join(" · ")
  cancelAll.hidden = !isBusy
  close.hidden = isBusy
}

function rowOf(upload) {
  if (upload.row) return upload.row
  const row = upload.row = rowTemplate.content.firstElementChild.cloneNode(true)
  row.querySelector(".name").textContent = upload.file.name
  row.querySelector(".name").title = upload.file.webkitRelativePath || upload.file.name
  row.querySelector("progress").setAttribute("aria-label", upload.file.name)
  row.querySelector(".cancel").addEventListener("click", () => upload.cancel())
  row.querySelector(".retry").addEventListener("click", () => retry(upload))
  list.prepend(row)
  return row
}

/** Shows the state of an upload: "sending", "uploaded", "cancelled" or "refused", with a text. */
function showState(row, text, state) {
  row.className = state
  row.querySelector(".outcome").textContent = text
  row.querySelector("progress").hidden = state !== "sending"
  row.querySelector(".cancel").hidden = state !== "sending"
  row.querySelector(".retry").hidden = state !== "refused"
  row.querySelector(".code").hidden = state !== "refused"
}

async function run(upload) {
  active.add(upload)
  const row = rowOf(upload)
  const bar = row.querySelector("progress")
  const showProgress = (share) => {
    bar.value = share
    const text = share < 1 ? t("inbox.upload_sending", Math.round(share * 100)) : t("inbox.upload_storing")
    showState(row, text, "sending")
  }
  showState(row, t("inbox.upload_waiting"), "sending")
  try {
    await sendWithRetries(upload, row, showProgress)
    uploaded += 1
    showState(row, t("inbox.upload_done"), "uploaded")
    removeOldRows()
  } catch (error) {
    if (error.name === "AbortError") showState(row, t("inbox.upload_cancelled"), "cancelled")
    else showRefusal(upload, row, error)
  } finally {
    active.delete(upload)
    startNext()
  }
}

/** Sends a file. If the server is busy, waits as long as it asks for and sends again. */
async function sendWithRetries(upload, row, showProgress) {
  for (;;) {
    if (upload.isCancelled) throw new DOMException("", "AbortError")
    try {
      return await upload.send(showProgress)
    } catch (error) {
      if (!(error.retryAfter > 0)) throw error
      for (let left = error.retryAfter; left > 0 && !upload.isCancelled; left -= 1) {
        showState(row, t("inbox.upload_retrying", left), "sending")
        await new Promise((resolve) => setTimeout(resolve, 1000))
      }
    }
  }
}

function showRefusal(upload, row, error) {
  refused.add(upload)
  showState(row, error.message, "refused")
  const code = row.querySelector(".code")
  code.textContent = error.code
  code.href = `/errors/${error.code}`
  code.hidden = error.code === "NO_ANSWER"
}

function retry(upload) {
  refused.delete(upload)
  waiting.push(upload)
  showState(rowOf(upload), t("inbox.upload_waiting"), "sending")
  startNext()
}

function removeOldRows() {
  const done = list.querySelectorAll("li.uploaded")
  for (let index = done.length - 1; index >= MAX_DONE_ROWS; index -= 1) done[index].remove()
}

cancelAll.addEventListener("click", () => {
  waiting.length = 0
  for (const upload of active) upload.cancel()
  showSummary()
})
close.addEventListener("click", () => {
  refused.clear()
  list.replaceChildren()
  panel.hidden = true
})

// The browser asks before it leaves the page: leaving would abort the uploads.
addEventListener("beforeunload", (event) => {
  if (active.size + waiting.length > 0) event.preventDefault()
})

// Choosing files

const files = document.getElementById("files")
const folder = document.getElementById("folder")
for (const id of ["choose-files", "dropzone"]) document.getElementById(id).addEventListener("click", () => files.click())
document.getElementById("choose-folder").addEventListener("click", () => folder.click())
files.addEventListener("change", () => {
  enqueue({ files: [...files.files], skipped: 0 })
  files.value = ""
})
folder.addEventListener("change", () => {
  enqueue(folderFiles(folder.files))
  folder.value = ""
})

// Dropping files

const overlay = document.getElementById("drop-overlay")
const hasFiles = (event) => event.dataTransfer?.types.includes("Files")
// dragenter and dragleave are also fired for child elements: the overlay goes away when all that were entered were left.
let depth = 0

addEventListener("dragenter", (event) => {
  if (!hasFiles(event)) return
  event.preventDefault()
  depth += 1
  overlay.hidden = false
})
addEventListener("dragover", (event) => {
  if (!hasFiles(event)) return
  event.preventDefault()
  event.dataTransfer.dropEffect = "copy"
})
addEventListener("dragleave", (event) => {
  if (!hasFiles(event)) return
  depth -= 1
  overlay.hidden = depth > 0 ? overlay.hidden : true
})
addEventListener("drop", async (event) => {
  if (!hasFiles(event)) return
  event.preventDefault()
  depth = 0
  overlay.hidden = true
  try {
    enqueue(await droppedFiles(event.dataTransfer))
  } catch (error) {
    toast(error.message, "error")
  }
})

// The sample

const sample = document.getElementById("try-sample")
sample?.addEventListener("click", async () => {
  sample.disabled = true
  try {
    const response = await fetch(sample.dataset.sample)
    const name = sample.dataset.sample.split("/").pop()
    enqueue({ files: [new File([await response.blob()], name, { type: "application/pdf" })], skipped: 0 })
  } catch (error) {
    toast(error.message, "error")
  } finally {
    sample.disabled = false
  }
})
