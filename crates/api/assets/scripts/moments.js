// Times in the reader's own zone and language. The server writes exact ones.

import { page } from "./page.js"

const FORMS = {
  time: new Intl.DateTimeFormat(page.language, { hour: "2-digit", minute: "2-digit" }),
  full: new Intl.DateTimeFormat(page.language, { dateStyle: "medium", timeStyle: "medium" }),
  short: new Intl.DateTimeFormat(page.language, { dateStyle: "medium", timeStyle: "short" }),
}

/** Shows every time within an element as a person would write it. */
export function showTimes(within = document) {
  for (const time of within.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime)
    if (Number.isNaN(at.getTime())) continue
    time.textContent = (FORMS[time.dataset.form] ?? FORMS.short).format(at)
    time.title = FORMS.full.format(at)
  }
}
