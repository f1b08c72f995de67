import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { advanceRun } from '#functions/run-extractor/advance-run.ts'
import type { RunStep } from '#functions/run-extractor/names.ts'
import type { MachineServices } from '#functions/run-extractor/services.ts'
import { TransientError, UserError } from '#lib/errors/errors.ts'
import { untilEnd } from '#support/until-end.ts'
import { newExecution, startExtraction } from '../../support/extraction.ts'
import { isThorough } from '../../support/thorough.ts'
import { startApi } from '../lib/extractor/api-server.ts'

const ROWS = isThorough ? 240 : 120
const PAGE = 10

let configId: string
let configs = 0

const extraction = await untilEnd(startExtraction())
const api = await untilEnd(
  startApi(async ({ query }) => {
    await sleep(5)
    const offset = Number(query.get('offset'))
    return Array.from({ length: Math.min(PAGE, ROWS - offset) }, (_, index) => ({
      id: offset + index,
      tags: [`t${offset + index}`],
    }))
  }),
)

beforeEach(() => createConfig())

/** Loads into a table without a key, incrementally: a row that came twice would be there twice. */
const createConfig = async (job: object = {}) => {
  configId = `legs${++configs}`
  const pagination = { method: 'offset', limit: PAGE }
  const config = { outputBucket: configId, incrementalOutput: true, jobs: [{ endpoint: 'items', ...job }] }
  await extraction.service.call('POST', '/v2/storage/components/ex-generic-v2/configs', {
    configurationId: configId,
    name: configId,
    configuration: { parameters: { api: { baseUrl: `${api.origin}/`, pagination }, config } },
  })
}

/** Ids in the table, sorted. */
const idsLoaded = async (): Promise<number[]> => {
  const { body } = await extraction.service.call(
    'GET',
    `/v2/storage/tables/in.c-${configId}.items/data-preview?format=json&limit=1000&columns=id`,
  )
  return body.rows
    .map(([cell]: { value: string }[]) => Number(cell?.value))
    .sort((a: number, b: number) => a - b)
}

const allIds = Array.from({ length: ROWS }, (_, id) => id)
const short = { legSeconds: 0.02 }

const legsOf = (result: object): number => {
  const [row] = 'rows' in result ? (result.rows as { legs: number }[]) : [] // The result of one row.
  return row?.legs ?? 0
}

it('legs that end early make the tables of one long leg', async () => {
  const { end } = await extraction.run(configId, { settings: short })
  expect(legsOf(end.result)).toBeGreaterThan(2)
  expect(await idsLoaded()).toEqual(allIds)
  const { body } = await extraction.service.call('GET', `/v2/storage/tables/in.c-${configId}.items_tags`)
  expect(body.rowsCount).toBe(ROWS)
})

it('a leg that finds nothing on its disk goes on from what the last one kept in S3', async () => {
  const execution = newExecution()
  const input = { componentId: 'ex-generic-v2', configId, overlap: 'wait' as const }
  extraction.running.add(execution)
  await extraction.advance('begin', execution, input)
  for (let leg = 0; leg < 2; leg++) {
    expect(await extraction.advance('leg', execution, input, short)).toMatchObject({ next: 'leg' })
    await rm(join(extraction.scratch, 'runs'), { recursive: true })
  }
  const { end } = await extraction.run(configId, { execution })
  expect(legsOf(end.result)).toBe(3)
  expect(await idsLoaded()).toEqual(allIds)
})

it('a run outlives the exported files of its inputs, also when nothing is left on the disk', async () => {
  const { service } = extraction
  const tableId = await service.createTable(
    await service.createBucket('legs-inputs'),
    'tenants',
    'tenant\n1\n',
  )
  configId = `legs${++configs}`
  const pagination = { method: 'offset', limit: PAGE }
  const config = { outputBucket: configId, incrementalOutput: true, jobs: [{ endpoint: 'items' }] }
  await service.call('POST', '/v2/storage/components/ex-generic-v2/configs', {
    configurationId: configId,
    name: configId,
    configuration: {
      storage: { input: { tables: [{ source: tableId, destination: 'tenants.csv' }] } },
      parameters: {
        api: { baseUrl: `${api.origin}/`, pagination },
        config,
        iterations: { table: 'tenants.csv' },
      },
    },
  })
  const execution = newExecution()
  const input = { componentId: 'ex-generic-v2', configId, overlap: 'wait' as const }
  extraction.running.add(execution)
  let { next } = await extraction.advance('begin', execution, input)
  while (next === 'inputs') ({ next } = await extraction.advance('inputs', execution, input))
  for (let leg = 0; leg < 2; leg++) {
    expect(await extraction.advance('leg', execution, input, short)).toMatchObject({ next: 'leg' })
    await rm(join(extraction.scratch, 'runs'), { recursive: true })
    const { body: files } = await service.call('GET', '/v2/storage/files?tags[]=table-export')
    for (const { id } of files) await service.call('DELETE', `/v2/storage/files/${id}`)
  }
  const { end } = await extraction.run(configId, { execution })
  expect(end.result).toMatchObject({ status: 'success' })
  expect(await idsLoaded()).toEqual(allIds)
})

it('a leg that runs twice at once counts once', async () => {
  const execution = newExecution()
  const input = { componentId: 'ex-generic-v2', configId, overlap: 'wait' as const }
  await extraction.advance('begin', execution, input)
  const elsewhere = { ...short, scratchFolder: join(extraction.scratch, 'elsewhere') }
  const both = () =>
    Promise.all([
      extraction.advance('leg', execution, input, short),
      extraction.advance('leg', execution, input, elsewhere),
    ])
  for (let next = 'leg'; next === 'leg'; ) {
    const [one, other] = await both()
    expect(other).toEqual(one)
    next = one.next
  }
  await extraction.run(configId, { execution })
  expect(await idsLoaded()).toEqual(allIds)
})

class Crash extends Error {}

/** Services that die at the given calls, before they reach the other side or before the reply comes back. */
const crashing = (services: MachineServices, crashes: Map<number, 'before' | 'after'>): MachineServices => {
  let calls = 0
  const guard = <Target extends object>(target: Target): Target =>
    new Proxy(target, {
      get: (object, name) => {
        const value = Reflect.get(object, name)
        if (typeof value !== 'function') return value
        return async (...given: unknown[]) => {
          const crash = crashes.get(calls++)
          if (crash === 'before') throw new Crash()
          const result = await value.apply(object, given)
          if (crash === 'after') throw new Crash()
          return result
        }
      },
    })
  const work = guard(services.work)
  return {
    ...services,
    stackStorage: guard(services.stackStorage),
    storageWith: token => guard(services.storageWith(token)),
    runTokens: extraction.runTokensWith({ work, tokens: guard(extraction.tokens) }),
    work,
    runs: guard(services.runs),
  }
}

describe('whatever dies', () => {
  it('at whichever call a step dies, and however often: each row is loaded once', async () => {
    const moment = fc.tuple(fc.nat(60), fc.constantFrom('before' as const, 'after' as const))
    await fc.assert(
      fc.asyncProperty(
        fc.array(moment, { minLength: 1, maxLength: 12 }),
        fc.boolean(),
        async (moments, isCold) => {
          await createConfig()
          const execution = newExecution()
          extraction.running.add(execution)
          const services = crashing(extraction.services(short), new Map(moments))
          // As the machine does: a step that died runs again.
          for (let attempt = 0; attempt < 40; attempt++) {
            try {
              const { end } = await extraction.run(configId, { execution, settings: services })
              expect(end.result).toMatchObject({ status: 'success', rowsLoaded: 2 * ROWS })
              break
            } catch (error) {
              if (!(error instanceof Crash)) throw error
              if (isCold) await rm(join(extraction.scratch, 'runs'), { recursive: true, force: true })
            }
          }
          expect(await idsLoaded()).toEqual(allIds)
        },
      ),
      { numRuns: isThorough ? 12 : 4, endOnFailure: true },
    )
  })
})

it('keeps no secret of the address of a next page between its legs', async () => {
  const signature = 'sig-of-the-api-0123456789abcdef'
  const signed = await startApi(async ({ query }) => {
    await sleep(20)
    const page = Number(query.get('page') ?? 0)
    return {
      items: [{ id: page }],
      next: page < 9 ? `${signed.origin}/items?page=${page + 1}&sig=${signature}` : null,
    }
  })
  try {
    const pagination = { method: 'response.url', urlKey: 'next' }
    await extraction.service.call('POST', '/v2/storage/components/ex-generic-v2/configs', {
      configurationId: 'signed',
      name: 'signed',
      configuration: {
        parameters: {
          api: { baseUrl: `${signed.origin}/`, pagination },
          config: { outputBucket: 'signed', jobs: [{ endpoint: 'items', dataField: 'items' }] },
        },
      },
    })
    const { work } = extraction
    const written: string[] = []
    const write: typeof work.write = (key, value, expected) => {
      written.push(JSON.stringify({ [key]: value }))
      return work.write(key, value, expected)
    }
    const { end, steps } = await extraction.run('signed', {
      settings: { legSeconds: 0.03, work: { ...work, write } },
    })
    expect(end.result).toMatchObject({ status: 'success' })
    expect(steps.filter(step => step === 'leg').length).toBeGreaterThan(1)
    expect(written.filter(text => text.includes('checkpoint.json')).length).toBeGreaterThan(0)
    expect(written.filter(text => text.includes(signature))).toEqual([])
  } finally {
    await signed.close()
  }
})

it('goes on at the first table that is not uploaded when the leg of its end dies', async () => {
  configId = `legs${++configs}`
  const jobs = ['a', 'b', 'c'].map(endpoint => ({ endpoint }))
  await extraction.service.call('POST', '/v2/storage/components/ex-generic-v2/configs', {
    configurationId: configId,
    name: configId,
    configuration: {
      parameters: { api: { baseUrl: `${api.origin}/` }, config: { outputBucket: configId, jobs } },
    },
  })
  const execution = newExecution()
  const input = { componentId: 'ex-generic-v2', configId, overlap: 'wait' as const }
  extraction.running.add(execution)
  await extraction.advance('begin', execution, input)
  let prepared = 0
  const died = new Error('The function died')
  const storageWith: MachineServices['storageWith'] = token => {
    const storage = extraction.services().storageWith(token)
    const prepareFile: typeof storage.prepareFile = async file => {
      if (++prepared === 3) throw died
      return storage.prepareFile(file)
    }
    return { ...storage, prepareFile }
  }
  const leg = () => extraction.advance('leg', execution, input, { legSeconds: 0.001, storageWith })
  await expect(async () => {
    for (let next = 'leg'; next === 'leg'; ) ({ next } = await leg())
  }).rejects.toBe(died)
  expect(await leg()).toMatchObject({ next: 'load' })
  // Of six: two, the third that died, and that and three more
  expect(prepared).toBe(7)
  expect((await extraction.run(configId, { execution })).end.result).toMatchObject({
    status: 'success',
    rows: [{ tables: Array(6).fill(expect.objectContaining({ rows: PAGE })) }],
  })
})

it('rule 9: a run says when it begins and ends to load, and one that was cancelled before loads nothing', async () => {
  const noted: boolean[] = []
  const { storageWith } = extraction.services()
  const telling = (code?: 'storage.jobs.cancelled' | 'storage.runs.notFound') => ({
    storageWith: (token: string) => ({
      ...storageWith(token),
      noteLoading: async (_: string, isLoading: boolean) => {
        noted.push(isLoading)
        if (code !== undefined) throw new UserError(code, 'No.')
      },
    }),
  })
  const { end } = await extraction.run(configId, { settings: telling('storage.jobs.cancelled') })
  expect(end.failure?.Error).toBe('storage.jobs.cancelled')
  expect(noted).toEqual([true])
  await extraction.run(configId, { settings: telling() })
  expect(noted).toEqual([true, true, false])
  expect(await idsLoaded()).toEqual(allIds)
  // A service that knows no runs stops none.
  await createConfig()
  await extraction.run(configId, { settings: telling('storage.runs.notFound') })
  expect(await idsLoaded()).toEqual(allIds)
})

describe('rule 9: a failure between the first load and the saved state', () => {
  /** What the machine hears when the state could not be saved, and that was told so many hours later. */
  const failedSave = async (execution: string, name: string, hours: number) => {
    const input = { componentId: 'ex-generic-v2', configId, overlap: 'wait' as const }
    extraction.running.add(execution)
    for (let next = 'begin' as RunStep; next !== 'load'; ) {
      const told = await extraction.advance(next, execution, input)
      if (!('next' in told)) throw new Error('It ended')
      next = told.next
    }
    const storageWith: MachineServices['storageWith'] = token => ({
      ...extraction.services().storageWith(token),
      saveState: async () => {
        throw new TransientError('storage.unreachable', 'Nobody answers.')
      },
    })
    const load = () => extraction.advance('load', execution, input, { storageWith })
    await expect(async () => {
      for (;;) await load()
    }).rejects.toThrow('Nobody answers')
    const failure = { Error: name, Cause: '{"errorMessage":"Nobody answers."}' }
    const services = extraction.services({ now: () => new Date(Date.now() + hours * 3_600_000) })
    return advanceRun({ step: 'fail', execution, startedAt: new Date(), input, failure }, services)
  }

  it.each(['TransientError', 'Sandbox.Timedout'])('goes on at the loads: %s', async name => {
    const execution = newExecution()
    const told = await failedSave(execution, name, 5)
    expect(told).toEqual({ next: 'again', waitSeconds: 60, state: { step: 'load' } })
    expect((await extraction.run(configId, { execution })).end.result).toMatchObject({ status: 'success' })
    expect(await idsLoaded()).toEqual(allIds)
  })

  it.each([
    ['that lasts', 'TransientError', 7],
    ['that will not pass', 'UserError', 0],
  ])('%s ends the row', async (_, name, hours) => {
    expect(await failedSave(newExecution(), name, hours)).toMatchObject({ state: { step: 'end' } })
  })
})
