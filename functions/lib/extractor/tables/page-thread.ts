import { parentPort } from 'node:worker_threads'
import type { JsonObject } from './json-value.ts'
import { PageWriters } from './page-rows.ts'
import type { FromPageThread, ToPageThread } from './page-threads.ts'
import { parseJson } from './parse-json.ts'
import type { PageRows } from './written-rows.ts'

/* Runs in a worker thread (`PageThreads`): writes the rows of pages, one after the other. */

const writers = new PageWriters()

const rowsOf = ({ family, version, plan, body, path, parent }: ToPageThread): PageRows | undefined => {
  const known = () => {
    if (plan === undefined) throw new Error('The plan of the page is not known')
    return plan
  }
  try {
    const columns = parseJson(parent) as JsonObject // as the asker wrote it
    return writers.rows({ id: family, version, plan: known }, { body, path }, columns)
  } catch {
    return undefined // whatever is wrong with it, the thread that adds it finds and says it
  }
}

parentPort?.on('message', (message: ToPageThread) => {
  const rows = rowsOf(message)
  const reply: FromPageThread = { page: message.page, rows }
  parentPort?.postMessage(reply, rows?.tables.map(({ bytes }) => bytes.buffer) ?? [])
})
