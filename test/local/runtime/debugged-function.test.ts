import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parseDebuggedFunction, withDebugged } from '#local/runtime/lambda/debugged-function.ts'
import type { FunctionDefinition } from '#local/runtime/lambda/function-definition.ts'
import { Functions } from '#local/runtime/lambda/functions.ts'
import { RoleCredentials } from '#local/runtime/lambda/role-credentials.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from './temporary-folder.ts'

const folder = temporaryFolder()
afterAll(() => folder.remove())

const definition = (given: Partial<FunctionDefinition>): FunctionDefinition => ({
  name: 'Jobs',
  arn: 'arn:Jobs',
  logicalId: 'Jobs',
  codeFolder: join(import.meta.dirname, 'fixtures'),
  modulePath: join(import.meta.dirname, 'fixtures', 'behaviours.mjs'),
  exportName: 'handler',
  environment: {},
  roleArn: 'arn:role',
  timeoutSeconds: 600,
  memoryMiB: 128,
  isHeavy: false,
  concurrency: 4,
  ...given,
})

/** A bundle folder with a source map only. */
const bundleOf = async (name: string): Promise<FunctionDefinition> => {
  const asset = join(folder.path, `asset.${name}`)
  await mkdir(asset, { recursive: true })
  const sources = ['../../functions/lib/errors/errors.ts', `../../functions/${name}/handler.ts`]
  await writeFile(join(asset, 'index.mjs.map'), JSON.stringify({ version: 3, sources }))
  return definition({ name, arn: `arn:${name}`, modulePath: join(asset, 'index.mjs') })
}

describe('MILLRACE_DEBUG', () => {
  it.each([
    ['run-job', { name: 'run-job', inspectorPort: 9229 }],
    ['run-job:9300', { name: 'run-job', inspectorPort: 9300 }],
    ['run-job:99999', undefined],
    ['run-job:', undefined],
    ['Run Job', undefined],
    ['', undefined],
  ])('%j is read as %j', (text, expected) => {
    expect(parseDebuggedFunction(text)).toEqual(expected)
  })

  it('runs the function from its source, one at a time and without a time limit', async () => {
    const [runJob, pollJob] = [await bundleOf('run-job'), await bundleOf('poll-job')]
    const [debugged, other] = withDebugged([runJob, pollJob], { name: 'run-job', inspectorPort: 9229 })
    expect(debugged).toMatchObject({
      modulePath: expect.stringMatching(/\/functions\/run-job\/handler\.ts$/),
      inspectorPort: 9229,
      concurrency: 1,
      timeoutSeconds: 86_400,
    })
    expect(other).toBe(pollJob)
  })

  it('lists the functions when it names an unknown one', async () => {
    const definitions = [await bundleOf('run-job'), await bundleOf('poll-job')]
    expect(() => withDebugged(definitions, { name: 'runjob', inspectorPort: 9229 })).toThrow(
      'MILLRACE_DEBUG: there is no function "runjob". There are: poll-job, run-job.',
    )
  })
})

/** Below those that the system gives to whoever asks for any: between this look and its use nobody else takes it. */
const freePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(15_000, 32_000)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    await new Promise(resolve => server.close(resolve))
    return port
  }
}

const open = (inspectorPort: number) =>
  Functions.open({
    concurrency: new Map(),
    definitions: [definition({ inspectorPort, concurrency: 1 })],
    endpoints: { s3: 'http://s3', dynamodb: 'http://dynamodb', control: 'http://control' },
    credentials: new RoleCredentials(() => ({
      accessKeyId: 'ASIATEST',
      secretAccessKey: 'secret',
      sessionToken: 'token',
      expiration: new Date(Date.now() + 3_600_000),
    })),
    dataDir: folder.path,
  })

describe('a debugged function', () => {
  it('waits until a debugger lets it run', async () => {
    const port = await freePort()
    const functions = await open(port)
    try {
      let isDone = false
      const invocation = functions.invoke('arn:Jobs', { do: 'echo' }).finally(() => {
        isDone = true
      })
      const [target] = await eventually(
        async () =>
          (await fetch(`http://127.0.0.1:${port}/json/list`)).json() as Promise<
            { webSocketDebuggerUrl: string }[]
          >,
      )
      const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '')
      await once(socket, 'open')
      expect(isDone).toBe(false)
      socket.send(JSON.stringify({ id: 1, method: 'Runtime.runIfWaitingForDebugger' }))
      expect(await invocation).toStrictEqual({ do: 'echo' })
      socket.close()
    } finally {
      await functions.close(0)
    }
  })

  it('does not delay the stop of the cloud while it waits', async () => {
    const port = await freePort()
    const functions = await open(port)
    const invocation = functions.invoke('arn:Jobs', { do: 'echo' })
    const outcome = expect(invocation).rejects.toMatchObject({ name: 'ServiceUnavailable' })
    await eventually(() => fetch(`http://127.0.0.1:${port}/json/list`))
    await functions.close(0)
    await outcome
  })

  it('reports a port in use', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const functions = await open(port)
    try {
      await expect(functions.invoke('arn:Jobs', { do: 'echo' })).rejects.toThrow(
        `A debugger cannot attach at 127.0.0.1:${port}: the port is in use.`,
      )
    } finally {
      await functions.close(0)
      server.close()
    }
  })
})
