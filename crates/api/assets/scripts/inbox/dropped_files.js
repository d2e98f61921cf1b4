// Lists the files that were dropped or chosen, including those in folders and subfolders.

const isHidden = (name) => name.startsWith(".") || name === "Thumbs.db" || name === "desktop.ini"

/** The files of a drop, and how many hidden files were skipped. Call it inside the drop event: the data is gone afterwards. */
export async function droppedFiles(transfer) {
  const items = [...transfer.items].filter((item) => item.kind === "file")
  const entries = items.map((item) => item.webkitGetAsEntry?.() ?? item.getAsFile())
  const result = { files: [], skipped: 0 }
  for (const entry of entries) if (entry) await collect(entry, result, true)
  return result
}

/** The files of a chosen folder, and how many hidden files were skipped. */
export function folderFiles(list) {
  const all = [...list]
  const files = all.filter((file) => !isHidden(file.name))
  return { files, skipped: all.length - files.length }
}

async function collect(entry, result, isTopLevel) {
  if (entry instanceof File) result.files.push(entry)
  else if (!isTopLevel && isHidden(entry.name)) result.skipped += 1
  else if (entry.isFile) result.files.push(await new Promise((resolve, reject) => entry.file(resolve, reject)))
  else if (entry.isDirectory) for await (const child of children(entry)) await collect(child, result, false)
}

/** The entries of a folder. The browser returns them in batches; an empty batch is the last. */
async function* children(folder) {
  const reader = folder.createReader()
  for (;;) {
    const batch = await new Promise((resolve, reject) => reader.readEntries(resolve, reject))
    if (batch.length === 0) return
    yield* batch
  }
}
