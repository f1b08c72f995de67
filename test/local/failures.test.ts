import { PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, expect, it } from 'vitest'
import { callerOf, s3Of } from '#support/cloud-clients.ts'
import { eventually } from '#support/eventually.ts'
import { createKilledCloud, type RunningCloud } from '#support/killed-cloud.ts'
import { runMillrace } from '#support/millrace.ts'
import { hasEnded, poll } from '#support/poll.ts'
import { json, startScriptedServer } from '#support/scripted-server.ts'
import { folderUntilEnd } from '#support/until-end.ts'

/* What failed is shown once, everywhere the same, and goes when it is mended: on the real stack, and through a death. */

const killed = createKilledCloud(folderUntilEnd(), {})
let cloud: RunningCloud = await killed.start()
afterAll(() => killed.kill())
const api = callerOf(() => cloud)

const land = (name: string, Body: string, Metadata: Record<string, string> = {}) =>
  s3Of(cloud).send(
    new PutObjectCommand({ Bucket: cloud.landingBucket, Key: `in.c-burst/${name}`, Body, Metadata }),
  )

const millrace = async (...args: string[]) => {
  const environment = { MILLRACE_URL: cloud.api, MILLRACE_TOKEN: cloud.token }
  return JSON.parse((await runMillrace([...args, '--json'], { environment })).stdout)
}

/** How often the console counts and lists failures, as it shows them to a browser. */
const consoleCounts = async () => {
  const origin = new URL(cloud.api).origin
  const signedIn = await fetch(`${origin}/console/sign-in`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ token: cloud.token ?? '' }),
    redirect: 'manual',
  })
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
  const page = async (path: string) =>
    (await fetch(`${origin}/console${path}`, { headers: { cookie } })).text()
  const [overview, letters] = [await page(''), await page('/dead-letters')]
  return [
    Number(/(\d+) dead letter/.exec(overview)?.[1] ?? 0),
    [...overview.matchAll(/<th scope="row">(?:Import|Run) of/g)].length,
    [...letters.matchAll(/<h2>\s*(?:Import|Run) of/g)].length,
  ]
}

/** The same in the API, in the command and in the console. Resolves to what failed. */
const expectFailures = async (count: number): Promise<string[]> => {
  const letters: { input: unknown }[] = await api('GET', 'dead-letters')
  const status = await millrace('status')
  expect([
    letters.length,
    status.deadLetters,
    status.failures.length,
    (await millrace('letters')).length,
    ...(await consoleCounts()),
  ]).toEqual(Array.from({ length: 7 }, () => count))
  return letters.map(({ input }) => /in\.c-burst\/[\w.-]+/.exec(JSON.stringify(input))?.[0] ?? '').sort()
}

it('of a burst through a death three files are named, and none when they are mended', async () => {
  const isBad = (index: number) => index % 40 === 7
  const names = Array.from({ length: 120 }, (_, index) => `t${index}.csv`)
  const send = (some: readonly string[]) =>
    Promise.all(
      some.map(name =>
        land(name, isBad(Number(name.slice(1, -4))) ? 'id,city\n1\n' : `id,city\n${name},Brno\n`),
      ),
    )
  await send(names.slice(0, 80))
  await killed.kill()
  cloud = await killed.start()
  await send(names.slice(80))
  await eventually(async () => {
    expect((await api('GET', 'tables?include=')).length).toBe(117)
    expect(await api('GET', 'dead-letters')).toHaveLength(3)
  })
  expect(await expectFailures(3)).toEqual(['in.c-burst/t47.csv', 'in.c-burst/t7.csv', 'in.c-burst/t87.csv'])

  await Promise.all(names.filter((_, index) => isBad(index)).map(name => land(name, 'id,city\n1,Olomouc\n')))
  await eventually(async () => expect(await api('GET', 'dead-letters')).toEqual([]))
  await expectFailures(0)
  expect((await api('GET', 'tables?include=')).length).toBe(120)
})

it('a version that was to be added stays, though the next one is loaded; one that was to replace goes', async () => {
  const files: [string, Record<string, string>][] = [
    ['added.csv', { incremental: '1' }],
    ['replaced.csv', {}],
  ]
  for (const [name, metadata] of files) await land(name, 'id,city\n1\n', metadata)
  await eventually(async () => expect(await api('GET', 'dead-letters')).toHaveLength(2))
  for (const [name, metadata] of files) await land(name, 'id,city\n1,Praha\n', metadata)
  await eventually(async () => {
    for (const table of ['added', 'replaced'])
      expect(await api('GET', `tables/in.c-burst.${table}`)).toMatchObject({ rowsCount: 1 })
    expect(await api('GET', 'dead-letters')).toHaveLength(1)
  })
  expect(await expectFailures(1)).toEqual(['in.c-burst/added.csv'])
  for (const { id } of await api('GET', 'dead-letters')) await api('DELETE', `dead-letters/${id}`)
})

it('a configuration that fails again and again is one failure, which goes with the first run that succeeds', async () => {
  const server = await startScriptedServer()
  server.replyWith(json(404, {}))
  const config = { componentId: 'ex-generic-v2', configId: 'daily' }
  await api('POST', `components/${config.componentId}/configs`, {
    configurationId: config.configId,
    name: 'Daily',
    configuration: {
      parameters: { api: { baseUrl: server.url }, config: { jobs: [{ endpoint: 'orders' }] } },
    },
  })
  const run = async () => {
    const { id } = await api('POST', `components/${config.componentId}/configs/${config.configId}/run`)
    return poll(() => api('GET', `jobs/${id}`), hasEnded)
  }
  try {
    for (let time = 0; time < 3; time++) expect(await run()).toMatchObject({ status: 'error' })
    await eventually(async () => expect(await api('GET', 'dead-letters')).toHaveLength(1))
    await expectFailures(1)
    server.replyWith(json(200, [{ id: 1 }]))
    expect(await run()).toMatchObject({ status: 'success' })
    await eventually(async () => expect(await api('GET', 'dead-letters')).toEqual([]))
    await expectFailures(0)
  } finally {
    await server.close()
  }
})
