import { cpSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ExtractResult, extract } from '#lib/extractor/run/extract.ts'
import { startApi } from '../../api-server.ts'
import { configuration, readTables } from '../../run-extraction.ts'

/** What happens to the list after a page was served. Positions are taken modulo its length. */
export type Change =
  | { do: 'insert'; at: number }
  | { do: 'delete'; at: number }
  | { do: 'move'; from: number; to: number }

export interface Story {
  paging: 'offset' | 'pagenum' | 'cursor'
  /** Rows at the beginning. */
  rows: number
  /** After each request in turn; none after the last of them. */
  changes: Change[][]
  /** Pages that a leg reads before it stops. */
  pagesPerLeg: number
  /** Whether a leg is lost now and then: run to its end and run again, from the folder as it was before. */
  losesLegs?: boolean
  /** Default: each page says how many rows there are. */
  hasTotal?: boolean
}

export interface Told {
  result: ExtractResult | undefined
  error: Error | undefined
  /** Ids of each page that was served, in order. */
  pages: number[][]
  /** The total that went with it. */
  totals: number[]
  /** Ids in the list before each request. */
  lists: number[][]
  /** Whether each request was for the first page. */
  isFirst: boolean[]
  /** Requests of legs that were lost, by position. */
  lost: Set<number>
  /** CSV text by table. */
  tables: Record<string, string>
}

const PAGE_ROWS = 3

const paginations = {
  offset: { method: 'offset', limit: PAGE_ROWS },
  pagenum: { method: 'pagenum', limit: PAGE_ROWS },
  cursor: { method: 'cursor', idKey: 'id', param: 'after' },
}

const changed = (list: readonly number[], change: Change, fresh: number): number[] => {
  const size = Math.max(1, list.length)
  if (change.do === 'insert') return list.toSpliced(change.at % (list.length + 1), 0, fresh)
  if (change.do === 'delete') return list.toSpliced(change.at % size, 1)
  const moved = list[change.from % size]
  return moved === undefined
    ? [...list]
    : list.toSpliced(change.from % size, 1).toSpliced(change.to % size, 0, moved)
}

/** Reads a list that changes between the requests. By cursor it is served in the order of ids, and new ids are the largest. */
export const readChangingList = async (story: Story, job: Record<string, unknown>): Promise<Told> => {
  const told: Told = {
    result: undefined,
    error: undefined,
    pages: [],
    totals: [],
    lists: [],
    isFirst: [],
    lost: new Set(),
    tables: {},
  }
  let list = Array.from({ length: story.rows }, (_, index) => index + 1)
  let fresh = 1000
  const server = await startApi(({ path, query }) => {
    if (path !== '/items') return [{ about: path }]
    const served = story.paging === 'cursor' ? list.toSorted((a, b) => a - b) : list
    const from =
      story.paging === 'cursor'
        ? served.filter(id => id <= Number(query.get('after') ?? 0)).length
        : story.paging === 'offset'
          ? Number(query.get('offset'))
          : (Number(query.get('page')) - 1) * PAGE_ROWS
    const page = served.slice(from, from + PAGE_ROWS)
    const total = list.length
    const changes = story.changes[told.pages.length] ?? []
    told.lists.push([...list])
    told.pages.push(page)
    told.totals.push(total)
    told.isFirst.push(from === 0 && !query.has('after'))
    for (const change of changes) list = changed(list, change, ++fresh)
    const rows = page.map(id => ({ id, tags: [`t${id}`], 7: 'seven', price: `${id}` }))
    return { ...(story.hasTotal === false ? {} : { total }), rows, served: told.pages.length }
  })
  const folder = mkdtempSync(join(tmpdir(), 'completeness-'))
  const outDir = join(folder, 'out')
  try {
    const config = configuration(server.origin, {
      api: { pagination: paginations[story.paging] },
      config: { jobs: [{ endpoint: 'items', dataField: 'rows', primaryKey: ['id'], ...job }] },
    })
    const spoolDir = join(folder, 'spool')
    let checkpoint: unknown
    const leg = (into: string): Promise<ExtractResult> => {
      const stop = new AbortController()
      let pages = 0
      return extract({
        config,
        outDir: into,
        spoolDir,
        signal: stop.signal,
        onProgress: () => {
          if (++pages >= story.pagesPerLeg) stop.abort()
        },
        ...(checkpoint === undefined ? {} : { checkpoint }),
      })
    }
    for (let number = 1; told.result?.finished !== true; number++) {
      if (story.losesLegs === true && number % 3 === 2) {
        const from = told.pages.length
        cpSync(spoolDir, join(folder, 'kept'), { recursive: true })
        await leg(join(folder, 'lost')).catch(() => {})
        rmSync(spoolDir, { recursive: true })
        renameSync(join(folder, 'kept'), spoolDir)
        for (let request = from; request < told.pages.length; request++) told.lost.add(request)
      }
      told.result = await leg(outDir)
      if (!told.result.finished) checkpoint = JSON.parse(JSON.stringify(told.result.checkpoint))
    }
    told.tables = readTables(outDir)
  } catch (error) {
    told.error = error as Error // only Errors are thrown
  } finally {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return told
}
