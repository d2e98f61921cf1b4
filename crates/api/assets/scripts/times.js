// Shows times in the reader's time zone and language. The server writes them in UTC.

import { page } from "./page.js"

const FORMATS = {
  time: new Intl.DateTimeFormat(page.language, { hour: "2-digit", minute: "2-digit" }),
  full: new Intl.DateTimeFormat(page.language, { dateStyle: "medium", timeStyle: "medium" }),
  short: new Intl.DateTimeFormat(page.language, { dateStyle: "medium", timeStyle: "short" }),
}

/** Formats every <time> inside an element. */
export function showTimes(root = document) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime)
    if (Number.isNaN(at.getTime())) continue
    time.textContent = (FORMATS[time.dataset.format] ?? FORMATS.short).format(at)
    time.title = FORMATS.full.format(at)
  }
}
