import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { FunctionDefinition } from '#local/runtime/lambda/function-definition.ts'
import { Functions } from '#local/runtime/lambda/functions.ts'
import { writeBundle } from './flow-bundles.ts'
import { temporaryFolder } from './temporary-folder.ts'

const folder = temporaryFolder()
const bundleOf = (name: string) => writeBundle(join(folder.path, 'bundles', name), join(name, 'index.mjs'))
const behaviours = await bundleOf('behaviours')

const definition = (name: string, given: Partial<FunctionDefinition> = {}): FunctionDefinition => ({
  name,
  codeFolder: behaviours,
  environment: { GREETING: 'hello' },
  timeoutSeconds: 600,
  memoryMiB: 128,
  isHeavy: false,
  concurrency: 1,
  ...given,
})

/** How long the impatient function may take. */
const patience = { seconds: 600 }

const definitions = [
  definition('plain'),
  Object.defineProperty(definition('impatient'), 'timeoutSeconds', { get: () => patience.seconds }),
  definition('pair', { concurrency: 2 }),
  definition('warmed', { concurrency: 2 }),
  definition('missing', { codeFolder: await bundleOf('nobody') }),
  definition('absent', { codeFolder: join(folder.path, 'absent') }),
  definition('small', { memoryMiB: 64 }),
]

const open = (dataDir: string, definitions: readonly FunctionDefinition[]) =>
  new Functions({
    definitions,
    s3: 'http://s3',
    keyOf: () => ({ accessKeyId: 'ASIATEST', secretAccessKey: 'secret', sessionToken: 'token' }),
    dataDir,
    hostOf: async () => ({}),
  })

const functions = open(folder.path, definitions)

afterAll(async () => {
  await functions.close(0)
  await folder.remove()
})

const plain = (event: Record<string, unknown>) => functions.invoke('plain', event)
const impatient = (event: Record<string, unknown>) => functions.invoke('impatient', event)

/** Invokes it in a container that is warm, so that the second is for the event. */
const withinASecond = async (event: Record<string, unknown>): Promise<unknown> => {
  await impatient({ do: 'nothing' })
  patience.seconds = 1
  try {
    return await impatient(event)
  } finally {
    patience.seconds = 600
  }
}

describe('results', () => {
  it('passes event and result through JSON', async () => {
    expect(await plain({ do: 'echo', at: new Date(0), gone: undefined })).toStrictEqual({
      do: 'echo',
      at: '1970-01-01T00:00:00.000Z',
    })
    expect(await plain({ do: 'dates' })).toStrictEqual({ at: '1970-01-01T00:00:00.000Z' })
    expect(await plain({ do: 'nothing' })).toBeNull()
  })

  it('keeps a container warm between invocations', async () => {
    const first = await plain({ do: 'count' })
    expect(await plain({ do: 'count' })).toBe(Number(first) + 1)
  })

  it('makes no second container in advance while the first one works', async () => {
    const containers = () => readdir(join(folder.path, 'tmp'))
    const before = await containers()
    const invoked = functions.invoke('warmed', { do: 'echo' })
    await functions.warm(['warmed'])
    await invoked
    expect(await containers()).toHaveLength(before.length + 1)
  })

  it('describes the invocation in the context', async () => {
    const context = await plain({ do: 'context' })
    expect(context).toMatchObject({
      functionName: 'plain',
      invokedFunctionArn: expect.stringMatching(/:function:plain$/),
      memoryLimitInMB: '128',
      awsRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      remaining: expect.any(Number),
    })
  })
})

describe('environment', () => {
  it('holds the template’s variables, the role’s credentials and the local endpoints', async () => {
    expect(await plain({ do: 'environment' })).toMatchObject({
      GREETING: 'hello',
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'ASIATEST',
      AWS_SESSION_TOKEN: 'token',
      AWS_ENDPOINT_URL_S3: 'http://s3',
      AWS_ENDPOINT_URL: 'http://s3',
    })
  })

  it('holds nothing of this process’s own environment', async () => {
    process.env['MILLRACE_LEAK'] = 'yes'
    try {
      expect(await plain({ do: 'environment' })).not.toHaveProperty('MILLRACE_LEAK')
      expect(await plain({ do: 'environment' })).not.toHaveProperty('HOME')
    } finally {
      delete process.env['MILLRACE_LEAK']
    }
  })

  it('leaves nothing of an invocation that was cut off', async () => {
    await expect(withinASecond({ do: 'hangWithFile', file: 'left' })).rejects.toThrow('timed out')
    expect(await impatient({ do: 'files' })).not.toContain('left')
  })

  it('gives each container a temporary folder below the data directory', async () => {
    expect(await plain({ do: 'temporary' })).toContain(join(folder.path, 'tmp'))
  })
})

describe('failures', () => {
  it('reports the name and message of the error that the handler threw', async () => {
    await expect(plain({ do: 'fail', name: 'UserError', message: 'no such table' })).rejects.toMatchObject({
      name: 'UserError',
      details: { errorType: 'UserError', errorMessage: 'no such table', trace: expect.any(Array) },
    })
  })

  it.each([
    ['process.exit', { do: 'exit' }, 'exited with code 3'],
    ['an uncaught error', { do: 'failLater' }, 'nobody awaits me'],
  ])('fails the invocation on %s and replaces the container', async (_case, event, message) => {
    await expect(plain(event)).rejects.toMatchObject({
      name: 'Runtime.ExitError',
      message: expect.stringContaining(message),
    })
    expect(await plain({ do: 'count' })).toBe(1)
  })

  it.each(['hang', 'spin'])('cuts off a handler that would %s', async way => {
    await expect(withinASecond({ do: way })).rejects.toMatchObject({
      name: 'Sandbox.Timedout',
      message: expect.stringContaining('Task timed out after 1.00 seconds'),
    })
    expect(await impatient({ do: 'count' })).toBe(1)
  })

  it.each([
    ['missing', 'Runtime.HandlerNotFound'],
    ['absent', 'Error'],
    ['nobody', 'Lambda.ResourceNotFoundException'],
  ])('says what is wrong with %s', async (arn, name) => {
    await expect(functions.invoke(arn, { do: 'echo' })).rejects.toMatchObject({ name })
  })
})

describe('limits', () => {
  const sixMiB = 6 * 1024 * 1024

  it('refuses an event over 6 MB', async () => {
    await expect(plain({ do: 'echo', text: 'x'.repeat(sixMiB) })).rejects.toMatchObject({
      name: 'Lambda.RequestTooLargeException',
    })
  })

  it('refuses a result over 6 MB, and passes one just under', async () => {
    await expect(plain({ do: 'large', bytes: sixMiB })).rejects.toMatchObject({
      name: 'Function.ResponseSizeTooLarge',
    })
    expect(await plain({ do: 'large', bytes: sixMiB - 2 })).toHaveLength(sixMiB - 2)
  })

  it('runs as many invocations in parallel as the function allows, then the others', async () => {
    const gate = (name: string) => join(folder.path, `gate-${name}`)
    const open = (name: string) => writeFile(gate(name), '')
    const hasBegun = (name: string) => expect.poll(() => existsSync(`${gate(name)}.begun`)).toBe(true)
    const invoke = (name: string) => functions.invoke('pair', { do: 'untilFile', file: gate(name) })
    await open('third')
    const [long, short, third] = ['long', 'short', 'third'].map(invoke)
    await Promise.all([hasBegun('long'), hasBegun('short')])
    // Both containers are taken: the third one begins when the second has ended, which overtakes the first.
    expect(existsSync(`${gate('third')}.begun`)).toBe(false)
    await open('short')
    await Promise.all([short, third])
    await open('long')
    await long
  })
})

it('has a log file of each function from the start, and writes to it what the function prints', async () => {
  const logs = join(folder.path, 'logs')
  expect(await readdir(logs)).toContain('absent.log')
  await plain({ do: 'print', text: 'a line for the log' })
  await expect.poll(() => readFile(join(logs, 'plain.log'), 'utf8')).toContain('a line for the log')
})

describe('limits', () => {
  it('an invocation that takes more memory than its function has ends, and the next one has a new container', async () => {
    await expect(functions.invoke('small', { do: 'hoard', mib: 100 })).rejects.toMatchObject({
      name: 'Runtime.OutOfMemory',
      message: expect.stringMatching(/takes \d+ MiB of memory and has 64/),
    })
    expect(await functions.invoke('small', { do: 'count' })).toBe(1)
  })

  it('invocations that wait for a process of their function keep no others out', async () => {
    const waiting = Array.from({ length: 5 }, () => plain({ do: 'sleep', ms: 50 }))
    expect(await functions.invoke('pair', { do: 'nothing' })).toBeNull()
    await Promise.all(waiting)
  })
})

it('at the end of the runtime what runs is told to stop, as by Lambda’s signal, and has time to', async () => {
  const codeFolder = await bundleOf('stops')
  const closing = open(join(folder.path, 'closing'), [definition('stops', { codeFolder })])
  const file = join(folder.path, 'stopped')
  const refused = expect(closing.invoke('stops', { file })).rejects.toThrow('shutting down')
  await expect.poll(() => existsSync(`${file}.begun`), { timeout: 60_000 }).toBe(true)
  await closing.close(600_000)
  await refused
  expect(await readFile(file, 'utf8')).toBe('The function is told to stop')
})
