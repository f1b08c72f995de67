import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type {
  AddOptions,
  BytesRead,
  TableSink,
  TableSinkCheckpoint,
} from '#lib/extractor/tables/sink-types.ts'
import { createTableSink } from '#lib/extractor/tables/table-sink.ts'
import type { Json } from '#lib/json/json-value.ts'
import { parseJson } from '#lib/json/parse-json.ts'
import { runs } from '#support/thorough.ts'
import { randomPages } from './random-pages.ts'
import type { Page } from './run-sink.ts'

/** Whether a page is read from its bytes, if it can be, and how many pages later it is taken. */
interface Step {
  asBytes: boolean
  lag: number
}

interface Waiting {
  type: string
  items: Json[]
  options: AddOptions
  read: BytesRead | undefined
}

interface Outcome {
  files: Record<string, string>
  said: string[]
  structure: unknown
  rows: number
}

/** What becomes of pages: files, warnings and state, or the message of the error. Without steps all pages are added in turn. */
async function outcome(
  pages: readonly Page[],
  compat: boolean,
  steps: readonly Step[],
  stopAfter: readonly number[] = [],
): Promise<Outcome | string> {
  const root = await mkdtemp(join(tmpdir(), 'millrace-ahead-'))
  const said: string[] = []
  const folder = join(root, 'spool')
  const open = (checkpoint?: TableSinkCheckpoint): TableSink =>
    createTableSink({ folder, compat, checkpoint, warn: text => said.push(text) })
  try {
    let sink = open()
    const waiting: Waiting[] = []
    const take = (keep: number): void => {
      while (waiting.length > keep) {
        const { type, items, options, read } = waiting.shift() as Waiting // there are more than none
        if (read === undefined) sink.add(type, items, options)
        else sink.take(type, read, options)
      }
    }
    for (const [i, { type = 'root', items, parent }] of pages.entries()) {
      const body = Buffer.from(JSON.stringify({ data: items }))
      const parsed = (parseJson(body) as { data: Json[] }).data
      const options: AddOptions = {
        source: { body, path: ['data'] },
        ...(parent === undefined ? {} : { parent }),
      }
      const { asBytes, lag } = steps[i % Math.max(1, steps.length)] ?? { asBytes: false, lag: 0 }
      const read = asBytes ? sink.readBytes(type, { body, path: ['data'], parent }) : undefined
      waiting.push({ type, items: parsed, options, read })
      take(lag)
      if (!stopAfter.includes(i)) continue
      take(0)
      sink = open(JSON.parse(JSON.stringify(sink.checkpoint())) as TableSinkCheckpoint) // made by checkpoint()
    }
    take(0)
    const { structure, rows } = { structure: sink.structure(), rows: sink.rows }
    await sink.finish(join(root, 'out'))
    const names = (await readdir(join(root, 'out'))).sort()
    const files = await Promise.all(
      names.map(async name => [name, await readFile(join(root, 'out', name), 'utf8')] as const),
    )
    return { files: Object.fromEntries(files), said, structure, rows }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

const steps = fc.array(fc.record({ asBytes: fc.constantFrom(true, true, true, false), lag: fc.nat(3) }), {
  minLength: 1,
  maxLength: 5,
})

it('rows read from bytes before their turn equal those that are added in turn', async () => {
  await fc.assert(
    fc.asyncProperty(randomPages, fc.boolean(), steps, async (pages, compat, plan) => {
      expect(await outcome(pages, compat, plan)).toEqual(await outcome(pages, compat, []))
    }),
    { numRuns: runs(150) },
  )
})

const nested = [{ s: [[1]] }]

it('stops and resumes between pages that are read from their bytes', async () => {
  await fc.assert(
    fc.asyncProperty(randomPages, fc.array(fc.nat(4)), steps, async (pages, stopAfter, plan) => {
      expect(await outcome(pages, false, plan, stopAfter)).toEqual(await outcome(pages, false, []))
    }),
    // Found by chance: a list in a list was warned of once more in each leg.
    {
      numRuns: runs(60),
      examples: [
        [
          [
            { type: 'other', items: nested },
            { type: 'other', items: nested },
          ],
          [0],
          [{ asBytes: true, lag: 0 }],
        ],
      ],
    },
  )
})
