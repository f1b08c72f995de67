import { gzipSync } from 'node:zlib'
import type { Answer, ApiRequest } from '../api-server.ts'

interface ReportApi {
  answer: Answer
  /** The host of the files, which is another one. */
  files: Answer
  /** Where it is, once it listens. */
  place: { files: string }
  /** Bodies of the requests that made a report. */
  made: string[]
}

/**
 * Makes reports as advertising platforms do: asked for by POST, ready after some polls, then a file of compressed CSV under a signed
 * address elsewhere. A report that has been made twice has two ids.
 */
export const reportApi = ({ polls = 2, end = 'DONE' }: { polls?: number; end?: string } = {}): ReportApi => {
  const made: string[] = []
  const asked = new Map<string, number>()
  const place = { files: '' }
  const answer = ({ method, path, body }: ApiRequest): unknown => {
    if (method === 'POST') return { report: { id: made.push(body) } }
    const id = path.split('/')[2] ?? ''
    const count = (asked.get(id) ?? 0) + 1
    asked.set(id, count)
    if (count <= polls) return { status: count === 1 ? 'QUEUED' : 'RUNNING' }
    return {
      status: end,
      error: { message: 'too many rows' },
      result: { url: `${place.files}/${id}?sig=a%2Bb` },
    }
  }
  const files: Answer = ({ path }, response) => {
    response.setHeader('content-type', 'application/octet-stream')
    response.end(gzipSync(`id,clicks\n${path.slice(1)}a,1\n${path.slice(1)}b,2\n`))
  }
  return { answer, files, place, made }
}
