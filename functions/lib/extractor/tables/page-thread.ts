import { parentPort } from 'node:worker_threads'
import type { JsonObject } from './json-value.ts'
import { packRows, pageBlocks, sizeOfRows } from './page-blocks.ts'
import { PageWriters } from './page-rows.ts'
import type { FromPageThread, ToPageThread } from './page-threads.ts'
import { parseJson } from './parse-json.ts'

/* Runs in a worker thread (`PageThreads`): writes the rows of pages, one after the other. */

const writers = new PageWriters()

const rowsOf = (message: ToPageThread): ReturnType<typeof packRows> | undefined => {
  const { family, version, plan, body, block, path, parent } = message

  const known = () => {
    if (plan === undefined) throw new Error('The plan of the page is not known')
    return plan
  }
  try {
    const columns = parseJson(parent) as JsonObject // as the asker wrote it
    const rows = writers.rows({ id: family, version, plan: known }, { body, path }, columns)
    const size = sizeOfRows(rows)
    // The page is read: its memory goes back with the rows in it
    return packRows(rows, size <= block.byteLength ? block : pageBlocks.take(size))
  } catch {
    return undefined // whatever is wrong with it, the thread that adds it finds and says it
  }
}

parentPort?.on('message', (message: ToPageThread) => {
  const rows = rowsOf(message)
  const reply: FromPageThread = { page: message.page, rows }
  parentPort?.postMessage(reply, rows === undefined ? [] : [rows.block])
})
