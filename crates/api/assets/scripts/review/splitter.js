// The bar between the pages and the panel. Its place is remembered as a share of the width.

const STORED = "quire.review.split"
const USUAL = 0.62
const SNAPS = [0.7, 0.6, 0.5]
const SNAP_WITHIN = 0.012
const LEAST = { left: 560, right: 420 }
const STEP = 40

const review = document.getElementById("review")
const bar = document.getElementById("splitter")
let share = USUAL

function bounded(wanted) {
  const room = review.clientWidth - bar.offsetWidth
  const least = LEAST.left / room
  const most = 1 - LEAST.right / room
  return least > most ? USUAL : Math.min(most, Math.max(least, wanted))
}

function set(wanted, isKept = true) {
  share = bounded(wanted)
  const room = review.clientWidth - bar.offsetWidth
  review.style.setProperty("--left", `${Math.round(share * room)}px`)
  bar.setAttribute("aria-valuenow", String(Math.round(share * 100)))
  if (isKept) localStorage.setItem(STORED, String(share))
}

function drag(pointer) {
  const edge = review.getBoundingClientRect()
  const wanted = (pointer.clientX - edge.left) / edge.width
  set(SNAPS.find((snap) => Math.abs(snap - wanted) < SNAP_WITHIN) ?? wanted)
}

function onKey(key) {
  const room = review.clientWidth - bar.offsetWidth
  const moves = { ArrowLeft: share - STEP / room, ArrowRight: share + STEP / room, Home: USUAL }
  if (moves[key.key] === undefined) return
  key.preventDefault()
  key.stopPropagation()
  set(moves[key.key])
}

export function startSplitter() {
  set(Number(localStorage.getItem(STORED)) || USUAL, false)
  addEventListener("resize", () => set(Number(localStorage.getItem(STORED)) || USUAL, false))
  bar.addEventListener("keydown", onKey)
  bar.addEventListener("dblclick", () => set(USUAL))
  bar.addEventListener("pointerdown", (pointer) => {
    bar.setPointerCapture(pointer.pointerId)
    bar.addEventListener("pointermove", drag)
  })
  bar.addEventListener("pointerup", () => bar.removeEventListener("pointermove", drag))
}
