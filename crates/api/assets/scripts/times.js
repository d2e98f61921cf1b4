// Times as people here write them. The server gives each in a <time> that every program can read.

import { page } from "./page.js"

const day = new Intl.DateTimeFormat(page.language, { dateStyle: "medium", timeStyle: "short" })
const whole = new Intl.DateTimeFormat(page.language, { dateStyle: "full", timeStyle: "medium" })
const near = new Intl.RelativeTimeFormat(page.language, { numeric: "auto" })

function today(then) {
  return new Date().toDateString() === then.toDateString()
}

/** Shows every time below that element in the language of the page and where its reader is. */
export function localTimes(root) {
  const hour = new Intl.DateTimeFormat(page.language, { timeStyle: "short" })
  for (const time of root.querySelectorAll("time[datetime]")) {
    const then = new Date(time.dateTime)
    if (Number.isNaN(then.getTime())) continue
    time.textContent = today(then) ? `${near.format(0, "day")}, ${hour.format(then)}` : day.format(then)
    time.title = whole.format(then)
  }
}
