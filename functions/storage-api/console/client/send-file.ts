import type { BrowserUpload, LoadSettings, LoadStarted } from '../drop-wire.ts'

/** S3: the most that one request brings (User Guide, "Uploading objects"). */
const MOST_BYTES = 5 * 1024 ** 3

/**
 * Sends a file straight to the object store, and asks for its load.
 *
 * @param onProgress called with the bytes that have arrived
 * @throws Error with a sentence for people
 */
export const sendFile = async (
  file: File,
  settings: LoadSettings,
  onProgress: (bytes: number) => void,
): Promise<LoadStarted> => {
  if (file.size > MOST_BYTES)
    throw new Error('A browser sends 5 GiB at most. npx millrace upload sends any file.')
  onProgress(0)
  const upload = (await ask('/console/drop/upload', { name: file.name, bytes: file.size })) as BrowserUpload // what the service sends
  await put(upload.url, file, onProgress)
  return (await ask('/console/drop/load', { fileId: upload.fileId, ...settings })) as LoadStarted // what the service sends
}

const ask = async (path: string, body: unknown): Promise<unknown> => {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
  const reply: { error?: string } = await response.json()
  if (!response.ok) throw new Error(reply.error ?? 'The service refused it.')
  return reply
}

/** `fetch` would not say how much has arrived. */
const put = (url: string, file: File, onProgress: (bytes: number) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded))
    request.addEventListener('error', () => reject(new Error('The object store cannot be reached.')))
    request.addEventListener('load', () =>
      request.status < 300
        ? resolve()
        : reject(new Error(`The object store refused the file (${request.status}).`)),
    )
    request.open('PUT', url)
    // Without the type of the file, which is not signed.
    request.send(file.slice())
  })
