import type { BrowserUpload, LoadSettings, LoadStarted, LoadState } from '../drop-wire.ts'

const PARTS_AT_ONCE = 3
const ATTEMPTS = 4

/**
 * Sends a file straight to the object store, in parts, and asks for its load.
 *
 * @param onProgress called with the bytes that have arrived
 * @throws Error with a sentence for people
 */
export const sendFile = async (
  file: File,
  settings: LoadSettings,
  onProgress: (bytes: number) => void,
): Promise<LoadStarted> => {
  onProgress(0)
  const upload = (await ask('/console/drop/upload', { name: file.name, bytes: file.size })) as BrowserUpload // what the service sends
  const etags: string[] = []
  let sent = 0
  let next = 0
  const sendParts = async (): Promise<void> => {
    for (let index = next++; index < upload.parts.length; index = next++) {
      const part = upload.parts[index]
      if (part === undefined) return
      const body = file.slice(part.firstByte, part.lastByte + 1)
      etags[index] = await putPart(part.url, body, upload.headers)
      sent += body.size
      onProgress(sent)
    }
  }
  await Promise.all(Array.from({ length: PARTS_AT_ONCE }, sendParts))
  if (upload.complete !== undefined) await complete(upload.complete, etags)
  return (await ask('/console/drop/load', { fileId: upload.fileId, ...settings })) as LoadStarted // what the service sends
}

export const loadState = async (jobId: number): Promise<LoadState> =>
  (await ask(`/console/drop/jobs/${jobId}`)) as LoadState // what the service sends

/** @param body of a POST; without one it is a GET */
const ask = async (path: string, body?: unknown): Promise<unknown> => {
  const response = await fetch(path, {
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  })
  const reply: { error?: string } = await response.json()
  if (!response.ok) throw new Error(reply.error ?? 'The service refused it.')
  return reply
}

/** @returns the ETag of the part */
const putPart = async (url: string, body: Blob, headers: Record<string, string>): Promise<string> => {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(url, { method: 'PUT', body, headers }).catch(() => undefined)
    if (response?.ok === true) return response.headers.get('etag') ?? ''
    if (response !== undefined && response.status < 500)
      throw new Error(`The object store refused a part (${response.status}).`)
    if (attempt >= ATTEMPTS) throw new Error('The object store cannot be reached.')
    await new Promise(resolve => setTimeout(resolve, 500 * 2 ** attempt))
  }
}

const complete = async (url: string, etags: readonly string[]): Promise<void> => {
  const parts = etags.map(
    (etag, index) =>
      `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag.replaceAll('"', '&quot;')}</ETag></Part>`,
  )
  const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
  const response = await fetch(url, { method: 'POST', body })
  // S3 may answer 200 and say in the body that it failed.
  if (!response.ok || (await response.text()).includes('<Error>'))
    throw new Error('The object store could not put the parts together.')
}
