// The files of what was dropped or chosen, those of folders and their folders too.

const isHidden = (name) => name.startsWith(".") || name === "Thumbs.db" || name === "desktop.ini"

/** The files in what was dropped, and how many hidden ones were left out. It has to be asked before the event is over. */
export async function dropped(transfer) {
  const items = [...transfer.items].filter((item) => item.kind === "file")
  const entries = items.map((item) => item.webkitGetAsEntry?.() ?? item.getAsFile())
  const found = { files: [], leftOut: 0 }
  for (const entry of entries) if (entry) await take(entry, found, true)
  return found
}

/** The same of a chosen folder, which is given as its files. */
export function chosen(list) {
  const files = [...list]
  const kept = files.filter((file) => !isHidden(file.name))
  return { files: kept, leftOut: files.length - kept.length }
}

async function take(entry, found, isGiven) {
  if (entry instanceof File) found.files.push(entry)
  else if (!isGiven && isHidden(entry.name)) found.leftOut += 1
  else if (entry.isFile) found.files.push(await new Promise((resolve, reject) => entry.file(resolve, reject)))
  else if (entry.isDirectory) for await (const inner of inside(entry)) await take(inner, found, false)
}

/** A folder tells its entries in parts, and is over when a part is empty. */
async function* inside(folder) {
  const reader = folder.createReader()
  for (;;) {
    const part = await new Promise((resolve, reject) => reader.readEntries(resolve, reject))
    if (part.length === 0) return
    yield* part
  }
}
