import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { openLegFolder } from '#functions/run-extractor/leg-folder.ts'
import { previewStored } from '#functions/run-extractor/preview/preview-stored.ts'
import { createOpener } from '#lib/storage/secrets/create-opener.ts'
import { startExtraction } from '#support/extraction.ts'
import { folderUntilEnd, untilEnd } from '#support/until-end.ts'
import { startApi } from './lib/extractor/api-server.ts'

/* Cores take what they need, so that several pieces of work run in one process without touching each other. */
const extraction = await untilEnd(startExtraction())
const { service } = extraction
const configs = '/v2/storage/components/ex-generic-v2/configs'

/** An API for each author: what it was asked with, and by whom. */
const startAuthor = async (name: string) => {
  const asked: string[] = []
  const api = await startApi(async ({ headers, query }) => {
    asked.push(JSON.stringify(headers))
    await sleep(1)
    const offset = Number(query.get('offset'))
    return offset >= 30 ? [] : Array.from({ length: 10 }, (_, index) => ({ id: `${name}-${offset + index}` }))
  })
  return { name, asked, api }
}
type Author = Awaited<ReturnType<typeof startAuthor>>

const configurationOf = ({ api, name }: Author, secret: string) => ({
  parameters: {
    api: {
      baseUrl: `${api.origin}/`,
      pagination: { method: 'offset', limit: 10 },
      http: { headers: { 'X-Key': { attr: '#key' } } },
    },
    config: { outputBucket: name, '#key': secret, jobs: [{ endpoint: 'items' }] },
  },
})

const idsOf = async (bucket: string): Promise<string[]> => {
  const { body } = await service.call(
    'GET',
    `/v2/storage/tables/in.c-${bucket}.items/data-preview?format=json&limit=1000`,
  )
  return body.rows.map(([cell]: { value: string }[]) => cell?.value ?? '').toSorted()
}

let runs = 0

it('two extractions in legs and a preview of three authors: each secret is in its own requests only, and in no log', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.stringMatching(/^[a-z0-9]{12,20}$/), { minLength: 3, maxLength: 3 }),
      fc.constantFrom(0.005, 0.02, 60),
      async ([first = '', second = '', third = ''], legSeconds) => {
        const before = extraction.logged.length
        runs += 1
        const authors = await Promise.all(['one', 'two', 'three'].map(who => startAuthor(`${who}${runs}`)))
        try {
          const [one, two, three] = authors as [Author, Author, Author] // One for each name.
          const secrets = [`x${first}`, `y${second}`, `z${third}`]
          for (const [index, author] of authors.entries())
            await service.call('POST', configs, {
              configurationId: author.name,
              name: author.name,
              configuration: configurationOf(author, secrets[index] ?? ''),
            })
          const { body: stored } = await service.call('GET', `${configs}/${three.name}`)
          const open = createOpener(service.keys)
          const [ends, shown] = await Promise.all([
            Promise.all([one, two].map(({ name }) => extraction.run(name, { settings: { legSeconds } }))),
            previewStored(
              {
                componentId: 'ex-generic-v2',
                configId: three.name,
                configuration: stored.configuration,
                state: {},
                imageParameters: {},
                adoptedSecrets: [],
                rows: 5,
              },
              {
                openSecrets: (value, reader) => open(value, { ...reader, projectId: 7 }),
                allowedHosts: ['127.0.0.1'],
                scratchFolder: join(extraction.scratch, 'runs'),
              },
            ),
          ])
          expect(ends.map(({ end }) => end.result.status)).toEqual(['success', 'success'])
          expect(shown.error).toBeNull()
          for (const { name } of [one, two])
            expect(await idsOf(name)).toEqual(
              Array.from({ length: 30 }, (_, id) => `${name}-${id}`).toSorted(),
            )
          for (const [own, { asked }] of authors.entries())
            for (const [index, secret] of secrets.entries())
              expect([own, index, asked.some(text => text.includes(secret))]).toEqual([
                own,
                index,
                own === index,
              ])
          const said = JSON.stringify([extraction.logged.slice(before), shown])
          expect(secrets.filter(secret => said.includes(secret))).toEqual([])
        } finally {
          for (const { api } of authors) await api.close()
        }
      },
    ),
    { numRuns: 4 },
  )
})

it('two loads at once have folders of their own, and leave none behind', async () => {
  await service.createBucket('together')
  const csvOf = (name: string) =>
    `id\n${Array.from({ length: 2_000 }, (_, id) => `${name}-${id}`).join('\n')}\n`
  await Promise.all(['a', 'b', 'c', 'd'].map(name => service.createTable('in.c-together', name, csvOf(name))))
  for (const name of ['a', 'b', 'c', 'd']) {
    const { body } = await service.call('GET', `/v2/storage/tables/in.c-together.${name}`)
    expect([name, body.rowsCount]).toEqual([name, 2_000])
  }
})

it('a leg that opens its folder leaves that of another one alone', async () => {
  const scratch = folderUntilEnd()
  const first = await openLegFolder(scratch, 'run-1-0', null)
  await openLegFolder(scratch, 'run-2-0', null)
  await access(first.spool)
})
