import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import type { Json } from '#lib/extractor/tables/json-value.ts'
import { type PageAhead, PageThreads } from '#lib/extractor/tables/page-threads.ts'
import { parseJson } from '#lib/extractor/tables/parse-json.ts'
import type { AddOptions, TableSink, TableSinkCheckpoint } from '#lib/extractor/tables/sink-types.ts'
import { createTableSink } from '#lib/extractor/tables/table-sink.ts'
import { runs } from '#support/thorough.ts'
import { randomPages } from './random-pages.ts'
import type { Page } from './run-sink.ts'

const warnings: string[] = []
const always = {
  threads: 1,
  smallestPageBytes: 0,
  bytesBeforeStart: 0,
  busyShare: () => 1,
  warn: (text: string) => warnings.push(text),
}
const shared = new PageThreads(always)

afterAll(() => shared.close())

/** Who writes the rows of a page, and how many pages later they are taken. */
interface Step {
  by: 'thread' | 'here' | 'turn'
  lag: number
}

interface Waiting {
  type: string
  items: Json[]
  options: AddOptions
  ahead: PageAhead | undefined
}

interface Outcome {
  files: Record<string, string>
  said: string[]
  structure: unknown
  rows: number
}

/** What becomes of pages: files, warnings and state, or the message of the error. `steps`: none for one thread. */
async function outcome(
  pages: readonly Page[],
  compat: boolean,
  steps: readonly Step[],
  threads = shared,
  stopAfter: readonly number[] = [],
): Promise<Outcome | string> {
  const root = await mkdtemp(join(tmpdir(), 'millrace-threads-'))
  const said: string[] = []
  const folder = join(root, 'spool')
  const open = (checkpoint?: TableSinkCheckpoint): TableSink =>
    createTableSink({ folder, compat, threads, checkpoint, warn: text => said.push(text) })
  try {
    let sink = open()
    const waiting: Waiting[] = []
    const take = async (keep: number): Promise<void> => {
      while (waiting.length > keep) {
        const { type, items, options, ahead } = waiting.shift() as Waiting // there are more than none
        await ahead?.done
        if (ahead === undefined) sink.add(type, items, options)
        else sink.take(type, items.length, options, ahead)
      }
    }
    for (const [i, { type = 'root', items, parent }] of pages.entries()) {
      const body = Buffer.from(JSON.stringify({ data: items }))
      const parsed = (parseJson(body) as { data: Json[] }).data
      const options: AddOptions = {
        source: { body, path: ['data'] },
        ...(parent === undefined ? {} : { parent }),
      }
      const { by, lag } = steps[i % Math.max(1, steps.length)] ?? { by: 'turn', lag: 0 }
      const ahead =
        by === 'turn' ? undefined : sink.begin(type, parsed, options, by === 'here' ? by : undefined)
      waiting.push({ type, items: parsed, options, ahead })
      await take(lag)
      if (!stopAfter.includes(i)) continue
      await take(0)
      sink = open(JSON.parse(JSON.stringify(sink.checkpoint())) as TableSinkCheckpoint) // made by checkpoint()
    }
    await take(0)
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

const steps = fc.array(
  fc.record({
    by: fc.constantFrom('thread' as const, 'thread' as const, 'here' as const, 'turn' as const),
    lag: fc.nat(3),
  }),
  { minLength: 1, maxLength: 5 },
)

it('rows written ahead by several threads equal those that one thread writes in turn', async () => {
  await fc.assert(
    fc.asyncProperty(randomPages, fc.boolean(), steps, async (pages, compat, plan) => {
      expect(await outcome(pages, compat, plan)).toEqual(await outcome(pages, compat, []))
    }),
    { numRuns: runs(150) },
  )
})

it('stops and resumes between pages that other threads write', async () => {
  await fc.assert(
    fc.asyncProperty(randomPages, fc.array(fc.nat(4)), steps, async (pages, stopAfter, plan) => {
      expect(await outcome(pages, false, plan, shared, stopAfter)).toEqual(await outcome(pages, false, []))
    }),
    { numRuns: runs(60) },
  )
})

const steady = (count: number): Page[] =>
  Array.from({ length: count }, (_, page) => ({
    items: [
      {
        id: page,
        amount: 1.5,
        'ž"': 'a "b"\n',
        list: [page, { x: null }, null].slice(0, 1),
        at: { x: page },
      },
    ],
    parent: { parent_id: page },
  }))

it('has another thread write pages once their structure is known', async () => {
  const counted = new PageThreads(always)
  const begin = counted.begin.bind(counted)
  const outcomes: (PageAhead | undefined)[] = []
  counted.begin = (...given) => {
    const ahead = begin(...given)
    outcomes.push(ahead)
    return ahead
  }
  try {
    const pages = steady(6)
    expect(await outcome(pages, false, [{ by: 'thread', lag: 1 }], counted)).toEqual(
      await outcome(pages, false, []),
    )
    expect(outcomes.filter(ahead => ahead?.rows !== undefined).length).toBeGreaterThan(2)
  } finally {
    await counted.close()
  }
})

it('loses nothing when a thread ends, and says so', async () => {
  warnings.length = 0
  const folder = await mkdtemp(join(tmpdir(), 'millrace-threads-'))
  const { writeFile } = await import('node:fs/promises')
  const file = join(folder, 'ends.mjs')
  await writeFile(
    file,
    "import { parentPort } from 'node:worker_threads'\nparentPort.on('message', () => process.exit(7))\n",
  )
  const ending = new PageThreads({ ...always, file: pathToFileURL(file) })
  try {
    const pages = steady(6)
    expect(await outcome(pages, false, [{ by: 'thread', lag: 2 }], ending)).toEqual(
      await outcome(pages, false, []),
    )
    expect(warnings).toEqual([
      'A thread that writes tables has ended (exit code 7). One thread does all from here on; nothing is lost.',
    ])
  } finally {
    await ending.close()
    await rm(folder, { recursive: true })
  }
})

it('starts no thread for a short run, a small page or a very large one, nor while it waits for the API', async () => {
  const wants = async (options: Partial<ConstructorParameters<typeof PageThreads>[0]>): Promise<number> => {
    const threads = new PageThreads({ ...always, ...options })
    const begun: unknown[] = []
    const begin = threads.begin.bind(threads)
    threads.begin = (...given) => {
      const ahead = begin(...given)
      if (ahead !== undefined) begun.push(ahead)
      return ahead
    }
    await outcome(steady(4), false, [{ by: 'thread', lag: 0 }], threads)
    await threads.close()
    return begun.length
  }
  expect(await wants({ bytesBeforeStart: 10_000 })).toBe(0)
  expect(await wants({ smallestPageBytes: 10_000 })).toBe(0)
  expect(await wants({ largestPageBytes: 10 })).toBe(0)
  const shares = [0.7, 0.5, 0.8]
  expect(await wants({ busyShare: () => shares.shift() ?? 0 })).toBe(1) // of four pages the third shows it
  expect(await wants({ busyShare: () => 0.7 })).toBe(0)
  expect(await wants({})).toBe(3)
})
