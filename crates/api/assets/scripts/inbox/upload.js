// Taking files in: dropped anywhere on the page, chosen, or the sample; a few at a time, each with its progress and outcome.

import { count, t } from "../page.js"
import { toast } from "../toast.js"
import { chosen, dropped } from "./entries.js"
import { Sending } from "./sending.js"

const AT_ONCE = 3
// Rows of files that were taken in are of no use for long.
const KEPT = 20

const panel = document.getElementById("uploads")
const list = document.getElementById("uploads-list")
const summary = document.getElementById("uploads-summary")
const cancelAll = document.getElementById("uploads-cancel")
const close = document.getElementById("uploads-close")
const pattern = document.getElementById("upload")

const waiting = []
const active = new Set()
const refused = new Set()
let all = 0
let taken = 0
let cancelled = 0
let leftOut = 0

/** Takes these in after those before them. */
function take({ files, leftOut: hidden }) {
  if (files.length === 0) toast(t("inbox.no_files"), "error")
  if (active.size + waiting.length + refused.size === 0) [all, taken, cancelled, leftOut] = [0, 0, 0, 0]
  leftOut += hidden
  all += files.length
  waiting.push(...files.map((file) => new Sending(file)))
  panel.hidden = panel.hidden && files.length === 0
  work()
}

function work() {
  while (active.size < AT_ONCE && waiting.length > 0) carry(waiting.shift())
  show()
}

function show() {
  const isBusy = active.size + waiting.length > 0
  const parts = [t("inbox.uploads_done", taken).replace("{}", all)]
  if (refused.size > 0) parts.push(count("inbox.uploads_refused", refused.size))
  if (leftOut > 0) parts.push(count("inbox.uploads_skipped", leftOut))
  summary.textContent = parts.join(" · ")
  cancelAll.hidden = !isBusy
  close.hidden = isBusy
}

function rowOf(sending) {
  if (sending.row) return sending.row
  const row = sending.row = pattern.content.firstElementChild.cloneNode(true)
  row.querySelector(".name").textContent = sending.file.name
  row.querySelector(".name").title = sending.file.webkitRelativePath || sending.file.name
  row.querySelector("progress").setAttribute("aria-label", sending.file.name)
  row.querySelector(".cancel").addEventListener("click", () => sending.cancel())
  row.querySelector(".retry").addEventListener("click", () => again(sending))
  list.prepend(row)
  return row
}

function outcome(row, text, tone) {
  row.className = tone
  row.querySelector(".outcome").textContent = text
  row.querySelector("progress").hidden = tone !== "sending"
  row.querySelector(".cancel").hidden = tone !== "sending"
  row.querySelector(".retry").hidden = tone !== "refused"
  row.querySelector(".code").hidden = tone !== "refused"
}

async function carry(sending) {
  active.add(sending)
  const row = rowOf(sending)
  const bar = row.querySelector("progress")
  const advance = (share) => {
    bar.value = share
    const text = share < 1 ? t("inbox.upload_sending", Math.round(share * 100)) : t("inbox.upload_storing")
    outcome(row, text, "sending")
  }
  outcome(row, t("inbox.upload_waiting"), "sending")
  try {
    await patiently(sending, row, advance)
    taken += 1
    outcome(row, t("inbox.upload_done"), "taken")
    tidy()
  } catch (error) {
    if (error.name === "AbortError") {
      cancelled += 1
      outcome(row, t("inbox.upload_cancelled"), "cancelled")
    } else {
      refuse(sending, row, error)
    }
  } finally {
    active.delete(sending)
    work()
  }
}

/** Sends it again after as long as the server wants to be left alone. */
async function patiently(sending, row, advance) {
  for (;;) {
    if (sending.isCancelled) throw new DOMException("", "AbortError")
    try {
      return await sending.send(advance)
    } catch (error) {
      if (!(error.later > 0)) throw error
      for (let left = error.later; left > 0 && !sending.isCancelled; left -= 1) {
        outcome(row, t("inbox.upload_retrying", left), "sending")
        await new Promise((resolve) => setTimeout(resolve, 1000))
      }
    }
  }
}

function refuse(sending, row, error) {
  refused.add(sending)
  outcome(row, error.message, "refused")
  const code = row.querySelector(".code")
  code.textContent = error.code
  code.href = `/errors/${error.code}`
  code.hidden = error.code === "NO_ANSWER"
}

function again(sending) {
  refused.delete(sending)
  waiting.push(sending)
  outcome(rowOf(sending), t("inbox.upload_waiting"), "sending")
  work()
}

function tidy() {
  const done = list.querySelectorAll("li.taken")
  for (let at = done.length - 1; at >= KEPT; at -= 1) done[at].remove()
}

cancelAll.addEventListener("click", () => {
  cancelled += waiting.length
  waiting.length = 0
  for (const sending of active) sending.cancel()
  show()
})
close.addEventListener("click", () => {
  refused.clear()
  list.replaceChildren()
  panel.hidden = true
})

// Whoever leaves now would lose what is on its way.
addEventListener("beforeunload", (leaving) => {
  if (active.size + waiting.length > 0) leaving.preventDefault()
})

// Choosing

const files = document.getElementById("files")
const folder = document.getElementById("folder")
for (const id of ["choose-files", "dropzone"]) document.getElementById(id).addEventListener("click", () => files.click())
document.getElementById("choose-folder").addEventListener("click", () => folder.click())
files.addEventListener("change", () => {
  take({ files: [...files.files], leftOut: 0 })
  files.value = ""
})
folder.addEventListener("change", () => {
  take(chosen(folder.files))
  folder.value = ""
})

// Dropping

const overlay = document.getElementById("drop-overlay")
const brings = (drag) => drag.dataTransfer?.types.includes("Files")
let depth = 0

addEventListener("dragenter", (drag) => {
  if (!brings(drag)) return
  drag.preventDefault()
  depth += 1
  overlay.hidden = false
})
addEventListener("dragover", (drag) => {
  if (!brings(drag)) return
  drag.preventDefault()
  drag.dataTransfer.dropEffect = "copy"
})
addEventListener("dragleave", (drag) => {
  if (!brings(drag)) return
  depth -= 1
  overlay.hidden = depth > 0 ? overlay.hidden : true
})
addEventListener("drop", async (drop) => {
  if (!brings(drop)) return
  drop.preventDefault()
  depth = 0
  overlay.hidden = true
  try {
    take(await dropped(drop.dataTransfer))
  } catch (error) {
    toast(error.message, "error")
  }
})

// The sample

const sample = document.getElementById("try-sample")
sample?.addEventListener("click", async () => {
  sample.disabled = true
  try {
    const answer = await fetch(sample.dataset.sample)
    const name = sample.dataset.sample.split("/").pop()
    take({ files: [new File([await answer.blob()], name, { type: "application/pdf" })], leftOut: 0 })
  } catch (error) {
    toast(error.message, "error")
  } finally {
    sample.disabled = false
  }
})
