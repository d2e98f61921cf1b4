// The list: its filters, its next part, and what happens to the documents in it.

import { Refused, askPart } from "../ask.js"
import { onEvent, onLive } from "../events.js"
import { made } from "../page.js"
import { showTimes } from "../moments.js"
import { toast } from "../toast.js"
import { keepSelected, showSelected } from "./select.js"

const TYPING = 200
// Events of one moment are answered together; a change is seen long before anybody could have wondered.
const TOGETHER = 60
// While nobody answers it is asked for seldom.
const AWAY = 2000
const MOST = 50
// More rows than were asked for come from above while documents arrive; beyond so many the list begins anew.
const SPARE = 100
// What changes how a row looks. Looks at documents are events as well, and change nothing.
const CHANGES = /^(RUN_|STEP_|DOCUMENT_UPLOADED|MARK_REVIEWED|REVIEW_REOPENED|INTERPRETATION_EDITED|SUBJECT_PURGED)/

const form = document.getElementById("filters")
const table = document.getElementById("documents")
const total = document.getElementById("total")
const more = document.getElementById("more")
const rows = () => document.getElementById("rows")

let asked = new AbortController()
let loaded = rows().rows.length
let isFromTop = !new URLSearchParams(location.search).has("cursor")

/** The filters as an address has them; without those that filter nothing. */
export function filters() {
  const given = [...new FormData(form)].filter(([, value]) => value.trim() !== "")
  return new URLSearchParams(given)
}

// No filter goes with the queue, and what is done to all that the filters let through is not offered in it.
function onlyWhatGoes() {
  const isQueue = form.elements.sort.value !== ""
  for (const field of form.querySelectorAll("#q, #status, fieldset:not(.order)")) field.disabled = isQueue
  form.querySelector(".tools").hidden = isQueue
}

function addressed(path, query) {
  const text = query.toString()
  return text ? `${path}?${text}` : path
}

/** A part of the list that the server made: rows, with what is known of the others. */
async function part(query, signal) {
  const body = made(await askPart(addressed("/app/rows", query), { signal })).querySelector("tbody")
  showTimes(body)
  return body
}

function tell(error) {
  if (error.name !== "AbortError") toast(error.message, "error")
}

function goesOn(body) {
  more.parentElement.hidden = !body.dataset.next
  more.href = body.dataset.next ?? ""
  if (body.dataset.more) more.textContent = body.dataset.more
}

function settle() {
  const isEmpty = rows().rows.length === 0
  const isFiltered = filters().size > 0
  table.hidden = isEmpty
  document.getElementById("nothing-found").hidden = !isEmpty || !isFiltered
  document.getElementById("nothing-yet").hidden = !isEmpty || isFiltered
  showSelected()
}

/** Shows the list from its beginning, by the filters as they are. */
export async function renew() {
  asked.abort()
  asked = new AbortController()
  const { signal } = asked
  try {
    const body = await part(filters(), signal)
    if (signal.aborted) return
    rows().replaceWith(body)
    total.textContent = body.dataset.total ?? total.textContent
    loaded = body.rows.length
    isFromTop = true
    goesOn(body)
    for (const row of body.rows) keepSelected(row)
    settle()
  } catch (error) {
    tell(error)
  }
}

// Filters

function exportsFollow() {
  for (const link of document.querySelectorAll("[data-export]")) {
    const query = filters()
    query.set("format", link.dataset.export)
    link.href = addressed("/documents/export", query)
  }
}

/** Filters, and puts the filters into the address: one step back for a choice, and one for all that is typed. */
function filter(isTyped) {
  onlyWhatGoes()
  const address = addressed("/app", filters())
  if (address !== location.pathname + location.search) {
    const goesOnTyping = isTyped && history.state?.isTyped
    history[goesOnTyping ? "replaceState" : "pushState"]({ isTyped }, "", address)
  }
  exportsFollow()
  renew()
}

let typing
form.addEventListener("input", ({ target }) => {
  clearTimeout(typing)
  if (target.type === "search") typing = setTimeout(() => filter(true), TYPING)
  else filter(false)
})
form.addEventListener("submit", (submitted) => {
  submitted.preventDefault()
  clearTimeout(typing)
  filter(false)
})
document.getElementById("clear-filters").addEventListener("click", (click) => {
  click.preventDefault()
  fill(new URLSearchParams())
  filter(false)
})

function fill(query) {
  for (const field of form.elements) {
    if (!field.name) continue
    const value = query.get(field.name) ?? ""
    if (field.type === "radio") field.checked = field.value === value
    else field.value = value
  }
  onlyWhatGoes()
}

addEventListener("popstate", () => {
  fill(new URLSearchParams(location.search))
  exportsFollow()
  renew()
})

// The next part

more.addEventListener("click", async (click) => {
  click.preventDefault()
  more.setAttribute("aria-busy", "true")
  try {
    const body = await part(new URL(more.href).searchParams, asked.signal)
    const known = new Set([...rows().rows].map((row) => row.dataset.id))
    const next = [...body.rows].filter((row) => !known.has(row.dataset.id))
    rows().append(...next)
    loaded = rows().rows.length
    next.forEach(keepSelected)
    goesOn(body)
    settle()
    next[0]?.querySelector("a.name").focus()
  } catch (error) {
    tell(error)
  } finally {
    more.removeAttribute("aria-busy")
  }
})

// What happens

const waiting = new Set()
let timer

function soon(pause = TOGETHER) {
  if (waiting.size > 0) timer ??= setTimeout(follow, pause)
}

onEvent((event) => {
  const isChange = CHANGES.test(event.event_type)
  const id = event.document_id ?? (event.event_type === "SUBJECT_PURGED" ? event.subject_id : null)
  if (!id || !isChange) return
  waiting.add(id)
  soon()
})
// What could not be asked for is asked for again as soon as there is somebody to ask.
onLive((isLive) => {
  if (!isLive) return
  clearTimeout(timer)
  timer = undefined
  soon()
})

async function follow() {
  const ids = [...waiting].slice(0, MOST)
  for (const id of ids) waiting.delete(id)
  const { signal } = asked
  let isAway = false
  try {
    const query = filters()
    query.set("ids", ids.join(","))
    const body = await part(query, signal)
    put(ids, body)
  } catch (error) {
    // A list that begins anew has what happened until then, or is told by the next event.
    isAway = error instanceof Refused && error.status === 0
    if (isAway || error.name === "AbortError") for (const id of ids) waiting.add(id)
    else tell(error)
  } finally {
    timer = undefined
  }
  soon(isAway ? AWAY : TOGETHER)
}

function put(ids, body) {
  const come = new Map([...body.rows].map((row) => [row.dataset.id, row]))
  for (const id of ids) {
    const shown = rows().querySelector(`tr[data-id="${id}"]`)
    const row = come.get(id)
    if (shown && row) replace(shown, row)
    else if (shown) shown.remove()
    else if (row && isFromTop) insert(row)
  }
  if (body.dataset.total) total.textContent = body.dataset.total
  settle()
  if (rows().rows.length > loaded + SPARE) renew()
}

/** Whoever was at the row stays there. */
function replace(shown, row) {
  const focused = shown.contains(document.activeElement) ? document.activeElement.tagName : null
  keepSelected(row)
  shown.replaceWith(row)
  if (focused) row.querySelector(focused.toLowerCase() === "input" ? "input" : "a.name")?.focus()
}

/** Where its place is. One that belongs behind the last of a list that goes on is not shown yet. */
function insert(row) {
  const place = Number(row.dataset.place)
  const before = [...rows().rows].find((other) => Number(other.dataset.place) < place)
  if (!before && !more.parentElement.hidden) return
  row.classList.add("new")
  keepSelected(row)
  rows().insertBefore(row, before ?? null)
}
