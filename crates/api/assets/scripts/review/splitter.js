// The bar between the pages and the form. Its position is stored as a share of the width.

const STORAGE_KEY = "quire.review.split"
const DEFAULT_SHARE = 0.62
const SNAP_SHARES = [0.7, 0.6, 0.5]
const SNAP_DISTANCE = 0.012
const MIN_WIDTH = { left: 560, right: 420 }
const KEY_STEP = 40

const review = document.getElementById("review")
const bar = document.getElementById("splitter")
let share = DEFAULT_SHARE

function limit(wanted) {
  const width = review.clientWidth - bar.offsetWidth
  const min = MIN_WIDTH.left / width
  const max = 1 - MIN_WIDTH.right / width
  return min > max ? DEFAULT_SHARE : Math.min(max, Math.max(min, wanted))
}

function setShare(wanted, isStored = true) {
  share = limit(wanted)
  const width = review.clientWidth - bar.offsetWidth
  review.style.setProperty("--left", `${Math.round(share * width)}px`)
  bar.setAttribute("aria-valuenow", String(Math.round(share * 100)))
  if (isStored) localStorage.setItem(STORAGE_KEY, String(share))
}

function drag(event) {
  const edge = review.getBoundingClientRect()
  const wanted = (event.clientX - edge.left) / edge.width
  setShare(SNAP_SHARES.find((snap) => Math.abs(snap - wanted) < SNAP_DISTANCE) ?? wanted)
}

function onKey(event) {
  const width = review.clientWidth - bar.offsetWidth
  const shares = { ArrowLeft: share - KEY_STEP / width, ArrowRight: share + KEY_STEP / width, Home: DEFAULT_SHARE }
  if (shares[event.key] === undefined) return
  event.preventDefault()
  event.stopPropagation()
  setShare(shares[event.key])
}

export function startSplitter() {
  const restore = () => setShare(Number(localStorage.getItem(STORAGE_KEY)) || DEFAULT_SHARE, false)
  restore()
  addEventListener("resize", restore)
  bar.addEventListener("keydown", onKey)
  bar.addEventListener("dblclick", () => setShare(DEFAULT_SHARE))
  bar.addEventListener("pointerdown", (event) => {
    bar.setPointerCapture(event.pointerId)
    bar.addEventListener("pointermove", drag)
  })
  bar.addEventListener("pointerup", () => bar.removeEventListener("pointermove", drag))
}
