// The data that the server put into this page, and its texts.

export const page = JSON.parse(document.getElementById("page-data").textContent)

/** The text of that key, with its first placeholder filled. */
export function t(key, value) {
  const text = page.words[key] ?? key
  return value === undefined ? text : text.replace("{}", () => value)
}

/** The text of that key for a number: its `_one` or its `_many` form. */
export function count(key, number) {
  return t(`${key}_${number === 1 ? "one" : "many"}`, String(number))
}

/** Parses HTML that the server rendered. The server has escaped its values. */
export function parseHtml(html) {
  const template = document.createElement("template")
  template.innerHTML = html.trim()
  return template.content
}
