// What the server told this page about itself, and its texts.

export const page = JSON.parse(document.getElementById("page").textContent)

/** The text of that name, with something put in. */
export function t(name, value) {
  const text = page.words[name] ?? name
  return value === undefined ? text : text.replace("{}", () => value)
}

/** The text for that many. */
export function count(name, number) {
  return t(`${name}_${number === 1 ? "one" : "many"}`, String(number))
}

/** An element that the server's HTML describes. The server has escaped what it put in. */
export function made(html) {
  const template = document.createElement("template")
  template.innerHTML = html.trim()
  return template.content
}
