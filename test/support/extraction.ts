import { mkdtemp, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CreateBucketCommand } from '@aws-sdk/client-s3'
import { createAdaptorServer } from '@hono/node-server'
import { createBucketDocuments } from '../../functions/lib/cloud/bucket-documents.ts'
import type { Answer } from '../../functions/lib/drive/step.ts'
import { createOpener } from '../../functions/lib/storage/secrets/create-opener.ts'
import { createStorageClient } from '../../functions/lib/storage-client/storage-client.ts'
import { createTokenClient } from '../../functions/lib/storage-client/token-client.ts'
import type { RunResults } from '../../functions/lib/wire/run-body.ts'
import { advanceRun } from '../../functions/run-extractor/advance-run.ts'
import { createConfigurationLeases } from '../../functions/run-extractor/configuration-lease.ts'
import type { RunInput } from '../../functions/run-extractor/event.ts'
import type { RunStep } from '../../functions/run-extractor/names.ts'
import { createRunStore } from '../../functions/run-extractor/run.ts'
import {
  createRunTokens,
  createTokenSeal,
  type RunTokensOptions,
} from '../../functions/run-extractor/run-tokens.ts'
import type { CountRun, MachineServices } from '../../functions/run-extractor/services.ts'
import type { GivenService } from './landing.ts'
import { s3WithAt } from './s3-with.ts'
import { startStorageService } from './storage-service.ts'

export type Settings = Partial<MachineServices>

interface RunOptions extends Partial<RunInput> {
  execution?: string
  settings?: Settings
}

const WORK_BUCKET = 'work'

/** Of the service that the tests start. */
const PROJECT_ID = 7

/** The step that is next, or what the run did. */
type Told =
  | { next: RunStep; waitSeconds: number; waitsFor?: string[] }
  | { next: 'end'; result: RunResults; failure?: { Error: string; Cause: string } }

const told = (answer: Answer): Told => {
  if (answer.next === 'again') {
    const { state, next: _, ...wait } = answer
    return { next: (state as { step: RunStep }).step, ...wait } // As the run passes it on.
  }
  if (answer.next === 'done') return { next: 'end', result: answer.output as RunResults }
  if (answer.next !== 'failed') throw new Error(`A run answers no "${answer.next}"`)
  const { failure, details } = answer
  return {
    next: 'end',
    result: details as RunResults,
    failure: { Error: failure.code, Cause: failure.message },
  }
}

/** The function `run-extractor` without its Lambda, on a real storage service behind HTTP and a real S3. */
export const startExtraction = async (given: GivenService = {}) => {
  const service = given.service ?? (await startStorageService())
  const api = createAdaptorServer({ fetch: given.fetch ?? service.app.fetch }) as Server // Without options it makes a plain HTTP server.
  await new Promise<void>(resolve => api.listen(0, '127.0.0.1', resolve))
  const { port } = api.address() as AddressInfo // It listens on a port.
  await service.s3.send(new CreateBucketCommand({ Bucket: WORK_BUCKET }))
  const scratch = await mkdtemp(join(tmpdir(), 'extraction-'))
  const work = createBucketDocuments(service.s3, WORK_BUCKET)
  const baseUrl = `http://127.0.0.1:${port}`
  const storageIn = (branchId: number | undefined) => (token: string) =>
    createStorageClient({ baseUrl, token, branchId })
  const tokens = createTokenClient({ baseUrl, token: service.token })
  const runTokensWith = (over: Pick<RunTokensOptions, 'work' | 'tokens'>) =>
    createRunTokens({ ...over, seal: createTokenSeal(service.token), now: () => new Date() })
  const open = createOpener(service.keys)
  const running = new Set<string>()
  const counted: Parameters<CountRun>[0][] = []
  const logged: { level: string; message: string; extra: unknown }[] = []
  const log = (level: string) => (message: string, extra: unknown) =>
    void logged.push({ level, message, extra })

  const services = (settings: Settings = {}, branchId?: number): MachineServices => ({
    stackStorage: storageIn(branchId)(service.token),
    storageWith: storageIn(branchId),
    runTokens: runTokensWith({ work, tokens }),
    work,
    runs: createRunStore(work),
    seal: createTokenSeal(service.token),
    isRunning: async () => true,
    leases: createConfigurationLeases({
      work,
      isRunning: async arn => running.has(arn),
      now: () => new Date(),
    }),
    s3With: s3WithAt(service.s3Endpoint),
    openSecrets: (value, reader) => open(value, { ...reader, projectId: PROJECT_ID }),
    scratchFolder: join(scratch, 'runs'),
    legSeconds: 60,
    legDeadline: Number.POSITIVE_INFINITY,
    allowedHosts: ['127.0.0.1'],
    count: run => void counted.push(run),
    now: () => new Date(),
    log: { info: log('info'), warn: log('warn'), error: log('error') },
    ...settings,
  })

  const startedAt = new Date()
  const advance = (step: RunStep, execution: string, input: RunInput, settings?: Settings) =>
    advanceRun({ step, execution, startedAt, input }, services(settings, input.branchId)).then(told)

  return {
    service,
    services,
    tokens,
    runTokensWith,
    scratch,
    running,
    counted,
    logged,
    work,
    advance,

    /** Runs all steps of the machine, without its pauses. */
    async run(
      configId: string,
      { execution = newExecution(), settings = {}, ...more }: RunOptions = {},
    ): Promise<{ end: Extract<Told, { result: unknown }>; steps: string[] }> {
      const input = { componentId: 'ex-generic-v2', configId, overlap: 'wait' as const, ...more }
      const steps: string[] = []
      running.add(execution)
      try {
        let result = await advance('begin', execution, input, settings)
        while (!('result' in result)) {
          steps.push(result.next)
          result = await advance(result.next, execution, input, settings)
        }
        return { end: result, steps }
      } finally {
        running.delete(execution)
      }
    },

    async close(): Promise<void> {
      await new Promise(resolve => api.close(resolve))
      if (!given.service) await service.close()
      await rm(scratch, { recursive: true, force: true })
    },
  }
}

let executions = 0
export const newExecution = (): string =>
  `arn:aws:states:us-east-1:000000000000:execution:extract:test-${++executions}`

export type Extraction = Awaited<ReturnType<typeof startExtraction>>
