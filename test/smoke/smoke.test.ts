import { createAdaptorServer } from '@hono/node-server'
import { expect, it } from 'vitest'
import { createConsole } from '#functions/storage-api/console/console.tsx'
import { withConsole } from '#functions/storage-api/console/with-console.ts'
import { untilEnd } from '#support/until-end.ts'
import { startStorageService } from '../support/storage-service.ts'
import { consoleSteps } from './console-steps.ts'
import { installationAt } from './installation.ts'
import { runSteps, Skipped } from './run-steps.ts'
import { openSmoke } from './smoke-context.ts'

const service = await untilEnd(startStorageService())

const { 'sign in to the console': signIn = async () => 'there is no such step' } = consoleSteps

/** What the smoke test prints about signing in where `change` was done to each request. */
const signInWhere = async (change: (request: Request) => void): Promise<string[]> => {
  const site = withConsole(service.app, async () =>
    createConsole({
      ...service.stores,
      api: service.app,
      assets: () => new Map([['console-1.css', { type: 'text/css', body: new Uint8Array([1]) }]]),
      storeOrigins: [service.s3Endpoint],
      now: () => new Date(),
      log: { error: () => {} },
    }),
  )
  const server = createAdaptorServer({
    fetch: asked => {
      const request = new Request(asked)
      change(request)
      return site.fetch(request)
    },
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port')
  const lines: string[] = []
  const smoke = await openSmoke(
    await installationAt(`http://127.0.0.1:${address.port}`, service.token, undefined),
  )
  try {
    await runSteps({ 'sign in': signIn }, smoke, line => lines.push(line))
  } finally {
    await smoke.close()
    await new Promise(resolve => server.close(resolve))
  }
  return lines
}

it('signs in where cookies arrive, and says what happens where they get lost', async () => {
  expect(await signInWhere(() => {})).toEqual([expect.stringMatching(/^ok {7}sign in /)])
  expect(await signInWhere(({ headers }) => headers.delete('cookie'))).toEqual([
    expect.stringMatching(
      /^FAILED {3}sign in .*should be \[200,"\/console"\], and is \[200,"\/console\/sign-in"\]/,
    ),
  ])
})

it('goes on after a step that failed, and counts it', async () => {
  const lines: string[] = []
  const steps = {
    first: () => Promise.reject(new Error('it broke', { cause: new Error('a reason') })),
    second: () => Promise.reject(new Skipped('nobody could')),
    third: async () => 'it works',
  }
  const counted = await runSteps(steps, undefined, line => lines.push(line))
  expect(counted).toEqual({ passed: 1, failed: 1, skipped: 1 })
  expect(lines).toEqual([
    expect.stringMatching(/^FAILED {3}first \(.* s\): it broke \(a reason\)$/),
    'skipped  second: nobody could',
    expect.stringMatching(/^ok {7}third \(.* s\): it works$/),
  ])
})
