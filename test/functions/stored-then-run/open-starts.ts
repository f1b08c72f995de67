import { UserError } from '#functions/lib/errors/errors.ts'
import { runInput } from '#functions/run-extractor/event.ts'
import { createRedriveExecution } from '#functions/storage-api/services/redrive-execution.ts'
import { schedulesOfService, startDueRuns } from '#functions/tick/due-schedules.ts'
import { fireTriggers } from '#functions/tick/triggers.ts'
import { WHOLE } from '#lib/storage/failures/subject.ts'
import { newExecution, startExtraction } from '#support/extraction.ts'
import { startStorageService } from '#support/storage-service.ts'
import { startApi } from '../lib/extractor/api-server.ts'
import type { Start } from './catalogue.ts'

export const componentId = 'ex-generic-v2'
export const OWN = 'in.c-own'
export const SECRET = 'in.c-secret'

export interface Token {
  id: string
  headers: { 'X-StorageApi-Token': string }
}

/** What a run may do in the bucket `SECRET`, or why there is none. */
export type Outcome = 'write' | 'read' | 'nothing' | 'not started' | string

/** Where a configuration is, and what was prepared to set it off. */
export interface Place {
  configId: string
  branchId?: number
}

/** A storage service with every way to set off a run of a configuration; a run begins and goes no further. */
export const openStarts = async () => {
  const inputs = new Map<number, object>()
  const redriven: unknown[] = []
  const service = await startStorageService({
    extractRuns: {
      start: async (jobId, input) => void inputs.set(jobId, input),
      describe: async () => ({ status: 'success', output: '{}' }),
    },
    redriveExecution: createRedriveExecution({ start: async ({ input }) => redriven.push(input) > 0 }),
  })
  const extraction = await startExtraction({ service })
  const api = await startApi(() => [{ id: 1 }])
  await service.createBucket('own')
  await service.createBucket('secret')
  const watched = await service.createTable(OWN, 'watched', 'id\n1\n')

  const call = async (method: string, path: string, body?: unknown, by?: Token) => {
    const reply = await service.call(method, `/v2/storage/${path}`, body, by?.headers)
    if (reply.status >= 400) throw new UserError('accessDenied', `${method} ${path}: ${reply.text}`)
    return reply.body
  }
  const newToken = async (settings: object): Promise<Token> => {
    const { id, token } = await call('POST', 'tokens', { description: 'made', ...settings })
    return { id, headers: { 'X-StorageApi-Token': token } }
  }
  const configs = ({ branchId }: Partial<Place>) =>
    `${branchId === undefined ? '' : `branch/${branchId}/`}components/${componentId}/configs`
  const pathOf = (place: Place) => `${configs(place)}/${place.configId}`

  let lastBegun: { runId: string; headers: Token['headers'] } | undefined
  const rightsOfRun = async (execution: string): Promise<Outcome> => {
    const { value = '' } = (await extraction.services().runTokens.open(runIdOf(execution))) ?? {}
    const headers = { 'X-StorageApi-Token': value }
    lastBegun = { runId: runIdOf(execution), headers }
    const { body } = await service.call('GET', '/v2/storage/tokens/verify', undefined, headers)
    return body.canManageBuckets ? 'write' : (body.bucketPermissions[SECRET] ?? 'nothing')
  }
  const begin = async (given: unknown) => {
    const input = runInput.parse(given)
    const execution = newExecution()
    const reply = await extraction.advance('begin', execution, input)
    const outcome: Outcome =
      'failure' in reply && reply.failure ? reply.failure.Error : await rightsOfRun(execution)
    return { execution, input, outcome }
  }
  const outcomeOf = async (input: unknown): Promise<Outcome> =>
    input === undefined ? 'not started' : (await begin(input)).outcome

  /** What has to be there before a run can be set off, made by the master token where it takes one. */
  const prepare = async (start: Start, place: Place, maker?: Token): Promise<() => Promise<Outcome>> => {
    const { configId, branchId } = place
    const ofBranch = branchId === undefined ? {} : { branchId }
    const input = { componentId, configId, ...ofBranch }
    switch (start) {
      case 'operator':
        return () => outcomeOf(input)
      case 'schedule':
        return async () => outcomeOf((await dueRuns()).find(run => run['configId'] === configId))
      case 'trigger': {
        const { id } = await call(
          'POST',
          'triggers',
          {
            runWithTokenId: Number(maker?.id ?? 42),
            component: componentId,
            configurationId: configId,
            coolDownPeriodMinutes: 1,
            tableIds: [watched],
          },
          maker,
        )
        return async () => outcomeOf(await fire(Number(id), configId))
      }
      case 'request':
        return async () => outcomeOf(await inputOf('POST', `${pathOf(place)}/run`, maker))
      case 'redrive': {
        const letter = await keepLetter(input)
        return async () => {
          await call('POST', `dead-letters/${letter}/redrive`, {}, maker)
          return outcomeOf(redriven.at(-1))
        }
      }
      case 'later step': {
        const { execution, input: begun, outcome } = await begin(input)
        if (!['write', 'read', 'nothing'].includes(outcome)) return async () => outcome
        return async () => {
          try {
            await extraction.advance('leg', execution, begun)
            return await rightsOfRun(execution)
          } catch (error) {
            if (error instanceof UserError) return error.code
            throw error
          }
        }
      }
    }
  }

  const inputOf = async (method: string, path: string, by: Token | undefined) =>
    inputs.get((await call(method, path, {}, by)).id)

  const dueRuns = async (): Promise<Record<string, unknown>[]> => {
    const due: Record<string, unknown>[] = []
    const { stackStorage, storageWith, log } = extraction.services()
    const schedules = schedulesOfService(service.jobServices, [componentId])
    await startDueRuns(new Date(Date.now() + 2 * 60_000), schedules, {
      storage: { ...storageWith(service.token), ...stackStorage },
      startRun: async (_, run) => void due.push(run),
      log,
    })
    return due
  }

  /** The watched table was imported a moment ago. */
  const fire = async (triggerId: number, configId: string): Promise<object | undefined> => {
    const { triggers } = service.jobServices
    await triggers.update(triggerId, stored => ({
      ...stored,
      answered: {},
      lastRun: new Date(0).toISOString(),
    }))
    const before = inputs.size
    await fireTriggers({
      ...service.jobServices,
      baseUrl: 'http://storage.test',
      runnableComponents: [componentId],
    })
    await service.jobsEnded()
    await triggers.delete(triggerId)
    const started = [...inputs.values()].slice(before)
    return started.find(run => 'configId' in run && run.configId === configId)
  }

  const keepLetter = async (input: object): Promise<number> => {
    const at = new Date().toISOString()
    const letter = {
      machine: 'extract',
      source: { machine: 'arn:aws:states:us-east-1:1:stateMachine:extract', execution: newExecution() },
      input: { ...input },
      failure: { code: 'extractor.run.failed', message: 'It failed.' },
      details: {},
      at,
    }
    const { failures } = service.jobServices
    await failures.keep(letter, { name: letter.source.execution, scope: WHOLE, at })
    const [kept] = await Array.fromAsync(failures.list())
    return kept?.id ?? 0
  }

  let made = 0
  return {
    service,
    call,
    newToken,
    prepare,
    configs,
    pathOf,
    watched,
    /** The last run that began, with its token and what runs; it is told once. */
    async takeBegun() {
      const begun = lastBegun
      lastBegun = undefined
      const snapshot = begun && (await extraction.work.read(`runs/${begun.runId}/configuration.json`))
      return begun && { ...begun, text: JSON.stringify(snapshot?.value) }
    },
    /** It writes to the bucket `SECRET`, each minute too. */
    configuration: {
      parameters: {
        api: { baseUrl: `${api.origin}/` },
        config: { outputBucket: 'secret', jobs: [{ endpoint: 'items' }] },
      },
      schedule: 'rate(1 minute)',
    },
    async store(configuration: object, by?: Token): Promise<Place> {
      const configurationId = `c${++made}`
      await call('POST', configs({}), { configurationId, name: 'Stored', configuration }, by)
      return { configId: configurationId }
    },
    branch: async (): Promise<number> =>
      (await call('POST', 'dev-branches', { name: `branch ${++made}` })).results.id,
    async close(): Promise<void> {
      await api.close()
      await extraction.close()
      await service.close()
    },
  }
}

const runIdOf = (execution: string): string => execution.slice(execution.lastIndexOf(':') + 1)

export type Starts = Awaited<ReturnType<typeof openStarts>>
